//! The Elo difference between two players.

use std::{cmp::Ordering, fmt};

use serde::Serialize;
use utoipa::ToSchema;

use crate::tally::Tally;

/// 95 % of a normal distribution is within this many standard deviations of the mean.
pub(crate) const DEVIATIONS_OF_95_PERCENT: f64 = 1.959_963_984_540_054;
/// The largest estimate. With this difference, the stronger player loses one point in a thousand.
const MAX_ELO: f64 = 1200.0;

/// Whether a number is an estimate, or a bound with a confidence of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EloBound {
    Exact,
    Lower,
    Upper,
}

/// Returns the expected score, from 0 to 1, of a player that is stronger by `elo`.
pub(crate) fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Returns the Elo difference with this expected score, within ±1200.
fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        return -MAX_ELO;
    }
    // With few games, the confidence interval exceeds the possible scores.
    if score >= 1.0 {
        return MAX_ELO;
    }
    // Adding 0 avoids negative zero.
    (-400.0 * (1.0 / score - 1.0).log10()).clamp(-MAX_ELO, MAX_ELO) + 0.0
}

/// Returns the rating of a player that would win every game against these opponents with a
/// probability of 5 %, if no game is drawn. A player that won them all is at least this strong,
/// with 95 % confidence.
pub(crate) fn winning_bound(opponents: &[(f64, u32)]) -> f64 {
    let log_probability = |elo: f64| -> f64 {
        let of = |&(opponent, games): &(f64, u32)| {
            -f64::from(games) * 10_f64.powf((opponent - elo) / 400.0).ln_1p()
        };
        opponents.iter().map(of).sum()
    };
    let ratings = || opponents.iter().map(|(opponent, _)| *opponent);
    // The result is lowest after one game: 512 Elo below the opponent. No number of games puts it
    // 4000 Elo above the strongest opponent.
    let (mut low, mut high) = (
        ratings().fold(f64::INFINITY, f64::min) - 600.0,
        ratings().fold(f64::NEG_INFINITY, f64::max) + 4000.0,
    );
    for _ in 0..60 {
        let elo = f64::midpoint(low, high);
        if log_probability(elo) < 0.05_f64.ln() {
            low = elo;
        } else {
            high = elo;
        }
    }
    f64::midpoint(low, high)
}

/// An estimated difference in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct EloEstimate {
    /// The difference. It is positive if the player is stronger, and a bound if all games were won
    /// or lost.
    pub elo: f64,
    /// Half the width of the 95 % confidence interval. Infinite if all results are equal, which
    /// JSON shows as `null`.
    #[schema(value_type = Option<f64>, required)]
    pub error: f64,
    /// Whether the difference is a bound because all games were won or lost.
    pub bound: EloBound,
    /// The likelihood that the player is stronger, from 0 to 1.
    pub superiority: f64,
}

impl EloEstimate {
    /// Estimates the difference from the mean score and its error. Uses pairs of games
    /// (pentanomial) if there are any. Returns `None` before the first game.
    ///
    /// <https://www.chessprogramming.org/Match_Statistics>
    pub fn of(tally: &Tally) -> Option<Self> {
        let scores = tally.scores();
        let total: f64 = scores.iter().map(|(_, count)| count).sum();
        if total == 0.0 {
            return None;
        }
        let mean = scores
            .iter()
            .map(|(score, count)| score * count)
            .sum::<f64>()
            / total;
        let variance = scores
            .iter()
            .map(|(score, count)| (score - mean).powi(2) * count)
            .sum::<f64>()
            / total;
        let deviation = (variance / total).sqrt();
        let margin = DEVIATIONS_OF_95_PERCENT * deviation;
        // Identical results say nothing about the variance.
        let error = if variance == 0.0 {
            f64::INFINITY
        } else {
            (elo_of_score(mean + margin) - elo_of_score(mean - margin)) / 2.0
        };
        let superiority = match mean.partial_cmp(&0.5) {
            _ if variance > 0.0 => normal_distribution((mean - 0.5) / deviation),
            Some(Ordering::Less) => 1.0 - superiority_of_wins(tally.losses),
            Some(Ordering::Greater) => superiority_of_wins(tally.wins),
            _ => 0.5,
        };
        let bound = winning_bound(&[(0.0, tally.games())]);
        let (elo, bound) = match tally {
            Tally {
                draws: 0,
                losses: 0,
                ..
            } => (bound, EloBound::Lower),
            Tally {
                draws: 0, wins: 0, ..
            } => (-bound, EloBound::Upper),
            _ => (elo_of_score(mean), EloBound::Exact),
        };
        Some(Self {
            elo,
            error,
            bound,
            superiority,
        })
    }

