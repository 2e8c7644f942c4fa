//! The squares that a piece reaches, and what prevents each move.

use ai_api::{Bitboard, CastlingSide, Color, Move, Position, Role, Square};
use ai_attacks::{attacks_on_empty_board, between, line, pawn_attacks, pawn_pushes};

use crate::{
    CastlingRefusal, IllegalReason, Setup,
    illegal::{first_in_the_way, passed_pawn, refusal},
    movegen::castling_targets,
    placement::back_rank,
    texts::words,
};

/// A square that a piece could reach on an empty board, and what prevents the move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The target; for castling, the target in UCI.
    pub to: Square,
    /// The kind of movement.
    pub movement: Movement,
    /// What prevents the move; `None` if it is legal.
    pub obstacle: Option<Obstacle>,
}

words! {
    /// A kind of movement.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Movement {
        /// Along a rank, file or diagonal: any distance for queen, rook and bishop, one step for
        /// the king.
        Line = "line",
        /// A knight's jump.
        Jump = "jump",
        /// A pawn's step forward.
        PawnPush = "pawn_push",
        /// A pawn's first step, across two squares.
        DoublePush = "double_push",
        /// A pawn's diagonal step, onto an enemy piece or an empty square.
        Capture = "capture",
        /// A pawn's diagonal step, past an enemy pawn.
        EnPassant = "en_passant",
        /// The king and a rook move together.
        Castling = "castling",
        /// A pawn's step, straight or diagonal, onto the last rank.
        Promotion = "promotion",
    }
}

words! {
    /// What prevents a move, ordered from nearly legal to least plausible.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Obstacle {
        /// The piece on this square pins it to its king.
        Pinned(Square) = "pinned",
        /// The mover's king would be in check from the piece on this square.
        LeavesKingInCheck(Square) = "leaves_king_in_check",
        /// The king would cross or reach an attacked square.
        CastlingThroughCheck {
            /// The square of the attacker.
            by: Square,
            /// The attacked square.
            through: Square,
        } = "castling_through_check",
        /// The king is in check from the piece on this square.
        CastlingOutOfCheck(Square) = "castling_out_of_check",
        /// The pawn on this square can't, or can no longer, be captured en passant.
        NoEnPassant(Square) = "no_en_passant",
        /// The king or the rook has moved, or the rook was captured.
        RightsLost = "rights_lost",
        /// The piece on this square is in the way.
        Blocked(Square) = "blocked",
        /// A piece of the same side is on the target.
        OwnPiece = "own_piece",
        /// A pawn moves diagonally only to capture, and the target is empty.
        NothingToCapture = "nothing_to_capture",
        /// It is the other side's turn.
        NotYourTurn = "not_your_turn",
    }
}

impl Obstacle {
    /// Returns the square of another piece that prevents the move, if one does.
    pub const fn by(self) -> Option<Square> {
        match self {
            Self::Blocked(by)
            | Self::Pinned(by)
            | Self::LeavesKingInCheck(by)
            | Self::NoEnPassant(by)
            | Self::CastlingOutOfCheck(by)
            | Self::CastlingThroughCheck { by, .. } => Some(by),
            Self::OwnPiece | Self::NothingToCapture | Self::RightsLost | Self::NotYourTurn => None,
        }
    }

    /// Returns the attacked square that the king would cross or reach when castling.
    pub const fn through(self) -> Option<Square> {
        match self {
            Self::CastlingThroughCheck { through, .. } => Some(through),
            _ => None,
        }
    }
}

/// Returns every square that the piece on `from` could reach on an empty board, in square order,
/// and what prevents the move now. The list is empty for an empty square.
///
/// # Examples
/// ```
/// use rules::{Obstacle, reachable, start_position};
///
/// let rook = reachable(&start_position(), "a1".parse()?);
/// assert_eq!(rook.len(), 14);
/// assert_eq!(rook[0].obstacle, Some(Obstacle::OwnPiece));
/// let to_a8 = rook.iter().find(|reach| reach.to.to_string() == "a8");
/// let far = to_a8.expect("a rook sees the whole file");
/// assert_eq!(far.obstacle, Some(Obstacle::Blocked("a2".parse()?)));
/// # Ok::<(), ai_api::ParseSquareError>(())
/// ```
pub fn reachable(position: &Position, from: Square) -> Vec<Reach> {
    let (Some(color), Some(role)) = (position.color_at(from), position.role_at(from)) else {
        return Vec::new();
    };
    let castlings: Vec<_> = match role {
        Role::King => castling_reaches(position, color, from).collect(),
        _ => Vec::new(),
    };
    let steps = targets(color, role, from).into_iter().map(|to| {
        let movement = movement(position, color, role, from, to);
        let chosen = match movement {
            Movement::Promotion => Move::promoting(from, to, Role::Queen),
            _ => Move::new(from, to),
        };
        Reach {
            to,
            movement,
            obstacle: obstacle(position, color, chosen),
        }
    });
    // In Chess960, the castling rook may be next to the king, on a square that the king can step
    // to.
    let castles = |to| castlings.iter().any(|castling| castling.to == to);
    let mut reaches: Vec<_> = steps.filter(|step| !castles(step.to)).collect();
    reaches.extend(&castlings);
    reaches.sort_by_key(|reach| reach.to.index());
    reaches
}

