//! Minimax with alpha-beta: White maximizes, Black minimizes.

use ai_api::{
    Color, Host, Move, NodeKind, Position, Role, Score, SearchInfo, SearchRequest, SearchResult,
};

use crate::{
    clock::{Clock, Stopped},
    danger::prune_dangerous,
    evaluation::{Evaluation, Phase, worth},
    tree::{MAX_TRACE_NODES, Tree, Window},
};

const MAX_DEPTH: u32 = 64;
/// The half-move clock from which a position is drawn.
const FIFTY_MOVES: u8 = 100;

/// Which of the opponent's replies to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replies {
    All,
    /// Only the reply with the best static evaluation, as in Huo Chess 0.84.
    Best,
}

impl Replies {
    pub(crate) fn named(name: &str) -> Self {
        if name == "best_reply" {
            Self::Best
        } else {
            Self::All
        }
    }
}

/// Searches a request by iterative deepening, to its depth limit or, without one, to the level's
/// depth.
pub(crate) fn search(
    tree: &mut Tree,
    level: u32,
    replies: Replies,
    request: &SearchRequest<'_>,
    host: &Host<'_>,
) -> SearchResult {
    let position = request.position;
    let mut candidates = moves(&position, host);
    if !request.root_moves.is_empty() {
        candidates.retain(|chosen| request.root_moves.contains(chosen));
        if candidates.is_empty() {
            candidates = request.root_moves.to_vec();
        }
    }
    let (mut moves, pruned) = prune_dangerous(&position, candidates, host);
    let Some(&first) = moves.first() else {
        let (score, _) = mate_or_stalemate(&position, 0);
        return SearchResult {
            score,
            ..SearchResult::NONE
        };
    };
    let deepest = request
        .limits
        .depth
        .or(request.limits.mate_plies)
        .map_or(level, |depth| depth.min(MAX_DEPTH));
    let mut minimax = Minimax {
        tree,
        host,
        clock: Clock::start(&request.limits),
        best_reply_of: (replies == Replies::Best).then_some(!position.turn()),
        phase: Phase::of(&position),
        game_length: request.history.len(),
        earlier: request.history.to_vec(),
    };
    let mut result = SearchResult {
        best_move: Some(first),
        pv: vec![first],
        ..SearchResult::NONE
    };
    for depth in 1..=deepest {
        let Ok((score, line)) = minimax.iterate(&position, &moves, &pruned, depth) else {
            break;
        };
        host.report(&SearchInfo::new(depth, score, minimax.clock.nodes, &line));
        result.best_move = line.first().copied();
        (result.depth, result.score) = (depth, score);
        if request.trace_nodes > 0 {
            let most = request.trace_nodes.min(MAX_TRACE_NODES) as usize;
            result.trace = minimax.tree.nearest(most);
        }
        let best = moves.iter().position(|chosen| Some(chosen) == line.first());
        moves[..=best.unwrap_or_default()].rotate_right(1);
        result.pv = line;
        let is_proven = score.plies_to_mate().is_some_and(|plies| plies <= depth);
        if is_proven && request.limits.depth.is_none() {
            break;
        }
    }
    SearchResult {
        nodes: minimax.clock.nodes,
        ..result
    }
}

/// Returns the legal moves, captures of the most valuable pieces first, without underpromotions.
fn moves(position: &Position, host: &Host<'_>) -> Vec<Move> {
    let legal = host.legal_moves(position);
    let is_searched = |chosen: &Move| chosen.promotion().is_none_or(|role| role == Role::Queen);
    let mut moves: Vec<_> = legal.iter().copied().filter(is_searched).collect();
    let captured = |chosen: &Move| {
        position
            .role_at(chosen.to())
            .filter(|_| position.is_capture(*chosen))
            .map_or(0, worth)
    };
    moves.sort_by_key(|chosen| -captured(chosen));
    moves
}

/// Returns the score of a position without a legal move.
fn mate_or_stalemate(position: &Position, ply: u32) -> (Score, NodeKind) {
    match (position.in_check(), position.turn()) {
        (false, _) => (Score::DRAW, NodeKind::Stalemate),
        (true, Color::White) => (Score::mated_in_plies(ply), NodeKind::Checkmate),
        (true, Color::Black) => (Score::mate_in_plies(ply), NodeKind::Checkmate),
    }
}

