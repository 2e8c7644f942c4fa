//! A player in text form: an AI with options and limits, as in `basic1,quiescence=false,depth=3`.

use std::{fmt, ops::RangeInclusive};

use ai_api::Limits;
use text::printable;

use crate::limit::{DEPTHS, MOVETIMES_MS, NODES};

/// The name and the value of an option or a limit.
pub type PlayerSetting<'t> = (&'t str, &'t str);

/// A parsed `AI[,NAME=VALUE…]`. Spaces around a name or a value are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerText<'t> {
    /// The id of an AI, or the path of a library or a UCI engine.
    pub ai: &'t str,
    /// Options and limits in the order of the text, with unique names.
    settings: Vec<PlayerSetting<'t>>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePlayerError {
    #[error("'{}' is not an option; expected name=value", printable(.0))]
    Malformed(String),
    #[error("'{}' is set twice; set it once", printable(.0))]
    Twice(String),
    #[error(
        "'{}={}' is not a valid limit; {name} must be a whole number from {} to {}",
        printable(.name), printable(.value), .range.start(), .range.end()
    )]
    Limit {
        name: String,
        value: String,
        range: RangeInclusive<u64>,
    },
}

impl<'t> PlayerText<'t> {
    /// # Errors
    /// A part is not `name=value`, or a name occurs twice.
    pub fn parse(text: &'t str) -> Result<Self, ParsePlayerError> {
        let mut settings: Vec<PlayerSetting<'_>> = Vec::new();
        for part in text.split(',').skip(1).map(str::trim) {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| ParsePlayerError::Malformed(part.to_owned()))?;
            let (name, value) = (name.trim(), value.trim());
            if settings.iter().any(|(known, _)| *known == name) {
                return Err(ParsePlayerError::Twice(name.to_owned()));
            }
            settings.push((name, value));
        }
        Ok(Self {
            ai: Self::ai_of(text),
            settings,
        })
    }

    /// Returns the AI that the text names, even if its settings are malformed.
    pub fn ai_of(text: &str) -> &str {
        text.split(',').next().unwrap_or_default().trim()
    }

    /// Splits the settings into options and limits for each move. `depth`, `nodes` and
    /// `movetime_ms` are limits, unless the AI has options with these names.
    ///
    /// # Errors
    /// A limit is not a whole number or is out of range.
    pub fn split(
        &self,
        is_option: impl Fn(&str) -> bool,
    ) -> Result<(Vec<PlayerSetting<'t>>, Limits), ParsePlayerError> {
        let (mut options, mut limits) = (Vec::new(), Limits::NONE);
        for &(name, value) in &self.settings {
            let range = match name {
                "depth" => DEPTHS,
                "nodes" => NODES,
                "movetime_ms" => MOVETIMES_MS,
                _ => RangeInclusive::new(1, 0),
            };
            if range.is_empty() || is_option(name) {
                options.push((name, value));
                continue;
            }
            let number = value.parse().ok().filter(|number| range.contains(number));
            let number = number.ok_or_else(|| ParsePlayerError::Limit {
                name: name.to_owned(),
                value: value.to_owned(),
                range,
            })?;
            match name {
                "depth" => limits.depth = u32::try_from(number).ok(),
                "nodes" => limits.nodes = Some(number),
                _ => (limits.soft_ms, limits.hard_ms) = (Some(number), Some(number)),
            }
        }
        Ok((options, limits))
    }
}

impl fmt::Display for PlayerText<'_> {
    /// Writes the text without the ignored spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ai)?;
        self.settings
            .iter()
            .try_for_each(|(name, value)| write!(f, ",{name}={value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split<'t>(text: &'t str, option: &str) -> Result<(Vec<PlayerSetting<'t>>, Limits), String> {
        let parsed = PlayerText::parse(text).map_err(|error| error.to_string())?;
        assert_eq!(parsed.ai, "a");
        parsed
            .split(|name| name == option)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn separates_limits_from_options() {
        let limits = Limits {
            depth: Some(3),
            nodes: Some(1_000_000_000_000),
            ..Limits::movetime_ms(20)
        };
        let text = " a, x = 1=2 ,depth=3,nodes=1000000000000,movetime_ms=20";
        assert_eq!(split(text, ""), Ok((vec![("x", "1=2")], limits)));
        assert_eq!(
            PlayerText::parse(text).unwrap().to_string(),
            "a,x=1=2,depth=3,nodes=1000000000000,movetime_ms=20"
        );
        assert_eq!(split("a", ""), Ok((Vec::new(), Limits::NONE)));
        assert_eq!(
            split("a,depth=0", "depth"),
            Ok((vec![("depth", "0")], Limits::NONE))
        );
    }

    #[test]
    fn rejects_malformed_repeated_and_excessive_settings() {
        for (text, expected) in [
            ("a,x", "'x' is not an option; expected name=value"),
            ("a,", "'' is not an option; expected name=value"),
            ("a,x=1,x =1", "'x' is set twice; set it once"),
            ("a,depth=1,depth=2", "'depth' is set twice; set it once"),
            (
                "a,depth=0",
                "'depth=0' is not a valid limit; depth must be a whole number from 1 to 1000",
            ),
            (
                "a,depth=-1",
                "'depth=-1' is not a valid limit; depth must be a whole number from 1 to 1000",
            ),
            (
                "a,nodes=1000000000001",
                "'nodes=1000000000001' is not a valid limit; nodes must be a whole number from",
            ),
            (
                "a,movetime_ms=3600001",
                "'movetime_ms=3600001' is not a valid limit; movetime_ms must be a whole",
            ),
        ] {
            let error = split(text, "").unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
