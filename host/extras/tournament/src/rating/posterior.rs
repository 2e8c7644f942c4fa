//! Ratings of players with and without games, from their results and prior knowledge.

use std::collections::BTreeMap;

use super::{
    Rating,
    dispersion::Dispersion,
    encounters,
    groups::groups,
    likelihood::{ELO, Encounter, Model, Normal},
    scored,
};
use crate::{
    elo::{DEVIATIONS_OF_95_PERCENT, EloBound, EloEstimate, expected_score},
    tally::Tally,
};

/// If no rating is known, the average of the players without a predecessor.
const AVERAGE: f64 = 1500.0;
/// The half-width of a newcomer's 95 % interval.
const NEWCOMER_ERROR: f64 = 1000.0;
/// The half-width of the 95 % interval around a predecessor's rating.
const VERSION_ERROR: f64 = 100.0;
/// Ratings and dispersions depend little on each other, so each round reduces the distance to the
/// solution to about a tenth.
const ROUNDS: usize = 5;

/// What is known about a rating before any game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prior {
    /// The exact rating of an anchor.
    Known(f64),
    /// The mean of the known ratings ± 1000 (95 %), normally distributed.
    Newcomer,
    /// The rating of the predecessor, by its index, ± 100 (95 %), normally distributed.
    /// Predecessors do not form a cycle.
    After(usize),
}

impl Prior {
    const fn known(self) -> Option<f64> {
        if let Self::Known(elo) = self {
            Some(elo)
        } else {
            None
        }
    }

    /// Returns the distribution of a player's rating around the average, or around the
    /// predecessor's rating.
    fn normal(self, player: usize) -> Option<Normal> {
        let (around, error) = match self {
            Self::Known(_) => return None,
            Self::Newcomer => (None, NEWCOMER_ERROR),
            Self::After(predecessor) => (Some(predecessor), VERSION_ERROR),
        };
        Some(Normal {
            player,
            around,
            precision: (DEVIATIONS_OF_95_PERCENT * ELO / error).powi(2),
        })
    }
}

/// The joint distribution of the ratings of all players.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    elos: Vec<f64>,
    /// In Elo².
    covariance: Vec<Vec<f64>>,
    dispersion: Dispersion,
}

impl Posterior {
    /// Returns the most likely rating, with the half-width of its 95 % interval.
    pub fn rating(&self, player: usize) -> Rating {
        let error = DEVIATIONS_OF_95_PERCENT * self.covariance[player][player].max(0.0).sqrt();
        Rating {
            elo: self.elos[player],
            error,
            bound: EloBound::Exact,
        }
    }

    /// Returns the difference between two ratings. If games or a prior connect the players, its
    /// error is less than for independent ratings.
    pub fn difference(&self, first: usize, second: usize) -> EloEstimate {
        EloEstimate::normal(
            self.elos[first] - self.elos[second],
            self.variance(first, second).sqrt(),
        )
    }

    /// Returns by how much, in Elo², a pair of games between two players lowers the sum of the
    /// variances of all players.
    pub fn gain(&self, first: usize, second: usize) -> f64 {
        let score = expected_score(self.elos[first] - self.elos[second]);
        let information = 2.0 * score * (1.0 - score) / self.dispersion.at(score) / (ELO * ELO);
        let effects = self.covariance[first].iter().zip(&self.covariance[second]);
        let squares: f64 = effects.map(|(one, other)| (one - other).powi(2)).sum();
        squares * information / (1.0 + information * self.variance(first, second))
    }

    /// Returns the variance of a difference in Elo².
    fn variance(&self, first: usize, second: usize) -> f64 {
        variance(&self.covariance, first, second)
    }
}

/// Returns the most likely ratings given the results and the priors. `pairings` holds the first
/// player's results, keyed by the indices of both players.
///
/// Without a known rating, ratings are relative to the average of the players without a
/// predecessor, which is 1500.
///
/// Draws and openings make results scatter less, or more, than independent wins and losses. The
/// information of the results of two players is divided by their dispersion, so that results and
/// priors have the right weights. Pairs of games show the dispersion. In simulated ladders with few
/// or many games, the 95 % intervals then cover 93 to 97 % of the strengths.
pub fn posterior(priors: &[Prior], pairings: &BTreeMap<(usize, usize), Tally>) -> Posterior {
    let known: Vec<_> = priors.iter().map(|prior| prior.known()).collect();
    let normals: Vec<_> = priors
        .iter()
        .enumerate()
        .filter_map(|(player, prior)| prior.normal(player))
        .collect();
    let everyone: Vec<_> = (0..priors.len()).collect();
    fit(&known, &normals, encounters(&everyone, pairings))
}

/// Differences that follow only from games and known ratings. They ignore the prior that pulls a
/// version towards its predecessor.
#[derive(Clone, Debug)]
pub struct ByGames {
    /// The group of each player. Results connect the players of a group in both directions.
    group_of: Vec<usize>,
    /// The members of each group, with their ratings.
    groups: BTreeMap<usize, (Vec<usize>, Posterior)>,
}

