//! Lines that end with mate.

use ai_api::{Color, Move, Position, Role, Square};
use ai_attacks::king_attacks;
use rules::{gives_check, has_legal_move, legal_moves, play};

use crate::{
    claim::{Claim, LineVerb, Motif},
    line::Line,
};

/// Mates up to this length, in moves, are claimed only once every defence has been tried.
const PROVEN: usize = 2;
/// The longest mate to search for, in moves.
const LONGEST: usize = 5;
/// The maximum number of moves that the search for one mate tries.
const MAX_TRIED: u32 = 20_000;

/// Returns the claim that a line mates in this many moves. Completes an AI's line that ends too
/// early, if the mate can be found.
pub(crate) fn mate(line: &Line, moves: usize, effort: &mut MateEffort) -> Option<Claim> {
    let is_whole = line.moves.len() + 1 == 2 * moves && is_mate(line.last());
    if is_whole && moves > PROVEN {
        return Some(claim(line, moves));
    }
    if !(1..=LONGEST).contains(&moves) {
        return None;
    }
    let mut search = MateSearch {
        left: effort.left.min(MAX_TRIED),
    };
    let available = search.left;
    let start = line.positions[0];
    let found = if line.verb == LineVerb::Finds {
        let defences = search.defences(&line.positions[1], moves);
        defences.map(|rest| std::iter::once(line.move_to(1)).chain(rest).collect())
    } else {
        search.attack(&start, moves)
    };
    effort.left -= available - search.left;
    let proven: Vec<_> = found?;
    let whole = if is_whole { &line.moves } else { &proven };
    let line = Line::new(line.verb, line.before, start, whole);
    Some(claim(&line, whole.len().div_ceil(2)))
}

fn claim(line: &Line, moves: usize) -> Claim {
    let motif = if is_back_rank_mate(line.last()) {
        Motif::BackRankMate
    } else {
        Motif::Mate
    };
    Claim {
        line: line.moves.clone(),
        after: line.moves.len(),
        moves: Some(moves),
        ..line.claim(motif)
    }
}

pub(crate) fn is_mate(position: &Position) -> bool {
    position.in_check() && !has_legal_move(position)
}

/// Returns whether a rook or queen mates along the king's first rank while a piece of the king's
/// side blocks a square in front of the king.
fn is_back_rank_mate(position: &Position) -> bool {
    let side = position.turn();
    let king = position.king(side);
    let home = 7 * side.index() as u8;
    let in_front = king_attacks(king) & position.color(side);
    let gives_check_along = |square| {
        matches!(position.role_at(square), Some(Role::Rook | Role::Queen)) && square.rank() == home
    };
    king.rank() == home
        && in_front.into_iter().any(|square| square.rank() != home)
        && position.checkers().into_iter().any(gives_check_along)
}

/// Returns the legal moves, in an order that is the same for both colors.
fn ordered_moves(position: &Position) -> Vec<Move> {
    let mut moves = legal_moves(position).to_vec();
    let seen = |square: Square| match position.turn() {
        Color::White => (square.rank(), square.file()),
        Color::Black => (7 - square.rank(), square.file()),
    };
    moves.sort_by_key(|chosen| (seen(chosen.from()), seen(chosen.to())));
    moves
}

/// Searches for mates. The attacker tries only checks, except at its second-to-last move, where it
/// tries every move.
struct MateSearch {
    left: u32,
}

/// The number of moves that mate searches may still try. An AI with wrong mate scores causes many
/// searches.
#[derive(Clone, Copy, Debug)]
pub struct MateEffort {
    left: u32,
}

impl Default for MateEffort {
    /// Enough for all mates in a game.
    fn default() -> Self {
        Self { left: 200_000 }
    }
}

impl MateSearch {
    /// Returns a line with which the side to move mates in at most this many moves.
    fn attack(&mut self, position: &Position, moves: usize) -> Option<Vec<Move>> {
        let moves_tried = ordered_moves(position);
        self.left = self.left.checked_sub(moves_tried.len() as u32)?;
        let (checks, others): (Vec<_>, Vec<_>) = moves_tried
            .into_iter()
            .partition(|&chosen| gives_check(position, chosen));
        let quiet = if moves == PROVEN { others } else { Vec::new() };
        checks.into_iter().chain(quiet).find_map(|chosen| {
            let rest = self.defences(&play(position, chosen), moves)?;
            Some(std::iter::once(chosen).chain(rest).collect())
        })
    }

    /// Returns the longest forced mate against the side to move. The attacker's previous move
    /// counts as the first of `moves`.
    fn defences(&mut self, position: &Position, moves: usize) -> Option<Vec<Move>> {
        let replies = ordered_moves(position);
        self.left = self.left.checked_sub(1 + replies.len() as u32)?;
        if replies.is_empty() {
            return position.in_check().then(Vec::new);
        }
        if moves <= 1 {
            return None;
        }
        let mut longest = Vec::new();
        for reply in replies {
            let rest = self.attack(&play(position, reply), moves - 1)?;
            if rest.len() >= longest.len() {
                longest = std::iter::once(reply).chain(rest).collect();
            }
        }
        Some(longest)
    }
}
