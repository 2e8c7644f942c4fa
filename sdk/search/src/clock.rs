//! Node and time limits.

use std::time::{Duration, Instant};

use ai_api::{Host, Limits};

/// A limit has been reached or the host has requested a stop, so the search unwinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// Counts nodes, and checks the time and the host's stop flag.
#[derive(Debug)]
pub(crate) struct Clock {
    nodes: u64,
    max_nodes: u64,
    /// The time limit, and its deadline once it has started.
    time: Option<Duration>,
    deadline: Option<Instant>,
    /// The node count at which the time is read again.
    next_check: u64,
    stride: u64,
    last_check: Instant,
}

impl Clock {
    /// The maximum number of nodes between two readings of the time. A reading costs a fraction of
    /// a node.
    const LONGEST_STRIDE: u64 = 64;
    /// If more time than this passed between two readings, the evaluator is slow, and the time is
    /// read at every node.
    const SLOW: Duration = Duration::from_millis(1);

    /// Starts a clock. Its time limit starts once the host stops pondering.
    pub(crate) fn start(limits: &Limits) -> Self {
        let now = Instant::now();
        Self {
            nodes: 0,
            max_nodes: limits.nodes.unwrap_or(u64::MAX),
            time: limits.soft_ms.or(limits.hard_ms).map(Duration::from_millis),
            deadline: None,
            next_check: 0,
            stride: 1,
            last_check: now,
        }
    }

    /// Returns the number of nodes entered so far.
    pub(crate) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Counts a node, unless a limit is reached.
    #[inline]
    pub(crate) fn enter(&mut self, host: &Host<'_>) -> Result<(), Stopped> {
        if self.nodes >= self.max_nodes || host.should_stop() {
            return Err(Stopped);
        }
        if self.nodes >= self.next_check {
            self.check_time(host)?;
        }
        self.nodes += 1;
        Ok(())
    }

    #[cold]
    fn check_time(&mut self, host: &Host<'_>) -> Result<(), Stopped> {
        let Some(time) = self.time else {
            self.next_check = u64::MAX;
            return Ok(());
        };
        let now = Instant::now();
        if self.deadline.is_none() && !host.is_pondering() {
            let begin = if self.nodes == 0 {
                self.last_check
            } else {
                now
            };
            self.deadline = begin.checked_add(time);
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Stopped);
        }
        self.stride = if now - self.last_check > Self::SLOW {
            1
        } else {
            (self.stride * 2).min(Self::LONGEST_STRIDE)
        };
        self.last_check = now;
        self.next_check = self.nodes + self.stride;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use ai_api::{
        Bitboard, Color, Flag, Move, MoveList, Position, RulesVtable, SearchInfo, Square,
    };

    use super::*;

    extern "C" fn no_moves(_: &Position, _: &mut MoveList) {}
    extern "C" fn no(_: &Position) -> bool {
        false
    }
    extern "C" fn none(_: &Position, _: Color) -> u32 {
        0
    }
    extern "C" fn stay(position: &Position, _: Move, next: &mut Position) {
        *next = *position;
    }
    extern "C" fn no_pass(_: &Position, _: &mut Position) -> bool {
        false
    }
    extern "C" fn not(_: &Position, _: Move) -> bool {
        false
    }
    extern "C" fn no_attackers(_: &Position, _: Square, _: Color) -> Bitboard {
        Bitboard::EMPTY
    }

    static NO_RULES: RulesVtable = RulesVtable {
        size: size_of::<RulesVtable>(),
        legal_moves: no_moves,
        legal_captures: no_moves,
        has_legal_move: no,
        count_legal_moves: none,
        is_insufficient_material: no,
        play: stay,
        pass: no_pass,
        is_legal: not,
        attackers: no_attackers,
        gives_check: not,
    };

    fn entered(limits: Limits, stop: &Flag, most: u64) -> u64 {
        let host = Host::new(&NO_RULES, stop, &|_: &SearchInfo<'_>| {});
        let mut clock = Clock::start(&limits);
        while clock.nodes() < most && clock.enter(&host).is_ok() {}
        clock.nodes()
    }

    #[test]
    fn enters_as_many_nodes_as_allowed() {
        let stop = Flag::new(false);
        for nodes in [0, 1, 2, 63, 64, 65, 1_000] {
            assert_eq!(entered(Limits::nodes(nodes), &stop, u64::MAX), nodes);
        }
        assert_eq!(entered(Limits::depth(1), &stop, 10_000), 10_000);
    }

    #[test]
    fn enters_no_node_after_a_stop_or_the_deadline() {
        let stop = Flag::new(false);
        assert_eq!(entered(Limits::movetime_ms(0), &stop, 1_000), 0);
        assert_eq!(entered(Limits::movetime_ms(u64::MAX), &stop, 1_000), 1_000);
        stop.set(true);
        assert_eq!(entered(Limits::depth(1), &stop, 1_000), 0);
    }

    #[test]
    fn time_starts_when_pondering_ends() {
        let (stop, pondering) = (Flag::new(false), Flag::new(true));
        let host = Host::new(&NO_RULES, &stop, &|_: &SearchInfo<'_>| {}).with_pondering(&pondering);
        let mut clock = Clock::start(&Limits::movetime_ms(0));
        for _ in 0..1_000 {
            assert_eq!(clock.enter(&host), Ok(()));
        }
        pondering.set(false);
        let entered = (0..1_000)
            .take_while(|_| clock.enter(&host).is_ok())
            .count() as u64;
        assert!(entered <= Clock::LONGEST_STRIDE, "{entered}");
    }

    #[test]
    fn reads_the_time_at_every_node_of_a_slow_evaluator() {
        let stop = Flag::new(false);
        let host = Host::new(&NO_RULES, &stop, &|_: &SearchInfo<'_>| {});
        let mut clock = Clock::start(&Limits::movetime_ms(1_000_000));
        while clock.stride < Clock::LONGEST_STRIDE || clock.nodes < clock.next_check {
            assert_eq!(clock.enter(&host), Ok(()));
        }
        clock.last_check = Instant::now().checked_sub(2 * Clock::SLOW).unwrap();
        assert_eq!(clock.enter(&host), Ok(()));
        assert_eq!(clock.stride, 1);
    }
}
