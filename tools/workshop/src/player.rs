//! `ai-nnue1`'s search on positions from self-play.

use std::sync::Arc;

use ai_api::{AiError, Flag, Host, Limits, Move, Position, ScoreKind, SearchRequest};
use ai_nnue1::{
    evaluation::Evaluate,
    search::{Search, SearchOptions},
};
use rules::RULES;

use crate::random::Random;

/// Small enough that a new table for each game costs little.
const HASH_MB: u32 = 2;

/// A search that keeps its results during a game, even though each search has a node limit.
#[derive(Debug)]
pub(crate) struct Player<E> {
    search: Search,
    watch: Watch<E>,
}

/// A search's judgement of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judgement {
    pub(crate) best_move: Move,
    /// The score for White in centipawns, or `None` for a mate.
    pub(crate) score: Option<i32>,
}

impl Judgement {
    /// Returns the absolute score in centipawns. A mate counts as the maximum.
    pub(crate) fn amount(&self) -> i32 {
        self.score.map_or(i32::MAX, i32::abs)
    }
}

impl<E: Evaluate> Player<E> {
    /// Creates a player for a game. Its results depend only on its searches and on `random`.
    ///
    /// # Errors
    /// There is not enough memory.
    pub(crate) fn new(evaluation: E, random: Random) -> Result<Self, AiError> {
        let search = Search::new(SearchOptions {
            hash_mb: HASH_MB,
            ..SearchOptions::default()
        })?;
        let watch = Watch {
            evaluation,
            stop: Arc::new(Flag::new(false)),
            nodes_left: 0,
            sampled: Vec::new(),
            sample_size: 0,
            evaluated: 0,
            random,
        };
        Ok(Self { search, watch })
    }

    /// Searches about this many nodes. Returns `None` if the game is over. The search reuses
    /// earlier results, as in any game.
    pub(crate) fn search(
        &mut self,
        position: &Position,
        history: &[u64],
        nodes: u64,
    ) -> Option<Judgement> {
        let stop = Arc::clone(&self.watch.stop);
        stop.set(false);
        self.watch.nodes_left = nodes;
        let request = SearchRequest {
            history,
            ..SearchRequest::new(*position, Limits::NONE)
        };
        let result = self.search.search(
            &mut self.watch,
            &request,
            &Host::new(&RULES, &stop, &|_| ()),
        );
        let score = match result.score.kind() {
            ScoreKind::Centipawns(value) => Some(value),
            ScoreKind::Mate(_) => None,
        };
        Some(Judgement {
            best_move: result.best_move?,
            score,
        })
    }

    /// Searches in the same way, and returns `count` of the positions that the search evaluated.
    pub(crate) fn search_and_sample(
        &mut self,
        position: &Position,
        history: &[u64],
        nodes: u64,
        count: usize,
    ) -> Option<(Judgement, Vec<Position>)> {
        (self.watch.sample_size, self.watch.evaluated) = (count, 0);
        let judgement = self.search(position, history, nodes);
        self.watch.sample_size = 0;
        Some((judgement?, std::mem::take(&mut self.watch.sampled)))
    }
}

/// An evaluation that stops the search after some nodes and samples the evaluated positions.
#[derive(Clone, Debug)]
struct Watch<E> {
    evaluation: E,
    stop: Arc<Flag>,
    nodes_left: u64,
    sampled: Vec<Position>,
    sample_size: usize,
    evaluated: usize,
    random: Random,
}

impl<E: Evaluate> Evaluate for Watch<E> {
    fn begin(&mut self, root: &Position) {
        self.evaluation.begin(root);
    }

    fn played(&mut self, ply: usize, before: &Position, after: &Position) {
        self.evaluation.played(ply, before, after);
        self.nodes_left = self.nodes_left.saturating_sub(1);
        if self.nodes_left == 0 {
            self.stop.set(true);
        }
    }

    fn evaluate(&mut self, ply: usize, position: &Position) -> i32 {
        if self.sample_size > 0 && ply > 0 {
            // Reservoir sampling: each position is as likely as any other.
            self.evaluated += 1;
            if self.sampled.len() < self.sample_size {
                self.sampled.push(*position);
            } else if let Some(place) = self.sampled.get_mut(self.random.below(self.evaluated)) {
                *place = *position;
            }
        }
        self.evaluation.evaluate(ply, position)
    }
}

#[cfg(test)]
mod tests {
    use ai_nnue1::evaluation::Terms;

    use super::*;

    #[test]
    fn samples_positions_of_the_search_tree() {
        let start = rules::start_position();
        let sample = |seed| {
            let mut player = Player::new(Terms::default(), Random::new(seed)).unwrap();
            player.search_and_sample(&start, &[], 500, 6).unwrap().1
        };
        let sampled = sample(1);
        assert_eq!(sampled.len(), 6);
        assert!(
            sampled
                .iter()
                .all(|position| position.hash() != start.hash())
        );
        assert_eq!(sample(1), sampled, "equal seeds sample equal positions");
        assert_ne!(sample(2), sampled);
    }

    #[test]
    fn returns_no_judgement_of_a_finished_game() {
        let mut player = Player::new(Terms::default(), Random::new(1)).unwrap();
        let mated =
            rules::parse_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
                .unwrap();
        assert!(player.search(&mated, &[], 100).is_none());
    }
}
