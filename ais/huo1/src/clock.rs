//! Node and time limits.

use std::time::{Duration, Instant};

use ai_api::{Host, Limits};

/// A limit has been reached, or the host has requested a stop.
pub(crate) struct Stopped;

/// Counts nodes, and checks the time and the host's stop flag.
pub(crate) struct Clock {
    pub(crate) nodes: u64,
    max_nodes: u64,
    time: Option<Duration>,
    /// Set once pondering has ended.
    deadline: Option<Instant>,
}

impl Clock {
    /// The number of nodes between two readings of the time.
    const STRIDE: u64 = 64;

    pub(crate) fn start(limits: &Limits) -> Self {
        let max_nodes = limits.nodes.unwrap_or(u64::MAX);
        let time = limits.soft_ms.or(limits.hard_ms).map(Duration::from_millis);
        Self {
            nodes: 0,
            max_nodes,
            time,
            deadline: None,
        }
    }

    /// Counts a node, unless a limit is reached.
    pub(crate) fn enter(&mut self, host: &Host<'_>) -> Result<(), Stopped> {
        if self.nodes >= self.max_nodes || host.should_stop() || self.is_late(host) {
            return Err(Stopped);
        }
        self.nodes += 1;
        Ok(())
    }

    fn is_late(&mut self, host: &Host<'_>) -> bool {
        let Some(time) = self
            .time
            .filter(|_| self.nodes.is_multiple_of(Self::STRIDE))
        else {
            return false;
        };
        let now = Instant::now();
        if self.deadline.is_none() && !host.is_pondering() {
            self.deadline = now.checked_add(time);
        }
        self.deadline.is_some_and(|deadline| now >= deadline)
    }
}
