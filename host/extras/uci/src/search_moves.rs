//! `searchmoves` for AIs without root moves: searches the position after each move and returns the
//! best for the side to move.

use std::{sync::Arc, time::Duration};

use ai_api::{Limits, Move, OptionSetting, Score, SearchInfo, SearchResult};
use rules::Game;
use tokio::{sync::mpsc, time::Instant};

use game::{job, wrong_response};
use pool::{Ai, Fault, RequestContext};
use protocol::{Iteration, Job, Response, SearchParams, Task, sanitize::MAX_COUNT};

/// The depth limit for a search that sets none.
const MAX_DEPTH: u32 = 100;

/// Returns the legal moves among these strings, without duplicates.
pub(crate) fn candidates(game: &Game, texts: &[String]) -> Vec<Move> {
    let mut moves: Vec<_> = texts
        .iter()
        .filter_map(|text| rules::parse_uci(game.position(), &text.to_ascii_lowercase()).ok())
        .collect();
    moves.sort_by_key(|chosen| chosen.to_bits());
    moves.dedup();
    moves
}

/// Searches each of the moves with increasing depth, within the limits of the task and the context.
pub(crate) async fn search_moves(
    ai: Arc<Ai>,
    game: Game,
    moves: Vec<Move>,
    task: Task,
    options: Vec<OptionSetting>,
    context: RequestContext,
    iterations: mpsc::Sender<Iteration>,
) -> Result<Response, Fault> {
    let Task::Search(limits) = task else {
        return Err(wrong_response());
    };
    let deadline = limits
        .hard_ms
        .map(|ms| Instant::now() + Duration::from_millis(ms));
    let (mut found, mut nodes) = (Vec::new(), 0);
    let max_depth = limits
        .depth
        .into_iter()
        .chain(limits.mate_plies)
        .min()
        .unwrap_or(MAX_DEPTH);
    for depth in 1..=max_depth {
        let mut iteration = Vec::new();
        for &chosen in &moves {
            let is_over = |lines: &[_]| !lines.is_empty() && is_stopped(&context, deadline);
            if is_over(&found)
                || is_over(&iteration)
                || reached_nodes(&limits, nodes) && !found.is_empty()
            {
                break;
            }
            let line =
                search_after(&ai, &game, chosen, depth, &options, deadline, &context).await?;
            nodes = MAX_COUNT.min(nodes + line.nodes);
            iteration.push(line);
        }
        let is_complete = iteration.len() == moves.len();
        // An incomplete iteration is deeper, but does not compare all moves.
        if is_complete || found.is_empty() {
            found = iteration;
        }
        let Some(best) = best(&game, &found) else {
            break;
        };
        let ScoredMove { score, line, .. } = best;
        let line = line.clone();
        let report = Iteration::from(&SearchInfo::new(depth, *score, nodes, &line));
        if is_complete {
            // The receiver can be slow or closed.
            let _ = iterations.try_send(report);
        }
        if !is_complete || reached_nodes(&limits, nodes) || is_stopped(&context, deadline) {
            break;
        }
    }
    let best = best(&game, &found)
        .ok_or_else(|| Fault::Failed("no move could be searched in time".into()))?;
    let mut result = SearchResult::play(best.chosen);
    (result.score, result.depth, result.nodes) = (best.score, best.depth, nodes);
    result.pv.clone_from(&best.line);
    Ok(Response::Searched(result))
}

/// A searched move with its line.
struct ScoredMove {
    chosen: Move,
    /// For White.
    score: Score,
    depth: u32,
    nodes: u64,
    line: Vec<Move>,
}

/// Returns the best move for the side to move. If several are equal, returns the first.
fn best<'a>(game: &Game, found: &'a [ScoredMove]) -> Option<&'a ScoredMove> {
    let sign = game.position().turn().sign();
    found
        .iter()
        .rev()
        .max_by_key(|scored| scored.score.value().saturating_mul(sign))
}

/// Searches the position after a move to `depth` plies, including the move.
async fn search_after(
    ai: &Ai,
    game: &Game,
    chosen: Move,
    depth: u32,
    options: &[OptionSetting],
    deadline: Option<Instant>,
    context: &RequestContext,
) -> Result<ScoredMove, Fault> {
    let mut next = game.clone();
    next.play(chosen)
        .map_err(|error| Fault::Failed(error.to_string().into()))?;
    let single = |score| ScoredMove {
        chosen,
        score,
        depth,
        nodes: 1,
        line: vec![chosen],
    };
    if let Some(outcome) = next.status().outcome {
        return Ok(single(match outcome.winner() {
            Some(ai_api::Color::White) => Score::mate_in_plies(1),
            Some(ai_api::Color::Black) => Score::mated_in_plies(1),
            None => Score::DRAW,
        }));
    }
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let left_ms = left.map(|left| left.as_millis().max(1) as u64);
    let limits = Limits {
        soft_ms: left_ms,
        hard_ms: left_ms,
        ..Limits::depth((depth - 1).max(1))
    };
    let task = Task::Search(limits);
    // The score matters here, and a book move would have none.
    let params = SearchParams {
        analysis: true,
        ..SearchParams::default()
    };
    let job = Job {
        params,
        options: options.to_vec(),
        ..job(&next, task)
    };
    match ai.ask(context.clone(), job, None).await? {
        Response::Searched(result) => {
            let line = std::iter::once(chosen)
                .chain(result.pv.iter().copied())
                .collect();
            Ok(ScoredMove {
                score: one_ply_earlier(result.score),
                nodes: result.nodes,
                line,
                ..single(Score::DRAW)
            })
        }
        Response::Evaluated(..) | Response::Probed(_) => Err(wrong_response()),
    }
}

/// Returns the score one ply earlier: a mate is one ply further away.
fn one_ply_earlier(score: Score) -> Score {
    match score.plies_to_mate() {
        Some(plies) if score.value() > 0 => Score::mate_in_plies(plies.saturating_add(1)),
        Some(plies) => Score::mated_in_plies(plies.saturating_add(1)),
        None => score,
    }
}

fn reached_nodes(limits: &Limits, nodes: u64) -> bool {
    limits.nodes.is_some_and(|max| nodes >= max)
}

fn is_stopped(context: &RequestContext, deadline: Option<Instant>) -> bool {
    let is_stop_requested = context.stop.as_ref().is_some_and(|stop| *stop.borrow());
    is_stop_requested || deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_further_away_one_ply_earlier() {
        assert_eq!(
            one_ply_earlier(Score::mate_in_plies(2)),
            Score::mate_in_plies(3)
        );
        assert_eq!(
            one_ply_earlier(Score::mated_in_plies(0)),
            Score::mated_in_plies(1)
        );
        assert_eq!(
            one_ply_earlier(Score::centipawns(-30)),
            Score::centipawns(-30)
        );
    }

    #[test]
    fn candidates_are_legal_and_unique() {
        let game = Game::new(rules::start_position());
        let texts = ["e2e4", "e2e5", "nonsense", "d2d4", "e2e4"].map(str::to_owned);
        assert_eq!(candidates(&game, &texts).len(), 2);
        assert!(candidates(&game, &["a1a8".to_owned()]).is_empty());
    }
}
