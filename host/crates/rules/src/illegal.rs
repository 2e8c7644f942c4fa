//! Reasons why moves are illegal.

use ai_api::{Bitboard, CastlingSide, Color, Move, Position, Role, Square};
use ai_attacks::{attacks_on_empty_board, between, pawn_attacks, pawn_pushes};

use crate::{
    castling::castling_side,
    is_legal,
    movegen::castling_targets,
    names::{side_name, title},
    placement::{Placement, back_rank},
    texts::errors,
};

errors! {
    /// Why a move is illegal: the first reason in the order in which players check.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum IllegalReason {
        /// The origin is empty.
        #[error("no piece on {from}")]
        NoPiece {
            /// The origin.
            from: Square,
        },
        /// The piece belongs to the other side.
        #[error(
            "the {} on {from} is {}'s, and it is {}'s turn",
            role.name(),
            title(*owner),
            title(!*owner)
        )]
        OpponentsPiece {
            /// The origin.
            from: Square,
            /// The role of the piece.
            role: Role,
            /// Its side.
            owner: Color,
        },
        /// A piece of the same side is on the target.
        #[error("{}'s own {} is on {to}", title(*owner), role.name())]
        OwnPieceOnTarget {
            /// The target.
            to: Square,
            /// The role of the piece.
            role: Role,
            /// The side to move.
            owner: Color,
        },
        /// Pieces of this role don't move that way.
        #[error("a {} does not move from {from} to {to}", role.name())]
        DoesNotMoveSo {
            /// The role of the piece.
            role: Role,
            /// The origin.
            from: Square,
            /// The target.
            to: Square,
        },
        /// A piece is in the way.
        #[error("the {} on {by} blocks the {} from {from} to {to}", blocker.name(), role.name())]
        Blocked {
            /// The role of the piece.
            role: Role,
            /// The origin.
            from: Square,
            /// The target.
            to: Square,
            /// The first occupied square in the way.
            by: Square,
            /// Its role.
            blocker: Role,
        },
        /// The move leaves or puts the mover's king in check.
        #[error("the king on {king} would be in check from the {} on {by}", attacker.name())]
        KingInCheck {
            /// The square of the king after the move.
            king: Square,
            /// A piece that would give check.
            by: Square,
            /// Its role.
            attacker: Role,
        },
        /// A pawn moves diagonally to an empty square.
        #[error("a pawn moves diagonally only to capture, and {to} is empty")]
        NothingToCapture {
            /// The target.
            to: Square,
        },
        /// An en passant capture is not available.
        #[error(
            "en passant on {to} is not available: it must directly follow the double step of the \
             pawn on {pawn} and must not leave the king in check"
        )]
        EnPassantNotAvailable {
            /// The target.
            to: Square,
            /// The pawn that would be captured.
            pawn: Square,
        },
        /// A pawn reaches the last rank without a promotion.
        #[error("a pawn that reaches {to} must become a queen, rook, bishop or knight: add q, r, b \
            or n")]
        PromotionMissing {
            /// The target.
            to: Square,
        },
        /// A promotion of anything but a pawn that reaches the last rank.
        #[error(
            "only a pawn that reaches the last rank is promoted; this is a {} going to {to}",
            role.name()
        )]
        PromotionNotAllowed {
            /// The role of the piece.
            role: Role,
            /// The target.
            to: Square,
        },
        /// Castling is not possible.
        #[error("castling is not possible: {fault}")]
        Castling(fault: CastlingRefusal),
    }
}

errors! {
    /// The reason why castling is not possible.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CastlingRefusal {
        /// The king or the rook has moved, or the rook was captured.
        #[error("{} has no right to castle on the {}", title(*color), side_name(*side))]
        NoRight {
            /// The side to move.
            color: Color,
            /// The side on which to castle.
            side: CastlingSide,
        },
        /// The king is in check.
        #[error("the king is in check from {by}")]
        InCheck {
            /// A piece that gives check.
            by: Square,
        },
        /// A piece is in the way of the king or the rook.
        #[error("the {} on {by} is in the way", blocker.name())]
        Blocked {
            /// An occupied square in the way.
            by: Square,
            /// Its role.
            blocker: Role,
        },
        /// The king would cross or reach an attacked square.
        #[error("the king would cross {square}, which {by} attacks")]
        Attacked {
            /// The attacked square.
            square: Square,
            /// A piece that attacks it.
            by: Square,
        },
    }
}

