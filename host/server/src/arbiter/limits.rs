//! What ends a search: what was asked for, under what the client may have at most.

use std::{ops::RangeInclusive, time::Duration};

use ai_api::{Capabilities, Limits, SearchResult};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::StoppedBy;
use config::{AiSettings, ClientSettings, DEPTHS, MATES, MOVETIMES_MS, NODES, SearchMaxima};
use pool::Ai;
use protocol::{MAX_LINES, MAX_TRACE_NODES, SearchParams, Task};

/// What a request wants of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// The limits of the search; left out, the AI's own.
    pub(super) limit: Option<Limits>,
    /// How many lines, at least 1.
    pub(super) lines: u32,
    /// How many nodes of the trace, at most; 0 for none.
    pub(super) trace_nodes: u32,
    /// What a search may take of the time that is left for all; nothing, where it is the only one.
    pub(super) at_most: Option<Duration>,
}

impl Demand {
    /// The best move alone, within the AI's own limit.
    pub(super) const USUAL: Self = Self { limit: None, lines: 1, trace_nodes: 0, at_most: None };

    /// What an AI is asked for a client.
    pub(super) fn of(&self, ai: &Ai, client: &ClientSettings) -> SearchLimits {
        let limits = SearchLimits::new(self.limit.unwrap_or(ai.limit), &client.max_search);
        let Capabilities { max_lines, max_trace_nodes, .. } = ai.about.capabilities;
        let limits = limits.with_lines(self.lines, max_lines).within(self.at_most);
        limits.with_trace(self.trace_nodes, max_trace_nodes)
    }
}

/// The limits of a search by an AI as a JSON Schema of `limit` in a request: that of one that sets none, and the most that one may
/// take.
pub fn limit_schema(ai: &AiSettings, most: &SearchMaxima) -> Value {
    let bounds = |(name, known, most): (&str, RangeInclusive<u64>, Option<u64>)| {
        let (least, known) = known.into_inner();
        let most = most.map_or(known, |most| most.min(known));
        (name.to_owned(), json!({"type": "integer", "minimum": least, "maximum": most}))
    };
    let SearchMaxima { depth, nodes, movetime_ms } = *most;
    let properties: serde_json::Map<_, _> = [
        ("depth", DEPTHS, depth.map(u64::from)),
        ("nodes", NODES, nodes),
        ("movetime_ms", MOVETIMES_MS, least(movetime_ms, Some(ai.move_timeout_ms))),
        ("mate", MATES, None),
    ]
    .into_iter()
    .map(bounds)
    .collect();
    json!({
        "type": "object", "minProperties": 1, "additionalProperties": false,
        "properties": properties, "default": LimitReply::of(&ai.limit)
    })
}

/// Every limit that holds for a search, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LimitReply {
    /// Plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime_ms: Option<u64>,
    /// Moves until mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate: Option<u32>,
    /// Lines, where the AI can't tell as many as were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
}

/// The limits of one search, and whether they are tighter than what was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchLimits {
    asked: LimitReply,
    asked_lines: u32,
    lines: u32,
    asked_trace_nodes: u32,
    trace_nodes: u32,
    held: LimitReply,
}

impl SearchLimits {
    pub(super) fn new(asked: Limits, most: &SearchMaxima) -> Self {
        let asked = LimitReply::of(&asked);
        let held = LimitReply {
            depth: least(asked.depth, most.depth),
            nodes: least(asked.nodes, most.nodes),
            movetime_ms: least(asked.movetime_ms, most.movetime_ms),
            mate: asked.mate,
            lines: None,
        };
        Self { asked, asked_lines: 1, lines: 1, asked_trace_nodes: 0, trace_nodes: 0, held }
    }

    /// The same for several lines, or for the `most` that the AI can tell.
    pub(super) fn with_lines(mut self, asked: u32, most: u32) -> Self {
        self.asked_lines = asked;
        self.lines = asked.min(most.clamp(1, MAX_LINES));
        self.held.lines = (self.lines < asked).then_some(self.lines);
        self
    }

    /// The same in no more time than this.
    fn within(mut self, at_most: Option<Duration>) -> Self {
        let most_ms = at_most.map(|time| (time.as_millis() as u64).max(1));
        self.held.movetime_ms = least(self.held.movetime_ms, most_ms);
        self
    }

