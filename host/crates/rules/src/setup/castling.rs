//! Requested castling rights, and their faults.

use std::fmt;

use ai_api::{Bitboard, CastlingRights, CastlingSide, Color, Role, Square};

use crate::{
    names::{file_letter, side_name, title},
    placement::{Placement, back_rank},
    texts::errors,
};

/// A rook that may castle, as a FEN names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastlingRook {
    /// The rook farthest from the king on this side: `K` or `Q`.
    Outermost(CastlingSide),
    /// The rook on this file, 0 to 7: `A` to `H`.
    OnFile(u8),
}

impl fmt::Display for CastlingRook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outermost(side) => write!(f, "right on the {}", side_name(*side)),
            Self::OnFile(file) => write!(f, "right on the {}-file", file_letter(*file)),
        }
    }
}

errors! {
    /// A fault in a castling right.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CastlingFault {
        /// The king is not on a square from which it can castle.
        #[error(
            "{}'s {} needs the king on rank {}, between the a-file and the h-file",
            title(*color),
            rook,
            home(*color)
        )]
        KingNotAtHome {
            /// The side.
            color: Color,
            /// The requested right.
            rook: CastlingRook,
        },
        /// No rook is on the square of the right.
        #[error(
            "{}'s {} needs a {} rook there on rank {}; found none",
            title(*color),
            rook,
            color.name(),
            home(*color)
        )]
        RookNotAtHome {
            /// The side.
            color: Color,
            /// The requested right.
            rook: CastlingRook,
        },
        /// The same right is given twice.
        #[error("{}'s {} is given twice; expected each right once", title(*color), rook)]
        Repeated {
            /// The side.
            color: Color,
            /// The right.
            rook: CastlingRook,
        },
        /// Two rights name rooks on the same side of the king.
        #[error(
            "{} has two castling rights on the {}; expected at most one",
            title(*color),
            side_name(*side)
        )]
        Twice {
            /// The side.
            color: Color,
            /// The side of the king on which the rooks are.
            side: CastlingSide,
        },
        /// White and Black may castle, but their kings are on different files.
        #[error(
            "White's king is on the {}-file and Black's on the {}-file; kings that may castle are \
             on the same file, except in double Fischer Random, which cannot be played here",
            file_letter(*white), file_letter(*black)
        )]
        KingsApart {
            /// The file of White's king, 0 to 7.
            white: u8,
            /// The file of Black's king, 0 to 7.
            black: u8,
        },
        /// White and Black may castle on the same side, but their rooks are on different files.
        #[error(
            "on the {}, White's rook is on the {}-file and Black's on the {}-file; rooks that may \
             castle are on the same file, except in double Fischer Random, which cannot be played \
             here",
            side_name(*side), file_letter(*white), file_letter(*black)
        )]
        RooksApart {
            /// The side of the kings on which the rooks are.
            side: CastlingSide,
            /// The file of White's rook, 0 to 7.
            white: u8,
            /// The file of Black's rook, 0 to 7.
            black: u8,
        },
    }
}

fn home(color: Color) -> u8 {
    back_rank(color) + 1
}

/// The castling rights that a set-up requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RequestedRights {
    /// For each color, one bit per right: bits 0 and 1 for the outermost rooks, then one per file.
    bits: [u16; 2],
}

impl RequestedRights {
    /// Adds a right. Returns whether it is new.
    pub(super) fn add(&mut self, color: Color, rook: CastlingRook) -> bool {
        let bit = match rook {
            CastlingRook::Outermost(side) => 1 << side as u16,
            CastlingRook::OnFile(file) => 1 << (2 + (file & 7)),
        };
        let is_new = self.bits[color.index()] & bit == 0;
        self.bits[color.index()] |= bit;
        is_new
    }

