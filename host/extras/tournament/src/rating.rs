//! Ratings of players from their results against each other and against players with known ratings.

mod cholesky;
mod dispersion;
mod groups;
mod likelihood;
mod posterior;

use std::{collections::BTreeMap, fmt};

use serde::Serialize;

pub use self::posterior::{ByGames, Posterior, Prior, posterior};
use self::{
    groups::groups,
    likelihood::{Encounter, fit},
};
use crate::{
    elo::{EloBound, winning_bound},
    tally::Tally,
};

/// A rating on the scale of the known ratings, or around a group's mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The most likely rating, or its bound with 95 % confidence.
    pub elo: f64,
    /// The half-width of the 95 % confidence interval. Infinite for a bound.
    pub error: f64,
    pub bound: EloBound,
}

/// Why the results do not determine a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrated {
    #[error("no game was played")]
    NoGames,
    #[error("no game against a rated player")]
    Unconnected,
}

/// The rating of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedPlayer {
    pub rating: Result<Rating, Unrated>,
    /// The number of the player's group, from 0. Ratings of different groups are not comparable,
    /// because no results connect the groups or one group won every game.
    pub group: usize,
}

/// Returns the rating of each player. `known` holds the given ratings. `pairings` holds the first
/// player's results, keyed by the indices of both players.
///
/// Without known ratings, the mean of each group is 0. If every group is a single player, the
/// player with the most even score gets 0. A player with 100 % or 0 % against a group gets a bound.
pub fn ratings(
    known: &[Option<f64>],
    pairings: &BTreeMap<(usize, usize), Tally>,
) -> Vec<RatedPlayer> {
    let group_of = groups(&scored(known, pairings));
    let sizes = group_of
        .iter()
        .fold(vec![0; known.len()], |mut sizes, &group| {
            sizes[group] += 1;
            sizes
        });
    // All players with known ratings are in one group. If there are any, no other group has a
    // scale.
    let origin = known.iter().position(Option::is_some).or_else(|| {
        let are_single = sizes.iter().all(|size| *size < 2);
        if are_single {
            most_even_player(known.len(), pairings)
        } else {
            None
        }
    });
    let only = origin.map(|player| group_of[player]);
    let has_scale = |group: usize| only.map_or(sizes[group] > 1, |only| group == only);
    let mut rated: Vec<RatedPlayer> = group_of
        .iter()
        .map(|&group| RatedPlayer {
            rating: Err(Unrated::Unconnected),
            group,
        })
        .collect();
    for group in (0..known.len()).filter(|&group| has_scale(group)) {
        let members: Vec<_> = (0..known.len())
            .filter(|&player| group_of[player] == group)
            .collect();
        for (&player, rating) in members.iter().zip(rate_group(&members, known, pairings)) {
            rated[player].rating = Ok(rating);
        }
    }
    for player in (0..known.len()).filter(|&player| !has_scale(group_of[player])) {
        rated[player] = bounded(player, &rated, pairings);
    }
    rated
}

/// Returns the first player whose score is nearest to half of its games.
fn most_even_player(count: usize, pairings: &BTreeMap<(usize, usize), Tally>) -> Option<usize> {
    let mut totals = vec![(0.0, 0.0); count];
    for (&(first, second), tally) in pairings {
        for (player, own_tally) in [(first, *tally), (second, tally.reversed())] {
            totals[player].0 += own_tally.points();
            totals[player].1 += f64::from(own_tally.games());
        }
    }
    let distances = totals
        .into_iter()
        .map(|(points, games): (f64, f64)| (points / games - 0.5).abs())
        .enumerate();
    let played = distances.filter(|(_, distance)| distance.is_finite());
    played
        .min_by(|(_, left), (_, right)| left.total_cmp(right))
        .map(|(player, _)| player)
}

/// Returns the players against whom each player scored. Known ratings connect their players like
/// results.
fn scored(known: &[Option<f64>], pairings: &BTreeMap<(usize, usize), Tally>) -> Vec<Vec<usize>> {
    let mut scored = vec![Vec::new(); known.len()];
    for (&(first, second), tally) in pairings {
        if tally.wins + tally.draws > 0 {
            scored[first].push(second);
        }
        if tally.losses + tally.draws > 0 {
            scored[second].push(first);
        }
    }
    let anchors: Vec<_> = (0..known.len())
        .filter(|&player| known[player].is_some())
        .collect();
    for (first, second) in anchors.iter().zip(anchors.iter().skip(1)) {
        scored[*first].push(*second);
        scored[*second].push(*first);
    }
    scored
}

