//! Move ordering: hash move, captures that don't lose material, killers, quiet moves by history,
//! losing captures. Moves are generated only when needed.

use ai_api::{Move, Position, Role};

use super::{
    history::{captured, is_quiet, piece_to},
    see,
    tree::{ScoredMove, Tree},
    value::of_role,
};
use crate::evaluation::Evaluate;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    HashMove,
    Captures,
    GoodCaptures,
    Quiets,
    GoodQuiets,
    BadCaptures,
}

/// Which moves a [`Picker`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    All,
    /// Captures that don't lose material, and promotions to a queen.
    Gains,
}

/// The state of the iteration over a position's moves. The moves are in [`Tree::moves`]: the
/// losing captures begin at `start`, and the remaining moves begin at `next`.
#[derive(Debug)]
pub(super) struct Picker {
    stage: Stage,
    wanted: Wanted,
    hash_move: Option<Move>,
    pub(super) skips_quiets: bool,
    start: usize,
    bad_end: usize,
    next: usize,
}

/// Above every history score.
const KILLERS: [i32; 2] = [1 << 21, (1 << 21) - 1];

impl Picker {
    pub(super) const fn new(wanted: Wanted, hash_move: Option<Move>, start: usize) -> Self {
        Self {
            stage: Stage::HashMove,
            wanted,
            hash_move,
            skips_quiets: false,
            start,
            bad_end: start,
            next: start,
        }
    }
}

impl<E: Evaluate, O> Tree<'_, E, O> {
    /// Returns the next move of the position at `ply`.
    pub(super) fn next_move(
        &mut self,
        position: &Position,
        ply: usize,
        picker: &mut Picker,
    ) -> Option<Move> {
        if picker.stage == Stage::HashMove {
            picker.stage = Stage::Captures;
            let is_legal = |&chosen: &Move| (self.rules.is_legal)(position, chosen);
            picker.hash_move = picker.hash_move.filter(is_legal);
            if picker.hash_move.is_some() {
                return picker.hash_move;
            }
        }
        if picker.stage == Stage::Captures {
            self.add_captures(position, picker);
            picker.stage = Stage::GoodCaptures;
        }
        if picker.stage == Stage::GoodCaptures {
            while let Some(ScoredMove { chosen, score }) = self.best_of_rest(picker) {
                if chosen.promotion().is_none_or(|role| role == Role::Queen)
                    && see::gains(position, chosen, 0)
                {
                    return Some(chosen);
                }
                self.moves[picker.bad_end] = ScoredMove { chosen, score };
                picker.bad_end += 1;
            }
            if picker.wanted == Wanted::Gains {
                return None;
            }
            picker.stage = Stage::Quiets;
        }
        if picker.stage == Stage::Quiets {
            if !picker.skips_quiets {
                self.add_quiets(position, ply, picker);
            }
            picker.stage = Stage::GoodQuiets;
        }
        if picker.stage == Stage::GoodQuiets {
            if !picker.skips_quiets
                && let Some(best) = self.best_of_rest(picker)
            {
                return Some(best.chosen);
            }
            picker.stage = Stage::BadCaptures;
            picker.next = picker.start;
            self.moves.truncate(picker.bad_end);
        }
        let ScoredMove { chosen, .. } = *self.moves.get(picker.next)?;
        picker.next += 1;
        Some(chosen)
    }

    fn add_captures(&mut self, position: &Position, picker: &Picker) {
        (self.rules.legal_captures)(position, &mut self.list);
        for &chosen in self
            .list
            .iter()
            .filter(|&&chosen| Some(chosen) != picker.hash_move)
        {
            let gain = if position.is_capture(chosen) {
                of_role(captured(position, chosen))
            } else {
                0
            } + chosen.promotion().map_or(0, of_role);
            let learned = self
                .memory
                .history
                .capture(piece_to(position, chosen), captured(position, chosen));
            self.moves.push(ScoredMove {
                chosen,
                score: 16 * gain + learned / 8,
            });
        }
    }

    fn add_quiets(&mut self, position: &Position, ply: usize, picker: &Picker) {
        (self.rules.legal_moves)(position, &mut self.list);
        let before = self.before(ply);
        let killers = self.frames[ply].killers;
        let turn = position.turn();
        for &chosen in &self.list {
            if Some(chosen) == picker.hash_move || !is_quiet(position, chosen) {
                continue;
            }
            let score = match killers.iter().position(|&killer| killer == chosen) {
                Some(place) => KILLERS[place],
                None => self
                    .memory
                    .history
                    .quiet(turn, piece_to(position, chosen), chosen, before),
            };
            self.moves.push(ScoredMove { chosen, score });
        }
    }

    /// Moves the best of the remaining moves to the front and returns it.
    #[inline]
    fn best_of_rest(&mut self, picker: &mut Picker) -> Option<ScoredMove> {
        let rest = &mut self.moves[picker.next..];
        let best = rest
            .iter()
            .enumerate()
            .rev()
            .max_by_key(|(_, of)| of.score)?
            .0;
        rest.swap(0, best);
        picker.next += 1;
        Some(rest[0])
    }
}

