//! Clients' positions, from which a candidate's strength is measured. They are kept only in memory,
//! until the rollout ends.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use ai_api::Score;
use rules::Game;

/// The maximum number of positions that wait for a pair of games.
const MAX_WAITING: usize = 1000;
/// The maximum number of remembered positions.
const MAX_SEEN: usize = 1_000_000;
/// The largest score of a position that is still undecided, in centipawns.
const MAX_SCORE: i32 = 300;

/// Positions from requests, each once.
#[derive(Debug, Default)]
pub(crate) struct Positions {
    waiting: Vec<Game>,
    seen: HashSet<u64>,
}

impl Positions {
    /// Adds the position of a game, unless it is known, decided or Chess960. If many are waiting,
    /// it replaces one of them.
    pub(crate) fn add(&mut self, game: &Game, score: Option<Score>) {
        let is_open = score.is_none_or(|score| score.value().abs() <= MAX_SCORE);
        let position = game.position();
        if !is_open || position.is_chess960() || game.status().outcome.is_some() {
            return;
        }
        let fen = rules::format_fen(position);
        let mut hasher = DefaultHasher::new();
        // Ignores the move counters.
        for field in fen.split(' ').take(4) {
            field.hash(&mut hasher);
        }
        if self.seen.len() >= MAX_SEEN || !self.seen.insert(hasher.finish()) {
            return;
        }
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push(game.clone());
        } else {
            self.waiting[fastrand::usize(..MAX_WAITING)] = game.clone();
        }
    }

    /// Removes a position and returns it.
    pub(crate) fn take(&mut self) -> Option<Game> {
        let len = self.waiting.len();
        (len > 0).then(|| self.waiting.swap_remove(fastrand::usize(..len)))
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use ai_api::Move;

    use super::*;

    fn game(moves: &[&str]) -> Game {
        let mut game = Game::new(rules::start_position());
        for uci in moves {
            game.play(rules::parse_uci(game.position(), uci).unwrap())
                .unwrap();
        }
        game
    }

    #[test]
    fn keeps_each_undecided_position_once() {
        let mut positions = Positions::default();
        positions.add(&game(&["g1f3", "g8f6", "d2d4"]), None);
        positions.add(
            &game(&["d2d4", "g8f6", "g1f3"]),
            Some(Score::centipawns(20)),
        );
        positions.add(&game(&["e2e4"]), Some(Score::centipawns(-301)));
        positions.add(&game(&["f2f3", "e7e5", "g2g4", "d8h4"]), None);
        assert_eq!(positions.waiting(), 1);
        assert_eq!(positions.take().unwrap().moves().len(), 3);
        assert!(positions.take().is_none());
        // A position that has been taken is not added again.
        positions.add(&game(&["g1f3", "g8f6", "d2d4"]), None);
        assert_eq!(positions.waiting(), 0);
    }

    fn successors(game: &Game) -> Vec<Game> {
        let after = |chosen: &Move| {
            let mut next = game.clone();
            next.play(*chosen).unwrap();
            next
        };
        rules::legal_moves(game.position())
            .iter()
            .map(after)
            .collect()
    }

    #[test]
    fn remembers_a_bounded_number_of_positions() {
        let mut positions = Positions::default();
        let mut all = vec![game(&[])];
        for _ in 0..3 {
            all = all.iter().flat_map(successors).collect();
        }
        for game in &all {
            positions.add(game, None);
        }
        assert_eq!(positions.waiting(), MAX_WAITING);
        assert!(positions.seen.len() > 5000);
    }
}