    /// The same with a trace of so many nodes, or of the `most` that the AI can tell.
    pub(super) fn with_trace(mut self, asked: u32, most: u32) -> Self {
        self.asked_trace_nodes = asked;
        self.trace_nodes = asked.min(most).min(MAX_TRACE_NODES);
        self
    }

    /// Whether a trace was asked for, even if the AI tells none.
    pub(super) const fn wants_trace(&self) -> bool {
        self.asked_trace_nodes > 0
    }

    /// How many nodes of a trace the AI is asked for; 0 where it tells none.
    pub(super) const fn trace_nodes(&self) -> u32 {
        self.trace_nodes
    }

    /// Every limit that holds.
    pub(super) const fn held(&self) -> LimitReply {
        self.held
    }

    /// How many lines the AI is asked for.
    pub(super) const fn lines(&self) -> u32 {
        self.lines
    }

    /// Whether several lines were asked for, even if the AI can tell its best alone.
    pub(super) const fn wants_lines(&self) -> bool {
        self.asked_lines > 1
    }

    /// What the AI is asked for beside its move.
    pub(super) fn params(&self) -> SearchParams {
        SearchParams { lines: self.lines, trace_nodes: self.trace_nodes, ..SearchParams::default() }
    }

    /// The limits, where they are not just the one that was asked for.
    pub(super) fn tightened(&self) -> Option<LimitReply> {
        (self.held != self.asked).then_some(self.held)
    }

    /// What the AI is asked.
    pub(super) fn task(&self) -> Task {
        let LimitReply { depth, nodes, movetime_ms, mate, .. } = self.held;
        let mate_plies = mate.map(|moves| 2 * moves - 1);
        Task::Search(Limits { depth, nodes, mate_plies, soft_ms: movetime_ms, hard_ms: movetime_ms })
    }

    /// What ended a search, as far as the limits, the clock and the AI's own figures tell.
    pub(super) fn stopped_by(
        &self,
        answer: &SearchResult,
        time: Duration,
        thinking_time: Duration,
    ) -> StoppedBy {
        // An AI that watches its clock answers a little early.
        let is_used_up =
            |allowed: Duration| time >= allowed.mul_f64(0.95).saturating_sub(Duration::from_millis(5));
        let LimitReply { depth, nodes, movetime_ms, mate, .. } = self.held;
        let found = answer.score.plies_to_mate().map(|plies| plies.div_ceil(2));
        if mate.is_some_and(|moves| found.is_some_and(|found| found <= moves)) {
            StoppedBy::Mate
        } else if depth.is_some_and(|depth| answer.depth >= depth) {
            StoppedBy::Depth
        } else if nodes.is_some_and(|nodes| answer.nodes >= nodes) {
            StoppedBy::Nodes
        } else if movetime_ms.is_some_and(|ms| is_used_up(Duration::from_millis(ms)))
            || is_used_up(thinking_time)
        {
            StoppedBy::Movetime
        } else {
            StoppedBy::Ai
        }
    }
}

impl LimitReply {
    fn of(limits: &Limits) -> Self {
        let &Limits { depth, nodes, mate_plies, soft_ms, .. } = limits;
        Self {
            depth,
            nodes,
            movetime_ms: soft_ms,
            mate: mate_plies.map(|plies| plies.div_ceil(2)),
            lines: None,
        }
    }
}

