//! Limits how often others can make this process log.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock},
    middleware::NoOpMiddleware,
    state::{InMemoryState, NotKeyed},
};

/// The burst of short lines, as a multiple of the lines allowed per second.
const BURST: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// The bytes of a line that count as one unit; a longer line counts as several units.
const UNIT_BYTES: usize = 256;

/// Admits the lines that one party causes, and counts the dropped lines.
#[derive(Debug)]
pub struct LogLimit<C: Clock = DefaultClock> {
    limiter: RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<C::Instant>>,
    dropped: u64,
}

impl Default for LogLimit {
    /// Allows a burst of 20 short lines, then one per second.
    fn default() -> Self {
        Self::with_clock(NonZeroU32::MIN, DefaultClock::default())
    }
}

impl LogLimit {
    /// Allows an AI twenty times the default: a burst of 400 short lines or 100 KiB, then 20 lines
    /// or 5 KiB per second.
    pub(crate) fn of_ai() -> Self {
        Self::with_clock(BURST, DefaultClock::default())
    }
}

impl<C: Clock> LogLimit<C> {
    fn with_clock(per_second: NonZeroU32, clock: C) -> Self {
        let quota = Quota::per_second(per_second).allow_burst(BURST.saturating_mul(per_second));
        Self {
            limiter: RateLimiter::direct_with_clock(quota, clock),
            dropped: 0,
        }
    }

    /// Returns how many lines were dropped before this line of `bytes` bytes; `None` if this one is
    /// dropped.
    pub fn admit(&mut self, bytes: usize) -> Option<u64> {
        let units =
            NonZeroU32::MIN.saturating_add(u32::try_from(bytes / UNIT_BYTES).unwrap_or(u32::MAX));
        if matches!(self.limiter.check_n(units), Ok(Ok(()))) {
            return Some(std::mem::take(&mut self.dropped));
        }
        self.dropped += 1;
        None
    }
}

/// The log limit of each AI on a server. It survives the AI's workers and reloads.
#[derive(Clone, Debug, Default)]
pub(crate) struct AiLogs(Arc<Mutex<HashMap<String, Arc<Mutex<LogLimit>>>>>);

impl AiLogs {
    pub(crate) fn of(&self, ai: &str) -> Arc<Mutex<LogLimit>> {
        let mut limits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            limits
                .entry(ai.to_owned())
                .or_insert_with(|| Arc::new(Mutex::new(LogLimit::of_ai()))),
        )
    }
}

/// Logs an event if a [`LogLimit`] admits it.
#[macro_export]
macro_rules! report {
    ($limit:expr, $level:ident, $($event:tt)*) => {
        if let Some(dropped) = $limit.admit(0) {
            let dropped_lines = (dropped > 0).then_some(dropped);
            tracing::$level!(dropped_lines, $($event)*);
        }
    };
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use governor::clock::FakeRelativeClock;

    use super::*;

    #[test]
    fn admits_a_burst_and_then_one_line_per_second() {
        let clock = FakeRelativeClock::default();
        let mut limit = LogLimit::with_clock(NonZeroU32::MIN, clock.clone());
        assert!((0..BURST.get()).all(|_| limit.admit(0) == Some(0)));
        assert!((0..1000).all(|_| limit.admit(0).is_none()));
        clock.advance(Duration::from_secs(1));
        assert_eq!(limit.admit(0), Some(1000));
        assert_eq!(limit.admit(0), None);
        clock.advance(Duration::from_mins(1));
        assert_eq!(limit.admit(0), Some(1));
        assert!((1..BURST.get()).all(|_| limit.admit(0) == Some(0)));
        assert_eq!(limit.admit(0), None);
    }

    #[test]
    fn a_long_line_counts_as_several_lines() {
        let mut limit = LogLimit::with_clock(NonZeroU32::MIN, FakeRelativeClock::default());
        let long = 4 * UNIT_BYTES;
        assert!((0..BURST.get() / 5).all(|_| limit.admit(long) == Some(0)));
        assert_eq!(limit.admit(0), None);
        assert_eq!(LogLimit::of_ai().admit(usize::MAX), None);
    }

    #[test]
    fn workers_of_an_ai_share_its_limit() {
        let logs = AiLogs::default();
        while logs.of("noisy").lock().unwrap().admit(0).is_some() {}
        assert_eq!(logs.of("quiet").lock().unwrap().admit(0), Some(0));
        assert!(logs.of("noisy").lock().unwrap().admit(usize::MAX).is_none());
    }
}
