//! Plain negamax, without a table or pruning.

use ai_api::{Evaluator, Host, Move, Position, Score, SearchRequest};
use ai_basic1::Evaluation;

pub(crate) struct Plain<'h, 'a> {
    host: &'h Host<'a>,
    quiescence: bool,
    game: Vec<u64>,
    /// The hashes from the root onwards.
    line: Vec<u64>,
}

impl<'h, 'a> Plain<'h, 'a> {
    pub(crate) fn new(host: &'h Host<'a>, quiescence: bool) -> Self {
        Self {
            host,
            quiescence,
            game: Vec::new(),
            line: Vec::new(),
        }
    }

    /// Returns the first move with the highest score, and that score from White's point of view.
    pub(crate) fn best(&mut self, request: &SearchRequest<'_>, depth: u32) -> (Move, Score) {
        self.ranking(request, depth)[0]
    }

    /// Returns the moves with their scores from White's point of view, best first. Equal moves keep
    /// the host's order.
    pub(crate) fn ranking(
        &mut self,
        request: &SearchRequest<'_>,
        depth: u32,
    ) -> Vec<(Move, Score)> {
        let root = &request.position;
        self.game = request.history.to_vec();
        self.line = vec![root.hash()];
        let moves = self.host.legal_moves(root);
        let is_root_move =
            |chosen: &&Move| request.root_moves.is_empty() || request.root_moves.contains(chosen);
        let scored = moves.iter().filter(is_root_move).map(|&chosen| {
            (
                chosen,
                -self.value(&self.host.play(root, chosen), depth - 1, 1),
            )
        });
        let mut scored: Vec<_> = scored.collect();
        scored.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        scored
            .iter()
            .map(|&(chosen, value)| (chosen, Score::from_value(value * root.turn().sign())))
            .collect()
    }

    fn value(&mut self, position: &Position, depth: u32, ply: u32) -> i32 {
        let moves = self.host.legal_moves(position);
        if moves.is_empty() {
            return if position.in_check() {
                Score::mated_in_plies(ply).value()
            } else {
                0
            };
        }
        if self.host.is_insufficient_material(position)
            || position.halfmove_clock() >= 100
            || self.line.contains(&position.hash())
            || self
                .game
                .iter()
                .filter(|&&earlier| earlier == position.hash())
                .count()
                >= 2
        {
            return 0;
        }
        if depth > 0 {
            return self
                .highest(position, &moves, depth - 1, ply)
                .expect("there are moves");
        }
        let stand_pat =
            Evaluation::default().evaluate(position, self.host).value() * position.turn().sign();
        if !self.quiescence {
            stand_pat
        } else if position.in_check() {
            self.highest(position, &moves, 0, ply)
                .expect("there are moves")
        } else {
            let captures = self.host.legal_captures(position);
            self.highest(position, &captures, 0, ply)
                .map_or(stand_pat, |value| value.max(stand_pat))
        }
    }

    fn highest(
        &mut self,
        position: &Position,
        moves: &[Move],
        depth: u32,
        ply: u32,
    ) -> Option<i32> {
        self.line.push(position.hash());
        let values = moves
            .iter()
            .map(|&chosen| -self.value(&self.host.play(position, chosen), depth, ply + 1));
        let highest = values.max();
        self.line.pop();
        highest
    }
}
