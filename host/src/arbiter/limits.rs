//! What ends a search: what was asked for, under what the client may have at most.

use std::{ops::RangeInclusive, time::Duration};

use ai_api::{Abilities, Answer, Limit};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::StoppedBy;
use crate::{
    ai::{Ai, Bounds, MAX_LINES, MAX_TRACE_NODES, Task, Wishes},
    config::{AiSettings, ClientSettings, DEPTHS, MOVETIMES_MS, NODES, SearchMaxima},
};

/// What a request wants of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// How long to think; left out, the AI's own.
    pub(super) limit: Option<Limit>,
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
        let Abilities { max_lines, max_trace_nodes, .. } = ai.about.abilities;
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
    ]
    .into_iter()
    .map(bounds)
    .collect();
    json!({
        "type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
        "properties": properties, "default": LimitReply::of(ai.limit)
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
    /// Lines, where the AI can't tell as many as were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
}

/// The limits of one search, and whether they are tighter than what was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchLimits {
    asked: Limit,
    asked_lines: u32,
    lines: u32,
    asked_trace_nodes: u32,
    trace_nodes: u32,
    held: LimitReply,
}

impl SearchLimits {
    pub(super) fn new(asked: Limit, most: &SearchMaxima) -> Self {
        let only = LimitReply::of(asked);
        let held = LimitReply {
            depth: least(only.depth, most.depth),
            nodes: least(only.nodes, most.nodes),
            movetime_ms: least(only.movetime_ms, most.movetime_ms),
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
    pub(super) fn wishes(&self) -> Wishes {
        Wishes { lines: self.lines, trace_nodes: self.trace_nodes, ..Wishes::default() }
    }

    /// The limits, where they are not just the one that was asked for.
    pub(super) fn tightened(&self) -> Option<LimitReply> {
        (self.held != LimitReply::of(self.asked)).then_some(self.held)
    }

    /// What the AI is asked. It knows of one limit: of that which only itself can keep, if there is a choice. The host keeps the
    /// others, and the time in any case: an AI may obey nothing but a request to stop.
    pub(super) fn task(&self) -> Task {
        let LimitReply { depth, nodes, movetime_ms, .. } = self.held;
        let (limit, depth) = match (nodes, depth, movetime_ms) {
            (Some(nodes), ..) => (Limit::Nodes(nodes), depth),
            (None, Some(depth), _) => (Limit::Depth(depth), None),
            (None, None, Some(ms)) => (Limit::MovetimeMs(ms), None),
            (None, None, None) => (self.asked, None),
        };
        Task::Search(limit, Bounds { depth, movetime_ms })
    }

    /// What ended a search, as far as the limits, the clock and the AI's own figures tell.
    pub(super) fn stopped_by(&self, answer: &Answer, time: Duration, thinking_time: Duration) -> StoppedBy {
        // An AI that watches its clock answers a little early.
        let is_used_up =
            |allowed: Duration| time >= allowed.mul_f64(0.95).saturating_sub(Duration::from_millis(5));
        let LimitReply { depth, nodes, movetime_ms, .. } = self.held;
        if depth.is_some_and(|depth| answer.depth >= depth) {
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
    const fn of(limit: Limit) -> Self {
        let none = Self { depth: None, nodes: None, movetime_ms: None, lines: None };
        match limit {
            Limit::Depth(depth) => Self { depth: Some(depth), ..none },
            Limit::Nodes(nodes) => Self { nodes: Some(nodes), ..none },
            Limit::MovetimeMs(ms) => Self { movetime_ms: Some(ms), ..none },
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

    const NO_LIMIT: LimitReply = LimitReply { depth: None, nodes: None, movetime_ms: None, lines: None };
    const NONE: SearchMaxima = SearchMaxima { depth: None, nodes: None, movetime_ms: None };

    #[test]
    fn what_was_asked_for_stands_where_it_is_within_the_maxima() {
        let most = SearchMaxima { depth: Some(5), ..NONE };
        for asked in [Limit::Depth(5), Limit::Depth(1)] {
            let limits = SearchLimits::new(asked, &most);
            assert_eq!(limits.task(), Task::Search(asked, Bounds::default()));
            assert_eq!(limits.tightened(), None);
        }
        for (asked, movetime_ms) in
            [(Limit::Depth(60), None), (Limit::Nodes(9), None), (Limit::MovetimeMs(7), Some(7))]
        {
            let limits = SearchLimits::new(asked, &NONE);
            assert_eq!(limits.task(), Task::Search(asked, Bounds { depth: None, movetime_ms }));
            assert_eq!(limits.tightened(), None);
        }
    }

    #[test]
    fn a_maximum_of_any_kind_holds_for_every_search() {
        let all = SearchMaxima { depth: Some(5), nodes: Some(1000), movetime_ms: Some(50) };
        let held = |asked, most| SearchLimits::new(asked, &most).task();
        let search = |limit, depth, movetime_ms| Task::Search(limit, Bounds { depth, movetime_ms });
        assert_eq!(held(Limit::Depth(6), all), search(Limit::Nodes(1000), Some(5), Some(50)));
        assert_eq!(held(Limit::Nodes(9000), all), search(Limit::Nodes(1000), Some(5), Some(50)));
        assert_eq!(held(Limit::MovetimeMs(20), all), search(Limit::Nodes(1000), Some(5), Some(20)));
        let plies = SearchMaxima { depth: Some(5), ..NONE };
        assert_eq!(held(Limit::MovetimeMs(90), plies), search(Limit::Depth(5), None, Some(90)));
        assert_eq!(held(Limit::Nodes(7), plies), search(Limit::Nodes(7), Some(5), None));
        let time = SearchMaxima { movetime_ms: Some(50), ..NONE };
        assert_eq!(held(Limit::MovetimeMs(90), time), search(Limit::MovetimeMs(50), None, Some(50)));
        assert_eq!(held(Limit::Depth(9), time), search(Limit::Depth(9), None, Some(50)));
        let shown = SearchLimits::new(Limit::Depth(9), &time).tightened();
        assert_eq!(shown, Some(LimitReply { depth: Some(9), movetime_ms: Some(50), ..NO_LIMIT }));
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
            let limits = SearchLimits::new(Limit::Depth(5), &NONE).with_lines(asked, most);
            assert_eq!((limits.lines(), limits.wishes().lines), (lines, lines));
            assert_eq!(limits.tightened().and_then(|held| held.lines), said);
        }
    }

    #[test]
    fn a_search_among_others_takes_no_more_than_its_part_of_the_time() {
        let within =
            |limit, ms| SearchLimits::new(limit, &NONE).within(Some(Duration::from_millis(ms))).task();
        let bounds = Bounds { depth: None, movetime_ms: Some(70) };
        assert_eq!(within(Limit::Depth(5), 70), Task::Search(Limit::Depth(5), bounds));
        for (asked_ms, most_ms, held_ms) in [(90, 70, 70), (50, 70, 50), (50, 0, 1)] {
            let bounds = Bounds { depth: None, movetime_ms: Some(held_ms) };
            let expected = Task::Search(Limit::MovetimeMs(held_ms), bounds);
            assert_eq!(within(Limit::MovetimeMs(asked_ms), most_ms), expected);
        }
    }

    #[test]
    fn the_limit_that_was_reached_ended_the_search() {
        let all = SearchMaxima { depth: Some(5), nodes: Some(1000), movetime_ms: Some(100) };
        let limits = SearchLimits::new(Limit::Depth(9), &all);
        let stopped_by = |depth, nodes, ms| {
            let mut answer = Answer::play(ai_api::Move::from_bits(12));
            (answer.depth, answer.nodes) = (depth, nodes);
            limits.stopped_by(&answer, Duration::from_millis(ms), Duration::from_secs(10))
        };
        assert_eq!(stopped_by(5, 10, 1), StoppedBy::Depth);
        assert_eq!(stopped_by(4, 1000, 1), StoppedBy::Nodes);
        assert_eq!(stopped_by(4, 10, 99), StoppedBy::Movetime);
        assert_eq!(stopped_by(4, 10, 1), StoppedBy::Ai);
    }
}
