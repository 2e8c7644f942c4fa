//! Search limits: the requested limits, restricted by the client's maxima and the AI's
//! capabilities.

use std::time::Duration;

use ai_api::{Capabilities, Clocks, Limits, Move, SearchResult};
use config::{ClientSettings, SearchMaxima, SetLimit};
use pool::Ai;
use protocol::{MAX_LINES, MAX_TRACE_NODES, SearchParams, Task};
use serde::{Deserialize, Serialize};

use crate::{clock::RunningClocks, options::RequestedOptions};

/// The requested search.
#[derive(Clone, Copy, Debug)]
pub struct RequestedSearch<'a> {
    /// The limits. The default is the AI's limits or, if there are clocks, the time on the clock.
    pub limit: Option<Limits>,
    /// The players' clocks, which limit the time.
    pub clocks: Option<RunningClocks>,
    /// The legal moves to choose from; empty for all.
    pub root_moves: &'a [Move],
    /// The number of lines, at least 1.
    pub lines: u32,
    /// The maximum number of nodes in the trace; 0 for no trace.
    pub trace_nodes: u32,
    /// This search's share of the time for several searches.
    pub time_share: Option<Duration>,
    /// Whether the request analyses a position rather than plays a game.
    pub analysis: bool,
    /// Whether the AI searches even if its answer is known.
    pub fresh: bool,
}

impl RequestedSearch<'_> {
    /// A search for just the best move, within the AI's limits.
    pub const BEST_MOVE: Self = Self {
        limit: None,
        clocks: None,
        root_moves: &[],
        lines: 1,
        trace_nodes: 0,
        time_share: None,
        analysis: false,
        fresh: false,
    };

    /// Returns the search with these options. The option `level` replaces the default limit.
    #[must_use]
    pub fn with_options(self, ai: &Ai, options: &RequestedOptions) -> Self {
        let limit = ai.settings.default_limit_with(options.set());
        let is_other = self.clocks.is_none() && limit != ai.limit;
        Self {
            limit: self.limit.or(is_other.then_some(limit)),
            ..self
        }
    }

    /// Returns the limits that apply to an AI and a client.
    pub fn limits(&self, ai: &Ai, client: &ClientSettings) -> SearchLimits {
        let Capabilities {
            max_lines,
            max_trace_nodes,
            manages_time,
            ..
        } = ai.about.capabilities;
        let limits = match &self.clocks {
            None => SearchLimits::new(self.limit.unwrap_or(ai.limit), &client.max_search),
            Some(clocks) => {
                let limit = self.limit.unwrap_or(Limits::NONE);
                SearchLimits::with_clocks(limit, clocks, manages_time, &client.max_search)
            }
        };
        let limits = limits.held(ai.settings.limit, &client.max_search);
        SearchLimits {
            analysis: self.analysis,
            wants_trace: self.trace_nodes > 0,
            trace_nodes: self.trace_nodes.min(max_trace_nodes).min(MAX_TRACE_NODES),
            ..limits
                .until_stop(ai.thinking_time())
                .with_lines(self.lines, max_lines)
                .within(self.time_share)
        }
    }
}

/// Search limits in the units of the API. A search has at least one of `depth`, `nodes`,
/// `movetime_ms` and `mate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// The depth in plies.
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub movetime_ms: Option<u64>,
    /// The number of moves until mate.
    pub mate: Option<u32>,
    /// The number of lines, if the AI supports fewer than requested.
    pub lines: Option<u32>,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoppedBy {
    Depth,
    Nodes,
    Movetime,
    Mate,
    /// The player's clock.
    Clock,
    /// The AI itself.
    Ai,
}

