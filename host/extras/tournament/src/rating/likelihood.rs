//! The most likely ratings of players who are connected by results in both directions, or by prior
//! knowledge.

use std::f64::consts::LN_10;

use super::cholesky::Cholesky;
use crate::{elo::DEVIATIONS_OF_95_PERCENT, tally::Tally};

/// Elo per natural unit, in which the odds of two players are e to the power of their difference.
pub(super) const ELO: f64 = 400.0 / LN_10;
/// Iteration stops when every difference changes by less than this, in natural units.
const PRECISION: f64 = 1e-9;
/// Newton's method needs 5 to 15 iterations. The bound guards against rounding errors.
const MAX_ITERATIONS: usize = 100;

/// The results of two players, from the first player's point of view.
pub(super) struct Encounter {
    pub(super) players: (usize, usize),
    pub(super) tally: Tally,
    /// The variance of the results, relative to independent games without draws.
    pub(super) dispersion: f64,
}

/// A normal distribution of a strength around 0, or around the strength of another player.
pub(super) struct Normal {
    pub(super) player: usize,
    pub(super) around: Option<usize>,
    /// The reciprocal of the variance.
    pub(super) precision: f64,
}

#[derive(Debug)]
pub(super) struct RatingFit {
    /// The rating of each player, around a mean of 0 if none was known.
    pub(super) elos: Vec<f64>,
    /// The half-widths of the 95 % confidence intervals, or 0 for known ratings.
    pub(super) errors: Vec<f64>,
}

/// Maximizes the likelihood of the results in the Bradley-Terry model, where a draw is half a win
/// and half a loss. `known` holds the rating of each player whose rating is given.
///
/// The likelihood is concave. Each step of Newton's method is scaled by ln(1 + d) / d, where d is
/// the largest change in a difference. The method then converges from any start, because the
/// logistic function is generalized self-concordant (Sun and Tran-Dinh 2019).
pub(super) fn fit(known: &[Option<f64>], encounters: &[Encounter]) -> RatingFit {
    let origin = known.iter().copied().flatten().next().unwrap_or(0.0);
    let mut model = Model {
        strengths: known
            .iter()
            .map(|elo| elo.map_or(0.0, |elo| (elo - origin) / ELO))
            .collect(),
        free: (0..known.len())
            .filter(|&player| known[player].is_none())
            .collect(),
        normals: &[],
        encounters,
    };
    model.maximize();
    RatingFit {
        elos: model
            .strengths
            .iter()
            .map(|strength| origin + strength * ELO)
            .collect(),
        errors: model
            .deviations()
            .iter()
            .map(|one| DEVIATIONS_OF_95_PERCENT * one * ELO)
            .collect(),
    }
}

/// The likelihood of the results times the prior density of the strengths.
pub(super) struct Model<'a> {
    /// In natural units.
    pub(super) strengths: Vec<f64>,
    /// The players without a known rating.
    pub(super) free: Vec<usize>,
    pub(super) normals: &'a [Normal],
    pub(super) encounters: &'a [Encounter],
}

