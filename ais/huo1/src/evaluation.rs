//! The evaluation: mostly material, plus opening principles.

use ai_api::{Bitboard, CastlingSide, Color, EvalTerm, Position, Role, Score, Square};

/// Centipawns for a queen that left its first rank in the opening.
const QUEEN_OUT: i32 = -40;
/// Centipawns for a knight in the opening, by its distance from the edge.
const KNIGHT: [i32; 4] = [0, 5, 15, 20];
/// Centipawns for a king in a corner behind its pawns, while the other side has a queen.
const CASTLED: i32 = 45;
/// Centipawns for a king that can still castle.
const MAY_CASTLE: i32 = 10;
/// The number of pawns that form a shield in front of a king.
const SHIELD: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Until each side has made ten moves.
    Opening,
    /// From the eleventh move on.
    Later,
}

impl Phase {
    const LAST_OPENING_MOVE: u16 = 10;

    pub const fn of(position: &Position) -> Self {
        if position.fullmove_number() <= Self::LAST_OPENING_MOVE {
            Self::Opening
        } else {
            Self::Later
        }
    }
}

/// Returns the value of a piece in centipawns.
pub const fn worth(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 310,
        Role::Bishop => 320,
        Role::Rook => 500,
        Role::Queen => 900,
        Role::King => 10_000,
    }
}

/// The parts of the evaluation, from White's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    pub material: i32,
    /// Queens that left their first rank too early.
    pub queens: i32,
    /// Knights near the centre in the opening.
    pub knights: i32,
    /// Kings that castled behind a pawn shield, or still can.
    pub castling: i32,
}

impl Evaluation {
    /// Evaluates a position. The search passes the phase of its root, so that all positions of a
    /// search are in the same phase.
    pub fn of(position: &Position, phase: Phase) -> Self {
        let opening = |of: fn(&Position, Color) -> i32| match phase {
            Phase::Opening => difference(position, of),
            Phase::Later => 0,
        };
        Self {
            material: difference(position, material),
            queens: opening(queens),
            knights: opening(knights),
            castling: difference(position, castling),
        }
    }

    pub const fn score(self) -> Score {
        Score::centipawns(self.material + self.queens + self.knights + self.castling)
    }

    pub fn terms(self) -> Vec<EvalTerm> {
        let Self {
            material,
            queens,
            knights,
            castling,
        } = self;
        [
            ("material", material),
            ("queens", queens),
            ("knights", knights),
            ("castling", castling),
        ]
        .map(|(name, part)| EvalTerm::new(name, Score::centipawns(part)))
        .into()
    }
}

fn difference(position: &Position, of: fn(&Position, Color) -> i32) -> i32 {
    of(position, Color::White) - of(position, Color::Black)
}

fn material(position: &Position, color: Color) -> i32 {
    let roles = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ];
    roles
        .into_iter()
        .map(|role| worth(role) * position.pieces(color, role).count() as i32)
        .sum()
}

fn queens(position: &Position, color: Color) -> i32 {
    let out = position.pieces(color, Role::Queen) & !Bitboard::rank(first_rank(color));
    QUEEN_OUT * out.count() as i32
}

fn knights(position: &Position, color: Color) -> i32 {
    let from_edge = |line: u8| line.min(7 - line);
    let distance = |square: Square| from_edge(square.file()).min(from_edge(square.rank()));
    position
        .pieces(color, Role::Knight)
        .into_iter()
        .map(|square| KNIGHT[usize::from(distance(square))])
        .sum()
}

fn castling(position: &Position, color: Color) -> i32 {
    if position.pieces(!color, Role::Queen).is_empty() {
        return 0;
    }
    let king = position.king(color);
    let is_cornered = king.rank() == first_rank(color) && matches!(king.file(), 0..=2 | 6..=7);
    if is_cornered {
        let ahead = king.rank().saturating_add_signed(color.sign() as i8);
        let pawns = position.pieces(color, Role::Pawn).into_iter();
        let in_front =
            pawns.filter(|pawn| pawn.rank() == ahead && pawn.file().abs_diff(king.file()) <= 1);
        return if in_front.count() >= SHIELD {
            CASTLED
        } else {
            0
        };
    }
    let may_castle = |side| position.castling().rook_file(color, side).is_some();
    if CastlingSide::ALL.into_iter().any(may_castle) {
        MAY_CASTLE
    } else {
        0
    }
}

const fn first_rank(color: Color) -> u8 {
    match color {
        Color::White => 0,
        Color::Black => 7,
    }
}
