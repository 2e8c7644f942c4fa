//! Moves late in the order are searched less deeply, or not at all
//! (<https://www.chessprogramming.org/Late_Move_Reductions>).

use std::sync::LazyLock;

use ai_api::{Move, Position, RulesVtable};

use super::{
    see,
    tree::{Node, Tree},
};
use crate::evaluation::Evaluate;

const FRACTION: i32 = 1024;

/// Reductions by depth and move number, in units of 1/[`FRACTION`] ply.
static REDUCTIONS: LazyLock<[[i32; 64]; 64]> = LazyLock::new(|| {
    let logarithm = |number: usize| f64::from(number.max(1) as u32).ln();
    std::array::from_fn(|depth| {
        std::array::from_fn(|number| {
            let plies = 0.8 + logarithm(depth) * logarithm(number) / 2.3;
            (plies * f64::from(FRACTION)) as i32
        })
    })
});

/// The facts that decide what happens to a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct LateMove {
    pub(super) chosen: Move,
    /// 1 for the first move of the position.
    pub(super) number: usize,
    pub(super) is_quiet: bool,
    /// The score from its history.
    pub(super) history: i32,
}

/// What happens to a late move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pruning {
    Keep,
    Skip,
    /// Skips the move and all later quiet ones.
    SkipQuiets,
}

fn base_reduction(depth: i32, number: usize) -> i32 {
    REDUCTIONS[depth.clamp(0, 63) as usize][number.min(63)]
}

/// Returns whether a move is skipped without a search.
pub(super) fn pruning(
    rules: &RulesVtable,
    position: &Position,
    node: &Node,
    late: &LateMove,
) -> Pruning {
    let depth = node.depth;
    if !late.is_quiet {
        let is_losing =
            depth <= 8 && !see::gains(position, late.chosen, -100 * depth - late.history / 64);
        return if is_losing {
            Pruning::Skip
        } else {
            Pruning::Keep
        };
    }
    let Some(evaluation) = node.evaluation else {
        return Pruning::Keep;
    };
    let most = (8 + 2 * depth * depth) / if node.is_improving { 1 } else { 2 };
    if late.number > most as usize {
        return Pruning::SkipQuiets;
    }
    let reduced =
        (depth - base_reduction(depth, late.number) / FRACTION + late.history / 8192).max(0);
    let is_futile = reduced <= 8 && evaluation + 160 + 140 * reduced <= node.alpha;
    if is_futile && !(rules.gives_check)(position, late.chosen) {
        return Pruning::Skip;
    }
    if depth <= 4 && late.history < -4000 * depth {
        return Pruning::Skip;
    }
    if reduced <= 8 && !see::gains(position, late.chosen, -25 * reduced * reduced) {
        return Pruning::Skip;
    }
    Pruning::Keep
}

impl<E: Evaluate, O> Tree<'_, E, O> {
    /// Returns by how many plies the first search of a move that leads to `child` is reduced.
    pub(super) fn reduction(&self, node: &Node, late: &LateMove, child: &Position) -> i32 {
        let mut reduction = base_reduction(node.depth, late.number);
        if late.is_quiet {
            reduction -= late.history / 10;
            reduction += FRACTION * i32::from(node.hash_move_captures);
            reduction -= FRACTION * i32::from(self.frames[node.ply].killers.contains(&late.chosen));
        } else {
            reduction -= FRACTION + late.history / 16;
        }
        reduction += 2 * FRACTION * i32::from(node.expects_cutoff);
        reduction += FRACTION * i32::from(!node.is_improving);
        reduction += FRACTION * i32::from(self.frames[node.ply + 1].cutoffs > 3);
        reduction -= FRACTION * i32::from(node.is_pv);
        reduction -= FRACTION * i32::from(node.was_pv);
        reduction -= FRACTION * i32::from(child.in_check());
        (reduction / FRACTION).clamp(0, (node.depth - 2).max(0))
    }
}