/// The limits of one search, and whether they are tighter than the requested ones.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent")]
pub struct SearchLimits {
    requested: Limit,
    effective: Limit,
    /// The time within which an AI that manages its time must finish; at least
    /// `effective.movetime_ms`.
    hard_ms: Option<u64>,
    clocks: Option<Clocks>,
    /// Whether the clock allows less time than the limit.
    is_clock_limit: bool,
    wants_lines: bool,
    lines: u32,
    /// Whether a trace was requested, even if the AI supports none.
    pub(crate) wants_trace: bool,
    trace_nodes: u32,
    analysis: bool,
}

impl SearchLimits {
    pub fn new(requested: Limits, most: &SearchMaxima) -> Self {
        let hard_ms = least(requested.hard_ms, most.movetime_ms);
        let requested = Limit::of(&requested);
        let effective = Limit {
            depth: least(requested.depth, most.depth),
            nodes: least(requested.nodes, most.nodes),
            movetime_ms: least(requested.movetime_ms, most.movetime_ms),
            mate: requested.mate,
            lines: None,
        };
        Self {
            requested,
            effective,
            hard_ms,
            clocks: None,
            is_clock_limit: false,
            wants_lines: false,
            lines: 1,
            wants_trace: false,
            trace_nodes: 0,
            analysis: false,
        }
    }

    /// Adds the clocks' time limits.
    fn with_clocks(
        mut limit: Limits,
        running: &RunningClocks,
        manages_time: bool,
        most: &SearchMaxima,
    ) -> Self {
        let of_clock = running.limits(manages_time);
        let is_clock_limit = limit
            .soft_ms
            .is_none_or(|ms| of_clock.soft_ms.is_some_and(|share| share < ms));
        limit.soft_ms = least(limit.soft_ms, of_clock.soft_ms);
        limit.hard_ms = least(limit.hard_ms, of_clock.hard_ms);
        Self {
            clocks: Some(running.clocks),
            is_clock_limit,
            ..Self::new(limit, most)
        }
    }

    /// Replaces the requested limits with a binding limit.
    fn held(mut self, configured: Option<SetLimit>, most: &SearchMaxima) -> Self {
        if let Some(bound) = configured.filter(|limit| limit.binds) {
            let asked = Limits {
                hard_ms: self.hard_ms,
                ..self.effective.limits()
            };
            let held = Self::new(bound.hold(asked), most);
            (self.effective, self.hard_ms) = (held.effective, held.hard_ms);
        }
        self
    }

    /// Requests several lines: at most `most`, the number that the AI supports.
    #[must_use]
    pub fn with_lines(mut self, requested: u32, most: u32) -> Self {
        self.wants_lines = requested > 1;
        self.lines = requested.min(most.clamp(1, MAX_LINES));
        self.effective.lines = (self.lines < requested).then_some(self.lines);
        self
    }

    /// Lowers the time to the point at which the host stops the AI.
    #[must_use]
    fn until_stop(mut self, thinking_time: Duration) -> Self {
        let most_ms = thinking_time.as_millis() as u64;
        for ms in [&mut self.effective.movetime_ms, &mut self.hard_ms]
            .into_iter()
            .flatten()
        {
            *ms = most_ms.min(*ms);
        }
        self
    }

    /// Limits the time.
    fn within(mut self, at_most: Option<Duration>) -> Self {
        let most_ms = at_most.map(|time| (time.as_millis() as u64).max(1));
        self.effective.movetime_ms = least(self.effective.movetime_ms, most_ms);
        self.hard_ms = least(self.hard_ms, most_ms);
        self
    }

    /// Returns the number of trace nodes requested from the AI; 0 if it supports none.
    pub const fn trace_nodes(&self) -> u32 {
        self.trace_nodes
    }

    pub const fn effective(&self) -> Limit {
        self.effective
    }

    /// Returns the number of lines requested from the AI.
    pub const fn lines(&self) -> u32 {
        self.lines
    }

    /// Returns whether several lines were requested, even if the AI supports only one.
    pub const fn wants_lines(&self) -> bool {
        self.wants_lines
    }

