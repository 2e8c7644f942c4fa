//! Move ordering. It affects the size of the tree, not the result.

use ai_api::{Bitboard, Color, MAX_MOVES, Move, MoveList, Position, Role};

use crate::options::{MAX_PLY, SearchOptions};

const NO_MOVE: Move = Move::from_bits(0);

/// The killer moves and history of one request.
#[derive(Debug)]
pub(crate) struct Experience {
    options: SearchOptions,
    /// The last two quiet refutations at each ply.
    killers: [[Move; 2]; MAX_PLY + 1],
    /// The history score of each quiet move, by side and squares.
    history: Box<[[i16; 64 * 64]; 2]>,
}

impl Experience {
    const LARGEST: i32 = 1 << 14;

    pub(crate) fn new(options: SearchOptions) -> Self {
        Self {
            options,
            killers: [[NO_MOVE; 2]; MAX_PLY + 1],
            history: Box::new([[0; 64 * 64]; 2]),
        }
    }

    /// Starts a search. Clears the killers, whose plies are counted from the root.
    pub(crate) fn begin(&mut self) {
        self.killers.fill([NO_MOVE; 2]);
    }

    pub(crate) fn clear(&mut self) {
        self.begin();
        self.history.as_flattened_mut().fill(0);
    }

    const fn squares(chosen: Move) -> usize {
        (chosen.to_bits() & 0xfff) as usize
    }

    /// Rewards the quiet move `refutation`, which caused a cutoff, and penalizes the moves in
    /// `tried`, which did not.
    pub(crate) fn learn(
        &mut self,
        position: &Position,
        ply: usize,
        depth: u32,
        refutation: Move,
        tried: &[Move],
    ) {
        let killers = &mut self.killers[ply];
        if self.options.killers && killers[0] != refutation {
            *killers = [refutation, killers[0]];
        }
        if !self.options.history {
            return;
        }
        let bonus = (depth * depth).min(400) as i32;
        let history = &mut self.history[position.turn().index()];
        let mut change = |chosen: Move, by: i32| {
            let value = &mut history[Self::squares(chosen)];
            // Converges to ±LARGEST.
            *value += (by - i32::from(*value) * by.abs() / Self::LARGEST) as i16;
        };
        change(refutation, bonus);
        for &chosen in tried.iter().filter(|&&chosen| is_quiet(position, chosen)) {
            change(chosen, -bonus);
        }
    }
}

/// Returns whether a legal move neither captures nor promotes.
#[inline]
pub(crate) fn is_quiet(position: &Position, chosen: Move) -> bool {
    chosen.promotion().is_none() && !position.is_capture(chosen)
}

/// Iterates over moves, the most promising first. Equally promising moves keep the order of the
/// list.
#[derive(Debug)]
pub(crate) struct MoveOrder {
    moves: MoveList,
    keys: [i32; MAX_MOVES],
    next: usize,
}

impl MoveOrder {
    const HASH_MOVE: i32 = i32::MAX;
    const GAIN: i32 = 1 << 20;
    const KILLERS: [i32; 2] = [(1 << 18) + 1, 1 << 18];
    const LOSS: i32 = -(1 << 20);

    /// Creates the order for an inner position.
    pub(crate) fn new(
        position: &Position,
        moves: MoveList,
        hash_move: Option<Move>,
        ply: usize,
        experience: &Experience,
    ) -> Self {
        let guarded = pawn_attacks(position, !position.turn());
        let killers = experience.killers[ply];
        let history = &experience.history[position.turn().index()];
        Self::with_keys(moves, |chosen| {
            if Some(chosen) == hash_move {
                Self::HASH_MOVE
            } else if !is_quiet(position, chosen) {
                capture_key(position, chosen, guarded)
            } else if chosen == killers[0] {
                Self::KILLERS[0]
            } else if chosen == killers[1] {
                Self::KILLERS[1]
            } else {
                i32::from(history[Experience::squares(chosen)])
            }
        })
    }

    /// Creates the order of captures and promotions by gain, followed by other moves.
    pub(crate) fn by_gain(position: &Position, moves: MoveList) -> Self {
        let guarded = pawn_attacks(position, !position.turn());
        Self::with_keys(moves, |chosen| {
            if is_quiet(position, chosen) {
                0
            } else {
                capture_key(position, chosen, guarded)
            }
        })
    }

    #[inline]
    fn with_keys(moves: MoveList, key: impl Fn(Move) -> i32) -> Self {
        let mut keys = [0; MAX_MOVES];
        for (place, &chosen) in keys.iter_mut().zip(&moves) {
            *place = key(chosen);
        }
        Self {
            moves,
            keys,
            next: 0,
        }
    }

    /// Returns whether the list is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Returns whether the last returned move is quiet and not a killer.
    pub(crate) const fn is_ordinary(&self) -> bool {
        self.keys[self.next - 1].abs() <= Experience::LARGEST
    }

    /// Returns the moves that were returned before the last one.
    pub(crate) fn tried(&self) -> &[Move] {
        &self.moves[..self.next.saturating_sub(1)]
    }
}

impl Iterator for MoveOrder {
    type Item = Move;

    #[inline]
    fn next(&mut self) -> Option<Move> {
        let len = self.moves.len();
        let first = self.next;
        if first >= len {
            return None;
        }
        let mut best = first;
        for index in first + 1..len {
            if self.keys[index] > self.keys[best] {
                best = index;
            }
        }
        self.keys.swap(first, best);
        self.moves.as_mut_slice().swap(first, best);
        self.next += 1;
        Some(self.moves[first])
    }
}

/// Orders captures by most valuable victim, then least valuable attacker. Losing captures on
/// squares guarded by a pawn come last.
fn capture_key(position: &Position, chosen: Move, guarded: Bitboard) -> i32 {
    let attacker = position.role_at(chosen.from()).map_or(0, value_of);
    let victim = position.role_at(chosen.to()).unwrap_or(Role::Pawn);
    let taken = if position.is_capture(chosen) {
        value_of(victim)
    } else {
        0
    };
    let promoted = chosen.promotion().map_or(0, value_of);
    let base = if attacker > taken + promoted && guarded.contains(chosen.to()) {
        MoveOrder::LOSS
    } else {
        MoveOrder::GAIN
    };
    base + (taken + promoted) * 16 - attacker
}

const fn value_of(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 10,
    }
}

fn pawn_attacks(position: &Position, color: Color) -> Bitboard {
    let pawns = position.pieces(color, Role::Pawn);
    let west = (pawns & !Bitboard::file(0)).0;
    let east = (pawns & !Bitboard::file(7)).0;
    Bitboard(match color {
        Color::White => west << 7 | east << 9,
        Color::Black => west >> 9 | east >> 7,
    })
}
