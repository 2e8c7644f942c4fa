//! A search among some of the moves only, for an AI that does not keep to such a choice itself: it is asked about the position
//! after each of them, and the best for the side to move is the answer.

use std::{sync::Arc, time::Duration};

use ai_api::{Bound, Limits, Move, Score, SearchResult};
use rules::Game;
use tokio::{sync::mpsc, time::Instant};

use game::{job, wrong_response};
use pool::{Ai, Fault, RequestContext};
use protocol::{Iteration, Response, Task, sanitize::MAX_COUNT};

/// The deepest round of a search without a depth of its own.
const DEEPEST: u32 = 100;

/// The legal moves among these texts; nothing is every move.
pub(super) fn candidates(game: &Game, texts: &[String]) -> Vec<Move> {
    let mut moves: Vec<_> =
        texts.iter().filter_map(|text| rules::parse_uci(game.position(), text).ok()).collect();
    moves.sort_by_key(|chosen| chosen.to_bits());
    moves.dedup();
    moves
}

/// Searches each of the moves, deeper in each round, as far as the task and the conditions let it.
pub(super) async fn search_moves(
    ai: Arc<Ai>,
    game: Game,
    moves: Vec<Move>,
    task: Task,
    context: RequestContext,
    iterations: mpsc::Sender<Iteration>,
) -> Result<Response, Fault> {
    let Task::Search(limits) = task else { return Err(wrong_response()) };
    let until = limits.hard_ms.map(|ms| Instant::now() + Duration::from_millis(ms));
    let (mut found, mut nodes) = (Vec::new(), 0);
    let most_depth = limits.depth.into_iter().chain(limits.mate_plies).min().unwrap_or(DEEPEST);
    for depth in 1..=most_depth {
        let mut round = Vec::new();
        for &chosen in &moves {
            let is_over = |found: &[_]| !found.is_empty() && is_up(&context, until);
            if is_over(&found) || is_over(&round) || is_spent(&limits, nodes) && !found.is_empty() {
                break;
            }
            let line = after(&ai, &game, chosen, depth, until, &context).await?;
            nodes = MAX_COUNT.min(nodes + line.nodes);
            round.push(line);
        }
        let is_whole = round.len() == moves.len();
        // What a broken round has found is deeper, but says nothing of the moves that it left out.
        if is_whole || found.is_empty() {
            found = round;
        }
        let Some(best) = best(&game, &found) else { break };
        let Searched { score, line, .. } = best;
        let line = line.clone();
        let (bound, wdl) = (Bound::Exact, None);
        let report =
            Iteration { depth, score: *score, bound, wdl, nodes, pv: line, pv_number: 1, selective_depth: 0 };
        if is_whole {
            // Who listens may be slow or gone.
            let _ = iterations.try_send(report);
        }
        if !is_whole || is_spent(&limits, nodes) || is_up(&context, until) {
            break;
        }
    }
    let best =
        best(&game, &found).ok_or_else(|| Fault::Failed("no move could be searched in time".into()))?;
    let mut answer = SearchResult::play(best.chosen);
    (answer.score, answer.depth, answer.nodes) = (best.score, best.depth, nodes);
    answer.pv.clone_from(&best.line);
    Ok(Response::Searched(answer))
}

/// One of the moves, and what follows from it.
struct Searched {
    chosen: Move,
    /// For White.
    score: Score,
    depth: u32,
    nodes: u64,
    line: Vec<Move>,
}

/// The best for the side to move, the first of equals.
fn best<'a>(game: &Game, found: &'a [Searched]) -> Option<&'a Searched> {
    let sign = game.position().turn().sign();
    found.iter().rev().max_by_key(|searched| searched.score.value().saturating_mul(sign))
}

/// What a move leads to, `depth` plies with itself.
async fn after(
    ai: &Ai,
    game: &Game,
    chosen: Move,
    depth: u32,
    until: Option<Instant>,
    context: &RequestContext,
) -> Result<Searched, Fault> {
    let mut ahead = game.clone();
    ahead.play(chosen).map_err(|error| Fault::Failed(error.to_string().into()))?;
    let alone = |score| Searched { chosen, score, depth, nodes: 1, line: vec![chosen] };
    if let Some(outcome) = ahead.status().outcome {
        return Ok(alone(match outcome.winner() {
            Some(ai_api::Color::White) => Score::mate_in_plies(1),
            Some(ai_api::Color::Black) => Score::mated_in_plies(1),
            None => Score::DRAW,
        }));
    }
    let left =
        until.map(|until| until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1)));
    let left_ms = left.map(|left| left.as_millis().max(1) as u64);
    let limits = Limits { soft_ms: left_ms, hard_ms: left_ms, ..Limits::depth((depth - 1).max(1)) };
    let task = Task::Search(limits);
    match ai.ask_with(context.clone(), job(&ahead, task), None).await? {
        Response::Searched(answer) => {
            let line = std::iter::once(chosen).chain(answer.pv.iter().copied()).collect();
            Ok(Searched { score: further(answer.score), nodes: answer.nodes, line, ..alone(Score::DRAW) })
        }
        Response::Evaluated(..) => Err(wrong_response()),
    }
}

/// The score of a position a ply earlier: a mate is a ply further away.
fn further(score: Score) -> Score {
    match score.plies_to_mate() {
        Some(plies) if score.value() > 0 => Score::mate_in_plies(plies.saturating_add(1)),
        Some(plies) => Score::mated_in_plies(plies.saturating_add(1)),
        None => score,
    }
}

fn is_spent(limits: &Limits, nodes: u64) -> bool {
    limits.nodes.is_some_and(|most| nodes >= most)
}

fn is_up(context: &RequestContext, until: Option<Instant>) -> bool {
    let is_stopped = context.stop.as_ref().is_some_and(|stop| *stop.borrow());
    is_stopped || until.is_some_and(|until| Instant::now() >= until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_is_a_ply_further_away_before_the_move() {
        assert_eq!(further(Score::mate_in_plies(2)), Score::mate_in_plies(3));
        assert_eq!(further(Score::mated_in_plies(0)), Score::mated_in_plies(1));
        assert_eq!(further(Score::centipawns(-30)), Score::centipawns(-30));
    }

    #[test]
    fn the_choice_is_the_legal_moves_among_those_named() {
        let game = Game::new(rules::start_position());
        let texts = ["e2e4", "e2e5", "nonsense", "d2d4", "e2e4"].map(str::to_owned);
        assert_eq!(candidates(&game, &texts).len(), 2);
        assert!(candidates(&game, &["a1a8".to_owned()]).is_empty());
    }
}
