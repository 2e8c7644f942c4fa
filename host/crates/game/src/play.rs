//! Plays an AI's move in a game.

use std::{sync::Arc, time::Duration};

use ai_api::{Move, Position, PvLine, Score, SearchResult, TraceNode};
use pool::{Ai, Fault, Listener, RequestContext};
use protocol::{Job, SearchParams};
use rules::Game;

use crate::{
    answers::{Answers, Found, Origin, SearchAnswer},
    ask::{
        check_variant, final_score, job, known_score, legal_move, playable_line, playable_lines,
    },
    error::ServiceError,
    limits::{SearchLimits, StoppedBy},
    options::RequestedOptions,
};

/// A game after an AI's move, or unchanged if the game was over.
#[derive(Clone, Debug)]
pub struct Played {
    /// The game, including the move.
    pub game: Game,
    /// The AI's score, or the score of the game's result.
    pub score: Score,
    /// The move; `None` if the game was over.
    pub chosen: Option<ChosenMove>,
}

/// An AI's move and its search.
#[derive(Clone, Debug)]
pub struct ChosenMove {
    /// The position before the move.
    pub position: Position,
    pub chosen: Move,
    /// The playable prefix of the AI's line. It starts with the move.
    pub pv: Vec<Move>,
    pub search: SearchReport,
}

/// The figures of a search.
#[derive(Clone, Debug)]
pub struct SearchReport {
    pub result: SearchResult,
    pub origin: Origin,
    /// The time that the client waited for the AI. For a shared or kept answer, the time that the
    /// first client waited.
    pub time: Duration,
    pub stopped_by: StoppedBy,
    pub limits: SearchLimits,
    /// The playable lines, best score first; empty unless several were requested.
    pub lines: Vec<PvLine>,
}

impl SearchReport {
    /// Returns the score that the search has found; `None` without a search. Some engines report
    /// depth 1 for a book move, but a search ends that early only at a limit or with a mate.
    pub(crate) fn known_score(&self) -> Option<Score> {
        let SearchResult {
            score,
            depth,
            nodes,
            ..
        } = self.result;
        let is_guess = self.stopped_by == StoppedBy::Ai && depth <= 1 && nodes <= 1;
        known_score(&self.result).filter(|_| !is_guess || score.plies_to_mate().is_some())
    }

    /// Returns the nodes of the trace, if a trace was requested.
    pub fn trace(&self) -> Option<&[TraceNode]> {
        self.limits.wants_trace.then_some(&self.result.trace)
    }
}

/// A move requested from an AI.
pub(crate) struct AskedMove<'a> {
    pub(crate) ai: &'a Ai,
    pub(crate) game: Game,
    pub(crate) options: &'a RequestedOptions,
    pub(crate) limits: SearchLimits,
    pub(crate) root_moves: &'a [Move],
    /// Whether to search even if the answer is known.
    pub(crate) fresh: bool,
}

/// Asks an AI for its move, checks it and plays it. Calls `listener` after the request is
/// validated. Dropping the future cancels the search.
///
/// # Errors
/// The AI does not support the request, or fails.
pub(crate) async fn play(
    answers: &Answers,
    context: RequestContext,
    asked: AskedMove<'_>,
    listener: &dyn Fn() -> Option<Box<dyn Listener>>,
) -> Result<Played, ServiceError> {
    let AskedMove {
        ai,
        mut game,
        options,
        mut limits,
        root_moves,
        fresh,
    } = asked;
    if limits.wants_trace && limits.trace_nodes() == 0 {
        return Err(ServiceError::NoTrace { ai: ai.id.clone() });
    }
    if !root_moves.is_empty() && !ai.about.capabilities.root_moves {
        return Err(ServiceError::NoRootMoves { ai: ai.id.clone() });
    }
    if let Some(score) = final_score(&game.status()) {
        listener();
        return Ok(Played {
            game,
            score,
            chosen: None,
        });
    }
    check_variant(ai, &game)?;
    let listener = listener();
    let params = SearchParams {
        root_moves: root_moves.to_vec(),
        ..limits.params()
    };
    let job = Job {
        params,
        options: options.all(),
        ..job(&game, limits.task())
    };
    let is_repeatable = {
        let (game, root_moves) = (game.clone(), root_moves.to_vec());
        let thinking_time = ai.thinking_time();
        move |answer: &SearchAnswer| {
            let chosen = checked_move(&game, &root_moves, &answer.result);
            chosen.is_ok() && limits.is_repeatable(&answer.result, answer.time, thinking_time)
        }
    };
    let Found { answer, origin } = answers
        .ask(ai, context, job, fresh, listener, is_repeatable)
        .await
        .map_err(|fault| ServiceError::fault(ai, fault))?;
    // The pool counts only the faults that it detects itself.
    let count = |fault: &Fault| ai.stats.record_fault(fault, String::new());
    let chosen = checked_move(&game, root_moves, &answer.result)
        .inspect_err(count)
        .map_err(|fault| ServiceError::fault(ai, fault))?;
    let SearchAnswer { result, time } = Arc::unwrap_or_clone(answer);
    let position = *game.position();
    let pv = playable_line(&game, chosen, &result.pv);
    let SearchResult {
        score,
        bound,
        wdl,
        depth,
        ..
    } = result;
    let lines = if limits.wants_lines() {
        let best = PvLine {
            bound,
            wdl,
            ..PvLine::new(depth, score, pv.clone())
        };
        let is_allowed = |line: &&PvLine| {
            line.moves
                .first()
                .is_some_and(|&first| among(root_moves, first).is_ok())
        };
        let others = result.multipv.iter().filter(is_allowed).cloned();
        playable_lines(&game, std::iter::once(best).chain(others))
    } else {
        Vec::new()
    };
    let stopped_by = limits.stopped_by(&result, time, ai.thinking_time());
    game.play(chosen)
        .map_err(|_| ServiceError::Internal("a legal move could not be played"))?;
    let search = SearchReport {
        result,
        origin,
        time,
        stopped_by,
        limits,
        lines,
    };
    Ok(Played {
        game,
        score,
        chosen: Some(ChosenMove {
            position,
            chosen,
            pv,
            search,
        }),
    })
}

/// Returns the move of a result.
///
/// # Errors
/// The move is not legal, or not among the root moves.
fn checked_move(game: &Game, root_moves: &[Move], result: &SearchResult) -> Result<Move, Fault> {
    among(root_moves, legal_move(game, result)?)
}

/// Returns the chosen move if it is one of the root moves or there are none.
///
/// # Errors
/// The AI played a different move.
fn among(root_moves: &[Move], chosen: Move) -> Result<Move, Fault> {
    if root_moves.is_empty() || root_moves.contains(&chosen) {
        return Ok(chosen);
    }
    Err(Fault::IllegalMove(
        format!("played {chosen}, which is not among the root_moves of the request").into(),
    ))
}