    fn of(self, color: Color) -> impl Iterator<Item = CastlingRook> {
        let mut bits = self.bits[color.index()];
        std::iter::from_fn(move || {
            let first = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            match first {
                0 | 1 => Some(CastlingRook::Outermost(CastlingSide::ALL[first as usize])),
                2..10 => Some(CastlingRook::OnFile(first as u8 - 2)),
                _ => None,
            }
        })
    }

    /// Passes every fault to `report` and returns the rights. On each side, the first right without
    /// a fault applies.
    pub(super) fn resolve(
        self,
        placement: &Placement,
        mut report: impl FnMut(CastlingFault),
    ) -> CastlingRights {
        let mut rights = CastlingRights::NONE;
        for color in Color::ALL {
            for rook in self.of(color) {
                match find_rook(placement, color, rook) {
                    Ok((side, _)) if rights.rook_file(color, side).is_some() => {
                        report(CastlingFault::Twice { color, side });
                    }
                    Ok((side, file)) => rights.set_rook_file(color, side, Some(file)),
                    Err(fault) => report(fault),
                }
            }
        }
        if let Some(fault) = unmirrored(placement, rights) {
            report(fault);
        }
        rights
    }

    /// Returns whether a right is named by its file. Only Chess960 names rights this way.
    pub(super) fn names_files(self) -> bool {
        self.bits.iter().any(|bits| bits >> 2 != 0)
    }
}

fn find_rook(
    placement: &Placement,
    color: Color,
    rook: CastlingRook,
) -> Result<(CastlingSide, u8), CastlingFault> {
    let rank = back_rank(color);
    let king = placement.pieces(color, Role::King) & Bitboard::rank(rank);
    let king_file = match king.first() {
        Some(king) if (1..7).contains(&king.file()) => king.file(),
        _ => return Err(CastlingFault::KingNotAtHome { color, rook }),
    };
    let rooks = placement.pieces(color, Role::Rook);
    let has_rook = |file: &u8| rooks.contains(Square::new(*file, rank));
    let file = match rook {
        CastlingRook::OnFile(file) => Some(file & 7).filter(has_rook),
        CastlingRook::Outermost(CastlingSide::King) => (king_file + 1..8).rev().find(has_rook),
        CastlingRook::Outermost(CastlingSide::Queen) => (0..king_file).find(has_rook),
    };
    let file = file.ok_or(CastlingFault::RookNotAtHome { color, rook })?;
    Ok((
        if file > king_file {
            CastlingSide::King
        } else {
            CastlingSide::Queen
        },
        file,
    ))
}

/// The fault of rights that no single start position allows, given that Black mirrors White.
fn unmirrored(placement: &Placement, rights: CastlingRights) -> Option<CastlingFault> {
    let may_castle = |color| {
        CastlingSide::ALL
            .into_iter()
            .any(|side| rights.rook_file(color, side).is_some())
    };
    if !Color::ALL.into_iter().all(may_castle) {
        return None;
    }
    let [white_king, black_king] = Color::ALL.map(|color| placement.king(color).map(Square::file));
    if let (Some(white), Some(black)) = (white_king, black_king)
        && white != black
    {
        return Some(CastlingFault::KingsApart { white, black });
    }
    CastlingSide::ALL.into_iter().find_map(|side| {
        let [white, black] = Color::ALL.map(|color| rights.rook_file(color, side));
        let (white, black) = (white?, black?);
        (white != black).then_some(CastlingFault::RooksApart { side, white, black })
    })
}

/// Returns whether each right is orthodox: a king on the e-file, a rook on the a- or h-file.
pub(super) fn is_orthodox(placement: &Placement, rights: CastlingRights) -> bool {
    Color::ALL.into_iter().all(|color| {
        let king_at_home = placement.king(color).is_some_and(|king| king.file() == 4);
        let is_orthodox = |side, home| {
            rights
                .rook_file(color, side)
                .is_none_or(|file| king_at_home && file == home)
        };
        is_orthodox(CastlingSide::King, 7) && is_orthodox(CastlingSide::Queen, 0)
    })
}