/// Does the same as [`reachable`] for any arrangement of pieces. Pins and checks count only if the
/// mover has a king.
pub fn reachable_in(setup: &Setup, from: Square) -> Vec<Reach> {
    reachable(&setup.unchecked(), from)
}

/// The targets of a piece on an empty board, and the squares that it attacks.
fn targets(color: Color, role: Role, from: Square) -> Bitboard {
    match role {
        Role::Pawn => pawn_attacks(color, from) | pawn_pushes(color, from),
        _ => attacks_on_empty_board(role, from),
    }
}

fn movement(position: &Position, color: Color, role: Role, from: Square, to: Square) -> Movement {
    match role {
        Role::Knight => Movement::Jump,
        Role::Pawn if to.rank() == back_rank(!color) => Movement::Promotion,
        Role::Pawn if to.file() == from.file() && to.rank().abs_diff(from.rank()) == 2 => {
            Movement::DoublePush
        }
        Role::Pawn if to.file() == from.file() => Movement::PawnPush,
        Role::Pawn if passed_pawn(position, color, from, to).is_some() => Movement::EnPassant,
        Role::Pawn => Movement::Capture,
        _ => Movement::Line,
    }
}

fn obstacle(position: &Position, color: Color, chosen: Move) -> Option<Obstacle> {
    if position.color_at(chosen.to()) == Some(color) {
        return Some(Obstacle::OwnPiece);
    }
    if color != position.turn() {
        return Some(obstacle_out_of_turn(position, color, chosen));
    }
    refusal(position, chosen).map(|reason| obstacle_of(position, chosen.from(), reason))
}

/// Why a move of the side that is not to move is illegal: the turn, unless another obstacle applies
/// regardless of the turn.
fn obstacle_out_of_turn(position: &Position, color: Color, chosen: Move) -> Obstacle {
    let (from, to) = (chosen.from(), chosen.to());
    let is_pawn = position.role_at(from) == Some(Role::Pawn);
    let pushed = is_pawn && from.file() == to.file();
    let way = if pushed {
        between(from, to) | to.into()
    } else {
        between(from, to)
    };
    if let Some(by) = first_in_the_way(position, from, way) {
        return Obstacle::Blocked(by);
    }
    if is_pawn && !pushed && position.color_at(to).is_none() {
        return passed_pawn(position, color, from, to)
            .map_or(Obstacle::NothingToCapture, Obstacle::NoEnPassant);
    }
    Obstacle::NotYourTurn
}

pub(crate) fn obstacle_of(position: &Position, from: Square, reason: IllegalReason) -> Obstacle {
    match reason {
        IllegalReason::OwnPieceOnTarget { .. } => Obstacle::OwnPiece,
        IllegalReason::Blocked { by, .. } => Obstacle::Blocked(by),
        IllegalReason::KingInCheck { king, by, .. } => {
            let pins = position.pinned().contains(from) && line(king, by).contains(from);
            if pins {
                Obstacle::Pinned(by)
            } else {
                Obstacle::LeavesKingInCheck(by)
            }
        }
        IllegalReason::NothingToCapture { .. } => Obstacle::NothingToCapture,
        IllegalReason::EnPassantNotAvailable { pawn, .. } => Obstacle::NoEnPassant(pawn),
        IllegalReason::Castling(refusal) => match refusal {
            CastlingRefusal::NoRight { .. } => Obstacle::RightsLost,
            CastlingRefusal::InCheck { by } => Obstacle::CastlingOutOfCheck(by),
            CastlingRefusal::Blocked { by, .. } => Obstacle::Blocked(by),
            CastlingRefusal::Attacked { square, by } => Obstacle::CastlingThroughCheck {
                by,
                through: square,
            },
        },
        // Unreachable: the side to move makes the move, and its piece moves that way.
        IllegalReason::NoPiece { .. }
        | IllegalReason::OpponentsPiece { .. }
        | IllegalReason::DoesNotMoveSo { .. }
        | IllegalReason::PromotionMissing { .. }
        | IllegalReason::PromotionNotAllowed { .. } => Obstacle::NotYourTurn,
    }
}

/// Castling on both sides, if the king is on a square from which it can castle.
fn castling_reaches(
    position: &Position,
    color: Color,
    king: Square,
) -> impl Iterator<Item = Reach> {
    CastlingSide::ALL.into_iter().filter_map(move |side| {
        let (target, _) = castling_targets(king, side);
        let Some(rook_file) = position.castling().rook_file(color, side) else {
            let is_orthodox_square = king == Square::new(4, back_rank(color));
            let lost = Reach {
                to: target,
                movement: Movement::Castling,
                obstacle: Some(Obstacle::RightsLost),
            };
            return is_orthodox_square.then_some(lost);
        };
        let rook = Square::new(rook_file, king.rank());
        let to = if position.is_chess960() { rook } else { target };
        let obstacle = if color == position.turn() {
            refusal(position, Move::new(king, rook))
                .map(|reason| obstacle_of(position, king, reason))
        } else {
            Some(Obstacle::NotYourTurn)
        };
        Some(Reach {
            to,
            movement: Movement::Castling,
            obstacle,
        })
    })
}
