//! Limits, lines and traces in request bodies.

use std::ops::RangeInclusive;

use crate::{
    error::{IllegalGameError, Issue, Malformed, RequestError},
    replies::search::LimitReply,
};
use ai_api::{Clocks, Color, Limits, Move, Position, Square};
use config::{DEPTHS, MATES, MOVETIMES_MS, NODES};
use game::{RequestedSearch, clock::RunningClocks};
use protocol::{MAX_LINES, MAX_TRACE_NODES};
use rules::IssueCode;
use serde::Deserialize;
use text::printable;
use utoipa::ToSchema;

/// Returns the requested search.
///
/// # Errors
/// The limit is empty, or a number is out of bounds.
pub fn requested_search(
    limit: Option<&LimitForm>,
    lines: Option<u64>,
    trace: Option<TraceForm>,
    fresh: Option<bool>,
) -> Result<RequestedSearch<'static>, Malformed> {
    let limit = limit.map(LimitForm::read).transpose()?;
    let lines = within(
        lines.unwrap_or(1),
        "lines",
        1..=u64::from(MAX_LINES),
        "/lines",
    )?;
    let trace_nodes = trace.map(TraceForm::read).transpose()?;
    Ok(RequestedSearch {
        limit,
        lines: lines as u32,
        trace_nodes: trace_nodes.unwrap_or(0),
        fresh: fresh.unwrap_or_default(),
        ..RequestedSearch::BEST_MOVE
    })
}

/// One or more limits of a search. The first limit reached ends the search.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitForm {
    /// The depth in plies.
    #[schema(minimum = 1, maximum = 1000)]
    pub depth: Option<u64>,
    /// The number of nodes.
    #[schema(minimum = 1, maximum = 1_000_000_000_000_i64)]
    pub nodes: Option<u64>,
    /// The time in milliseconds.
    #[schema(minimum = 1, maximum = 3_600_000)]
    pub movetime_ms: Option<u64>,
    /// The number of moves until mate.
    #[schema(minimum = 1, maximum = 500)]
    pub mate: Option<u64>,
}

impl From<LimitReply> for LimitForm {
    fn from(limit: LimitReply) -> Self {
        let LimitReply {
            depth,
            nodes,
            movetime_ms,
            mate,
            lines: _,
        } = limit;
        Self {
            depth: depth.map(u64::from),
            nodes,
            movetime_ms,
            mate: mate.map(u64::from),
        }
    }
}

impl LimitForm {
    /// Returns the limits.
    ///
    /// # Errors
    /// No limit is set, or one is out of range.
    pub fn read(&self) -> Result<Limits, Malformed> {
        let read = |value: Option<u64>, key: &str, allowed| {
            value
                .map(|value| within(value, key, allowed, &format!("/limit/{key}")))
                .transpose()
        };
        let depth = read(self.depth, "depth", DEPTHS)?.map(|plies| plies as u32);
        let nodes = read(self.nodes, "nodes", NODES)?;
        let movetime_ms = read(self.movetime_ms, "movetime_ms", MOVETIMES_MS)?;
        let mate_plies = read(self.mate, "mate", MATES)?.map(|moves| 2 * moves as u32 - 1);
        let limits = Limits {
            depth,
            nodes,
            mate_plies,
            soft_ms: movetime_ms,
            hard_ms: movetime_ms,
            ..Limits::NONE
        };
        if limits == Limits::NONE {
            let detail = "the limit is empty; set 'depth', 'nodes', 'movetime_ms' or 'mate'";
            return Err(Malformed::new("/limit", detail));
        }
        Ok(limits)
    }
}

/// The clocks of both players. The AI gets a share of the time of the side to move.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClocksForm {
    /// White's remaining time in milliseconds.
    #[schema(maximum = 86_400_000)]
    pub white_ms: u64,
    /// Black's remaining time in milliseconds.
    #[schema(maximum = 86_400_000)]
    pub black_ms: u64,
    /// The milliseconds that White gains with each move. 0 by default.
    #[serde(default)]
    #[schema(maximum = 86_400_000)]
    pub white_increment_ms: u64,
    /// The milliseconds that Black gains with each move. 0 by default.
    #[serde(default)]
    #[schema(maximum = 86_400_000)]
    pub black_increment_ms: u64,
    /// The number of moves until the next time control. By default there is no further time
    /// control.
    #[schema(minimum = 1, maximum = 1000)]
    pub moves_to_go: Option<u64>,
}