    /// Returns the estimate of a normally distributed difference.
    pub(crate) fn normal(elo: f64, deviation: f64) -> Self {
        // If the difference is 0, the deviation may be 0.
        let superiority = if elo == 0.0 {
            0.5
        } else {
            normal_distribution(elo / deviation)
        };
        Self {
            elo,
            error: DEVIATIONS_OF_95_PERCENT * deviation,
            bound: EloBound::Exact,
            superiority,
        }
    }
}

impl fmt::Display for EloEstimate {
    /// Writes text such as `+12.3 ± 4.5 Elo (95 %)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            elo, error, bound, ..
        } = self;
        match bound {
            EloBound::Lower => write!(f, "at least {elo:+.1} Elo (95 %, won all games)"),
            EloBound::Upper => write!(f, "at most {elo:+.1} Elo (95 %, lost all games)"),
            EloBound::Exact if error.is_finite() => write!(f, "{elo:+.1} ± {error:.1} Elo (95 %)"),
            EloBound::Exact => write!(f, "{elo:+.1} ± ? Elo (error unknown so far)"),
        }
    }
}

/// Returns the likelihood that a player with these wins and no loss is stronger. Draws do not
/// count, and the prior for the probability of a win is uniform.
fn superiority_of_wins(wins: u32) -> f64 {
    1.0 - 0.5_f64.powf(f64::from(wins) + 1.0)
}

