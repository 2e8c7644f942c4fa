//! The number of legal moves.

use ai_api::{Color, Evaluator, Host, Position, Score};

/// Each legal move that a side has, or would have if it were its turn, is worth 5 centipawns.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility;

const MOVE_VALUE: i32 = 5;

impl Evaluator for Mobility {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        let [white, black] = Color::ALL.map(|color| host.count_legal_moves(position, color) as i32);
        Score::centipawns(MOVE_VALUE * (white - black))
    }
}