/// Returns why `chosen` is illegal in `position`; `None` if it is legal.
///
/// # Examples
/// ```
/// use ai_api::Move;
///
/// let start = rules::start_position();
/// let blocked = Move::new("a1".parse()?, "a4".parse()?);
/// let reason = rules::why_illegal(&start, blocked).expect("a rook does not jump");
/// assert_eq!(reason.to_string(), "the pawn on a2 blocks the rook from a1 to a4");
/// # Ok::<(), ai_api::ParseSquareError>(())
/// ```
#[inline]
pub fn why_illegal(position: &Position, chosen: Move) -> Option<IllegalReason> {
    (!is_legal(position, chosen)).then(|| reason(position, chosen))
}

#[cold]
fn reason(position: &Position, chosen: Move) -> IllegalReason {
    let (from, to) = (chosen.from(), chosen.to());
    let Some(role) = position.role_at(from) else {
        return IllegalReason::NoPiece { from };
    };
    refusal(position, chosen).unwrap_or(IllegalReason::DoesNotMoveSo { role, from, to })
}

/// Why a move is illegal. A move written as castling is judged as castling. Works without kings.
/// `None` if the move is legal, or is not a movement of the piece's role.
pub(crate) fn refusal(position: &Position, chosen: Move) -> Option<IllegalReason> {
    let (from, to, turn) = (chosen.from(), chosen.to(), position.turn());
    let Some((owner, role)) = position.color_at(from).zip(position.role_at(from)) else {
        return Some(IllegalReason::NoPiece { from });
    };
    if owner != turn {
        return Some(IllegalReason::OpponentsPiece { from, role, owner });
    }
    if role == Role::King
        && chosen.promotion().is_none()
        && let Some(side) = castling_attempt(position, from, to)
    {
        if is_legal(position, chosen) {
            return None;
        }
        if let Some(fault) = castling_refusal(position, side, to) {
            return Some(IllegalReason::Castling(fault));
        }
    }
    if position.color(turn).contains(to)
        && let Some(own_role) = position.role_at(to)
    {
        return Some(IllegalReason::OwnPieceOnTarget {
            to,
            role: own_role,
            owner,
        });
    }
    path_refusal(position, role, from, to)
        .or_else(|| promotion_refusal(turn, role, chosen))
        .or_else(|| check_refusal(position, role, chosen))
}

/// The side of a king's move that is written as castling: onto a rook of its side, or two files
/// from the e-file.
pub(crate) fn castling_attempt(
    position: &Position,
    from: Square,
    to: Square,
) -> Option<CastlingSide> {
    let turn = position.turn();
    let onto_rook = position.pieces(turn, Role::Rook).contains(to);
    let two_files = from.file() == 4 && matches!(to.file(), 2 | 6);
    let home = back_rank(turn);
    (from.rank() == home && to.rank() == home && (onto_rook || two_files))
        .then(|| castling_side(from, to))
}

/// Why castling is not possible. `None` if it is possible but written in the wrong way: Chess960
/// does not write it as two steps.
pub(crate) fn castling_refusal(
    position: &Position,
    side: CastlingSide,
    to: Square,
) -> Option<CastlingRefusal> {
    let (color, king) = (position.turn(), position.king(position.turn()));
    let no_right = Some(CastlingRefusal::NoRight { color, side });
    let Some(rook_file) = position.castling().rook_file(color, side) else {
        return no_right;
    };
    let rook = Square::new(rook_file, king.rank());
    let onto_rook = position.pieces(color, Role::Rook).contains(to);
    if onto_rook && to != rook {
        return no_right;
    }
    if let Some(by) = position.checkers().first() {
        return Some(CastlingRefusal::InCheck { by });
    }
    let (king_target, rook_target) = castling_targets(king, side);
    let ways = between(king, king_target)
        | between(rook, rook_target)
        | king_target.into()
        | rook_target.into();
    let others = position.occupied() & !(Bitboard::of(king) | rook.into());
    if let Some(by) = (ways & others).first()
        && let Some(blocker) = position.role_at(by)
    {
        return Some(CastlingRefusal::Blocked { by, blocker });
    }
    let mut without_king = Placement::of(position);
    without_king.take(king);
    let mut castled = without_king;
    castled.take(rook);
    castled.put(rook_target, color, Role::Rook);
    let on_the_way = between(king, king_target)
        .into_iter()
        .map(|square| (square, &without_king));
    on_the_way
        .chain([(king_target, &castled)])
        .find_map(|(square, pieces)| {
            pieces
                .attackers(square, !color)
                .first()
                .map(|by| CastlingRefusal::Attacked { square, by })
        })
        .or(no_right.filter(|_| onto_rook))
}

