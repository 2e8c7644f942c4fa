//! The rate of one client, and the headers that report it.

use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock},
    middleware::StateInformationMiddleware,
    state::{InMemoryState, NotKeyed},
};
use tokio::time::sleep;

use config::Rate;

/// The headers of the IETF draft "`RateLimit` header fields for HTTP".
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The rate of one identity of a client.
#[derive(Debug)]
pub(crate) struct ClientRate {
    rate: Rate,
    limiter: RateLimiter<NotKeyed, InMemoryState, DefaultClock, StateInformationMiddleware>,
    /// The number of requests left after the last counted request.
    remaining: AtomicU32,
    policy: HeaderValue,
}

impl ClientRate {
    pub(crate) fn new(rate: Rate) -> Option<Self> {
        let quota = Quota::with_period(rate.interval())?.allow_burst(rate.burst);
        let limiter = RateLimiter::direct(quota).with_middleware();
        let burst = rate.burst.get();
        let policy = format!("\"requests\";q={burst};w={}", seconds(rate, burst));
        let policy = HeaderValue::try_from(policy).ok()?;
        Some(Self {
            rate,
            limiter,
            remaining: AtomicU32::new(burst),
            policy,
        })
    }

    /// Counts requests.
    ///
    /// # Errors
    /// The time until the rate allows this many requests, or `None` if it never does. No request is
    /// counted.
    pub(crate) fn count(&self, requests: NonZeroU32) -> Result<(), Option<Duration>> {
        match self.limiter.check_n(requests).map_err(|_| None)? {
            Ok(left) => {
                self.remaining
                    .store(left.remaining_burst_capacity(), Ordering::Relaxed);
                Ok(())
            }
            Err(early) => {
                // The rate can reject several requests but still allow one.
                if requests == NonZeroU32::MIN {
                    self.remaining.store(0, Ordering::Relaxed);
                }
                Err(Some(early.wait_time_from(DefaultClock::default().now())))
            }
        }
    }

    /// Waits until the rate allows another request, and counts it. If the future is dropped,
    /// nothing is counted.
    ///
    /// # Errors
    /// The time to wait, if the total would be longer than `at_most`.
    pub(crate) async fn wait(&self, at_most: Duration) -> Result<(), Duration> {
        let began = Instant::now();
        while let Err(wait) = self.count(NonZeroU32::MIN) {
            let wait = wait.unwrap_or_default();
            if began.elapsed() + wait > at_most {
                return Err(wait);
            }
            sleep(wait).await;
        }
        Ok(())
    }

    /// Adds the rate limit headers to a reply.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        let remaining = self.remaining.load(Ordering::Relaxed);
        let used = self.rate.burst.get().saturating_sub(remaining);
        let left = format!("\"requests\";r={remaining};t={}", seconds(self.rate, used));
        headers.insert(RATE_LIMIT_POLICY, self.policy.clone());
        if let Ok(left) = HeaderValue::try_from(left) {
            headers.insert(RATE_LIMIT, left);
        }
    }
}

/// Returns the number of seconds after which a rate allows this many requests, rounded up.
fn seconds(rate: Rate, requests: u32) -> u64 {
    let time = rate.interval() * requests;
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
