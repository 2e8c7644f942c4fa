//! Position keys.

use ai_api::{Bitboard, CastlingSide, Color, Position, Role, Square};
use ai_attacks::{attackers, pawn_attacks};

use crate::random64::RANDOM64;

const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const TURN: usize = 780;

/// Returns the key of a position. The key is wrong if the last move was a double push and a pawn is
/// ready to capture it en passant, but the capture is illegal. A [`Position`] does not show such a
/// push, so use [`key_after`] for it.
pub fn key(position: &Position) -> u64 {
    key_after(position, position.en_passant())
}

/// Returns the key of a position. `passed` is the square that a pawn passed if the last move was a
/// double push. In this format, the push changes the key if a pawn is ready to capture en passant,
/// legally or not.
pub fn key_after(position: &Position, passed: Option<Square>) -> u64 {
    let mut key = 0;
    for role in Role::ALL {
        for color in Color::ALL {
            let kind = 2 * role.index() + usize::from(color == Color::White);
            for square in position.pieces(color, role) {
                key ^= RANDOM64[64 * kind + square.index()];
            }
        }
    }
    for (number, (color, side)) in Color::ALL
        .into_iter()
        .flat_map(|color| CastlingSide::ALL.map(|side| (color, side)))
        .enumerate()
    {
        if position.castling().rook_file(color, side).is_some() {
            key ^= RANDOM64[CASTLING + number];
        }
    }
    if let Some(passed) = passed.filter(|&passed| !captors(position, passed).is_empty()) {
        key ^= RANDOM64[EN_PASSANT + usize::from(passed.file())];
    }
    if position.turn() == Color::White {
        key ^= RANDOM64[TURN];
    }
    key
}

/// Returns every key that the position can have: its [`key`], then its keys after double pushes
/// that it does not show.
pub(crate) fn possible_keys(position: &Position) -> impl Iterator<Item = u64> {
    let may_be_push = position.en_passant().is_none() && position.halfmove_clock() == 0;
    let files = if may_be_push { 0..8 } else { 0..0 };
    let pushed = files.filter_map(|file| {
        let passed = hidden_push(position, file)?;
        Some(key_after(position, Some(passed)))
    });
    std::iter::once(key(position)).chain(pushed)
}

/// Returns the square that a pawn on this file passed if the last move could have been its double
/// push and a pawn is ready to capture it en passant, but the capture is illegal.
fn hidden_push(position: &Position, file: u8) -> Option<Square> {
    let (turn, opponent) = (position.turn(), !position.turn());
    let [origin, passed, pawn] = match opponent {
        Color::White => [1, 2, 3],
        Color::Black => [6, 5, 4],
    }
    .map(|rank| Square::new(file, rank));
    let path = Bitboard::of(origin) | passed.into();
    if !position.pieces(opponent, Role::Pawn).contains(pawn)
        || !(path & position.occupied()).is_empty()
    {
        return None;
    }
    let captors = captors(position, passed);
    let is_legal = |from: Square| {
        let after = position.occupied() & !Bitboard::of(from) & !Bitboard::of(pawn) | passed.into();
        let enemies = position.color(opponent) & !Bitboard::of(pawn);
        (attackers(position, position.king(turn), after) & enemies).is_empty()
    };
    (!captors.is_empty() && !captors.into_iter().any(is_legal)).then_some(passed)
}

/// Returns the pawns of the side to move next to the pawn that passed a square.
fn captors(position: &Position, passed: Square) -> Bitboard {
    pawn_attacks(!position.turn(), passed) & position.pieces(position.turn(), Role::Pawn)
}

#[cfg(test)]
mod tests {
    use rules::Game;

    use super::*;

    #[test]
    fn keys_follow_the_format() {
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
            assert_eq!(
                key_after(game.position(), game.passed()),
                expected,
                "{moves:?}"
            );
            assert_eq!(key(game.position()), expected, "{moves:?}");
        }
    }

    /// Returns the key of a position without its en passant square, if the square is part of the
    /// position's key.
    fn without_square(fen: &str) -> Option<u64> {
        let game = Game::from_moves(Some(fen), &[] as &[&str]).unwrap();
        let [with, without] =
            [game.passed(), None].map(|passed| key_after(game.position(), passed));
        (with != without).then_some(without)
    }

    #[test]
    fn en_passant_counts_whether_or_not_a_capture_is_legal() {
        for (fen, counts) in [
            ("4k3/8/8/8/4pP2/8/8/5K2 b - f3 0 1", true),
            ("4k3/8/8/8/4pP2/8/8/4RK2 b - f3 0 1", true),
            ("8/8/8/k2pP2R/8/8/8/4K3 w - d6 0 1", true),
            ("4k3/8/8/8/5P2/4p3/8/5K2 b - f3 0 1", false),
            ("4k3/8/8/8/4nP2/8/8/5K2 b - f3 0 1", false),
            ("4k3/8/8/8/p6P/8/8/5K2 b - h3 0 1", false),
            ("4k3/8/8/8/5PP1/8/8/5K2 b - f3 0 1", false),
        ] {
            assert_eq!(without_square(fen).is_some(), counts, "{fen}");
        }
    }

    #[test]
    fn keys_include_pushes_that_the_position_does_not_show() {
        let keys = |fen: &str| possible_keys(&rules::parse_fen(fen).unwrap()).count();
        for (fen, expected) in [
            ("4k3/8/8/8/4pP2/8/8/4RK2 b - f3 0 1", 2),
            ("4k3/8/8/8/4pP2/8/8/4RK2 b - - 0 1", 2),
            // The capture removes both pawns between rook and king.
            ("8/8/8/8/k3pP1R/8/8/4K3 b - - 0 1", 2),
            // The push was not the last move.
            ("4k3/8/8/8/4pP2/8/8/4RK2 b - - 1 1", 1),
            // The capture would be legal, so the position would show the push.
            ("4k3/8/8/8/4pP2/8/8/5K2 b - - 0 1", 1),
            ("4k3/8/8/8/4pP2/8/8/5K2 b - f3 0 1", 1),
            // The pawn did not come from f2.
            ("4k3/8/8/8/4pP2/5N2/8/4RK2 b - - 0 1", 1),
            ("4k3/8/8/8/4pP2/8/5N2/4RK2 b - - 0 1", 1),
            (
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
                1,
            ),
        ] {
            assert_eq!(keys(fen), expected, "{fen}");
        }
    }

    #[test]
    fn the_random_numbers_are_complete_and_in_order() {
        let sum = RANDOM64.iter().fold(0_u64, |sum, number| {
            sum.wrapping_mul(31).wrapping_add(*number)
        });
        // Two other implementations have the same sum.
        assert_eq!(sum, 0x9d79_d68e_fbdc_91b2);
    }
}
