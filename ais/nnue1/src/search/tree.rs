//! The state of a thread's search, shared by the techniques in the neighbouring files.

use ai_api::{Move, MoveList, Position, RulesVtable};
use ai_search::{MAX_PLY, line::Lines, path::Path};

use super::{
    clock::Clock,
    correction::Corrections,
    history::{Before, History, NO_PIECE_TO, PieceTo, piece_to},
    table::{Entry, Table, table_key},
    value::LARGEST_EVALUATION,
};
use crate::{endgame::Tables, evaluation::Evaluate};

/// What a thread keeps between its searches.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) history: History,
    pub(super) corrections: Corrections,
    pub(super) lines: Lines,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self {
            history: History::new(),
            corrections: Corrections::new(),
            lines: Lines::default(),
        }
    }

    /// Forgets everything that affects results.
    pub(super) fn clear(&mut self) {
        self.history.clear();
        self.corrections.clear();
    }
}

/// A position on the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The corrected static evaluation, or `None` in check.
    pub(super) evaluation: Option<i32>,
    /// The move that is being searched.
    pub(super) moved: PieceTo,
    /// The move that a singular search excludes.
    pub(super) excluded: Option<Move>,
    /// The last two quiet moves that refuted a sibling.
    pub(super) killers: [Move; 2],
    /// The number of cutoffs in the children.
    pub(super) cutoffs: u32,
}

impl Frame {
    const EMPTY: Self = Self {
        evaluation: None,
        moved: NO_PIECE_TO,
        excluded: None,
        killers: [Move::from_bits(0); 2],
        cutoffs: 0,
    };
}

/// What is known about a position when its moves are searched.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct Node {
    pub(super) ply: usize,
    /// The number of plies to search.
    pub(super) depth: i32,
    /// The best value so far, or the lower end of the window.
    pub(super) alpha: i32,
    pub(super) beta: i32,
    /// The entry in the transposition table.
    pub(super) known: Option<Entry>,
    /// The corrected static evaluation, or `None` in check.
    pub(super) evaluation: Option<i32>,
    /// Whether the side to move is better off than at its last turn.
    pub(super) is_improving: bool,
    /// Whether the window is open.
    pub(super) is_pv: bool,
    /// Whether the window was ever open.
    pub(super) was_pv: bool,
    /// Whether a move is expected to reach beta.
    pub(super) expects_cutoff: bool,
    pub(super) hash_move: Option<Move>,
    pub(super) hash_move_captures: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ScoredMove {
    pub(super) chosen: Move,
    pub(super) score: i32,
}

pub(super) struct Tree<'t, E, O> {
    pub(super) evaluator: &'t mut E,
    pub(super) rules: &'t RulesVtable,
    pub(super) clock: Clock<'t>,
    pub(super) path: Path<'t>,
    pub(super) table: &'t Table,
    pub(super) tables: Tables<'t>,
    pub(super) memory: &'t mut Memory,
    pub(super) observer: O,
    /// Indexed by ply, including two plies beyond the last one.
    pub(super) frames: Vec<Frame>,
    /// The moves of all open positions. The moves of each position are adjacent.
    pub(super) moves: Vec<ScoredMove>,
    /// A buffer that the rules fill with moves.
    pub(super) list: MoveList,
    /// Whether the search may skip moves and search less deeply. False if it must find every mate.
    pub(super) is_selective: bool,
    /// The longest path so far.
    pub(super) selective_depth: usize,
}

impl<'t, E: Evaluate, O> Tree<'t, E, O> {
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a search meet only here"
    )]
    pub(super) fn new(
        evaluator: &'t mut E,
        rules: &'t RulesVtable,
        clock: Clock<'t>,
        path: Path<'t>,
        table: &'t Table,
        tables: Tables<'t>,
        memory: &'t mut Memory,
        observer: O,
        is_selective: bool,
    ) -> Self {
        Self {
            evaluator,
            rules,
            clock,
            path,
            table,
            tables,
            memory,
            observer,
            frames: vec![Frame::EMPTY; MAX_PLY + 3],
            moves: Vec::with_capacity(1024),
            list: MoveList::new(),
            is_selective,
            selective_depth: 0,
        }
    }

    /// Plays a move from the position at `ply`. The child is written in place, because copying a
    /// position that was just written would stall.
    #[inline]
    pub(super) fn play(
        &mut self,
        position: &Position,
        chosen: Move,
        ply: usize,
        child: &mut Position,
    ) {
        self.frames[ply].moved = piece_to(position, chosen);
        (self.rules.play)(position, chosen, child);
        self.evaluator.played(ply + 1, position, child);
    }

    /// Extends a line from `position` with the moves in the table, up to `plies` plies or a
    /// repetition.
    pub(super) fn follow_table(&self, position: &Position, line: &mut Vec<Move>, plies: u32) {
        let mut position = *position;
        let mut seen = vec![position.hash()];
        for ply in 0..plies as usize {
            let known = || self.table.get(table_key(&position), ply)?.best_move;
            let Some(next) = line.get(ply).copied().or_else(known) else {
                return;
            };
            if !(self.rules.is_legal)(&position, next) {
                return;
            }
            position = self.rules.play(&position, next);
            if seen.contains(&position.hash()) {
                return;
            }
            seen.push(position.hash());
            if ply == line.len() {
                line.push(next);
            }
        }
    }

    /// Returns the static evaluation without correction.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        self.evaluator
            .evaluate(ply, position)
            .clamp(-LARGEST_EVALUATION, LARGEST_EVALUATION)
    }

    #[inline]
    pub(super) fn corrected(&self, position: &Position, evaluation: i32) -> i32 {
        let corrected = self.memory.corrections.correct(position, evaluation);
        corrected.clamp(-LARGEST_EVALUATION, LARGEST_EVALUATION)
    }

    /// Returns the moves one, two and four plies before the position at `ply`.
    #[inline]
    pub(super) fn before(&self, ply: usize) -> Before {
        [1, 2, 4].map(|back| {
            ply.checked_sub(back)
                .map_or(NO_PIECE_TO, |ply| self.frames[ply].moved)
        })
    }
}
