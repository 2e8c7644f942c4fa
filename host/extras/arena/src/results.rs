//! The counted results of all rated games.

use std::collections::BTreeMap;

use tournament::{Effort, Tally};

use crate::{
    finished::{FinishedGame, FinishedPair, GameSummary},
    player::PlayerId,
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// The results of each pairing, for the player with the smaller id, which comes first in the
    /// key.
    pub pairings: BTreeMap<(PlayerId, PlayerId), Tally>,
    /// White's results in single games, keyed by White and Black. Pairs are not counted.
    pub by_color: BTreeMap<(PlayerId, PlayerId), Tally>,
    pub records: BTreeMap<PlayerId, PlayerRecord>,
    /// How often pairs were disturbed.
    pub void_pairs: u32,
}

/// The faults and the effort in a player's games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerRecord {
    pub faults: u32,
    pub effort: Effort,
}

impl Results {
    /// Adds the games of a pair, if they are rated.
    pub fn add(&mut self, pair: &FinishedPair) {
        if !pair.is_rated {
            return;
        }
        let GameSummary { white, black, .. } = pair.first.record;
        let (first, second) = (white.min(black), white.max(black));
        let mut of_first = Vec::new();
        for FinishedGame {
            record: game,
            effort: efforts,
            ..
        } in pair.games()
        {
            let players = [game.white, game.black];
            let result = if game.white == first {
                game.result
            } else {
                game.result.reversed()
            };
            self.by_color
                .entry((game.white, game.black))
                .or_default()
                .add(game.result);
            self.pairings
                .entry((first, second))
                .or_default()
                .add(result);
            of_first.push(result);
            for (player, effort) in players.into_iter().zip(*efforts) {
                self.records.entry(player).or_default().effort.add(effort);
            }
            if let Some(player) = game.faulty_player() {
                self.records.entry(player).or_default().faults += 1;
            }
        }
        if let [one, other] = of_first[..] {
            self.pairings
                .entry((first, second))
                .or_default()
                .add_pair(one, other);
        }
    }

    /// Returns whether a player has a rated game.
    pub(crate) fn has(&self, player: PlayerId) -> bool {
        self.pairings
            .keys()
            .any(|&(first, second)| first == player || second == player)
    }

    pub fn games(&self) -> u32 {
        self.pairings.values().map(Tally::games).sum()
    }

    pub fn pairs(&self) -> u32 {
        self.pairings.values().flat_map(|tally| tally.pairs).sum()
    }
}
