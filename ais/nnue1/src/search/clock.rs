//! Node and time limits.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use ai_api::{Clocks, Flag, Host, Position, SearchRequest};

/// A limit has been reached or a stop was requested, so the search unwinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// What a search's threads know about each other.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Whether the first thread has its result.
    pub(super) is_finished: AtomicBool,
    /// The number of nodes that the other threads have entered. Each adds its count at intervals.
    pub(super) nodes: AtomicU64,
}

/// Returns the factor for the soft limit. The host always assumes 30 more moves, so later moves get
/// more time. On a low clock they get less, to keep a few increments for delays. The factors come
/// from games (docs/lab/nnue1.md). If the number of moves to the next time control is known, the
/// soft limit stays unchanged.
fn pace(clocks: &Clocks, position: &Position) -> f64 {
    if clocks.moves_to_go > 0 {
        return 1.0;
    }
    let turn = position.turn().index();
    let [remaining, increment] = [clocks.remaining_ms[turn], clocks.increment_ms[turn]]
        .map(|ms| Duration::from_millis(ms).as_secs_f64());
    let low_clock = if increment > 0.0 {
        1.6 + remaining / (12.0 * increment)
    } else {
        f64::INFINITY
    };
    (1.2 + 0.03 * f64::from(position.fullmove_number()))
        .min(3.0)
        .min(low_clock)
}

/// Counts the nodes of a thread, and checks the time and the flags.
#[derive(Debug)]
pub(super) struct Clock<'a> {
    stop: &'a Flag,
    pondering: &'a Flag,
    shared: &'a Shared,
    is_helper: bool,
    nodes: u64,
    added_nodes: u64,
    max_nodes: u64,
    hard: Option<Duration>,
    soft: Option<Duration>,
    /// When the time began: at the start, or after the opponent's move.
    begin: Option<Instant>,
    next_check: u64,
}

impl<'a> Clock<'a> {
    const STRIDE: u64 = 256;

    /// Starts a thread's clock, with its share of the node limit. The first thread checks the time
    /// limit. The others stop when it does.
    pub(super) fn start(
        request: &SearchRequest<'_>,
        host: &Host<'a>,
        shared: &'a Shared,
        thread: u32,
        threads: u32,
    ) -> Self {
        let limits = &request.limits;
        let is_helper = thread > 0;
        let hard = limits.hard_ms.or(limits.soft_ms).filter(|_| !is_helper);
        let clocks = request.clocks.filter(|_| !is_helper);
        let soft = limits.soft_ms.zip(clocks).map(|(ms, clocks)| {
            Duration::from_millis(ms).mul_f64(pace(&clocks, &request.position))
        });
        let max_nodes = limits.nodes.map_or(u64::MAX, |nodes| {
            let part = nodes / u64::from(threads);
            if is_helper {
                part
            } else {
                nodes - part * u64::from(threads - 1)
            }
        });
        Self {
            stop: host.stop_flag(),
            pondering: host.pondering_flag(),
            shared,
            is_helper,
            nodes: 0,
            added_nodes: 0,
            max_nodes,
            hard: hard.map(Duration::from_millis),
            soft,
            begin: (!host.is_pondering()).then(Instant::now),
            next_check: 0,
        }
    }

    /// Returns the number of nodes that this thread has entered so far.
    pub(super) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns the number of nodes that all threads have entered so far.
    pub(super) fn all_nodes(&self) -> u64 {
        self.nodes + self.shared.nodes.load(Ordering::Relaxed)
    }

    /// Adds the nodes of a helper to the total.
    pub(super) fn add_nodes(&mut self) {
        self.shared
            .nodes
            .fetch_add(self.nodes - self.added_nodes, Ordering::Relaxed);
        self.added_nodes = self.nodes;
    }

    /// Counts a node, unless a limit is reached.
    #[inline]
    pub(super) fn enter(&mut self) -> Result<(), Stopped> {
        if self.nodes >= self.max_nodes || self.stop.get() {
            return Err(Stopped);
        }
        if self.nodes >= self.next_check {
            self.check()?;
        }
        self.nodes += 1;
        Ok(())
    }

    /// Checks the time at the next node, because the previous work may have read a file.
    #[inline]
    pub(super) const fn check_soon(&mut self) {
        self.next_check = self.nodes;
    }

    #[cold]
    fn check(&mut self) -> Result<(), Stopped> {
        self.next_check = self.nodes + Self::STRIDE;
        if self.is_helper {
            self.add_nodes();
            return if self.shared.is_finished.load(Ordering::Relaxed) {
                Err(Stopped)
            } else {
                Ok(())
            };
        }
        match (self.elapsed(), self.hard) {
            (Some(elapsed), Some(hard)) if elapsed >= hard => Err(Stopped),
            _ => Ok(()),
        }
    }

    /// Returns how long the search has run, or `None` while the opponent is still thinking.
    fn elapsed(&mut self) -> Option<Duration> {
        if self.begin.is_none() && !self.pondering.get() {
            self.begin = Some(Instant::now());
        }
        self.begin.map(|begin| begin.elapsed())
    }

    /// Returns whether the soft limit, times `share`, leaves time for another iteration.
    pub(super) fn has_time_for_iteration(&mut self, share: f64) -> bool {
        match (self.elapsed(), self.soft) {
            (Some(elapsed), Some(soft)) => elapsed < soft.mul_f64(share),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace_of(
        remaining_ms: u64,
        increment_ms: u64,
        moves_to_go: u32,
        fullmove_number: u16,
    ) -> String {
        let clocks = Clocks {
            remaining_ms: [remaining_ms, 0],
            increment_ms: [increment_ms, 0],
            moves_to_go,
            ..Clocks::default()
        };
        let fen = format!("4k3/8/8/8/8/8/8/4K2R w - - 0 {fullmove_number}");
        format!("{:.2}", pace(&clocks, &rules::parse_fen(&fen).unwrap()))
    }

    #[test]
    fn later_moves_get_more_of_the_clock() {
        assert_eq!(
            [1, 20, 40, 60, 200].map(|number| pace_of(60_000, 0, 0, number)),
            ["1.23", "1.80", "2.40", "3.00", "3.00"]
        );
    }

    #[test]
    fn a_low_clock_gets_less_time() {
        assert_eq!(
            [10_000, 500, 0].map(|ms| pace_of(ms, 100, 0, 200)),
            ["3.00", "2.02", "1.60"]
        );
    }

    #[test]
    fn a_time_control_does_not_change_the_soft_limit() {
        assert_eq!(
            [1, 39, 200].map(|number| pace_of(60_000, 0, 40, number)),
            ["1.00"; 3]
        );
    }
}
