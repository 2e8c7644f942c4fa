//! The keys of `[ai.ID]` for a candidate that may replace the AI.

use std::{fmt, str::FromStr};

use crate::{
    kinds::text,
    section::{IntoField as _, section},
};

/// All traffic, in millionths.
const WHOLE: u32 = 1_000_000;
const SHARE: &str = "a share from \"0%\" to \"100%\", such as \"5%\" or \"0.5%\"";

section! {
    /// The candidate of an AI, and its share of the traffic.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct CandidateSettings {
        /// The AI that may replace this one; see `docs/rollouts.md`. Clients can name it only if
        /// their `allowed_ais` lists it.
        id as "candidate": Option<String> =
            text("the ID of another AI that has an [ai.ID] and no `candidate`")
                .optional("none")
                .example("\"quick\""),
        /// The share of requests that the candidate also answers, for comparison. It runs after the
        /// reply, at idle priority, and not while the machine is busy.
        shadow: TrafficShare = text(SHARE).or(TrafficShare::NONE).example("\"10%\""),
        /// The share of clients that get the candidate's answers. If the candidate fails, this AI
        /// answers.
        canary: TrafficShare = text(SHARE).or(TrafficShare::NONE).example("\"5%\""),
    }
}

/// A share of the traffic, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrafficShare {
    millionths: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a share such as 5%")]
pub struct ParseTrafficShareError;

impl TrafficShare {
    pub const NONE: Self = Self { millionths: 0 };

    /// Returns the share for a percentage, capped at 100.
    pub const fn percent(percent: u32) -> Self {
        let millionths = percent * (WHOLE / 100);
        Self {
            millionths: if millionths < WHOLE {
                millionths
            } else {
                WHOLE
            },
        }
    }

    /// Returns the share as a number from 0 to 1.
    pub fn ratio(self) -> f64 {
        f64::from(self.millionths) / f64::from(WHOLE)
    }

    /// Returns whether a uniformly distributed hash falls within the share.
    pub fn has(self, hash: u64) -> bool {
        (u128::from(hash) * u128::from(WHOLE)) >> 64 < u128::from(self.millionths)
    }
}

impl FromStr for TrafficShare {
    type Err = ParseTrafficShareError;

    fn from_str(text: &str) -> Result<Self, ParseTrafficShareError> {
        let number = text.strip_suffix('%').ok_or(ParseTrafficShareError)?;
        let is_plain = number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let percent: f64 = number.parse().map_err(|_| ParseTrafficShareError)?;
        if !is_plain || percent > 100.0 {
            return Err(ParseTrafficShareError);
        }
        Ok(Self {
            millionths: (percent / 100.0 * f64::from(WHOLE)).round() as u32,
        })
    }
}

impl fmt::Display for TrafficShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}%",
            f64::from(self.millionths) / f64::from(WHOLE / 100)
        )
    }
}