impl ClocksForm {
    /// Returns the clocks. The clock of `turn` is running.
    ///
    /// # Errors
    /// A number is out of bounds.
    pub fn read(self, turn: Color) -> Result<RunningClocks, Malformed> {
        let time =
            |value, key: &str| within(value, key, 0..=MAX_CLOCK_MS, &format!("/clocks/{key}"));
        let remaining_ms = [
            time(self.white_ms, "white_ms")?,
            time(self.black_ms, "black_ms")?,
        ];
        let increment_ms = [
            time(self.white_increment_ms, "white_increment_ms")?,
            time(self.black_increment_ms, "black_increment_ms")?,
        ];
        let moves_to_go = match self.moves_to_go {
            None => 0,
            Some(moves) => within(moves, "moves_to_go", 1..=1000, "/clocks/moves_to_go")? as u32,
        };
        Ok(RunningClocks {
            clocks: Clocks {
                remaining_ms,
                increment_ms,
                moves_to_go,
                ..Clocks::default()
            },
            turn,
        })
    }
}

/// The maximum time on a clock: one day.
const MAX_CLOCK_MS: u64 = 86_400_000;

/// The requested trace of a search.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceForm {
    /// The maximum number of nodes.
    #[schema(minimum = 1, maximum = 4000)]
    pub nodes: u64,
}

impl TraceForm {
    fn read(self) -> Result<u32, Malformed> {
        Ok(within(
            self.nodes,
            "nodes",
            1..=u64::from(MAX_TRACE_NODES),
            "/trace/nodes",
        )? as u32)
    }
}

/// The maximum number of root moves in a request. A position has at most 218, but a request may
/// repeat some.
const MAX_ROOT_MOVES: usize = 1000;

/// Returns the requested root moves, each once; empty if the request has none.
///
/// # Errors
/// The list is empty or too long, or a move is illegal.
pub fn root_moves(form: Option<&[String]>, position: &Position) -> Result<Vec<Move>, RequestError> {
    let Some(texts) = form else {
        return Ok(Vec::new());
    };
    if !(1..=MAX_ROOT_MOVES).contains(&texts.len()) {
        let detail = format!(
            "'root_moves' has {} moves; send 1 to {MAX_ROOT_MOVES} moves to choose from, such as \
             [\"e2e4\", \"d2d4\"], or omit it",
            texts.len()
        );
        return Err(Malformed::new("/root_moves", detail).into());
    }
    let (mut moves, mut issues) = (Vec::new(), Vec::new());
    for (index, text) in texts.iter().enumerate() {
        match rules::parse_uci(position, text) {
            Ok(chosen) if moves.contains(&chosen) => {}
            Ok(chosen) => moves.push(chosen),
            Err(error) => issues.push(Issue {
                code: IssueCode::IllegalMove.into_str(),
                message: error.to_string(),
                pointer: format!("/root_moves/{index}"),
                ..Issue::default()
            }),
        }
    }
    if issues.is_empty() {
        Ok(moves)
    } else {
        Err(IllegalGameError { issues }.into())
    }
}

/// Parses a square.
///
/// # Errors
/// The text is not a square.
pub fn square(text: &str, pointer: &str) -> Result<Square, Malformed> {
    text.parse().map_err(|error| {
        let shown = printable(&text.chars().take(20).collect::<String>());
        Malformed::new(pointer, format!("'{shown}': {error}"))
    })
}

fn within(
    value: u64,
    key: &str,
    allowed: RangeInclusive<u64>,
    pointer: &str,
) -> Result<u64, Malformed> {
    if allowed.contains(&value) {
        return Ok(value);
    }
    let (least, most) = allowed.into_inner();
    let detail = format!("{key} is {value}; it must be at least {least} and at most {most}");
    Err(Malformed::new(pointer, detail))
}