impl Model<'_> {
    /// Returns the number of steps.
    pub(super) fn maximize(&mut self) -> usize {
        (1..MAX_ITERATIONS)
            .find(|_| self.improve() < PRECISION)
            .unwrap_or(MAX_ITERATIONS)
    }

    /// Takes one step, and returns the largest change in the difference between two players.
    fn improve(&mut self) -> f64 {
        let mut gradient = vec![0.0; self.strengths.len()];
        for Encounter {
            players: (first, second),
            tally,
            dispersion,
        } in self.encounters
        {
            let games = f64::from(tally.games());
            let surplus = (tally.points() - games * self.score(*first, *second)) / dispersion;
            gradient[*first] += surplus;
            gradient[*second] -= surplus;
        }
        for Normal {
            player,
            around,
            precision,
        } in self.normals
        {
            let pull = precision
                * (self.strengths[*player] - around.map_or(0.0, |around| self.strengths[around]));
            gradient[*player] -= pull;
            if let Some(around) = around {
                gradient[*around] += pull;
            }
        }
        let right: Vec<_> = self.free.iter().map(|&player| gradient[player]).collect();
        let steps = self.on_all(&self.information().solve(&right));
        let differences = self.encounters.iter().map(
            |Encounter {
                 players: (first, second),
                 ..
             }| {
                let difference: f64 = steps[*first] - steps[*second];
                difference.abs()
            },
        );
        let largest = differences.fold(0.0, f64::max);
        let length = if largest > 0.0 {
            largest.ln_1p() / largest
        } else {
            1.0
        };
        for (strength, step) in self.strengths.iter_mut().zip(steps) {
            *strength += length * step;
        }
        largest
    }

    /// Returns the expected score of the first player against the second.
    pub(super) fn score(&self, first: usize, second: usize) -> f64 {
        1.0 / (1.0 + (self.strengths[second] - self.strengths[first]).exp())
    }

    /// Returns the variance of the score of a game without draws. Computed from both scores, since
    /// `1 - score` rounds to 0 for a score near 1.
    fn uncertainty(&self, first: usize, second: usize) -> f64 {
        self.score(first, second) * self.score(second, first)
    }

    /// Returns the Fisher information of the free strengths. Without a known rating or a
    /// distribution, it is singular, since only differences matter. The mean is then held fixed.
    fn information(&self) -> Cholesky {
        let mut index_of = vec![None; self.strengths.len()];
        for (index, &player) in self.free.iter().enumerate() {
            index_of[player] = Some(index);
        }
        let mut matrix = vec![vec![0.0; self.free.len()]; self.free.len()];
        let results = self.encounters.iter().map(
            |Encounter {
                 players: (first, second),
                 tally,
                 dispersion,
             }| {
                let weight =
                    f64::from(tally.games()) * self.uncertainty(*first, *second) / dispersion;
                (*first, Some(*second), weight)
            },
        );
        let normals = self
            .normals
            .iter()
            .map(|normal| (normal.player, normal.around, normal.precision));
        for (first, second, weight) in results.chain(normals) {
            let indices = (index_of[first], second.and_then(|second| index_of[second]));
            for index in [indices.0, indices.1].into_iter().flatten() {
                matrix[index][index] += weight;
            }
            if let (Some(row), Some(column)) = indices {
                matrix[row][column] -= weight;
                matrix[column][row] -= weight;
            }
        }
        if self.free.len() == self.strengths.len() && self.normals.is_empty() {
            let count = f64::from(self.free.len() as u32);
            let trace: f64 = (0..matrix.len()).map(|index| matrix[index][index]).sum();
            for entry in matrix.iter_mut().flatten() {
                *entry += trace / (count * count);
            }
        }
        Cholesky::of(&matrix)
    }

    /// Returns the covariance of the strengths, which is the inverse of the information. It is 0
    /// for known ratings.
    pub(super) fn covariance(&self) -> Vec<Vec<f64>> {
        let information = self.information();
        let mut covariance = vec![vec![0.0; self.strengths.len()]; self.strengths.len()];
        for (index, &player) in self.free.iter().enumerate() {
            covariance[player] = self.effect(index, &information);
        }
        covariance
    }

    /// Returns the effect of one point of a free player on each strength.
    fn effect(&self, index: usize, information: &Cholesky) -> Vec<f64> {
        let mut unit = vec![0.0; self.free.len()];
        unit[index] = 1.0;
        self.on_all(&information.solve(&unit))
    }

    /// Returns the standard deviation of each strength: the deviations of the points, propagated
    /// through the inverse of the information.
    fn deviations(&self) -> Vec<f64> {
        let information = self.information();
        let mut deviations = vec![0.0; self.strengths.len()];
        for (index, &player) in self.free.iter().enumerate() {
            let effect = self.effect(index, &information);
            let variance: f64 = self
                .encounters
                .iter()
                .map(|encounter| {
                    let (first, second) = encounter.players;
                    self.variance(encounter) * (effect[first] - effect[second]).powi(2)
                })
                .sum();
            // Adding 0 avoids negative zero, the sum of nothing.
            deviations[player] = (variance + 0.0).sqrt();
        }
        deviations
    }

    /// Returns the variance of the first player's points.
    fn variance(
        &self,
        Encounter {
            players: (first, second),
            tally,
            ..
        }: &Encounter,
    ) -> f64 {
        let games = f64::from(tally.games());
        let without_draws = self.uncertainty(*first, *second);
        // Draws reduce the variance. The bound keeps the error from being too small.
        let drawn = if games > 0.0 {
            f64::from(tally.draws) / games
        } else {
            0.0
        };
        games * (without_draws - drawn / 4.0).max(without_draws / 4.0)
    }

    /// Returns the values of the free players, with 0 for the others.
    fn on_all(&self, values: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.strengths.len()];
        for (&player, value) in self.free.iter().zip(values) {
            all[player] = *value;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::expected_score;

    #[test]
    fn sixty_players_need_few_iterations() {
        let encounters: Vec<_> = (0..60_u32)
            .flat_map(|first| (first + 1..60).map(move |second| (first, second)))
            .map(|(first, second)| {
                // Giving each side one extra point connects players 2360 Elo apart.
                let share = expected_score(40.0 * (f64::from(first) - f64::from(second)));
                let wins = (100.0 * share).round() as u32;
                let tally = Tally {
                    wins: wins + 1,
                    draws: 10,
                    losses: 101 - wins,
                    pairs: [0; 5],
                };
                Encounter {
                    players: (first as usize, second as usize),
                    tally,
                    dispersion: 1.0,
                }
            })
            .collect();
        let mut model = Model {
            strengths: vec![0.0; 60],
            free: (0..60).collect(),
            normals: &[],
            encounters: &encounters,
        };
        let iterations = model.maximize();
        assert!(iterations <= 12, "{iterations}");
        let mut surplus = [0.0; 60];
        for Encounter {
            players: (first, second),
            tally,
            ..
        } in &encounters
        {
            let points = tally.points() - f64::from(tally.games()) * model.score(*first, *second);
            surplus[*first] += points;
            surplus[*second] -= points;
        }
        assert!(
            surplus.iter().all(|points: &f64| points.abs() < 1e-6),
            "{surplus:?}"
        );
    }
}
