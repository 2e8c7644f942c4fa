//! Piece attacks in `pyrrhic-rs` types.

use ai_api::{Bitboard, Color, Square};
use ai_attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks};
use pyrrhic_rs::EngineAdapter;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Adapter;

const fn of(square: u64) -> Square {
    Square::from_index(square as u8)
}

impl EngineAdapter for Adapter {
    fn pawn_attacks(color: pyrrhic_rs::Color, square: u64) -> u64 {
        let color = if color == pyrrhic_rs::Color::White {
            Color::White
        } else {
            Color::Black
        };
        pawn_attacks(color, of(square)).0
    }

    fn knight_attacks(square: u64) -> u64 {
        knight_attacks(of(square)).0
    }

    fn bishop_attacks(square: u64, occupied: u64) -> u64 {
        bishop_attacks(of(square), Bitboard(occupied)).0
    }

    fn rook_attacks(square: u64, occupied: u64) -> u64 {
        rook_attacks(of(square), Bitboard(occupied)).0
    }

    fn queen_attacks(square: u64, occupied: u64) -> u64 {
        Self::bishop_attacks(square, occupied) | Self::rook_attacks(square, occupied)
    }

    fn king_attacks(square: u64) -> u64 {
        king_attacks(of(square)).0
    }
}
