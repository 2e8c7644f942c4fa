//! Searches in replies.

use crate::{
    replies::{game::ScoreReply, trace::TraceReply},
    words::BoundWord,
};
use ai_api::{Bound, Move, Position, PvLine, Score, Wdl};
use game::{ChosenMove, Limit, Origin, Played, SearchReport};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The limits that apply to a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LimitReply {
    /// The depth in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The number of nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The time in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime_ms: Option<u64>,
    /// The number of moves until mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate: Option<u32>,
    /// The number of lines, if the AI supports fewer than requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
}

impl From<Limit> for LimitReply {
    fn from(limit: Limit) -> Self {
        let Limit {
            depth,
            nodes,
            movetime_ms,
            mate,
            lines,
        } = limit;
        Self {
            depth,
            nodes,
            movetime_ms,
            mate,
            lines,
        }
    }
}

/// What ended a search.
#[derive(Serialize, ToSchema)]
#[serde(remote = "game::StoppedBy", rename_all = "lowercase")]
#[schema(as = StoppedBy)]
pub enum StoppedByReply {
    /// The requested depth is complete.
    Depth,
    /// The nodes are used up.
    Nodes,
    /// The time is used up.
    Movetime,
    /// The mate is found.
    Mate,
    /// The share of the clock is used up.
    Clock,
    /// The AI stopped by itself.
    Ai,
}

/// The search for a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SearchReply {
    /// The completed depth in plies, as the AI reports it.
    pub depth: u32,
    /// The searched nodes, as the AI reports them.
    pub nodes: u64,
    /// The time that the client waited for the AI. If `cached`, the time that the first client
    /// waited.
    pub time_ms: u64,
    /// `true` if this is the kept answer to an identical request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
    /// `lower` or `upper` if the AI reports that the score is not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BoundWord>)]
    pub bound: Option<&'static str>,
    /// White's chances of a win, a draw and a loss in thousandths, if the AI reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wdl: Option<[u16; 3]>,
    /// The legal part of the principal variation, in UCI.
    pub pv: Vec<String>,
    /// The same moves in SAN.
    pub san: Vec<String>,
    /// The limit that ended the search, `clock`, or `ai` if the AI stopped by itself.
    #[serde(with = "StoppedByReply")]
    #[schema(value_type = StoppedByReply)]
    pub stopped_by: game::StoppedBy,
    /// All limits that applied, if one is lower than requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitReply>,
    /// The requested lines, the best for the side to move first. If the AI supports fewer, `limit`
    /// gives their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<LineReply>>,
}

impl SearchReply {
    /// There was no search, because the game was over.
    const NONE: Self = Self {
        depth: 0,
        nodes: 0,
        time_ms: 0,
        cached: None,
        bound: None,
        wdl: None,
        pv: Vec::new(),
        san: Vec::new(),
        stopped_by: game::StoppedBy::Ai,
        limit: None,
        lines: None,
    };

    pub fn new(played: &Played) -> Self {
        let Some(ChosenMove {
            position,
            pv,
            search,
            ..
        }) = &played.chosen
        else {
            return Self::NONE;
        };
        let SearchReport {
            result,
            origin,
            time,
            stopped_by,
            limits,
            lines,
        } = search;
        let (pv, san) = notations(position, pv);
        let lines = limits.wants_lines().then(|| {
            lines
                .iter()
                .map(|line| LineReply::new(position, line))
                .collect()
        });
        Self {
            depth: result.depth,
            nodes: result.nodes,
            time_ms: time.as_millis() as u64,
            cached: (*origin == Origin::Kept).then_some(true),
            bound: bound_unless_exact(result.bound),
            wdl: result.wdl.map(chances),
            pv,
            san,
            stopped_by: *stopped_by,
            limit: limits.tightened().map(LimitReply::from),
            lines,
        }
    }
}

impl TraceReply {
    /// Returns the trace of a search, if one was requested.
    pub fn of(played: &Played) -> Option<Self> {
        let ChosenMove {
            position, search, ..
        } = played.chosen.as_ref()?;
        search
            .trace()
            .map(|nodes| Self::new(position, nodes, search.limits.trace_nodes()))
    }
}

/// A line of play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LineReply {
    /// The score of the line, from White's point of view.
    pub score: ScoreReply,
    /// `lower` or `upper` if the score is not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BoundWord>)]
    pub bound: Option<&'static str>,
    /// White's chances of a win, a draw and a loss in thousandths, if the AI reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wdl: Option<[u16; 3]>,
    /// The completed depth in plies, as the AI reports it.
    pub depth: u32,
    /// The moves in UCI.
    pub pv: Vec<String>,
    /// The moves in SAN.
    pub san: Vec<String>,
}

impl LineReply {
    /// Describes a playable line from a position.
    pub fn new(position: &Position, line: &PvLine) -> Self {
        let (pv, san) = notations(position, &line.moves);
        Self {
            score: Score::from_value(line.score.value()).into(),
            bound: bound_unless_exact(line.bound),
            wdl: line.wdl.map(chances),
            depth: line.depth,
            pv,
            san,
        }
    }
}

/// Returns the name of a bound, unless it is exact.
fn bound_unless_exact(bound: Bound) -> Option<&'static str> {
    (bound != Bound::Exact).then(|| bound.name())
}

/// Returns the chances of a win, a draw and a loss in thousandths.
pub const fn chances(wdl: Wdl) -> [u16; 3] {
    [wdl.win, wdl.draw, wdl.loss]
}

/// Returns the moves of a line in UCI and in SAN. Each move must be legal.
pub fn notations(position: &Position, line: &[Move]) -> (Vec<String>, Vec<String>) {
    let mut position = *position;
    let written = line.iter().map(|&chosen| {
        let written = (
            rules::format_uci(&position, chosen).to_string(),
            rules::format_san(&position, chosen).to_string(),
        );
        position = rules::play(&position, chosen);
        written
    });
    written.unzip()
}
