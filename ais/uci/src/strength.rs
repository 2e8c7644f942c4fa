//! The option `elo`: combines the engine's `UCI_LimitStrength` and `UCI_Elo`.

use std::ops::RangeInclusive;

use ai_api::{AiError, OptionKind, OptionSpec, OptionValue, Options};

use crate::{engine::Engine, option::EngineOption};

const ELO: &str = "elo";
const LIMIT_STRENGTH: &str = "UCI_LimitStrength";
const UCI_ELO: &str = "UCI_Elo";

/// The engine's options that `elo` sets.
pub(crate) struct Strength<'e> {
    limit: &'e EngineOption,
    elo: &'e EngineOption,
    bounds: RangeInclusive<i64>,
}

impl<'e> Strength<'e> {
    /// Returns `None` for an engine without these options, or with its own option `elo`.
    pub(crate) fn of(engine: &'e Engine) -> Option<Self> {
        let find = |name: &str| engine.settable().find(|option| option.is(name));
        let (limit, elo) = (find(LIMIT_STRENGTH)?, find(UCI_ELO)?);
        let OptionKind::Integer { min, max } = elo.spec.kind else {
            return None;
        };
        let is_free = engine.settable().all(|option| option.spec.name != ELO);
        (is_free && limit.spec.kind == OptionKind::Flag && max > 0).then_some(Self {
            limit,
            elo,
            bounds: min.max(1)..=max,
        })
    }

    pub(crate) fn spec(&self) -> OptionSpec {
        let (min, max) = (self.bounds.start(), self.bounds.end());
        let help = format!(
            "strength on the engine's '{UCI_ELO}' scale, {min} to {max}; 0 is full strength"
        );
        OptionSpec::integer(ELO, 0, 0..=*max, &help).live()
    }

    /// Returns whether `elo` may override an option of the AI.
    pub(crate) fn decides(&self, option: &str) -> bool {
        [ELO, &self.limit.spec.name, &self.elo.spec.name].contains(&option)
    }

    /// Returns the commands that set the strength. If `elo` is 0, `uci_limit_strength` and
    /// `uci_elo` apply. An `elo` below the engine's minimum becomes the minimum.
    ///
    /// # Errors
    /// A value contains a control character.
    pub(crate) fn commands(&self, options: &Options) -> Result<Vec<String>, AiError> {
        let values = match options.integer(ELO)? {
            0 => [self.limit, self.elo].map(|option| options.get(&option.spec.name).cloned()),
            elo => {
                let elo = elo.clamp(*self.bounds.start(), *self.bounds.end());
                [
                    Some(OptionValue::Flag(true)),
                    Some(OptionValue::Integer(elo)),
                ]
            }
        };
        let commands = [self.limit, self.elo].into_iter().zip(values);
        let commands = commands.filter_map(|(option, value)| option.command(&value?).transpose());
        commands.collect()
    }
}

/// Returns whether `elo` limits the strength.
pub(crate) fn is_limited(options: &Options) -> bool {
    options
        .get(ELO)
        .is_some_and(|elo| *elo != OptionValue::Integer(0))
}