impl ByGames {
    /// Rates the players of each group, as [`posterior`] does without priors.
    pub fn new(priors: &[Prior], pairings: &BTreeMap<(usize, usize), Tally>) -> Self {
        let known: Vec<_> = priors.iter().map(|prior| prior.known()).collect();
        let group_of = groups(&scored(&known, pairings));
        let mut members_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (player, &group) in group_of.iter().enumerate() {
            members_of.entry(group).or_default().push(player);
        }
        let rate = |(group, members): (usize, Vec<usize>)| {
            let known: Vec<_> = members.iter().map(|&player| known[player]).collect();
            let rated = fit(&known, &[], encounters(&members, pairings));
            (group, (members, rated))
        };
        Self {
            group_of,
            groups: members_of.into_iter().map(rate).collect(),
        }
    }

    /// Returns the difference between two players, or `None` if they are in different groups.
    pub fn difference(&self, first: usize, second: usize) -> Option<EloEstimate> {
        let (members, rated) = self.groups.get(&self.group_of[first])?;
        let index_of = |player: usize| members.binary_search(&player).ok();
        Some(rated.difference(index_of(first)?, index_of(second)?))
    }
}

/// Fits the ratings and the dispersions in turn.
fn fit(known: &[Option<f64>], normals: &[Normal], mut encounters: Vec<Encounter>) -> Posterior {
    let anchors: Vec<_> = known.iter().copied().flatten().collect();
    let origin = match anchors.len() {
        0 => AVERAGE,
        count => anchors.iter().sum::<f64>() / f64::from(count as u32),
    };
    let free: Vec<_> = (0..known.len())
        .filter(|&player| known[player].is_none())
        .collect();
    let mut strengths: Vec<_> = known
        .iter()
        .map(|elo| elo.map_or(0.0, |elo| (elo - origin) / ELO))
        .collect();
    for _ in 1..ROUNDS {
        let mut model = Model {
            strengths,
            free: free.clone(),
            normals,
            encounters: &encounters,
        };
        model.maximize();
        let (_, dispersions) = Dispersion::of(&model);
        strengths = model.strengths;
        for (encounter, dispersion) in encounters.iter_mut().zip(dispersions) {
            encounter.dispersion = dispersion;
        }
    }
    let mut model = Model {
        strengths,
        free,
        normals,
        encounters: &encounters,
    };
    model.maximize();
    let mut covariance = model.covariance();
    if anchors.is_empty() {
        let newcomers = normals.iter().filter(|normal| normal.around.is_none());
        hold_average(
            &newcomers.map(|normal| normal.player).collect::<Vec<_>>(),
            &mut covariance,
        );
    }
    add_skew(&model, &mut covariance);
    for entry in covariance.iter_mut().flatten() {
        *entry *= ELO * ELO;
    }
    let elos = model
        .strengths
        .iter()
        .map(|strength| origin + strength * ELO)
        .collect();
    Posterior {
        elos,
        covariance,
        dispersion: Dispersion::of(&model).0,
    }
}

/// Removes the uncertainty in some players' average rating.
fn hold_average(players: &[usize], covariance: &mut [Vec<f64>]) {
    let effects: Vec<f64> = covariance
        .iter()
        .map(|row| players.iter().map(|&player| row[player]).sum())
        .collect();
    let variance: f64 = players.iter().map(|&player| effects[player]).sum();
    if variance > 0.0 {
        for (row, effect) in covariance.iter_mut().zip(&effects) {
            for (entry, other) in row.iter_mut().zip(&effects) {
                *entry -= effect * other / variance;
            }
        }
    }
}

/// Adds the squared distance of the most likely strengths from the mean strengths. With few or
/// one-sided results, the distribution is skewed, and intervals from its curvature alone are too
/// narrow.
///
/// The distance follows from the third derivative of the likelihood (Tierney and Kadane 1986).
fn add_skew(model: &Model, covariance: &mut [Vec<f64>]) {
    let mut slopes = vec![0.0; covariance.len()];
    for Encounter {
        players: (first, second),
        tally,
        dispersion,
    } in model.encounters
    {
        let score = model.score(*first, *second);
        let third =
            f64::from(tally.games()) * score * (1.0 - score) * (2.0 * score - 1.0) / dispersion;
        let slope = third * variance(covariance, *first, *second) / 2.0;
        slopes[*first] += slope;
        slopes[*second] -= slope;
    }
    let product = |row: &Vec<f64>| {
        row.iter()
            .zip(&slopes)
            .map(|(entry, slope)| entry * slope)
            .sum()
    };
    let distances: Vec<f64> = covariance.iter().map(product).collect();
    for (row, distance) in covariance.iter_mut().zip(&distances) {
        for (entry, other) in row.iter_mut().zip(&distances) {
            *entry += distance * other;
        }
    }
}

/// Returns the variance of a difference.
fn variance(covariance: &[Vec<f64>], first: usize, second: usize) -> f64 {
    let of = |player: usize, other: usize| covariance[player][other];
    // Rounding may make a variance of 0 negative.
    (of(first, first) + of(second, second) - 2.0 * of(first, second)).max(0.0)
}

#[cfg(test)]
mod tests;