    pub(crate) fn params(&self) -> SearchParams {
        let Self {
            lines,
            trace_nodes,
            clocks,
            analysis,
            ..
        } = *self;
        SearchParams {
            lines,
            trace_nodes,
            clocks,
            analysis,
            ..SearchParams::default()
        }
    }

    /// Returns the effective limits, if they differ from the requested ones.
    pub fn tightened(&self) -> Option<Limit> {
        (self.effective != self.requested).then_some(self.effective)
    }

    pub(crate) fn task(&self) -> Task {
        Task::Search(Limits {
            hard_ms: self.hard_ms,
            ..self.effective.limits()
        })
    }

    /// Returns whether the search has the same result on every machine. A search with a time limit
    /// may have ended early because of that limit.
    pub(crate) fn is_repeatable(
        mut self,
        result: &SearchResult,
        time: Duration,
        thinking_time: Duration,
    ) -> bool {
        match self.stopped_by(result, time, thinking_time) {
            StoppedBy::Depth | StoppedBy::Nodes | StoppedBy::Mate => true,
            StoppedBy::Ai => self.effective.movetime_ms.is_none(),
            StoppedBy::Movetime | StoppedBy::Clock => false,
        }
    }

    /// Returns what ended a search, judged by the limits, the clock and the AI's figures. The
    /// host's stop counts as a limit.
    pub(crate) fn stopped_by(
        &mut self,
        result: &SearchResult,
        time: Duration,
        thinking_time: Duration,
    ) -> StoppedBy {
        // An AI that watches its clock returns slightly early.
        let is_used_up = |allowed: Duration| {
            time >= allowed
                .mul_f64(0.95)
                .saturating_sub(Duration::from_millis(5))
        };
        let Limit {
            depth,
            nodes,
            movetime_ms,
            mate,
            ..
        } = self.effective;
        let found = result.score.plies_to_mate().map(|plies| plies.div_ceil(2));
        if mate.is_some_and(|moves| found.is_some_and(|found| found <= moves)) {
            StoppedBy::Mate
        } else if depth.is_some_and(|depth| result.depth >= depth) {
            StoppedBy::Depth
        } else if nodes.is_some_and(|nodes| result.nodes >= nodes) {
            StoppedBy::Nodes
        } else if is_used_up(thinking_time) {
            let most_ms = thinking_time.as_millis() as u64;
            self.effective.movetime_ms = least(movetime_ms, Some(most_ms));
            StoppedBy::Movetime
        } else if movetime_ms.is_some_and(|ms| is_used_up(Duration::from_millis(ms))) {
            if self.is_clock_limit {
                StoppedBy::Clock
            } else {
                StoppedBy::Movetime
            }
        } else {
            StoppedBy::Ai
        }
    }
}

impl Limit {
    pub fn of(limits: &Limits) -> Self {
        let &Limits {
            depth,
            nodes,
            mate_plies,
            soft_ms,
            ..
        } = limits;
        Self {
            depth,
            nodes,
            movetime_ms: soft_ms,
            mate: mate_plies.map(|plies| plies.div_ceil(2)),
            lines: None,
        }
    }

    /// Returns the limits in the units that AIs use.
    pub fn limits(&self) -> Limits {
        let Self {
            depth,
            nodes,
            movetime_ms,
            mate,
            ..
        } = *self;
        let mate_plies = mate.map(|moves| 2 * moves - 1);
        Limits {
            depth,
            nodes,
            mate_plies,
            soft_ms: movetime_ms,
            hard_ms: movetime_ms,
            ..Limits::NONE
        }
    }
}

/// Returns the smaller of the values that are set.
fn least<T: Ord>(requested: Option<T>, most: Option<T>) -> Option<T> {
    match (requested, most) {
        (Some(requested), Some(most)) => Some(requested.min(most)),
        (requested, most) => requested.or(most),
    }
}

#[cfg(test)]
mod tests {
    use ai_api::Color;

    use super::*;

    const NONE: SearchMaxima = SearchMaxima {
        depth: None,
        nodes: None,
        movetime_ms: None,
    };