/// Returns the most likely rating of each member of a group.
fn rate_group(
    members: &[usize],
    known: &[Option<f64>],
    pairings: &BTreeMap<(usize, usize), Tally>,
) -> Vec<Rating> {
    let known: Vec<_> = members.iter().map(|&player| known[player]).collect();
    let fit = fit(&known, &encounters(members, pairings));
    let ratings = fit.elos.into_iter().zip(fit.errors);
    ratings
        .map(|(elo, error)| Rating {
            elo,
            error,
            bound: EloBound::Exact,
        })
        .collect()
}

/// Returns the results among the members of a group, by their indices in it. `members` is sorted.
fn encounters(members: &[usize], pairings: &BTreeMap<(usize, usize), Tally>) -> Vec<Encounter> {
    let index_of = |player: usize| members.binary_search(&player).ok();
    let among = pairings.iter().filter_map(|(&(first, second), &tally)| {
        Some(Encounter {
            players: (index_of(first)?, index_of(second)?),
            tally,
            dispersion: 1.0,
        })
    });
    among.collect()
}

/// Returns the bound for a player outside the groups with a scale. It follows from the games
/// against the group that the player met most often, which were all won or all lost.
fn bounded(
    player: usize,
    rated: &[RatedPlayer],
    pairings: &BTreeMap<(usize, usize), Tally>,
) -> RatedPlayer {
    let mut has_played = false;
    let mut met: BTreeMap<usize, (u32, Vec<(f64, Tally)>)> = BTreeMap::new();
    for (&(first, second), tally) in pairings {
        let (opponent, tally) = match player {
            _ if player == first => (rated[second], *tally),
            _ if player == second => (rated[first], tally.reversed()),
            _ => continue,
        };
        has_played |= tally.games() > 0;
        if let (
            Ok(Rating {
                elo,
                bound: EloBound::Exact,
                ..
            }),
            1..,
        ) = (opponent.rating, tally.games())
        {
            let (games, results) = met.entry(opponent.group).or_default();
            *games += tally.games();
            results.push((elo, tally));
        }
    }
    let Some((group, (_, results))) = met.into_iter().max_by_key(|(_, (games, _))| *games) else {
        let reason = if has_played {
            Unrated::Unconnected
        } else {
            Unrated::NoGames
        };
        return RatedPlayer {
            rating: Err(reason),
            group: rated[player].group,
        };
    };
    let has_won = results.iter().all(|(_, tally)| tally.wins > 0);
    let sign = if has_won { 1.0 } else { -1.0 };
    let opponents: Vec<_> = results
        .iter()
        .map(|(elo, tally)| (sign * elo, tally.games()))
        .collect();
    let bound = if has_won {
        EloBound::Lower
    } else {
        EloBound::Upper
    };
    let rating = Rating {
        elo: sign * winning_bound(&opponents),
        error: f64::INFINITY,
        bound,
    };
    RatedPlayer {
        rating: Ok(rating),
        group,
    }
}

impl Rating {
    /// Adds the uncertainty of the scale to the rating. The errors are independent. A bound moves
    /// by the full error.
    #[must_use]
    pub(crate) fn with_scale_error(self, error: f64) -> Self {
        match self.bound {
            EloBound::Exact => Self {
                // `f64::hypot` calls a function of glibc 2.35, which packages would then require.
                error: libm::hypot(self.error, error),
                ..self
            },
            EloBound::Lower => Self {
                elo: self.elo - error,
                ..self
            },
            EloBound::Upper => Self {
                elo: self.elo + error,
                ..self
            },
        }
    }

    /// Writes the rating with `elo` as its number, such as `1857 ± 98 Elo (95 %)` or
    /// `at least 2310 Elo (95 %)`.
    fn format(&self, elo: fmt::Arguments<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bound {
            EloBound::Exact => write!(f, "{elo} ± {:.0} Elo (95 %)", self.error),
            EloBound::Lower => write!(f, "at least {elo} Elo (95 %)"),
            EloBound::Upper => write!(f, "at most {elo} Elo (95 %)"),
        }
    }
}

impl fmt::Display for Rating {
    /// Writes `1857 ± 98 Elo (95 %)`, or `+57 ± 98 Elo (95 %)` with the flag `+`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding 0 avoids negative zero.
        let elo = self.elo.round() + 0.0;
        if f.sign_plus() {
            self.format(format_args!("{elo:+}"), f)
        } else {
            self.format(format_args!("{elo}"), f)
        }
    }
}

#[cfg(test)]
mod tests;