#[cfg(test)]
mod tests {
    use ai_api::{Flag, Host, Limits, SearchInfo, SearchRequest};
    use ai_search::{path::Path, trace::NoTrace};

    use super::*;
    use crate::{
        endgame::Tables,
        evaluation::Terms,
        search::{
            clock::{Clock, Shared},
            table::Table,
            tree::Memory,
        },
    };

    fn picked(position: &Position, wanted: Wanted, hash_move: Option<Move>) -> Vec<Move> {
        let (stop, shared) = (Flag::new(false), Shared::default());
        let host = Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| ());
        let clock = Clock::start(
            &SearchRequest::new(*position, Limits::NONE),
            &host,
            &shared,
            0,
            1,
        );
        let (mut terms, mut memory, table) =
            (Terms::default(), Memory::new(), Table::new(1).unwrap());
        let path = Path::new(&[]);
        let mut tree = Tree::new(
            &mut terms,
            host.rules(),
            clock,
            path,
            &table,
            Tables::None,
            &mut memory,
            NoTrace,
            true,
        );
        let mut picker = Picker::new(wanted, hash_move, 0);
        std::iter::from_fn(|| tree.next_move(position, 0, &mut picker)).collect()
    }

    const POSITIONS: [&str; 4] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "4k3/8/8/8/7b/8/3PPP2/3QKB2 w - - 0 1",
    ];

    #[test]
    fn returns_each_legal_move_once_and_the_hash_move_first() {
        for fen in POSITIONS {
            let position = rules::parse_fen(fen).unwrap();
            let mut legal = rules::legal_moves(&position).to_vec();
            let last = *legal.last().unwrap();
            legal.sort_unstable();
            for hash_move in [None, Some(last), Some(Move::from_bits(0x123))] {
                let mut moves = picked(&position, Wanted::All, hash_move);
                if hash_move == Some(last) {
                    assert_eq!(moves[0], last);
                }
                moves.sort_unstable();
                assert_eq!(moves, legal, "{fen}");
            }
        }
    }

    #[test]
    fn orders_gains_before_quiet_moves_before_losses() {
        for fen in POSITIONS {
            let position = rules::parse_fen(fen).unwrap();
            let class = |chosen: Move| {
                let is_best = chosen.promotion().is_none_or(|role| role == Role::Queen);
                if is_quiet(&position, chosen) {
                    1
                } else if is_best && see::gains(&position, chosen, 0) {
                    0
                } else {
                    2
                }
            };
            let moves = picked(&position, Wanted::All, None);
            assert!(moves.is_sorted_by_key(|&chosen| class(chosen)), "{fen}");
            let gains: Vec<Move> = moves
                .into_iter()
                .filter(|&chosen| class(chosen) == 0)
                .collect();
            assert_eq!(picked(&position, Wanted::Gains, None), gains, "{fen}");
        }
    }
}
