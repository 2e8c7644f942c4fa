//! Chooses the players of the next pair of games.

use fastrand::Rng;
use tournament::Posterior;

/// A player with a larger error comes first.
const NEWCOMER_ERROR: f64 = 60.0;
/// Without opponents of similar strength, the error stays larger. After this many games, the player
/// no longer comes first.
const NEWCOMER_GAMES: u32 = 300;
/// One pair in this many is random.
const RANDOM_INTERVAL: usize = 10;
/// A player is overdue after waiting for this many pairs per available player.
const PATIENCE: usize = 3;

/// A player that can be chosen for the next pair. Its rating is in the posterior.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairCandidate {
    pub(crate) availability: Availability,
    pub(crate) games: u32,
    /// The number of pairs chosen since its last one, or since it became available.
    pub(crate) waited_pairs: usize,
    /// The mean duration of its pairs. Must be positive.
    pub(crate) pair_seconds: f64,
}

/// Whether a player can play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Availability {
    /// Its AI is resting after failures, or the configuration no longer lists it.
    Unavailable,
    Available,
    /// An admin asked for its rating now.
    Requested,
}

/// Returns the players of the next pair, or `None` if fewer than two are available. `posterior`
/// rates the candidates by index.
///
/// The pair comes from the first of these groups that is not empty:
///
/// 1. pairs with the player that has waited longest, once it has waited for three pairs per
///    available player,
/// 2. pairs with requested players whose errors are above 60,
/// 3. pairs with newcomers, which are players with errors above 60 and fewer than 300 games,
/// 4. all pairs.
///
/// Within the group, this chooses the pair that reduces the variance of all ratings most for its
/// duration. One pair in ten is chosen at random. Overdue players wait only for each other, so no
/// available player waits for four pairs per player. The gain of a pair falls with the number of
/// its games but never reaches 0, so a pairing continues even if its result is clear.
pub(crate) fn next_pair(
    candidates: &[PairCandidate],
    posterior: &Posterior,
    rng: &mut Rng,
) -> Option<(usize, usize)> {
    let is_available =
        |player: &usize| candidates[*player].availability != Availability::Unavailable;
    let available: Vec<_> = (0..candidates.len()).filter(is_available).collect();
    let pairs: Vec<_> = available
        .iter()
        .enumerate()
        .flat_map(|(index, first)| {
            available[index + 1..]
                .iter()
                .map(|second| (*first, *second))
        })
        .collect();
    let is_uncertain = |player: usize| posterior.rating(player).error > NEWCOMER_ERROR;
    let is_newcomer =
        |player: usize| candidates[player].games < NEWCOMER_GAMES && is_uncertain(player);
    let is_requested = |player: usize| {
        candidates[player].availability == Availability::Requested && is_uncertain(player)
    };
    let overdue = available
        .iter()
        .copied()
        .max_by_key(|&player| candidates[player].waited_pairs)
        .filter(|&player| candidates[player].waited_pairs >= PATIENCE * available.len());
    let with = |is_member: &dyn Fn(usize) -> bool| -> Vec<_> {
        pairs
            .iter()
            .copied()
            .filter(|(first, second)| is_member(*first) || is_member(*second))
            .collect()
    };
    let groups: [&dyn Fn(usize) -> bool; 4] = [
        &|player| Some(player) == overdue,
        &is_requested,
        &is_newcomer,
        &|_| true,
    ];
    let group = groups
        .into_iter()
        .map(with)
        .find(|group| !group.is_empty())?;
    if rng.usize(..RANDOM_INTERVAL) == 0 {
        return rng.choice(group);
    }
    let gains_per_second = group.into_iter().map(|(first, second)| {
        let seconds = f64::midpoint(
            candidates[first].pair_seconds,
            candidates[second].pair_seconds,
        );
        (posterior.gain(first, second) / seconds, (first, second))
    });
    gains_per_second
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, pair)| pair)
}

#[cfg(test)]
mod tests;
