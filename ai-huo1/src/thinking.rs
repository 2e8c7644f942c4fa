//! Minimax: White takes the highest score, Black the lowest, and each climbs to the node above. A move is no longer looked
//! at where the side before would not let it come to this.

use ai_api::{Color, Host, Move, NodeKind, Position, Role, Score, SearchInfo, SearchRequest, SearchResult};

use crate::{
    clock::{Clock, Stopped},
    danger::without_danger,
    judgement::{Judgement, Phase, worth},
    tree::{MAX_TRACE_NODES, Tree, Window},
};

/// The deepest that is thought.
const MAX_DEPTH: u32 = 64;
/// The half-move clock from which a position counts as drawn.
const FIFTY_MOVES: u8 = 100;

/// Thinks about a question, deeper and deeper: as deep as its limit says, or else the level.
pub(crate) fn think(
    tree: &mut Tree,
    level: u32,
    question: &SearchRequest<'_>,
    host: &Host<'_>,
) -> SearchResult {
    let position = question.position;
    let mut asked = moves(&position, host);
    if !question.root_moves.is_empty() {
        asked.retain(|chosen| question.root_moves.contains(chosen));
        if asked.is_empty() {
            asked = question.root_moves.to_vec();
        }
    }
    let (mut moves, left_out) = without_danger(&position, asked, host);
    let Some(&first) = moves.first() else {
        let (score, _) = without_move(&position, 0);
        return SearchResult { best_move: None, score, pv: Vec::new(), ..nothing_found() };
    };
    let deepest =
        question.limits.depth.or(question.limits.mate_plies).map_or(level, |depth| depth.min(MAX_DEPTH));
    let mut thinker = Thinker {
        tree,
        host,
        clock: Clock::start(&question.limits),
        phase: Phase::of(&position),
        game_length: question.history.len(),
        earlier: question.history.to_vec(),
    };
    let mut answer = SearchResult { best_move: Some(first), pv: vec![first], ..nothing_found() };
    for depth in 1..=deepest {
        let Ok((score, line)) = thinker.iterate(&position, &moves, &left_out, depth) else { break };
        host.report(&SearchInfo::new(depth, score, thinker.clock.nodes, &line));
        answer.best_move = line.first().copied();
        (answer.depth, answer.score) = (depth, score);
        if question.trace_nodes > 0 {
            let most = question.trace_nodes.min(MAX_TRACE_NODES) as usize;
            answer.trace = thinker.tree.nearest(most);
        }
        let best = moves.iter().position(|chosen| Some(chosen) == line.first());
        moves[..=best.unwrap_or_default()].rotate_right(1);
        answer.pv = line;
        let is_proven = score.plies_to_mate().is_some_and(|plies| plies <= depth);
        if is_proven && question.limits.depth.is_none() {
            break;
        }
    }
    SearchResult { nodes: thinker.clock.nodes, ..answer }
}

fn nothing_found() -> SearchResult {
    SearchResult { nodes: 0, ..SearchResult::play(Move::from_bits(0)) }
}

/// The legal moves, captures of the greatest first. A pawn that promotes becomes a queen.
fn moves(position: &Position, host: &Host<'_>) -> Vec<Move> {
    let legal = host.legal_moves(position);
    let is_thought_of = |chosen: &Move| chosen.promotion().is_none_or(|role| role == Role::Queen);
    let mut moves: Vec<_> = legal.iter().copied().filter(is_thought_of).collect();
    let captured = |chosen: &Move| {
        position.role_at(chosen.to()).filter(|_| position.is_capture(*chosen)).map_or(0, worth)
    };
    moves.sort_by_key(|chosen| -captured(chosen));
    moves
}

/// What it means that the side to move has no move.
fn without_move(position: &Position, ply: u32) -> (Score, NodeKind) {
    match (position.in_check(), position.turn()) {
        (false, _) => (Score::DRAW, NodeKind::Stalemate),
        (true, Color::White) => (Score::mated_in_plies(ply), NodeKind::Checkmate),
        (true, Color::Black) => (Score::mate_in_plies(ply), NodeKind::Checkmate),
    }
}

