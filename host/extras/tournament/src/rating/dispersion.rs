//! How widely results scatter around the expected scores.

use super::likelihood::Model;
use crate::tally::Tally;

/// The weight of the assumed dispersion: the expected scatter of ten game pairs between equal
/// players.
const ASSUMED: f64 = 10.0 / 8.0;
/// The lower bound. Without it, results that repeat with their openings would look certain.
const LEAST: f64 = 0.1;

/// The variance of pair results, relative to the variance of independent games without draws.
///
/// Between unequal players, it is nearer to 1 than between equal players: fewer games are drawn,
/// and openings decide less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dispersion {
    even: f64,
}

impl Dispersion {
    /// Returns the dispersion of all results and of each encounter.
    pub(super) fn of(model: &Model) -> (Self, Vec<f64>) {
        let scatters: Vec<_> = model
            .encounters
            .iter()
            .map(|encounter| {
                let (first, second) = encounter.players;
                let score = model.score(first, second);
                (score, Scatter::of(&encounter.tally, score))
            })
            .collect();
        let missing: f64 = scatters
            .iter()
            .map(|(_, scatter)| scatter.expected - scatter.found)
            .sum();
        let even: f64 = scatters
            .iter()
            .map(|(score, scatter)| scatter.expected * evenness(*score))
            .sum();
        let all = Self {
            even: (1.0 - missing / (even + ASSUMED)).max(LEAST),
        };
        let of = |(score, scatter): &(f64, Scatter)| {
            ((scatter.found + ASSUMED * all.at(*score)) / (scatter.expected + ASSUMED)).max(LEAST)
        };
        (all, scatters.iter().map(of).collect())
    }

    /// Returns the dispersion between players with an expected score.
    pub(super) fn at(self, score: f64) -> f64 {
        1.0 - (1.0 - self.even) * evenness(score)
    }
}

/// Returns 1 for equal players, and less for unequal players, down to 0.
fn evenness(score: f64) -> f64 {
    4.0 * score * (1.0 - score)
}

/// The squared deviations from the expected score, as observed and as expected for independent
/// games without draws.
struct Scatter {
    found: f64,
    expected: f64,
}

impl Scatter {
    /// Returns the scatter of the pair scores, or of the game scores if there are no pairs.
    fn of(tally: &Tally, score: f64) -> Self {
        let is_paired = tally.pairs != [0; 5];
        let (results, games) = if is_paired {
            (tally.pair_scores(), 2.0)
        } else {
            (tally.game_scores(), 1.0)
        };
        let total: f64 = results.iter().map(|(_, count)| count).sum();
        Self {
            found: results
                .iter()
                .map(|(result, count)| count * (result - score).powi(2))
                .sum(),
            expected: total * score * (1.0 - score) / games,
        }
    }
}