/// The lesser of those that are there.
fn least<T: Ord>(asked: Option<T>, most: Option<T>) -> Option<T> {
    match (asked, most) {
        (Some(asked), Some(most)) => Some(asked.min(most)),
        (asked, most) => asked.or(most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: SearchMaxima = SearchMaxima { depth: None, nodes: None, movetime_ms: None };

    #[test]
    fn keeps_limits_within_the_maxima() {
        let most = SearchMaxima { depth: Some(5), ..NONE };
        let together = Limits { nodes: Some(9), mate_plies: Some(5), ..Limits::movetime_ms(7) };
        for (asked, most) in [
            (Limits::depth(5), &most),
            (Limits::depth(1), &most),
            (Limits::depth(60), &NONE),
            (Limits::nodes(9), &NONE),
            (Limits::movetime_ms(7), &NONE),
            (together, &NONE),
        ] {
            let limits = SearchLimits::new(asked, most);
            assert_eq!(limits.task(), Task::Search(asked));
            assert_eq!(limits.tightened(), None);
        }
    }

    #[test]
    fn applies_every_maximum_to_every_search() {
        let all = SearchMaxima { depth: Some(5), nodes: Some(1000), movetime_ms: Some(50) };
        let limits = |depth, nodes, ms| Limits { depth, nodes, soft_ms: ms, hard_ms: ms, mate_plies: None };
        let plies = SearchMaxima { depth: Some(5), ..NONE };
        let time = SearchMaxima { movetime_ms: Some(50), ..NONE };
        for (asked, most, expected) in [
            (Limits::depth(6), &all, limits(Some(5), Some(1000), Some(50))),
            (Limits::nodes(9000), &all, limits(Some(5), Some(1000), Some(50))),
            (Limits::movetime_ms(20), &all, limits(Some(5), Some(1000), Some(20))),
            (Limits::movetime_ms(90), &plies, limits(Some(5), None, Some(90))),
            (Limits::nodes(7), &plies, limits(Some(5), Some(7), None)),
            (Limits::movetime_ms(90), &time, limits(None, None, Some(50))),
            (Limits::depth(9), &time, limits(Some(9), None, Some(50))),
        ] {
            assert_eq!(SearchLimits::new(asked, most).task(), Task::Search(expected), "{asked:?}");
        }
        let shown = SearchLimits::new(Limits::depth(9), &time).tightened();
        assert_eq!(shown, Some(LimitReply::of(&limits(Some(9), None, Some(50)))));
    }

    #[test]
    fn an_ai_is_asked_for_no_more_lines_than_it_can_tell() {
        for (asked, most, lines, said) in [
            (1, 1, 1, None),
            (3, 64, 3, None),
            (3, 2, 2, Some(2)),
            (2, 0, 1, Some(1)),
            (64, u32::MAX, 64, None),
        ] {
            let limits = SearchLimits::new(Limits::depth(5), &NONE).with_lines(asked, most);
            assert_eq!((limits.lines(), limits.params().lines), (lines, lines));
            assert_eq!(limits.tightened().and_then(|held| held.lines), said);
        }
    }

    #[test]
    fn a_search_among_others_takes_no_more_than_its_part_of_the_time() {
        let within =
            |limits, ms| SearchLimits::new(limits, &NONE).within(Some(Duration::from_millis(ms))).task();
        let both = Limits { depth: Some(5), ..Limits::movetime_ms(70) };
        assert_eq!(within(Limits::depth(5), 70), Task::Search(both));
        for (asked_ms, most_ms, held_ms) in [(90, 70, 70), (50, 70, 50), (50, 0, 1)] {
            let expected = Task::Search(Limits::movetime_ms(held_ms));
            assert_eq!(within(Limits::movetime_ms(asked_ms), most_ms), expected);
        }
    }

    #[test]
    fn the_limit_that_was_reached_ended_the_search() {
        let all = SearchMaxima { depth: Some(5), nodes: Some(1000), movetime_ms: Some(100) };
        let limits = SearchLimits::new(Limits { mate_plies: Some(3), ..Limits::depth(9) }, &all);
        let stopped_by = |depth, nodes, ms| {
            let mut answer = SearchResult::play(ai_api::Move::from_bits(12));
            (answer.depth, answer.nodes) = (depth, nodes);
            limits.stopped_by(&answer, Duration::from_millis(ms), Duration::from_secs(10))
        };
        assert_eq!(stopped_by(5, 10, 1), StoppedBy::Depth);
        assert_eq!(stopped_by(4, 1000, 1), StoppedBy::Nodes);
        assert_eq!(stopped_by(4, 10, 99), StoppedBy::Movetime);
        assert_eq!(stopped_by(4, 10, 1), StoppedBy::Ai);
        let mate = |plies| {
            let score = ai_api::Score::mate_in_plies(plies);
            let answer = SearchResult { score, depth: 3, ..SearchResult::NONE };
            limits.stopped_by(&answer, Duration::ZERO, Duration::from_secs(10))
        };
        assert_eq!([mate(3), mate(5)], [StoppedBy::Mate, StoppedBy::Ai]);
    }
}
