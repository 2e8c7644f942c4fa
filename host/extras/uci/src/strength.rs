//! `UCI_LimitStrength` and `UCI_Elo`, the standard options of an AI with the option `elo`.

use ai_api::{OptionKind, OptionSetting, OptionSpec, OptionValue};

use crate::options::OptionError;

pub(crate) const LIMIT_STRENGTH: &str = "UCI_LimitStrength";
pub(crate) const UCI_ELO: &str = "UCI_Elo";
/// The AI's option; 0 is full strength.
pub(crate) const ELO: &str = "elo";

/// The values of both options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Strength {
    is_limited: bool,
    elo: i64,
    max: i64,
}

impl Strength {
    /// Returns the strength of an AI with these options, or `None` for an AI without `elo`.
    pub(crate) fn of(specs: &[OptionSpec], settings: &[OptionSetting]) -> Option<Self> {
        let spec = specs.iter().find(|spec| spec.name == ELO)?;
        let OptionKind::Integer {
            min: ..=0,
            max: max @ 1..,
        } = spec.kind
        else {
            return None;
        };
        let setting = settings.iter().find(|setting| setting.name == ELO)?;
        let OptionValue::Integer(elo) = setting.value else {
            return None;
        };
        let is_limited = elo > 0;
        Some(Self {
            is_limited,
            elo: if is_limited { elo } else { max },
            max,
        })
    }

    /// Returns the `option` lines.
    pub(crate) fn declarations(&self) -> [String; 2] {
        let Self {
            is_limited,
            elo,
            max,
        } = self;
        [
            format!("option name {LIMIT_STRENGTH} type check default {is_limited}"),
            format!("option name {UCI_ELO} type spin default {elo} min 1 max {max}"),
        ]
    }

    /// Sets one of the two options. Returns the value of `elo`, or `None` for another option.
    pub(crate) fn set(&mut self, name: &str, text: &str) -> Option<Result<i64, OptionError>> {
        let wrong = |option: &str, expected: String| {
            Some(Err(OptionError::Value {
                name: option.to_owned(),
                value: text.to_owned(),
                expected,
            }))
        };
        if name.eq_ignore_ascii_case(LIMIT_STRENGTH) {
            match text.to_ascii_lowercase().as_str() {
                "true" | "on" => self.is_limited = true,
                "false" | "off" => self.is_limited = false,
                _ => return wrong(LIMIT_STRENGTH, "true or false".to_owned()),
            }
        } else if name.eq_ignore_ascii_case(UCI_ELO) {
            match text.parse() {
                Ok(elo) if (1..=self.max).contains(&elo) => self.elo = elo,
                _ => return wrong(UCI_ELO, format!("a whole number from 1 to {}", self.max)),
            }
        } else {
            return None;
        }
        Some(Ok(if self.is_limited { self.elo } else { 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strength(elo: i64) -> Option<Strength> {
        let specs = [OptionSpec::integer(ELO, 0, 0..=2800, "")];
        Strength::of(
            &specs,
            &[OptionSetting {
                name: ELO.into(),
                value: OptionValue::Integer(elo),
            }],
        )
    }

    #[test]
    fn supports_only_an_elo_option_with_full_strength() {
        for spec in [
            OptionSpec::integer(ELO, 1, 1..=2800, ""),
            OptionSpec::integer(ELO, 0, 0..=0, ""),
            OptionSpec::text(ELO, "", ""),
            OptionSpec::integer("level", 0, 0..=9, ""),
        ] {
            let setting = OptionSetting {
                name: spec.name.clone(),
                value: spec.default.clone(),
            };
            assert_eq!(Strength::of(&[spec], &[setting]), None);
        }
        let lines = strength(1500).unwrap().declarations();
        assert_eq!(
            lines,
            [
                "option name UCI_LimitStrength type check default true",
                "option name UCI_Elo type spin default 1500 min 1 max 2800"
            ]
        );
    }

    #[test]
    fn combines_both_options_into_elo() {
        let mut strength = strength(0).unwrap();
        let mut set = |name: &str, text: &str| {
            strength
                .set(name, text)
                .map(|set| set.map_err(|error| error.to_string()))
        };
        assert_eq!(set("uci_elo", "1300"), Some(Ok(0)));
        assert_eq!(set("UCI_LimitStrength", "true"), Some(Ok(1300)));
        assert_eq!(set("UCI_Elo", "2800"), Some(Ok(2800)));
        assert_eq!(
            set("UCI_Elo", "2801"),
            Some(Err(
                "option UCI_Elo is '2801'; expected a whole number from 1 to 2800".to_owned()
            ))
        );
        assert_eq!(
            set("UCI_LimitStrength", "maybe"),
            Some(Err(
                "option UCI_LimitStrength is 'maybe'; expected true or false".to_owned()
            ))
        );
        assert_eq!(set("UCI_LimitStrength", "false"), Some(Ok(0)));
        assert_eq!(set("Hash", "1"), None);
    }
}
