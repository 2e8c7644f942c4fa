//! The sequential probability ratio test (SPRT): decides with few games whether a player is better
//! by `elo1` or only by `elo0`.
//!
//! The generalized test (GSPRT) on pairs of games (pentanomial) maximizes the likelihood of each
//! hypothesis over the distributions with its expected mean.
//! <https://www.chessprogramming.org/Sequential_Probability_Ratio_Test>

use std::str::FromStr;

use serde::Serialize;

use crate::{elo::expected_score, tally::Tally};

/// The rate of both error types.
const ERROR_RATE: f64 = 0.05;
/// The assumed count of a result that has not occurred, so that no share is 0.
const UNSEEN_COUNT: f64 = 1e-3;

/// A test's hypotheses: a difference of `elo0`, or the greater `elo1`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtState {
    /// The log-likelihood ratio of H1 to H0.
    pub llr: f64,
    /// The lower bound accepts H0, the upper one H1.
    pub bounds: (f64, f64),
    /// `None` while the test continues.
    pub accepted: Option<Hypothesis>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Hypothesis {
    /// The difference is `elo0`.
    H0,
    /// The difference is `elo1`.
    H1,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected two differences in Elo, the lower one first, such as 0,5")]
pub struct ParseSprtError;

impl FromStr for Sprt {
    type Err = ParseSprtError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (elo0, elo1) = text.split_once(',').ok_or(ParseSprtError)?;
        let read = |elo: &str| {
            elo.trim()
                .parse()
                .ok()
                .filter(|elo: &f64| elo.abs() <= 1000.0)
                .ok_or(ParseSprtError)
        };
        let (elo0, elo1) = (read(elo0)?, read(elo1)?);
        if elo0 < elo1 {
            Ok(Self { elo0, elo1 })
        } else {
            Err(ParseSprtError)
        }
    }
}

impl Sprt {
    /// Returns the state after these games. Only complete pairs count.
    pub fn state(self, tally: &Tally) -> SprtState {
        let llr = self.log_likelihood_ratio(tally.pairs);
        let bound = ((1.0 - ERROR_RATE) / ERROR_RATE).ln();
        let accepted = if llr >= bound {
            Some(Hypothesis::H1)
        } else if llr <= -bound {
            Some(Hypothesis::H0)
        } else {
            None
        };
        SprtState {
            llr,
            bounds: (-bound, bound),
            accepted,
        }
    }

    fn log_likelihood_ratio(self, pairs: [u32; 5]) -> f64 {
        if pairs.iter().all(|count| *count == 0) {
            return 0.0;
        }
        let counts = pairs.map(|count| f64::from(count).max(UNSEEN_COUNT));
        let total: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / total);
        let h0 = most_likely(shares, expected_score(self.elo0));
        let h1 = most_likely(shares, expected_score(self.elo1));
        let ratio = |index: usize| counts[index] * (h1[index] / h0[index]).ln();
        (0..counts.len()).map(ratio).sum()
    }
}

/// Returns the maximum-likelihood distribution with this mean: each share divided by
/// `1 + x (result - mean)`, with the `x` that gives the mean.
fn most_likely(shares: [f64; 5], mean: f64) -> [f64; 5] {
    const RESULTS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
    let part = |index: usize, x: f64| shares[index] / (1.0 + x * (RESULTS[index] - mean));
    // Between these bounds no share is negative, and the sum decreases.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..200 {
        let x = f64::midpoint(low, high);
        let excess: f64 = (0..5)
            .map(|index| part(index, x) * (RESULTS[index] - mean))
            .sum();
        if excess > 0.0 { low = x } else { high = x }
    }
    let x = f64::midpoint(low, high);
    std::array::from_fn(|index| part(index, x))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn state(elo0: f64, elo1: f64, pairs: [u32; 5]) -> SprtState {
        Sprt { elo0, elo1 }.state(&Tally {
            pairs,
            ..Tally::default()
        })
    }

    /// Tests that the developers of Stockfish published in 2020 and 2021, with the results of their
    /// framework.
    #[test]
    fn matches_published_ratios() {
        for (pairs, elo0, elo1, llr) in [
            ([253, 4282, 17604, 4431, 286], -0.25, 1.25, 2.94),
            ([58, 3302, 33130, 3518, 84], 0.25, 1.25, 2.97),
            ([491, 7345, 29693, 7670, 465], -0.25, 1.25, 2.96),
            ([53, 2220, 21459, 2445, 47], 0.25, 1.25, 2.97),
            ([17, 253, 1042, 337, 39], -0.5, 1.5, 2.96),
            ([11, 407, 3238, 513, 11], 0.25, 1.75, 2.93),
            ([133, 1751, 5094, 1849, 165], -0.5, 1.5, 2.94),
            // From fastchess, for 24 games that it played: Stockfish with 1,000 nodes against 500.
            ([0, 1, 0, 2, 9], 0.0, 100.0, 2.96),
        ] {
            let found = state(elo0, elo1, pairs).llr;
            assert!(
                (found - llr).abs() < 0.006,
                "{pairs:?}: {found}, published {llr}"
            );
        }
    }

    #[test]
    fn accepts_a_hypothesis_at_the_bounds() {
        let (low, high) = state(0.0, 5.0, [0; 5]).bounds;
        assert!((high - 2.944).abs() < 0.001 && (low + high).abs() < 1e-12);
        assert_eq!(
            state(0.0, 5.0, [0; 5]),
            SprtState {
                llr: 0.0,
                bounds: (low, high),
                accepted: None
            }
        );
        assert_eq!(state(0.0, 5.0, [10, 20, 40, 21, 10]).accepted, None);
        assert_eq!(
            state(0.0, 50.0, [0, 5, 20, 60, 40]).accepted,
            Some(Hypothesis::H1)
        );
        assert_eq!(
            state(0.0, 50.0, [40, 60, 20, 5, 0]).accepted,
            Some(Hypothesis::H0)
        );
    }

    #[test]
    fn parses_hypotheses_in_order() {
        assert_eq!(
            "0,5".parse(),
            Ok(Sprt {
                elo0: 0.0,
                elo1: 5.0
            })
        );
        assert_eq!(
            "-3.5, 1".parse(),
            Ok(Sprt {
                elo0: -3.5,
                elo1: 1.0
            })
        );
        for text in ["", "5", "5,0", "5,5", "0,x", "0,nan", "0,2000"] {
            assert_eq!(text.parse::<Sprt>(), Err(ParseSprtError), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_won_pair_never_favours_the_lower_hypothesis(pairs: [u8; 5]) {
            let mut pairs = pairs.map(u32::from);
            let before = state(0.0, 10.0, pairs).llr;
            pairs[4] += 1;
            let after = state(0.0, 10.0, pairs).llr;
            prop_assert!(before.is_finite() && after.is_finite());
            prop_assert!(after >= before - 0.05, "{before} {after}");
        }
    }
}
