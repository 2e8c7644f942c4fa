//! King and pawn against king: a bitbase that is generated in milliseconds and takes 24 KiB.

use ai_api::{Bitboard, Color, Position, Role, Square};

/// The number of combinations of turn, pawn square (files a to d, ranks 2 to 7) and king squares.
const POSITIONS: usize = 2 * PAWNS * 64 * 64;
const PAWNS: usize = 4 * 6;
const WHITE: usize = 0;
const BLACK: usize = 1;

/// Knows which positions a king and pawn win against a king.
///
/// ```
/// use ai_tablebase::KingPawnBitbase;
///
/// let bitbase = KingPawnBitbase::generate();
/// let position = rules::parse_fen("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1").unwrap();
/// assert_eq!(bitbase.is_win(&position), Some(true));
/// ```
#[derive(Clone, Debug)]
pub struct KingPawnBitbase {
    won: Vec<u64>,
}

/// What is known about a position while the bitbase is generated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Illegal,
    Open,
    Draw,
    Win,
}

/// A position in which the pawn is White's.
#[derive(Clone, Copy)]
struct KingPawn {
    turn: usize,
    pawn: usize,
    white_king: usize,
    black_king: usize,
}

impl KingPawnBitbase {
    /// Generates the bitbase by retrograde analysis.
    pub fn generate() -> Self {
        let mut known: Vec<_> = (0..POSITIONS)
            .map(|index| KingPawn::at(index).begin())
            .collect();
        // Pawns never move backwards, so positions reached by a pawn move are completed first.
        for pawn in (0..PAWNS).rev() {
            let of_pawn =
                |turn: usize| (turn * PAWNS + pawn) << 12..(turn * PAWNS + pawn + 1) << 12;
            let mut open: Vec<_> = of_pawn(WHITE).chain(of_pawn(BLACK)).collect();
            let mut before = usize::MAX;
            while open.len() < before {
                before = open.len();
                open.retain(|&index| {
                    if known[index] == Known::Open {
                        known[index] = KingPawn::at(index).conclude(&known);
                    }
                    known[index] == Known::Open
                });
            }
        }
        let word = |part: &[Known]| {
            part.iter().enumerate().fold(0, |word, (bit, result)| {
                word | u64::from(*result == Known::Win) << bit
            })
        };
        Self {
            won: known.chunks(64).map(word).collect(),
        }
    }

    /// Returns whether the side with the pawn wins, or `None` for other endings.
    pub fn is_win(&self, position: &Position) -> Option<bool> {
        let pawn = position.role(Role::Pawn);
        if position.occupied().count() != 3 || pawn.is_empty() {
            return None;
        }
        let pawn = pawn.first()?;
        let strong = position.color_at(pawn)?;
        // Mirrors the board if necessary: the stored pawns are White's, on files a to d.
        let flip =
            if strong == Color::White { 0 } else { 56 } ^ if pawn.index() & 7 < 4 { 0 } else { 7 };
        let [pawn, white_king, black_king] = [pawn, position.king(strong), position.king(!strong)]
            .map(|square: Square| square.index() ^ flip);
        let turn = if position.turn() == strong {
            WHITE
        } else {
            BLACK
        };
        let index = KingPawn {
            turn,
            pawn,
            white_king,
            black_king,
        }
        .index();
        Some(self.won[index / 64] >> (index % 64) & 1 != 0)
    }
}

impl KingPawn {
    const fn at(index: usize) -> Self {
        let pawn = (index >> 12) % PAWNS;
        Self {
            turn: (index >> 12) / PAWNS,
            pawn: (pawn / 4 + 1) * 8 + pawn % 4,
            white_king: index >> 6 & 63,
            black_king: index & 63,
        }
    }

    const fn index(self) -> usize {
        let pawn = (self.pawn / 8 - 1) * 4 + self.pawn % 8;
        ((self.turn * PAWNS + pawn) << 12) + (self.white_king << 6) + self.black_king
    }

    /// Returns what is known about the position without looking at others.
    fn begin(self) -> Known {
        let Self {
            turn,
            pawn,
            white_king,
            black_king,
        } = self;
        let (near_white, near_black) = (king_attacks(white_king), king_attacks(black_king));
        let is_attacked_by_pawn = contains(pawn_attacks(pawn), black_king);
        if white_king == black_king
            || contains(near_white, black_king)
            || pawn == white_king
            || pawn == black_king
            || turn == WHITE && is_attacked_by_pawn
        {
            return Known::Illegal;
        }
        if turn == BLACK {
            let can_move = near_black & !near_white & !pawn_attacks(pawn) & !(1 << pawn) != 0;
            let can_capture = contains(near_black & !near_white, pawn);
            return if can_capture || !can_move {
                Known::Draw
            } else {
                Known::Open
            };
        }
        let promotes_safely = pawn / 8 == 6 && {
            let to = pawn + 8;
            to != white_king
                && to != black_king
                && (!contains(near_black, to) || contains(near_white, to))
        };
        if promotes_safely {
            Known::Win
        } else {
            Known::Open
        }
    }

    /// Concludes what is known about the position from the positions after each move.
    fn conclude(self, known: &[Known]) -> Known {
        let (best, worst) = if self.turn == WHITE {
            (Known::Win, Known::Draw)
        } else {
            (Known::Draw, Known::Win)
        };
        let mut outcome = worst;
        for after in self.moves() {
            match known[after.index()] {
                found if found == best => return best,
                Known::Open => outcome = Known::Open,
                _ => {}
            }
        }
        outcome
    }

    /// Returns the positions after each move, including illegal moves but not promotions and
    /// captures.
    fn moves(self) -> impl Iterator<Item = Self> {
        let Self {
            turn,
            pawn,
            white_king,
            black_king,
        } = self;
        let king = if turn == WHITE {
            white_king
        } else {
            black_king
        };
        let king_moves = Bitboard(king_attacks(king)).into_iter().map(move |to| {
            let to = to.index();
            if turn == WHITE {
                Self {
                    turn: BLACK,
                    white_king: to,
                    ..self
                }
            } else {
                Self {
                    turn: WHITE,
                    black_king: to,
                    ..self
                }
            }
        });
        let is_free = move |square: usize| square != white_king && square != black_king;
        let one = (turn == WHITE && pawn / 8 < 6 && is_free(pawn + 8)).then_some(pawn + 8);
        let two = one
            .filter(|&to| pawn / 8 == 1 && is_free(to + 8))
            .map(|to| to + 8);
        king_moves.chain(one.into_iter().chain(two).map(move |to| Self {
            turn: BLACK,
            pawn: to,
            ..self
        }))
    }
}

const fn contains(set: u64, square: usize) -> bool {
    set >> square & 1 != 0
}

const fn king_attacks(square: usize) -> u64 {
    ai_attacks::king_attacks(Square::from_index(square as u8)).0
}

const fn pawn_attacks(square: usize) -> u64 {
    ai_attacks::pawn_attacks(Color::White, Square::from_index(square as u8)).0
}
