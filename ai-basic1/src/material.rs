//! Piece values.

use ai_api::{Color, Evaluator, Host, Position, Role, Score};

/// A pawn is worth 100 centipawns, a knight or bishop 300, a rook 500, a queen 900.
#[derive(Clone, Copy, Debug, Default)]
pub struct Material;

const VALUES: [(Role, i32); 5] = [
    (Role::Pawn, 100),
    (Role::Knight, 300),
    (Role::Bishop, 300),
    (Role::Rook, 500),
    (Role::Queen, 900),
];

impl Evaluator for Material {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        let difference = |role| {
            let [white, black] =
                Color::ALL.map(|color| position.pieces(color, role).count() as i32);
            white - black
        };
        Score::centipawns(
            VALUES
                .iter()
                .map(|&(role, value)| value * difference(role))
                .sum(),
        )
    }
}