    #[test]
    fn keeps_limits_within_the_maxima() {
        let most = SearchMaxima {
            depth: Some(5),
            ..NONE
        };
        let together = Limits {
            nodes: Some(9),
            mate_plies: Some(5),
            ..Limits::movetime_ms(7)
        };
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
        let all = SearchMaxima {
            depth: Some(5),
            nodes: Some(1000),
            movetime_ms: Some(50),
        };
        let limits = |depth, nodes, ms| Limits {
            depth,
            nodes,
            soft_ms: ms,
            hard_ms: ms,
            mate_plies: None,
            ..Limits::NONE
        };
        let plies = SearchMaxima {
            depth: Some(5),
            ..NONE
        };
        let time = SearchMaxima {
            movetime_ms: Some(50),
            ..NONE
        };
        for (asked, most, expected) in [
            (
                Limits::depth(6),
                &all,
                limits(Some(5), Some(1000), Some(50)),
            ),
            (
                Limits::nodes(9000),
                &all,
                limits(Some(5), Some(1000), Some(50)),
            ),
            (
                Limits::movetime_ms(20),
                &all,
                limits(Some(5), Some(1000), Some(20)),
            ),
            (
                Limits::movetime_ms(90),
                &plies,
                limits(Some(5), None, Some(90)),
            ),
            (Limits::nodes(7), &plies, limits(Some(5), Some(7), None)),
            (Limits::movetime_ms(90), &time, limits(None, None, Some(50))),
            (Limits::depth(9), &time, limits(Some(9), None, Some(50))),
        ] {
            assert_eq!(
                SearchLimits::new(asked, most).task(),
                Task::Search(expected),
                "{asked:?}"
            );
        }
        let shown = SearchLimits::new(Limits::depth(9), &time).tightened();
        assert_eq!(shown, Some(Limit::of(&limits(Some(9), None, Some(50)))));
    }

    #[test]
    fn clocks_limit_the_time_within_the_limit_and_the_maxima() {
        let clocks = Clocks {
            remaining_ms: [60_000, 3_050],
            increment_ms: [0, 1000],
            moves_to_go: 0,
            ..Clocks::default()
        };
        let search = |turn, limit, manages_time, most: &SearchMaxima| {
            SearchLimits::with_clocks(limit, &RunningClocks { clocks, turn }, manages_time, most)
        };
        let time = |soft, hard| Limits {
            soft_ms: Some(soft),
            hard_ms: Some(hard),
            ..Limits::NONE
        };
        let most = SearchMaxima {
            movetime_ms: Some(900),
            ..NONE
        };
        // A thirtieth of the time that is left after subtracting 50 ms for each of 30 moves.
        for (turn, limit, manages_time, most, expected) in [
            (Color::White, Limits::NONE, false, &NONE, time(1950, 1950)),
            (Color::White, Limits::NONE, true, &NONE, time(1950, 7800)),
            (Color::White, Limits::NONE, true, &most, time(900, 900)),
            (
                Color::White,
                Limits::movetime_ms(2000),
                true,
                &NONE,
                time(1950, 2000),
            ),
            (
                Color::White,
                Limits::depth(3),
                false,
                &NONE,
                Limits {
                    depth: Some(3),
                    ..time(1950, 1950)
                },
            ),
            (Color::Black, Limits::NONE, true, &NONE, time(776, 2250)),
        ] {
            let limits = search(turn, limit, manages_time, most);
            assert_eq!(limits.task(), Task::Search(expected), "{turn:?} {limit:?}");
            assert_eq!(limits.params().clocks, Some(clocks));
        }
        let stopped_by = |limit: Limits, ms| {
            let mut limits = search(Color::White, limit, true, &NONE);
            limits.stopped_by(
                &SearchResult::NONE,
                Duration::from_millis(ms),
                Duration::from_secs(10),
            )
        };
        assert_eq!(stopped_by(Limits::NONE, 2500), StoppedBy::Clock);
        assert_eq!(stopped_by(Limits::NONE, 500), StoppedBy::Ai);
        assert_eq!(
            stopped_by(Limits::movetime_ms(400), 500),
            StoppedBy::Movetime
        );
    }

