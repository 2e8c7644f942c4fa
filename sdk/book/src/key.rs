//! Keys of positions.

use ai_api::{CastlingSide, Color, Position, Role};

use crate::random64::RANDOM64;

const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const TURN: usize = 780;

/// Returns the key of a position.
///
/// A [`Position`] knows an en passant capture only if it is legal. The format counts one by a pinned pawn too; such a position is not
/// found in books of others.
pub fn key(position: &Position) -> u64 {
    let mut key = 0;
    for role in Role::ALL {
        for color in Color::ALL {
            let kind = 2 * role.index() + usize::from(color == Color::White);
            for square in position.pieces(color, role) {
                key ^= RANDOM64[64 * kind + square.index()];
            }
        }
    }
    for (number, (color, side)) in
        Color::ALL.into_iter().flat_map(|color| CastlingSide::ALL.map(|side| (color, side))).enumerate()
    {
        if position.castling().rook_file(color, side).is_some() {
            key ^= RANDOM64[CASTLING + number];
        }
    }
    if let Some(target) = position.en_passant() {
        key ^= RANDOM64[EN_PASSANT + usize::from(target.file())];
    }
    if position.turn() == Color::White {
        key ^= RANDOM64[TURN];
    }
    key
}

#[cfg(test)]
mod tests {
    use rules::Game;

    use super::*;

    #[test]
    fn keys_are_those_of_the_format() {
        for (moves, expected) in [
            ("", 0x463b_9618_1691_fc9c),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
        ] {
            let moves: Vec<_> = moves.split_whitespace().collect();
            let game = Game::from_moves(None, &moves).unwrap();
            assert_eq!(key(game.position()), expected, "{moves:?}");
        }
    }

    #[test]
    fn numbers_of_the_format_are_complete_and_in_order() {
        let sum = RANDOM64.iter().fold(0_u64, |sum, number| sum.wrapping_mul(31).wrapping_add(*number));
        // The sum of the numbers of two other implementations.
        assert_eq!(sum, 0x9d79_d68e_fbdc_91b2);
    }
}
