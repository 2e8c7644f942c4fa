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
        /// How many requests, including shadow requests, a candidate must answer before promotion.
        min_requests: u64 = number(1..=1_000_000_000).or(1000),
        /// The non-regression test. A candidate passes if `ELO1` explains its results better than
        /// `ELO0`.
        sprt: Sprt = parsed(
            "two differences in Elo as \"ELO0,ELO1\", the lower one first",
            |text| text.parse().ok(),
            |sprt: &Sprt| format!("{},{}", sprt.elo0, sprt.elo1),
        ).or(Sprt { elo0: -20.0, elo1: 0.0 }),
        /// The share of failed requests above which a candidate is removed, after at least five
        /// failures.
        abort_above: TrafficShare = text(
            "a share from \"0%\" to \"100%\"; \"100%\" never removes a candidate",
        ).or(TrafficShare::percent(5)),
        /// Whether a candidate that meets every condition is promoted automatically.
        promote: bool = Flag.or(false),
    }
}

impl RolloutSettings {
    /// Returns the settings of a configuration, or the defaults if it was read without this
    /// section.
    pub fn of(config: &Config) -> Self {
        config.extra().cloned().unwrap_or_else(Self::defaults)
    }
}

impl ExtraSettings for RolloutSettings {
    const NAME: &'static str = "rollout";
    const ABOUT: &'static str =
        "Decides when a `candidate` replaces its AI; see `docs/rollouts.md`.";
}
