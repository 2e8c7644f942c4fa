//! Bounds how often others can make this process log.

use std::time::{Duration, Instant};

/// How many lines may be logged at once; one more each second.
const BURST: u32 = 20;
const LINE_TIME: Duration = Duration::from_secs(1);

/// Admits lines about what one party sent, and counts those that it drops.
#[derive(Debug)]
pub struct LogLimit {
    lines: u32,
    since: Instant,
    dropped: u64,
}

impl Default for LogLimit {
    fn default() -> Self {
        Self { lines: BURST, since: Instant::now(), dropped: 0 }
    }
}

impl LogLimit {
    /// Returns how many lines were dropped before this one; `None` if this one is dropped too.
    pub fn admit(&mut self) -> Option<u64> {
        self.admit_at(Instant::now())
    }

    fn admit_at(&mut self, now: Instant) -> Option<u64> {
        while self.lines < BURST && now.saturating_duration_since(self.since) >= LINE_TIME {
            self.lines += 1;
            self.since += LINE_TIME;
        }
        if self.lines == 0 {
            self.dropped += 1;
            return None;
        }
        if self.lines == BURST {
            self.since = now;
        }
        self.lines -= 1;
        Some(std::mem::take(&mut self.dropped))
    }
}

/// Logs an event if a [`LogLimit`] admits it.
macro_rules! report {
    ($limit:expr, $level:ident, $($event:tt)*) => {
        if let Some(dropped) = $limit.admit() {
            let dropped_lines = (dropped > 0).then_some(dropped);
            tracing::$level!(dropped_lines, $($event)*);
        }
    };
}
pub(crate) use report;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admits_a_burst_and_then_a_line_each_second() {
        let start = Instant::now();
        let mut limit = LogLimit::default();
        let mut admitted = |ms| limit.admit_at(start + Duration::from_millis(ms));
        assert!((0..BURST).all(|_| admitted(10) == Some(0)));
        assert!((0..1000).all(|_| admitted(500).is_none()));
        assert_eq!(admitted(1010), Some(1000));
        assert_eq!(admitted(1020), None);
        assert_eq!(admitted(60_000), Some(1));
        assert!((1..BURST).all(|_| admitted(60_000) == Some(0)));
        assert_eq!(admitted(60_000), None);
    }
}
