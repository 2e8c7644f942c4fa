//! The results of a tournament so far.

use std::collections::BTreeMap;

use crate::{
    schedule::{MatchFormat, ScheduledGame, pairings},
    tally::{GameResult, Tally},
};

#[derive(Clone, Debug)]
pub struct Standings {
    /// The results of each pairing for its first player, keyed by the players' indices.
    pub pairings: BTreeMap<(usize, usize), Tally>,
    /// The first results of game pairs whose second game has not ended.
    unpaired: BTreeMap<((usize, usize), usize), GameResult>,
}

impl Standings {
    pub(crate) fn new(format: MatchFormat, players: usize) -> Self {
        let pairings = pairings(format, players)
            .into_iter()
            .map(|pairing| (pairing, Tally::default()));
        Self {
            pairings: pairings.collect(),
            unpaired: BTreeMap::new(),
        }
    }

    /// Adds the result of a game, for White.
    pub(crate) fn add(&mut self, game: &ScheduledGame, white: GameResult) {
        let pairing = game.pairing;
        let result = if game.white == pairing.0 {
            white
        } else {
            white.reversed()
        };
        let tally = self.pairings.entry(pairing).or_default();
        tally.add(result);
        match self.unpaired.remove(&(pairing, game.round)) {
            Some(other) => tally.add_pair(result, other),
            None => _ = self.unpaired.insert((pairing, game.round), result),
        }
    }

    /// Returns the number of games.
    pub fn games(&self) -> u32 {
        self.pairings.values().map(Tally::games).sum()
    }

    /// Returns the results of a player, with the index of each opponent.
    pub fn of_player(&self, player: usize) -> Vec<(usize, Tally)> {
        let results = self
            .pairings
            .iter()
            .filter_map(|(&(first, second), tally)| {
                if first == player {
                    Some((second, *tally))
                } else if second == player {
                    Some((first, tally.reversed()))
                } else {
                    None
                }
            });
        results.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::schedule;

    #[test]
    fn counts_pairs_with_games_in_any_order() {
        let mut standings = Standings::new(MatchFormat::RoundRobin, 2);
        let games = schedule(MatchFormat::RoundRobin, 2, 4);
        // The first player wins with White, draws with Black, loses with White, wins with Black.
        for (index, white) in [
            (2, GameResult::Loss),
            (0, GameResult::Win),
            (1, GameResult::Draw),
            (3, GameResult::Loss),
        ] {
            standings.add(&games[index], white);
        }
        let tally = standings.pairings[&(0, 1)];
        assert_eq!(
            (tally.wins, tally.draws, tally.losses, tally.pairs),
            (2, 1, 1, [0, 0, 1, 1, 0])
        );
        assert_eq!(standings.of_player(1), [(0, tally.reversed())]);
        assert_eq!((standings.games(), standings.unpaired.len()), (4, 0));
    }
}
