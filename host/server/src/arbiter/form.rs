//! Requests, as clients write them.

use std::ops::RangeInclusive;

use ai_api::{Limits, Square};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    error::Malformed,
    game_form::GameForm,
    limits::Demand,
    options::{OptionReply, OptionsForm},
    strict_json::{object, optional_object},
};
use config::{DEPTHS, MATES, MOVETIMES_MS, NODES};
use protocol::{MAX_LINES, MAX_TRACE_NODES};
use text::printable;

/// What `POST /v1/best-move` takes.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BestMoveForm {
    /// The game so far.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// The AI to ask; left out, the client's.
    pub ai: Option<String>,
    /// Options of that AI, as far as it leaves them to requests; left out, as configured.
    #[schema(value_type = Option<BTreeMap<String, OptionReply>>)]
    pub options: Option<OptionsForm>,
    /// How long to think; left out, the AI's own.
    #[serde(default, deserialize_with = "optional_object")]
    pub limit: Option<LimitForm>,
    /// How many lines to tell; left out, the best alone.
    pub lines: Option<u64>,
    /// How much to tell of the search; left out, nothing.
    #[serde(default, deserialize_with = "optional_object")]
    pub trace: Option<TraceForm>,
}

impl BestMoveForm {
    /// # Errors
    /// The limit is none, or lines or nodes are too many or too few.
    pub(super) fn demand(&self) -> Result<Demand, Malformed> {
        let demand = demand(self.limit.as_ref(), self.lines)?;
        let trace_nodes = self.trace.map(TraceForm::read).transpose()?;
        Ok(Demand { trace_nodes: trace_nodes.unwrap_or(0), ..demand })
    }
}

/// How much to tell of a search.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TraceForm {
    /// The most nodes of its tree.
    pub nodes: u64,
}

impl TraceForm {
    fn read(self) -> Result<u32, Malformed> {
        Ok(within(self.nodes, "nodes", 1..=u64::from(MAX_TRACE_NODES), "/trace/nodes")? as u32)
    }
}

/// What `POST /v1/compare` takes.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareForm {
    /// The game so far.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// The AIs to ask.
    pub ais: Vec<String>,
    /// How long each may think; left out, each as long as is its own.
    #[serde(default, deserialize_with = "optional_object")]
    pub limit: Option<LimitForm>,
    /// How many lines each is to tell; left out, the best alone.
    pub lines: Option<u64>,
}

impl CompareForm {
    /// # Errors
    /// The limit is none, or the lines are too many or too few.
    pub(super) fn demand(&self) -> Result<Demand, Malformed> {
        demand(self.limit.as_ref(), self.lines)
    }
}

/// What `POST /v1/report` takes.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportForm {
    /// The game whose moves are judged.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// The AI that judges; left out, the client's.
    pub ai: Option<String>,
    /// Options of that AI, as far as it leaves them to requests; left out, as configured.
    #[schema(value_type = Option<BTreeMap<String, OptionReply>>)]
    pub options: Option<OptionsForm>,
    /// How long to think about each position; left out, the AI's own.
    #[serde(default, deserialize_with = "optional_object")]
    pub limit: Option<LimitForm>,
}

impl ReportForm {
    /// # Errors
    /// The limit is none.
    pub(super) fn demand(&self) -> Result<Demand, Malformed> {
        demand(self.limit.as_ref(), None)
    }
}

/// # Errors
/// The limit is none, or the lines are too many or too few.
fn demand(limit: Option<&LimitForm>, lines: Option<u64>) -> Result<Demand, Malformed> {
    let limit = limit.map(LimitForm::read).transpose()?;
    let lines = within(lines.unwrap_or(1), "lines", 1..=u64::from(MAX_LINES), "/lines")?;
    Ok(Demand { limit, lines: lines as u32, trace_nodes: 0, at_most: None })
}

/// What `POST /v1/legal-moves` takes.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LegalMovesForm {
    /// The game so far.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// A square: only the moves of the piece on it.
    pub from: Option<String>,
}

impl LegalMovesForm {
    /// # Errors
    /// The text is no square.
    pub(super) fn from(&self) -> Result<Option<Square>, Malformed> {
        self.from.as_deref().map(|text| square(text, "/from")).transpose()
    }
}

/// What `POST /v1/reachable` takes.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReachableForm {
    /// The game so far; its last position is looked at.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// The square of the piece.
    pub square: String,
}

impl ReachableForm {
    /// # Errors
    /// The text is no square.
    pub(super) fn square(&self) -> Result<Square, Malformed> {
        square(&self.square, "/square")
    }
}

pub(super) fn square(text: &str, pointer: &str) -> Result<Square, Malformed> {
    text.parse().map_err(|error| Malformed {
        pointer: pointer.into(),
        detail: format!("'{}': {error}", printable(&text.chars().take(20).collect::<String>())),
    })
}

/// What `POST /v1/validate` takes.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidateForm {
    /// The game to validate.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
}

/// What `POST /v1/evaluate` takes.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluateForm {
    /// The game so far; its last position is judged.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// The AI to ask; left out, the client's.
    pub ai: Option<String>,
    /// Options of that AI, as far as it leaves them to requests; left out, as configured.
    #[schema(value_type = Option<BTreeMap<String, OptionReply>>)]
    pub options: Option<OptionsForm>,
}

/// The limits of a search: the first one that is reached ends it. At least one.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitForm {
    /// Plies.
    pub depth: Option<u64>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Milliseconds.
    pub movetime_ms: Option<u64>,
    /// Moves until mate.
    pub mate: Option<u64>,
}

impl LimitForm {
    fn read(&self) -> Result<Limits, Malformed> {
        let read = |value: Option<u64>, key: &str, allowed| {
            value.map(|value| within(value, key, allowed, &format!("/limit/{key}"))).transpose()
        };
        let depth = read(self.depth, "depth", DEPTHS)?.map(|plies| plies as u32);
        let nodes = read(self.nodes, "nodes", NODES)?;
        let movetime_ms = read(self.movetime_ms, "movetime_ms", MOVETIMES_MS)?;
        let mate_plies = read(self.mate, "mate", MATES)?.map(|moves| 2 * moves as u32 - 1);
        let limits = Limits { depth, nodes, mate_plies, soft_ms: movetime_ms, hard_ms: movetime_ms };
        if limits == Limits::NONE {
            let detail = "a limit is one or more of 'depth', 'nodes', 'movetime_ms' and 'mate'".into();
            return Err(Malformed { pointer: "/limit".into(), detail });
        }
        Ok(limits)
    }
}

fn within(value: u64, key: &str, allowed: RangeInclusive<u64>, pointer: &str) -> Result<u64, Malformed> {
    if allowed.contains(&value) {
        return Ok(value);
    }
    let (least, most) = allowed.into_inner();
    let detail = format!("{key} is {value}; it is at least {least} and at most {most}");
    Err(Malformed { pointer: pointer.into(), detail })
}
