//! Textbook alpha-beta on `cozy-chess`: iterative deepening, captures first, a transposition table
//! as large as Basic1's, and Basic1's evaluation and quiescence. The benchmark compares it with
//! Basic1's search.

use ai_api::Score;
use cozy_chess::{BitBoard, Board, Color, Move, Piece};

const INFINITY: i32 = Score::MAX.value() + 1;
const MAX_PLY: usize = 160;
const SLOTS: usize = 4;
/// As many entries as Basic1's table has in 16 MiB.
const TABLE_ENTRIES: usize = 1 << 20;

#[derive(Clone, Copy)]
enum Bound {
    Upper,
    Lower,
    Exact,
}

#[derive(Clone, Copy)]
struct Entry {
    best_move: Option<Move>,
    value: i32,
    depth: u8,
    bound: Bound,
}

pub struct AlphaBeta {
    table: Vec<[(u64, Option<Entry>); SLOTS]>,
    path: [u64; MAX_PLY + 1],
    pub nodes: u64,
}

impl AlphaBeta {
    pub fn new() -> Self {
        Self {
            table: vec![[(0, None); SLOTS]; TABLE_ENTRIES / SLOTS],
            path: [0; MAX_PLY + 1],
            nodes: 0,
        }
    }

    /// Returns the score of a position for the side to move, after iterative deepening to `depth`.
    pub fn search(&mut self, board: &Board, depth: u32) -> i32 {
        self.table.fill([(0, None); SLOTS]);
        self.nodes = 0;
        (1..=depth)
            .map(|depth| self.inner(board, depth, 0, -INFINITY, INFINITY))
            .last()
            .unwrap_or(0)
    }

    fn enter(&mut self, board: &Board, depth: u32, ply: usize, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if self.repeats(board, ply) || is_insufficient_material(board) {
            return 0;
        }
        if board.halfmove_clock() >= 100 {
            return if board.checkers().is_empty() || has_move(board) {
                0
            } else {
                mated_at(ply)
            };
        }
        if depth > 0 {
            self.inner(board, depth, ply, alpha, beta)
        } else {
            self.quiesce(board, ply, alpha, beta)
        }
    }

