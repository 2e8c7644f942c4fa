//! The generator: all moves of a side, handed on as sets of squares.

use ai_api::{Bitboard, Color, Role, Square};

use super::Side;
use crate::attacks::{antidiagonal, bishop_attacks, diagonal, knight_attacks, line, rook_attacks};

/// What becomes of the moves that [`generate`] finds.
pub(crate) trait MoveSink {
    /// The moves of the piece on `from`, which does not promote. A king's own rook as a target is castling.
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard);
    /// Moves of pawns: each comes from the square that lies `origin` (modulo 64) after its target.
    fn pawns(&mut self, targets: Bitboard, origin: u32);
    /// As `pawns`, to the last rank.
    fn promotions(&mut self, targets: Bitboard, origin: u32);
    /// Whether nothing more is needed.
    #[inline]
    fn is_satisfied(&self) -> bool {
        false
    }
}

/// Which moves are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    /// All legal ones.
    All,
    /// Those that capture or promote.
    CapturesAndPromotions,
}

/// Hands every legal move of `side` to `sink`.
#[inline]
pub(crate) fn generate<S: MoveSink>(side: &Side<'_>, among: Among, sink: &mut S) {
    if !side.checkers.has_several() {
        let targets = side.targets();
        pawns(side, targets, among, sink);
        if sink.is_satisfied() {
            return;
        }
        let targets = match among {
            Among::All => targets,
            Among::CapturesAndPromotions => targets & side.enemy,
        };
        pieces(side, targets, sink);
        if sink.is_satisfied() {
            return;
        }
    }
    match among {
        Among::All => sink.piece(Role::King, side.king, side.king_targets() | side.castling_rooks()),
        Among::CapturesAndPromotions => {
            sink.piece(Role::King, side.king, side.king_targets_among(side.enemy));
        }
    }
}

#[inline]
fn pieces<S: MoveSink>(side: &Side<'_>, targets: Bitboard, sink: &mut S) {
    for from in side.pieces(Role::Knight) & !side.pinned {
        sink.piece(Role::Knight, from, knight_attacks(from) & targets);
    }
    for role in [Role::Bishop, Role::Rook, Role::Queen] {
        for from in side.pieces(role) & !side.pinned {
            sink.piece(role, from, slides(role, from, side.occupied) & targets);
        }
    }
    if !side.pinned.is_empty() {
        for role in [Role::Bishop, Role::Rook, Role::Queen] {
            for from in side.pieces(role) & side.pinned {
                let targets = slides(role, from, side.occupied) & targets & line(side.king, from);
                sink.piece(role, from, targets);
            }
        }
    }
}

#[inline]
fn slides(role: Role, from: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Bishop => bishop_attacks(from, occupied),
        Role::Rook => rook_attacks(from, occupied),
        Role::Queen => bishop_attacks(from, occupied) | rook_attacks(from, occupied),
        Role::Pawn | Role::Knight | Role::King => Bitboard::EMPTY,
    }
}

/// Where pawns go, all at once: one step, two steps, captures towards the a-file and towards the h-file.
struct PawnTargets {
    one: Bitboard,
    two: Bitboard,
    towards_a: Bitboard,
    towards_h: Bitboard,
}

/// How far a board is rotated left to move its squares as a pawn moves.
struct PawnSteps {
    ahead: u32,
    towards_a: u32,
    towards_h: u32,
}

impl PawnSteps {
    #[inline]
    fn of(color: Color) -> Self {
        match color {
            Color::White => Self { ahead: 8, towards_a: 7, towards_h: 9 },
            Color::Black => Self { ahead: 56, towards_a: 55, towards_h: 57 },
        }
    }
}

#[inline]
fn pawn_targets(side: &Side<'_>, pawns: Bitboard, targets: Bitboard) -> PawnTargets {
    let steps = PawnSteps::of(side.color);
    let (third_rank, diagonal_up, diagonal_down) = match side.color {
        Color::White => (Bitboard::rank(2), diagonal(side.king), antidiagonal(side.king)),
        Color::Black => (Bitboard::rank(5), antidiagonal(side.king), diagonal(side.king)),
    };
    let free = !side.pinned;
    let empty = !side.occupied;
    let one =
        Bitboard((pawns & (free | Bitboard::file(side.king.file()))).0.rotate_left(steps.ahead)) & empty;
    let two = Bitboard((one & third_rank).0.rotate_left(steps.ahead)) & empty;
    let victims = side.enemy & targets;
    let towards_a = pawns & (free | diagonal_down) & !Bitboard::file(0);
    let towards_h = pawns & (free | diagonal_up) & !Bitboard::file(7);
    PawnTargets {
        one: one & targets,
        two: two & targets,
        towards_a: Bitboard(towards_a.0.rotate_left(steps.towards_a)) & victims,
        towards_h: Bitboard(towards_h.0.rotate_left(steps.towards_h)) & victims,
    }
}

#[inline]
fn pawns<S: MoveSink>(side: &Side<'_>, targets: Bitboard, among: Among, sink: &mut S) {
    let steps = PawnSteps::of(side.color);
    let last_rank = Bitboard::rank(0) | Bitboard::rank(7);
    let moves = pawn_targets(side, side.pieces(Role::Pawn), targets);
    if among == Among::All {
        sink.pawns(moves.one & !last_rank, 64 - steps.ahead);
        sink.pawns(moves.two, 128 - 2 * steps.ahead);
    }
    sink.pawns(moves.towards_a & !last_rank, 64 - steps.towards_a);
    sink.pawns(moves.towards_h & !last_rank, 64 - steps.towards_h);
    if !((moves.one | moves.towards_a | moves.towards_h) & last_rank).is_empty() {
        sink.promotions(moves.one & last_rank, 64 - steps.ahead);
        sink.promotions(moves.towards_a & last_rank, 64 - steps.towards_a);
        sink.promotions(moves.towards_h & last_rank, 64 - steps.towards_h);
    }
    if let Some(target) = side.en_passant {
        for from in side.en_passant_captors(target) {
            sink.piece(Role::Pawn, from, target.into());
        }
    }
}

/// The squares that the piece on `from` may move to, castling included as the rook's square.
pub(crate) fn targets_of(side: &Side<'_>, from: Square) -> Bitboard {
    let Some(role) = Role::ALL.into_iter().find(|&role| side.pieces(role).contains(from)) else {
        return Bitboard::EMPTY;
    };
    let targets = side.targets();
    let targets = if side.pinned.contains(from) { targets & line(side.king, from) } else { targets };
    match role {
        Role::King => side.king_targets() | side.castling_rooks(),
        Role::Knight => knight_attacks(from) & targets,
        Role::Pawn => {
            let moves = pawn_targets(side, from.into(), targets);
            let en_passant = side.en_passant.filter(|&target| side.en_passant_captors(target).contains(from));
            let en_passant = en_passant.map_or(Bitboard::EMPTY, Bitboard::of);
            moves.one | moves.two | moves.towards_a | moves.towards_h | en_passant
        }
        Role::Bishop | Role::Rook | Role::Queen => slides(role, from, side.occupied) & targets,
    }
}