/// Returns the probability that a normally distributed value is less than `deviations` above its
/// mean.
fn normal_distribution(deviations: f64) -> f64 {
    libm::erfc(-deviations / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tally::GameResult;

    fn pairs(pairs: [u32; 5]) -> Tally {
        let halves: u32 = pairs
            .iter()
            .zip(0..)
            .map(|(count, halves)| count * halves)
            .sum();
        // Results of single games with the same totals of games and points.
        let games = 2 * pairs.iter().sum::<u32>();
        Tally {
            wins: halves / 2,
            draws: halves % 2,
            losses: games - halves / 2 - halves % 2,
            pairs,
        }
    }

    fn close(found: f64, expected: f64, within: f64) -> bool {
        (found - expected).abs() <= within
    }

    #[test]
    fn converts_scores_by_the_elo_formula() {
        for (elo, score) in [
            (0.0, 0.5),
            (100.0, 0.6401),
            (190.85, 0.75),
            (400.0, 10.0 / 11.0),
            (-400.0, 1.0 / 11.0),
        ] {
            assert!(close(expected_score(elo), score, 1e-4), "{elo}");
            assert!(close(elo_of_score(score), elo, 0.1), "{score}");
        }
        assert_eq!((elo_of_score(0.0), elo_of_score(1.0)), (-1200.0, 1200.0));
        assert_eq!((elo_of_score(-0.2), elo_of_score(1.2)), (-1200.0, 1200.0));
    }

    /// Published results with other programs' estimates.
    #[test]
    fn matches_published_estimates() {
        for (counts, elo, error) in [
            ([1, 10, 78, 48, 13], 72.85, 22.33),
            ([352, 579, 1264, 743, 464], 19.83, 6.77),
            ([0, 0, 1, 8, 1], 190.85, 65.54),
            ([0, 1, 0, 1, 0], 0.0, 296.58),
        ] {
            let estimate = EloEstimate::of(&pairs(counts)).unwrap();
            assert!(
                close(estimate.elo, elo, 0.006) && close(estimate.error, error, 0.006),
                "{counts:?}: {estimate:?}"
            );
        }
    }

    #[test]
    fn superiority_matches_the_formula_for_single_games() {
        // Without draws, the likelihood is (1 + erf((w - l) / sqrt(2 (w + l)))) / 2.
        for (wins, losses, expected) in [(60, 40, 0.9793), (50, 50, 0.5), (40, 60, 0.0207)] {
            let tally = Tally {
                wins,
                losses,
                ..Tally::default()
            };
            let estimate = EloEstimate::of(&tally).unwrap();
            assert!(
                close(estimate.superiority, expected, 0.002),
                "{wins}:{losses} {estimate:?}"
            );
        }
    }

    #[test]
    fn few_results_give_bounds_or_unknown_errors() {
        assert_eq!(EloEstimate::of(&Tally::default()), None);
        let won = Tally {
            wins: 5,
            ..Tally::default()
        };
        let estimate = EloEstimate::of(&won).unwrap();
        assert_eq!(
            (estimate.bound, estimate.superiority),
            (EloBound::Lower, 1.0 - 1.0 / 64.0)
        );
        assert_eq!(
            estimate.to_string(),
            "at least +34.4 Elo (95 %, won all games)"
        );
        let lost = EloEstimate::of(&won.reversed()).unwrap();
        assert_eq!(lost.to_string(), "at most -34.4 Elo (95 %, lost all games)");
        assert!(close(lost.superiority, 1.0 / 64.0, 1e-12));
        let better_pair = EloEstimate::of(&Tally {
            wins: 1,
            draws: 1,
            losses: 0,
            pairs: [0, 0, 0, 1, 0],
        })
        .unwrap();
        assert!(close(better_pair.superiority, 0.75, 1e-12));
        let drawn = EloEstimate::of(&Tally {
            draws: 5,
            ..Tally::default()
        })
        .unwrap();
        assert_eq!((drawn.elo, drawn.superiority), (0.0, 0.5));
        assert_eq!(drawn.to_string(), "+0.0 ± ? Elo (error unknown so far)");
        let some = EloEstimate::of(&Tally {
            wins: 1,
            draws: 1,
            losses: 1,
            pairs: [0; 5],
        })
        .unwrap();
        assert!(some.to_string().ends_with(" Elo (95 %)"), "{some}");
    }

    #[test]
    fn a_bound_is_exceeded_by_chance_once_in_twenty() {
        // The probability is 0.05 for one win against a player who is 511.5 Elo stronger, and for
        // five wins with a probability of 0.549 each.
        assert!(close(winning_bound(&[(0.0, 1)]), -511.5, 0.1));
        assert!(close(winning_bound(&[(1000.0, 5)]), 1034.4, 0.1));
        let opponents = [(1500.0, 20), (1900.0, 30), (2300.0, 4)];
        let elo = winning_bound(&opponents);
        let log: f64 = opponents
            .iter()
            .map(|(other, games)| f64::from(*games) * expected_score(elo - other).ln())
            .sum();
        assert!(close(log.exp(), 0.05, 1e-9), "{elo}");
        assert!(winning_bound(&[(0.0, u32::MAX)]).is_finite());
    }

    proptest! {
        #[test]
        fn reversed_results_negate_the_estimate(
            wins in 0_u32..500,
            draws in 0_u32..500,
            losses in 1_u32..500,
        ) {
            let tally = Tally { wins, draws, losses, pairs: [0; 5] };
            let mine = EloEstimate::of(&tally).unwrap();
            let theirs = EloEstimate::of(&tally.reversed()).unwrap();
            prop_assert!(close(mine.elo, -theirs.elo, 1e-6));
            prop_assert!(close(mine.superiority, 1.0 - theirs.superiority, 1e-9));
        }

        #[test]
        fn more_games_shrink_the_error(wins in 1_u32..50, draws in 0_u32..50, losses in 1_u32..50) {
            let of = |times| {
                EloEstimate::of(&Tally {
                    wins: wins * times,
                    draws: draws * times,
                    losses: losses * times,
                    pairs: [0; 5],
                })
            };
            let (few, many) = (of(1).unwrap(), of(16).unwrap());
            prop_assert!(close(few.elo, many.elo, 1e-9));
            prop_assert!(many.error <= few.error);
        }

        #[test]
        fn another_win_never_lowers_the_estimate(
            games in proptest::collection::vec(0_usize..3, 1..60),
        ) {
            let results = [GameResult::Loss, GameResult::Draw, GameResult::Win];
            let mut tally = Tally::default();
            for half_points in games {
                tally.add(results[half_points]);
            }
            let before = EloEstimate::of(&tally).unwrap();
            tally.add(GameResult::Win);
            let after = EloEstimate::of(&tally).unwrap();
            prop_assert!(after.elo >= before.elo || after.bound != before.bound);
        }
    }
}