struct Minimax<'t, 'h> {
    tree: &'t mut Tree,
    host: &'t Host<'h>,
    clock: Clock,
    /// The side for which only the best reply is searched.
    best_reply_of: Option<Color>,
    phase: Phase,
    /// The hashes of the game's `game_length` positions, then of the line from the root.
    earlier: Vec<u64>,
    game_length: usize,
}

impl Minimax<'_, '_> {
    /// Runs one iteration. Returns the score of the root and its line. The tree includes the pruned
    /// moves.
    fn iterate(
        &mut self,
        position: &Position,
        moves: &[Move],
        pruned: &[Move],
        depth: u32,
    ) -> Result<(Score, Vec<Move>), Stopped> {
        self.clock.enter(self.host)?;
        let root = self.tree.reset(depth);
        let mut line = Vec::new();
        self.earlier.truncate(self.game_length);
        let score = self.search_moves(root, position, moves, depth, Window::ALL, &mut line)?;
        for &chosen in pruned {
            let place = self.tree.add(root as u32, chosen, depth - 1, Window::ALL);
            let value = Evaluation::of(&self.host.play(position, chosen), self.phase).score();
            self.tree.finish(place, value, NodeKind::Pruned);
        }
        Ok((score, line))
    }

    /// Searches a node. Returns its score, and its principal variation in `line`.
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
            mate_or_stalemate(position, (self.earlier.len() - self.game_length) as u32)
        } else if self.host.is_insufficient_material(position) {
            (Score::DRAW, NodeKind::InsufficientMaterial)
        } else if position.halfmove_clock() >= FIFTY_MOVES {
            (Score::DRAW, NodeKind::FiftyMoves)
        } else if self.repeats(position) {
            (Score::DRAW, NodeKind::Repetition)
        } else if depth == 0 {
            (
                Evaluation::of(position, self.phase).score(),
                NodeKind::StaticEval,
            )
        } else {
            let mut moves = moves(position, self.host);
            if self.best_reply_of == Some(position.turn()) {
                self.keep_best(position, &mut moves);
            }
            return self.search_moves(place, position, &moves, depth, window, line);
        };
        self.tree.finish(place, score, kind);
        Ok(score)
    }

    /// Keeps the move with the best static evaluation for the side to move.
    fn keep_best(&self, position: &Position, moves: &mut Vec<Move>) {
        let value = |chosen: &Move| {
            let score = Evaluation::of(&self.host.play(position, *chosen), self.phase).score();
            match position.turn() {
                Color::White => score,
                Color::Black => -score,
            }
        };
        // Takes the first of several equal moves, because their order is deliberate.
        if let Some(best) = moves
            .iter()
            .rev()
            .max_by_key(|chosen| value(chosen))
            .copied()
        {
            *moves = vec![best];
        }
    }

    /// Returns whether a position is a draw by repetition: it occurred before in the line from the
    /// root, or twice in the game.
    fn repeats(&self, position: &Position) -> bool {
        let reversible = usize::from(position.halfmove_clock());
        let (game, line) = self.earlier.split_at(self.game_length);
        let occurs = |earlier: &&u64| **earlier == position.hash();
        line.iter()
            .rev()
            .take(reversible)
            .any(|earlier| occurs(&earlier))
            || line.len() <= reversible && game.iter().filter(occurs).count() >= 2
    }

    /// Searches at least one move of a node, and returns the best score.
    fn search_moves(
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
            let below = self.tree.add(place as u32, chosen, depth - 1, window);
            let mut continuation = Vec::new();
            let score = self.score(below, &child, depth - 1, window, &mut continuation)?;
            let is_better = |earlier: Score| match position.turn() {
                Color::White => score > earlier,
                Color::Black => score < earlier,
            };
            if best.is_none_or(is_better) {
                best = Some(score);
                line.clear();
                line.push(chosen);
                line.append(&mut continuation);
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
        self.tree.finish(place, score, kind);
        Ok(score)
    }
}
