//! What a thread has learned about moves: which were best in which situations.

use ai_api::{Color, Move, Position, Role};

/// A piece with its target square.
pub(super) type PieceTo = u16;

const PIECE_SQUARES: usize = 12 * 64;
/// No move, such as after a null move or before the root.
pub(super) const NO_PIECE_TO: PieceTo = PIECE_SQUARES as PieceTo;

const LARGEST: i32 = 1 << 14;

/// The moves of a position that were searched before the best one.
#[derive(Debug)]
pub(super) struct Tried {
    moves: [Move; 48],
    count: usize,
}

impl Tried {
    pub(super) const fn new() -> Self {
        Self {
            moves: [Move::from_bits(0); 48],
            count: 0,
        }
    }

    #[inline]
    pub(super) const fn push(&mut self, chosen: Move) {
        if self.count < self.moves.len() {
            self.moves[self.count] = chosen;
            self.count += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = Move> {
        self.moves[..self.count].iter().copied()
    }
}

#[derive(Debug)]
pub(super) struct History {
    /// Indexed by side and squares.
    quiets: Box<[[i16; 64 * 64]; 2]>,
    /// Indexed by an earlier move and this one.
    continuations: Vec<[i16; PIECE_SQUARES]>,
    /// Indexed by the move and the captured role.
    captures: Box<[[i16; 6]; PIECE_SQUARES]>,
}

/// The moves one, two and four plies before a position.
pub(super) type Before = [PieceTo; 3];

#[inline]
pub(super) fn piece_to(position: &Position, chosen: Move) -> PieceTo {
    let role = position.role_at(chosen.from()).unwrap_or(Role::Pawn);
    let piece = role.index() + 6 * position.turn().index();
    (piece * 64 + chosen.to().index()) as PieceTo
}

#[inline]
const fn squares(chosen: Move) -> usize {
    (chosen.to_bits() & 0xfff) as usize
}

/// Adds a bonus to a score, which converges to ±[`LARGEST`].
#[inline]
fn add(score: &mut i16, bonus: i32) {
    *score += (bonus - i32::from(*score) * bonus.abs() / LARGEST) as i16;
}

const fn bonus(depth: i32) -> i32 {
    let bonus = 170 * depth - 80;
    if bonus < 1700 { bonus } else { 1700 }
}

impl History {
    pub(super) fn new() -> Self {
        Self {
            quiets: Box::new([[0; 64 * 64]; 2]),
            continuations: vec![[0; PIECE_SQUARES]; PIECE_SQUARES + 1],
            captures: Box::new([[0; 6]; PIECE_SQUARES]),
        }
    }

    pub(super) fn clear(&mut self) {
        self.quiets.as_flattened_mut().fill(0);
        self.continuations.as_flattened_mut().fill(0);
        self.captures.as_flattened_mut().fill(0);
    }

    /// Returns the score of a quiet move, within ±4 × 2¹⁴.
    #[inline]
    pub(super) fn quiet(&self, turn: Color, moved: PieceTo, chosen: Move, before: Before) -> i32 {
        let continuation =
            |earlier: PieceTo| i32::from(self.continuations[earlier as usize][moved as usize]);
        i32::from(self.quiets[turn.index()][squares(chosen)])
            + continuation(before[0])
            + continuation(before[1])
            + continuation(before[2]) / 2
    }

    /// Returns the score of a capture, within ±2¹⁴.
    #[inline]
    pub(super) fn capture(&self, moved: PieceTo, captured: Role) -> i32 {
        self.captures[moved as usize][captured.index()].into()
    }

    /// Rewards the best move found by a search of this depth, and penalizes the moves tried before
    /// it.
    pub(super) fn learn(
        &mut self,
        position: &Position,
        before: Before,
        depth: i32,
        best: Move,
        [quiets, captures]: [&Tried; 2],
    ) {
        let bonus = bonus(depth);
        if is_quiet(position, best) {
            self.add_quiet(position, before, best, bonus);
            for chosen in quiets.iter() {
                self.add_quiet(position, before, chosen, -bonus);
            }
        } else {
            self.add_capture(position, best, bonus);
        }
        for chosen in captures.iter() {
            self.add_capture(position, chosen, -bonus);
        }
    }

    fn add_quiet(&mut self, position: &Position, before: Before, chosen: Move, bonus: i32) {
        let moved = piece_to(position, chosen);
        add(
            &mut self.quiets[position.turn().index()][squares(chosen)],
            bonus,
        );
        for earlier in before.into_iter().filter(|&earlier| earlier != NO_PIECE_TO) {
            add(
                &mut self.continuations[earlier as usize][moved as usize],
                bonus,
            );
        }
    }

    fn add_capture(&mut self, position: &Position, chosen: Move, bonus: i32) {
        let moved = piece_to(position, chosen);
        add(
            &mut self.captures[moved as usize][captured(position, chosen).index()],
            bonus,
        );
    }
}

/// Returns whether a legal move neither captures nor promotes.
#[inline]
pub(super) fn is_quiet(position: &Position, chosen: Move) -> bool {
    chosen.promotion().is_none() && !position.is_capture(chosen)
}

/// Returns the captured role: a pawn for en passant and for promotions without a capture.
#[inline]
pub(super) fn captured(position: &Position, chosen: Move) -> Role {
    position.role_at(chosen.to()).unwrap_or(Role::Pawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_converge() {
        let mut score = 0;
        for _ in 0..1000 {
            add(&mut score, 1700);
        }
        assert!((LARGEST * 9 / 10..=LARGEST).contains(&i32::from(score)));
        for _ in 0..1000 {
            add(&mut score, -1700);
        }
        assert!((-LARGEST..=-LARGEST * 9 / 10).contains(&i32::from(score)));
    }

    #[test]
    fn rewards_the_best_move_and_penalizes_earlier_moves() {
        let position = rules::parse_fen("4k3/8/8/3p4/4P3/8/8/4K2R w K - 0 1").unwrap();
        let [best, quiet, capture] = ["h1h7", "e1e2", "e4d5"].map(|text| {
            *rules::legal_moves(&position)
                .iter()
                .find(|chosen| chosen.to_string() == text)
                .unwrap()
        });
        let mut history = History::new();
        let before = [3, NO_PIECE_TO, 5];
        let [mut quiets, mut captures] = [Tried::new(), Tried::new()];
        quiets.push(quiet);
        captures.push(capture);
        history.learn(&position, before, 6, best, [&quiets, &captures]);
        let score =
            |chosen| history.quiet(Color::White, piece_to(&position, chosen), chosen, before);
        assert!(score(best) > 0 && score(quiet) < 0);
        assert!(history.capture(piece_to(&position, capture), captured(&position, capture)) < 0);
    }
}