    fn inner(&mut self, board: &Board, depth: u32, ply: usize, alpha: i32, beta: i32) -> i32 {
        let (mut alpha, beta) = (alpha.max(mated_at(ply)), beta.min(-mated_at(ply + 1)));
        if alpha >= beta {
            return alpha;
        }
        let key = key(board, depth);
        let bucket = (u128::from(key) * self.table.len() as u128 >> 64) as usize;
        let known = self.table[bucket]
            .iter()
            .find(|(other, _)| *other == key)
            .and_then(|(_, entry)| *entry);
        if let Some(entry) = known.filter(|entry| ply > 0 && u32::from(entry.depth) == depth) {
            let value = from_table(entry.value, ply);
            match entry.bound {
                Bound::Exact => return value,
                Bound::Lower if value >= beta => return value,
                Bound::Upper if value <= alpha => return value,
                _ => {}
            }
        }
        let mut moves = list(board);
        if moves.is_empty() {
            return if board.checkers().is_empty() {
                0
            } else {
                mated_at(ply)
            };
        }
        order(board, &mut moves, known.and_then(|entry| entry.best_move));
        self.path[ply] = board.hash();
        let (mut best, mut best_move, original) = (-INFINITY, None, alpha);
        for chosen in moves {
            let mut child = board.clone();
            child.play_unchecked(chosen);
            let value = -self.enter(&child, depth - 1, ply + 1, -beta, -alpha);
            if value > best {
                best = value;
                if value > alpha {
                    alpha = value;
                    best_move = Some(chosen);
                    if alpha >= beta {
                        break;
                    }
                }
            }
        }
        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best > original => Bound::Exact,
            _ => Bound::Upper,
        };
        let entry = Entry {
            best_move,
            value: to_table(best, ply),
            depth: depth as u8,
            bound,
        };
        let slots = &mut self.table[bucket];
        let depth_of = |&(other, entry): &(u64, Option<Entry>)| {
            if other == key {
                -1
            } else {
                entry.map_or(-1, |entry| i32::from(entry.depth))
            }
        };
        let slot = slots
            .iter_mut()
            .min_by_key(|slot| depth_of(slot))
            .expect("a bucket has slots");
        *slot = (key, Some(entry));
        best
    }

    fn quiesce(&mut self, board: &Board, ply: usize, mut alpha: i32, beta: i32) -> i32 {
        if !has_move(board) {
            return if board.checkers().is_empty() {
                0
            } else {
                mated_at(ply)
            };
        }
        if ply >= MAX_PLY {
            return evaluate(board);
        }
        let mut best = -INFINITY;
        let mut moves = if board.checkers().is_empty() {
            best = evaluate(board);
            if best >= beta {
                return best;
            }
            alpha = alpha.max(best);
            let mut captures = list(board);
            captures
                .retain(|chosen| victim(board, *chosen).is_some() || chosen.promotion.is_some());
            captures
        } else {
            list(board)
        };
        order(board, &mut moves, None);
        self.path[ply] = board.hash();
        for chosen in moves {
            let mut child = board.clone();
            child.play_unchecked(chosen);
            let value = -self.enter(&child, 0, ply + 1, -beta, -alpha);
            if value > best {
                best = value;
                alpha = alpha.max(value);
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }

    fn repeats(&self, board: &Board, ply: usize) -> bool {
        let reversible = usize::from(board.halfmove_clock()).min(ply);
        (4..=reversible)
            .step_by(2)
            .any(|back| self.path[ply - back] == board.hash())
    }
}

fn list(board: &Board) -> Vec<Move> {
    let mut moves = Vec::with_capacity(48);
    board.generate_moves(|some| {
        moves.extend(some);
        false
    });
    moves
}

fn has_move(board: &Board) -> bool {
    board.generate_moves(|_| true)
}

/// Returns the piece that a move captures. In the notation of `cozy-chess`, castling captures the
/// castling rook.
fn victim(board: &Board, chosen: Move) -> Option<Piece> {
    let is_pawn = board.piece_on(chosen.from) == Some(Piece::Pawn);
    match board.piece_on(chosen.to) {
        Some(piece) => board
            .colors(!board.side_to_move())
            .has(chosen.to)
            .then_some(piece),
        None => (is_pawn && chosen.from.file() != chosen.to.file()).then_some(Piece::Pawn),
    }
}

/// Orders moves: the table's move first, then by most valuable victim and least valuable attacker.
fn order(board: &Board, moves: &mut [Move], first: Option<Move>) {
    moves.sort_by_cached_key(|&chosen| {
        let attacker = board.piece_on(chosen.from).map_or(0, worth);
        let gain = victim(board, chosen).map_or(0, worth) + chosen.promotion.map_or(0, worth);
        (
            Some(chosen) != first,
            if gain > 0 { attacker - 16 * gain } else { 0 },
        )
    });
}

const fn worth(piece: Piece) -> i32 {
    match piece {
        Piece::Pawn => 1,
        Piece::Knight | Piece::Bishop => 3,
        Piece::Rook => 5,
        Piece::Queen => 9,
        Piece::King => 10,
    }
}

/// Returns material and mobility for the side to move. It must not be in check.
fn evaluate(board: &Board) -> i32 {
    let us = board.side_to_move();
    let material: i32 = [
        Piece::Pawn,
        Piece::Knight,
        Piece::Bishop,
        Piece::Rook,
        Piece::Queen,
    ]
    .iter()
    .map(|&piece| {
        let count = |color: Color| board.colored_pieces(color, piece).len() as i32;
        100 * worth(piece) * (count(us) - count(!us))
    })
    .sum();
    let passed = board
        .null_move()
        .expect("positions in check are not evaluated");
    material + 5 * (count_moves(board) - count_moves(&passed))
}

fn count_moves(board: &Board) -> i32 {
    let mut count = 0;
    board.generate_moves(|moves| {
        count += moves.len() as i32;
        false
    });
    count
}

fn is_insufficient_material(board: &Board) -> bool {
    let pieces = |piece| board.pieces(piece);
    if !(pieces(Piece::Pawn) | pieces(Piece::Rook) | pieces(Piece::Queen)).is_empty() {
        return false;
    }
    let (knights, bishops) = (pieces(Piece::Knight), pieces(Piece::Bishop));
    if knights.is_empty() {
        (bishops & BitBoard::DARK_SQUARES).is_empty()
            || (bishops & BitBoard::LIGHT_SQUARES).is_empty()
    } else {
        bishops.is_empty() && knights.len() <= 1
    }
}

/// Returns the table key. Like Basic1's, it includes the half-move clock if the search can reach
/// the clock's limit.
fn key(board: &Board, depth: u32) -> u64 {
    let clock = u32::from(board.halfmove_clock());
    let extra = if clock + depth + 8 < 100 {
        0
    } else {
        u64::from(clock + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    board.hash() ^ extra
}

/// Converts a score for the table, where mates count from this position instead of the root.
const fn to_table(value: i32, ply: usize) -> i32 {
    match Score::from_value(value).plies_to_mate() {
        Some(_) => value + value.signum() * ply as i32,
        None => value,
    }
}

const fn from_table(value: i32, ply: usize) -> i32 {
    match Score::from_value(value).plies_to_mate() {
        Some(_) => value - value.signum() * ply as i32,
        None => value,
    }
}

const fn mated_at(ply: usize) -> i32 {
    Score::mated_in_plies(ply as u32).value()
}
