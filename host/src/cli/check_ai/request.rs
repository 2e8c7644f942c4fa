//! `check-ai --request`: one request with every field of the contract, and the full result.

use std::{path::Path, time::Duration};

use ai_api::{Capabilities, Clocks, Limits, Move, PvLine, Score, TraceNode};
use rules::Game;
use serde::Deserialize;
use serde_json::{Value, json};

use api::{
    json::{self},
    replies::{game::ScoreReply, search::chances},
};
use conformance::Subject;
use game::job;
use pool::{Fault, Interruption, JobResult, WorkerSession};
use protocol::{Iteration, Job, MAX_LINES, MAX_TRACE_NODES, Response, SearchParams, Task};
use text::without_mark;

/// The minimum deadline of a request, whatever its limits are.
const TIME_LIMIT: Duration = Duration::from_mins(1);

/// A request to an AI, with the names used in the contract.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RequestForm {
    fen: Option<String>,
    moves: Vec<String>,
    limits: RequestLimitsForm,
    clocks: Option<RequestClocksForm>,
    root_moves: Vec<String>,
    lines: Option<u32>,
    trace_nodes: u32,
    analysis: bool,
    /// The time that the opponent takes before the ponder hit.
    ponder_hit_ms: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RequestLimitsForm {
    depth: Option<u32>,
    nodes: Option<u64>,
    mate_plies: Option<u32>,
    soft_ms: Option<u64>,
    hard_ms: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestClocksForm {
    remaining_ms: [u64; 2],
    #[serde(default)]
    increment_ms: [u64; 2],
    #[serde(default)]
    moves_to_go: u32,
}

/// An error in a request file, or from the AI.
#[derive(Debug, thiserror::Error)]
pub(super) enum CheckRequestError {
    #[error("cannot read the file: {0}")]
    Unreadable(#[from] std::io::Error),
    #[error(
        "{0}; a request has fen, moves, limits (depth, nodes, mate_plies, soft_ms, hard_ms), \
         clocks (remaining_ms, increment_ms, moves_to_go), root_moves, lines, trace_nodes, \
         analysis and ponder_hit_ms, all optional"
    )]
    Malformed(#[from] serde_json::Error),
    #[error("{field}: {reason}")]
    Field { field: &'static str, reason: String },
    /// A fault of the AI.
    #[error("{0}")]
    Failed(String),
}

impl RequestForm {
    /// Reads a request file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a request.
    pub(super) fn read(file: &Path) -> Result<Self, CheckRequestError> {
        let text = std::fs::read(file)?;
        Ok(json::read(without_mark(&text))?)
    }

    fn game(&self) -> Result<Game, CheckRequestError> {
        let start = match &self.fen {
            Some(fen) => rules::parse_fen(fen).map_err(|issues| {
                let issues: Vec<_> = issues.iter().map(ToString::to_string).collect();
                field("fen", &issues.join("; "))
            })?,
            None => rules::start_position(),
        };
        let mut game = Game::new(start);
        for text in &self.moves {
            let chosen =
                rules::parse_uci(game.position(), text).map_err(|error| field("moves", &error))?;
            game.play(chosen).map_err(|error| field("moves", &error))?;
        }
        if let Some(outcome) = game.status().outcome {
            return Err(field(
                "moves",
                &format!(
                    "the game is over ({outcome:?}); an AI only gets positions of unfinished games"
                ),
            ));
        }
        Ok(game)
    }

    fn sets_no_limit(&self) -> bool {
        let RequestLimitsForm {
            depth,
            nodes,
            mate_plies,
            soft_ms,
            hard_ms,
        } = self.limits;
        depth.or(mate_plies).is_none() && nodes.or(soft_ms).or(hard_ms).is_none()
    }

    /// Checks the request against what the AI declares, as a server does. Returns notes for the
    /// author.
    ///
    /// # Errors
    /// The request has more lines or trace nodes than the AI declares, or a variant that the AI
    /// does not play.
    fn notes(
        &self,
        job: &Job,
        game: &Game,
        declared: &Capabilities,
    ) -> Result<Vec<String>, CheckRequestError> {
        let &Capabilities {
            max_lines,
            max_trace_nodes,
            chess960,
            root_moves,
            ponder,
            manages_time,
            ..
        } = declared;
        let SearchParams {
            lines, trace_nodes, ..
        } = job.params;
        if lines > max_lines.max(1) {
            let reason = format!(
                "{lines}; the AI declares max_lines {}, so a host requests no more",
                max_lines.max(1)
            );
            return Err(field("lines", &reason));
        }
        if trace_nodes > max_trace_nodes {
            let reason = format!(
                "{trace_nodes}; the AI declares max_trace_nodes {max_trace_nodes}, so a host \
                 requests no more"
            );
            return Err(field("trace_nodes", &reason));
        }
        if game.start().is_chess960() && !chess960 {
            return Err(field(
                "fen",
                &"the AI does not declare Chess960, so a host does not request it",
            ));
        }
        let undeclared = [
            ("root_moves", !self.root_moves.is_empty() && !root_moves),
            ("ponder", self.ponder_hit_ms.is_some() && !ponder),
        ];
        let undeclared = undeclared
            .into_iter()
            .filter(|&(_, is_undeclared)| is_undeclared)
            .map(|(name, _)| {
                format!(
                    "the AI does not declare {name}, so a host does not request it, and the AI may \
                     ignore it"
                )
            });
        let mut notes: Vec<_> = undeclared.collect();
        let RequestLimitsForm {
            soft_ms, hard_ms, ..
        } = self.limits;
        if hard_ms.is_some() && hard_ms != soft_ms && !(manages_time && self.clocks.is_some()) {
            notes.push(
                "hard_ms differs from soft_ms only if the AI declares manages_time and the request \
                 has clocks"
                    .into(),
            );
        }
        if self.sets_no_limit() {
            let clocks = if self.clocks.is_some() {
                "; a server derives soft_ms and hard_ms from clocks"
            } else {
                ""
            };
            notes.push(format!(
                "the request has no limits, so a server's default applies{clocks}"
            ));
        }
        Ok(notes)
    }

    fn job(&self, game: &Game, default: Limits) -> Result<Job, CheckRequestError> {
        let RequestLimitsForm {
            depth,
            nodes,
            mate_plies,
            soft_ms,
            hard_ms,
        } = self.limits;
        let limits = Limits {
            depth,
            nodes,
            mate_plies,
            soft_ms,
            hard_ms: hard_ms.or(soft_ms),
            ..Limits::NONE
        };
        let limits = if self.sets_no_limit() {
            default
        } else {
            limits
        };
        let root_moves = self
            .root_moves
            .iter()
            .map(|text| rules::parse_uci(game.position(), text));
        let root_moves = root_moves
            .collect::<Result<_, _>>()
            .map_err(|error| field("root_moves", &error))?;
        let lines = within("lines", self.lines.unwrap_or(1), 1, MAX_LINES)?;
        let trace_nodes = within("trace_nodes", self.trace_nodes, 0, MAX_TRACE_NODES)?;
        let clocks = self.clocks.as_ref();
        let clocks = clocks.map(
            |&RequestClocksForm {
                 remaining_ms,
                 increment_ms,
                 moves_to_go,
             }| Clocks {
                remaining_ms,
                increment_ms,
                moves_to_go,
                ..Clocks::default()
            },
        );
        let params = SearchParams {
            lines,
            trace_nodes,
            root_moves,
            clocks,
            ponder: self.ponder_hit_ms.is_some(),
            analysis: self.analysis,
        };
        Ok(Job {
            params,
            ..job(game, Task::Search(limits))
        })
    }

    /// Sends the request to an AI. Returns the limits that applied, its reports and its result as
    /// JSON: moves in UCI with castling as king takes rook, scores for White.
    ///
    /// # Errors
    /// The request is malformed, or the AI fails.
    pub(super) async fn send(&self, subject: &Subject) -> Result<Value, CheckRequestError> {
        let game = self.game()?;
        let job = self.job(&game, subject.ai.default_limit())?;
        let started = WorkerSession::start(
            &subject.program,
            &subject.library,
            &subject.ai,
            &subject.settings,
        )
        .await;
        let mut worker = started.map_err(|error| CheckRequestError::Failed(error.in_full()))?;
        let notes = match self.notes(&job, &game, &worker.manifest().capabilities) {
            Ok(notes) => notes,
            Err(error) => {
                worker.stop().await;
                return Err(error);
            }
        };
        let hit = self
            .ponder_hit_ms
            .map(|ms| Interruption::PonderHit(Duration::from_millis(ms)));
        let limits = job.task.limits();
        let limits_ms = [limits.hard_ms, self.ponder_hit_ms]
            .into_iter()
            .flatten()
            .map(Duration::from_millis);
        let time_limit = TIME_LIMIT.max(Duration::from_millis(subject.ai.move_timeout_ms));
        let JobResult {
            response,
            iterations,
            elapsed,
            ..
        } = worker
            .run(
                &job,
                limits_ms.fold(time_limit, Duration::saturating_add),
                hit,
            )
            .await;
        let printed = worker.printed().await;
        worker.stop().await;
        let result = match response {
            Ok(Response::Searched(result)) => result,
            Ok(Response::Evaluated(..) | Response::Probed(_)) => {
                return Err(CheckRequestError::Failed(
                    "returned an evaluation instead of a search result".into(),
                ));
            }
            // The message of a crash already contains the output.
            Err(fault @ (Fault::Failed(_) | Fault::Stalled(_))) if !printed.is_empty() => {
                return Err(CheckRequestError::Failed(format!(
                    "{}; it printed: {printed}",
                    fault.in_full()
                )));
            }
            Err(fault) => return Err(CheckRequestError::Failed(fault.in_full())),
        };
        let is_legal = result
            .best_move
            .is_some_and(|best| rules::is_legal(game.position(), best));
        Ok(json!({
            "notes": notes,
            "limits": {
                "depth": limits.depth,
                "nodes": limits.nodes,
                "mate_plies": limits.mate_plies,
                "soft_ms": limits.soft_ms,
                "hard_ms": limits.hard_ms,
            },
            "infos": iterations.iter().map(info).collect::<Vec<_>>(),
            "result": {
                "best_move": result.best_move.map(|best| best.to_string()),
                "is_legal": is_legal,
                "score": ScoreReply::from(result.score),
                "bound": result.bound.name(),
                "wdl": result.wdl.map(chances),
                "depth": result.depth,
                "nodes": result.nodes,
                "pv": uci(&result.pv),
                "multipv": result.multipv.iter().map(line).collect::<Vec<_>>(),
                "trace": result.trace.iter().map(node).collect::<Vec<_>>(),
            },
            "elapsed_ms": elapsed.as_millis() as u64,
        }))
    }
}

fn info(info: &Iteration) -> Value {
    let &Iteration {
        depth,
        score,
        nodes,
        ref pv,
        pv_number,
        bound,
        wdl,
        selective_depth,
        ..
    } = info;
    let mut value = line(&PvLine {
        bound,
        wdl,
        ..PvLine::new(depth, score, pv.clone())
    });
    value["pv_number"] = pv_number.into();
    value["selective_depth"] = selective_depth.into();
    value["nodes"] = nodes.into();
    value
}

fn line(line: &PvLine) -> Value {
    json!({
        "depth": line.depth,
        "score": ScoreReply::from(line.score),
        "bound": line.bound.name(),
        "wdl": line.wdl.map(chances),
        "pv": uci(&line.moves),
    })
}

fn node(node: &TraceNode) -> Value {
    let window =
        |score: Score| (score > Score::MIN && score < Score::MAX).then(|| ScoreReply::from(score));
    json!({
        "parent": (node.parent != TraceNode::NO_PARENT).then_some(node.parent),
        "move": (node.parent != TraceNode::NO_PARENT).then(|| node.chosen.to_string()),
        "depth": node.depth,
        "alpha": window(node.alpha),
        "beta": window(node.beta),
        "score": ScoreReply::from(node.score),
        "bound": node.bound.name(),
        "kind": node.kind.name(),
    })
}

fn uci(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

fn within(name: &'static str, number: u32, min: u32, max: u32) -> Result<u32, CheckRequestError> {
    let is_within = (min..=max).contains(&number);
    if is_within {
        Ok(number)
    } else {
        Err(field(name, &format!("{number}; expected {min} to {max}")))
    }
}

fn field(field: &'static str, reason: &dyn std::fmt::Display) -> CheckRequestError {
    CheckRequestError::Field {
        field,
        reason: reason.to_string(),
    }
}
