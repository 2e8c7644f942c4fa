//! When to stop.

use std::time::{Duration, Instant};

use ai_api::{Host, Limits};

/// The limit is reached, or the host wants an answer.
pub(crate) struct Stopped;

/// Counts positions, watches the time and listens to the host.
pub(crate) struct Clock {
    /// The positions looked at so far.
    pub(crate) nodes: u64,
    most: u64,
    time: Option<Duration>,
    /// Known once the host no longer ponders.
    deadline: Option<Instant>,
}

impl Clock {
    /// The time is read once in so many positions.
    const STRIDE: u64 = 64;

    pub(crate) fn start(limits: &Limits) -> Self {
        let most = limits.nodes.unwrap_or(u64::MAX);
        let time = limits.soft_ms.or(limits.hard_ms).map(Duration::from_millis);
        Self { nodes: 0, most, time, deadline: None }
    }

    /// Counts one more position, if it may still be looked at.
    pub(crate) fn enter(&mut self, host: &Host<'_>) -> Result<(), Stopped> {
        if self.nodes >= self.most || host.should_stop() || self.is_late(host) {
            return Err(Stopped);
        }
        self.nodes += 1;
        Ok(())
    }

    fn is_late(&mut self, host: &Host<'_>) -> bool {
        let Some(time) = self.time.filter(|_| self.nodes.is_multiple_of(Self::STRIDE)) else { return false };
        let now = Instant::now();
        if self.deadline.is_none() && !host.is_pondering() {
            self.deadline = now.checked_add(time);
        }
        self.deadline.is_some_and(|deadline| now >= deadline)
    }
}