struct Thinker<'t, 'h> {
    tree: &'t mut Tree,
    host: &'t Host<'h>,
    clock: Clock,
    phase: Phase,
    /// The hashes of the game before, so many, and of the line from the root.
    earlier: Vec<u64>,
    game_length: usize,
}

impl Thinker<'_, '_> {
    /// The score of the root and the line that it comes from. What was left out stands in the tree too.
    fn iterate(
        &mut self,
        position: &Position,
        moves: &[Move],
        left_out: &[Move],
        depth: u32,
    ) -> Result<(Score, Vec<Move>), Stopped> {
        self.clock.enter(self.host)?;
        let root = self.tree.plant(depth);
        let mut line = Vec::new();
        self.earlier.truncate(self.game_length);
        let score = self.climb(root, position, moves, depth, Window::ALL, &mut line)?;
        for &chosen in left_out {
            let place = self.tree.grow(root as u32, chosen, depth - 1, Window::ALL);
            let judged = Judgement::of(&self.host.play(position, chosen), self.phase).score();
            self.tree.settle(place, judged, NodeKind::Pruned);
        }
        Ok((score, line))
    }

    /// The score of a node: what climbs from below, if it is not the end. `line` is where it comes from.
    fn score(
        &mut self,
        place: usize,
        position: &Position,
        depth: u32,
        window: Window,
        line: &mut Vec<Move>,
    ) -> Result<Score, Stopped> {
        self.clock.enter(self.host)?;
        let (score, kind) = if !self.host.has_legal_move(position) {
            without_move(position, (self.earlier.len() - self.game_length) as u32)
        } else if self.host.is_insufficient_material(position) {
            (Score::DRAW, NodeKind::InsufficientMaterial)
        } else if position.halfmove_clock() >= FIFTY_MOVES {
            (Score::DRAW, NodeKind::FiftyMoves)
        } else if self.repeats(position) {
            (Score::DRAW, NodeKind::Repetition)
        } else if depth == 0 {
            (Judgement::of(position, self.phase).score(), NodeKind::StaticEval)
        } else {
            return self.climb(place, position, &moves(position, self.host), depth, window, line);
        };
        self.tree.settle(place, score, kind);
        Ok(score)
    }

    fn repeats(&self, position: &Position) -> bool {
        let reversible = usize::from(position.halfmove_clock());
        self.earlier.iter().rev().take(reversible).any(|&hash| hash == position.hash())
    }

    /// The best of the scores of a node's moves, of which there is one at least.
    fn climb(
        &mut self,
        place: usize,
        position: &Position,
        moves: &[Move],
        depth: u32,
        window: Window,
        line: &mut Vec<Move>,
    ) -> Result<Score, Stopped> {
        let mut window = window;
        let mut best = None;
        let mut kind = NodeKind::Complete;
        self.earlier.push(position.hash());
        for &chosen in moves {
            let child = self.host.play(position, chosen);
            let below = self.tree.grow(place as u32, chosen, depth - 1, window);
            let mut further = Vec::new();
            let score = self.score(below, &child, depth - 1, window, &mut further)?;
            let is_better = |best: Score| match position.turn() {
                Color::White => score > best,
                Color::Black => score < best,
            };
            if best.is_none_or(is_better) {
                best = Some(score);
                line.clear();
                line.push(chosen);
                line.append(&mut further);
            }
            match position.turn() {
                Color::White => window.alpha = window.alpha.max(score),
                Color::Black => window.beta = window.beta.min(score),
            }
            if window.alpha >= window.beta {
                kind = NodeKind::Cutoff;
                break;
            }
        }
        self.earlier.pop();
        let score = best.unwrap_or(Score::DRAW);
        self.tree.settle(place, score, kind);
        Ok(score)
    }
}