    #[test]
    fn caps_lines_at_the_capability() {
        for (asked, most, lines, reported) in [
            (1, 1, 1, None),
            (3, 64, 3, None),
            (3, 2, 2, Some(2)),
            (2, 0, 1, Some(1)),
            (64, u32::MAX, 64, None),
        ] {
            let limits = SearchLimits::new(Limits::depth(5), &NONE).with_lines(asked, most);
            assert_eq!((limits.lines(), limits.params().lines), (lines, lines));
            assert_eq!(limits.tightened().and_then(|held| held.lines), reported);
        }
    }

    #[test]
    fn divides_the_time_among_searches() {
        let within = |limits, ms| {
            SearchLimits::new(limits, &NONE)
                .within(Some(Duration::from_millis(ms)))
                .task()
        };
        let both = Limits {
            depth: Some(5),
            ..Limits::movetime_ms(70)
        };
        assert_eq!(within(Limits::depth(5), 70), Task::Search(both));
        for (asked_ms, most_ms, held_ms) in [(90, 70, 70), (50, 70, 50), (50, 0, 1)] {
            let expected = Task::Search(Limits::movetime_ms(held_ms));
            assert_eq!(within(Limits::movetime_ms(asked_ms), most_ms), expected);
        }
    }

    #[test]
    fn the_hosts_stop_is_a_limit() {
        let stop = Duration::from_millis(9750);
        let long = SearchLimits::new(Limits::movetime_ms(60_000), &NONE).until_stop(stop);
        assert_eq!(long.task(), Task::Search(Limits::movetime_ms(9750)));
        assert_eq!(
            long.tightened().and_then(|held| held.movetime_ms),
            Some(9750)
        );
        for within in [Limits::movetime_ms(9750), Limits::depth(60)] {
            let mut limits = SearchLimits::new(within, &NONE).until_stop(stop);
            assert_eq!(
                (limits.task(), limits.tightened()),
                (Task::Search(within), None)
            );
            let by = limits.stopped_by(&SearchResult::NONE, stop, stop);
            assert_eq!(by, StoppedBy::Movetime);
            let shown = limits.tightened().and_then(|held| held.movetime_ms);
            assert_eq!(shown, within.depth.map(|_| 9750));
        }
    }

    #[test]
    fn reports_the_limit_that_ended_the_search() {
        let all = SearchMaxima {
            depth: Some(5),
            nodes: Some(1000),
            movetime_ms: Some(100),
        };
        let mut limits = SearchLimits::new(
            Limits {
                mate_plies: Some(3),
                ..Limits::depth(9)
            },
            &all,
        );
        let mut stopped_by = |depth, nodes, ms| {
            let mut answer = SearchResult::play(ai_api::Move::from_bits(12));
            (answer.depth, answer.nodes) = (depth, nodes);
            limits.stopped_by(&answer, Duration::from_millis(ms), Duration::from_secs(10))
        };
        assert_eq!(stopped_by(5, 10, 1), StoppedBy::Depth);
        assert_eq!(stopped_by(4, 1000, 1), StoppedBy::Nodes);
        assert_eq!(stopped_by(4, 10, 99), StoppedBy::Movetime);
        assert_eq!(stopped_by(4, 10, 1), StoppedBy::Ai);
        let mut mate = |plies| {
            let score = ai_api::Score::mate_in_plies(plies);
            let answer = SearchResult {
                score,
                depth: 3,
                ..SearchResult::NONE
            };
            limits.stopped_by(&answer, Duration::ZERO, Duration::from_secs(10))
        };
        assert_eq!([mate(3), mate(5)], [StoppedBy::Mate, StoppedBy::Ai]);
    }
}
