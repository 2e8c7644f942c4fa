//! Bounds how often others can make this process log.

use std::num::NonZeroU32;

use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock},
    middleware::NoOpMiddleware,
    state::{InMemoryState, NotKeyed},
};

/// How many lines may be logged at once; one more each second.
const BURST: NonZeroU32 = NonZeroU32::new(20).unwrap();

/// Admits lines about what one party sent, and counts those that it drops.
#[derive(Debug)]
pub struct LogLimit<C: Clock = DefaultClock> {
    limiter: RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<C::Instant>>,
    dropped: u64,
}

impl Default for LogLimit {
    fn default() -> Self {
        Self::with_clock(DefaultClock::default())
    }
}

impl<C: Clock> LogLimit<C> {
    fn with_clock(clock: C) -> Self {
        let quota = Quota::per_second(NonZeroU32::MIN).allow_burst(BURST);
        Self { limiter: RateLimiter::direct_with_clock(quota, clock), dropped: 0 }
    }

    /// Returns how many lines were dropped before this one; `None` if this one is dropped too.
    pub fn admit(&mut self) -> Option<u64> {
        if self.limiter.check().is_ok() {
            return Some(std::mem::take(&mut self.dropped));
        }
        self.dropped += 1;
        None
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
    use std::time::Duration;

    use governor::clock::FakeRelativeClock;

    use super::*;

    #[test]
    fn admits_a_burst_and_then_a_line_each_second() {
        let clock = FakeRelativeClock::default();
        let mut limit = LogLimit::with_clock(clock.clone());
        assert!((0..BURST.get()).all(|_| limit.admit() == Some(0)));
        assert!((0..1000).all(|_| limit.admit().is_none()));
        clock.advance(Duration::from_secs(1));
        assert_eq!(limit.admit(), Some(1000));
        assert_eq!(limit.admit(), None);
        clock.advance(Duration::from_mins(1));
        assert_eq!(limit.admit(), Some(1));
        assert!((1..BURST.get()).all(|_| limit.admit() == Some(0)));
        assert_eq!(limit.admit(), None);
    }
}