/// Checks the movement of the role and the squares on the way.
fn path_refusal(
    position: &Position,
    role: Role,
    from: Square,
    to: Square,
) -> Option<IllegalReason> {
    if role == Role::Pawn {
        return pawn_refusal(position, from, to);
    }
    if !attacks_on_empty_board(role, from).contains(to) {
        return Some(IllegalReason::DoesNotMoveSo { role, from, to });
    }
    blocked(position, role, from, to, between(from, to))
}

fn blocked(
    position: &Position,
    role: Role,
    from: Square,
    to: Square,
    way: Bitboard,
) -> Option<IllegalReason> {
    let by = first_in_the_way(position, from, way)?;
    let blocker = position.role_at(by)?;
    Some(IllegalReason::Blocked {
        role,
        from,
        to,
        by,
        blocker,
    })
}

/// The first occupied square in `way`, as seen from `from`.
pub(crate) fn first_in_the_way(position: &Position, from: Square, way: Bitboard) -> Option<Square> {
    let in_the_way = (way & position.occupied()).into_iter();
    in_the_way.min_by_key(|square| square.index().abs_diff(from.index()))
}

fn pawn_refusal(position: &Position, from: Square, to: Square) -> Option<IllegalReason> {
    let (role, turn) = (Role::Pawn, position.turn());
    if pawn_attacks(turn, from).contains(to) {
        if position.color(!turn).contains(to) || position.en_passant() == Some(to) {
            return None;
        }
        return Some(match passed_pawn(position, turn, from, to) {
            Some(pawn) => IllegalReason::EnPassantNotAvailable { to, pawn },
            None => IllegalReason::NothingToCapture { to },
        });
    }
    if !pawn_pushes(turn, from).contains(to) {
        return Some(IllegalReason::DoesNotMoveSo { role, from, to });
    }
    blocked(position, role, from, to, between(from, to) | to.into())
}

/// The enemy pawn next to a pawn that moves diagonally to an empty square, if a double step could
/// have brought it there.
pub(crate) fn passed_pawn(
    position: &Position,
    color: Color,
    from: Square,
    to: Square,
) -> Option<Square> {
    let pawn = Square::new(to.file(), from.rank());
    let comes_from_home = from.rank().abs_diff(back_rank(!color)) == 3;
    let is_empty = position.color_at(to).is_none();
    (is_empty && comes_from_home && position.pieces(!color, Role::Pawn).contains(pawn))
        .then_some(pawn)
}

fn promotion_refusal(turn: Color, role: Role, chosen: Move) -> Option<IllegalReason> {
    let to = chosen.to();
    let promotes = role == Role::Pawn && to.rank() == back_rank(!turn);
    match (promotes, chosen.promotion()) {
        (true, None) => Some(IllegalReason::PromotionMissing { to }),
        (false, Some(_)) => Some(IllegalReason::PromotionNotAllowed { role, to }),
        _ => None,
    }
}

fn check_refusal(position: &Position, role: Role, chosen: Move) -> Option<IllegalReason> {
    let (from, to, turn) = (chosen.from(), chosen.to(), position.turn());
    let mut after = Placement::of(position);
    if role == Role::Pawn && position.en_passant() == Some(to) {
        after.take(Square::new(to.file(), from.rank()));
    }
    after.take(from);
    after.put(to, turn, role);
    let king = after.king(turn)?;
    let by = after.attackers(king, !turn).first()?;
    let (_, attacker) = after.at(by)?;
    Some(IllegalReason::KingInCheck { king, by, attacker })
}
