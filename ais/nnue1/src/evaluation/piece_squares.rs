//! Material and piece-square tables. Both tables mirror the board so that a king is on files e to
//! h: the owner's king in one, the enemy's in the other. So pieces are evaluated relative to both
//! kings.

use ai_api::{Color, Role};

use super::{
    features::{ENEMY_KING_SQUARES, MATERIAL, PIECE_SQUARES},
    tally::Tally,
    view::View,
};

/// Returns the value to XOR with a square index to see it from a side, with a king on files e to h.
const fn flip(color: Color, king_file: u8) -> usize {
    let ranks = match color {
        Color::White => 0,
        Color::Black => 56,
    };
    ranks | if king_file < 4 { 7 } else { 0 }
}

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        let [own, enemy] = [color, !color].map(|of| flip(color, view.kings[of.index()].file()));
        for role in Role::ALL {
            let pieces = view.position.pieces(color, role);
            if role != Role::King {
                tally.add(color, MATERIAL.at(role.index()), pieces.count() as i32);
            }
            for square in pieces {
                let index = role.index() * 64;
                tally.add(color, PIECE_SQUARES.at(index + (square.index() ^ own)), 1);
                if role != Role::King {
                    tally.add(
                        color,
                        ENEMY_KING_SQUARES.at(index + (square.index() ^ enemy)),
                        1,
                    );
                }
            }
        }
    }
}
