//! `[rollout]`.

use config::{
    Config, TrafficShare,
    extra::ExtraSettings,
    kinds::{Flag, number, parsed, text},
    section,
    section::{IntoField as _, Section as _},
};
use tournament::Sprt;

section! {
    /// `[rollout]`: when candidates replace their AIs.
    #[derive(Clone, Debug, PartialEq)]
    pub struct RolloutSettings {
        /// How many requests a candidate must have answered before it is promoted, shadow requests
        /// counted.
        min_requests: u64 = number(1..=1_000_000_000).or(1000),
        /// The non-regression test of the strength: a candidate passes if `ELO1` explains the
        /// results better than `ELO0`. Its error rates are 5 %. A narrower pair takes more games.
        sprt: Sprt = parsed(
            "two differences in Elo as \"ELO0,ELO1\", the lower one first",
            |text| text.parse().ok(),
            |sprt: &Sprt| format!("{},{}", sprt.elo0, sprt.elo1),
        ).or(Sprt { elo0: -20.0, elo1: 0.0 }),
        /// The share of failed requests above which a candidate is removed from the configuration,
        /// once it has failed five times.
        abort_above: TrafficShare = text(
            "a share from \"0%\" to \"100%\"; \"100%\" removes none",
        ).or(TrafficShare::percent(5)),
        /// Whether a candidate replaces its AI as soon as nothing speaks against it.
        promote: bool = Flag.or(false),
    }
}

impl RolloutSettings {
    /// Returns the settings of a configuration; the defaults if it was read without this section.
    pub fn of(config: &Config) -> Self {
        config.extra().cloned().unwrap_or_else(Self::defaults)
    }
}

impl ExtraSettings for RolloutSettings {
    const NAME: &'static str = "rollout";
    const ABOUT: &'static str = "When a `candidate` of an [ai.ID] replaces it; see \
        `docs/rollouts.md`.";
}
