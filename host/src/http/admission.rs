//! How many requests each client may make, and how often.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use governor::{
    DefaultDirectRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;
use crate::config::{ClientSettings, Rate};

/// When a client that has too many requests open may come again: nobody knows when one of them will be done.
const BUSY_RETRY_AFTER: Duration = Duration::from_secs(1);

/// What each client that has bounds has used of them. One for all threads of the server.
#[derive(Debug)]
pub(super) struct Admissions(BTreeMap<String, Admission>);

/// What one client has used.
#[derive(Debug)]
struct Admission {
    rate: Option<(Rate, DefaultDirectRateLimiter)>,
    open: Option<(usize, Arc<Semaphore>)>,
}

/// The place of a request that was let in; free again when it is dropped.
#[derive(Debug)]
pub(super) struct Place(#[expect(dead_code, reason = "held, not read")] Option<OwnedSemaphorePermit>);

impl Admissions {
    /// Nothing used yet.
    pub(super) fn new<'a>(clients: impl Iterator<Item = &'a ClientSettings>) -> Self {
        let bounded = clients.filter(|client| client.rate.is_some() || client.max_concurrent.is_some());
        Self(bounded.map(|client| (client.id.clone(), Admission::new(client))).collect())
    }

    /// Lets a request of a client in.
    ///
    /// # Errors
    /// It has too many open, or comes too early; one that is refused counts for nothing.
    pub(super) fn admit(&self, client: &str) -> Result<Place, Problem> {
        self.0.get(client).map_or(Ok(Place(None)), Admission::admit)
    }
}

impl Admission {
    fn new(client: &ClientSettings) -> Self {
        let limiter = |rate: Rate| {
            let quota = Quota::with_period(rate.interval())?.allow_burst(rate.burst);
            Some((rate, RateLimiter::direct(quota)))
        };
        let open = client.max_concurrent.map(|most| (most, Arc::new(Semaphore::new(most))));
        Self { rate: client.rate.and_then(limiter), open }
    }

    fn admit(&self) -> Result<Place, Problem> {
        let place = self.open.as_ref().map(|(most, open)| {
            let place = Arc::clone(open).try_acquire_owned();
            place.map_err(|_| {
                let detail = format!(
                    "this client has {most} requests open, which is all it may have at a time; try again when one is answered"
                );
                Problem::rate_limited(detail, BUSY_RETRY_AFTER)
            })
        });
        let place = Place(place.transpose()?);
        let Some((rate, limiter)) = &self.rate else { return Ok(place) };
        limiter.check().map_err(|early| {
            let wait = early.wait_time_from(DefaultClock::default().now());
            let detail = format!(
                "this client may ask at a rate of {rate} and has used it up; try again in {:.3} s",
                wait.as_secs_f64()
            );
            Problem::rate_limited(detail, wait)
        })?;
        Ok(place)
    }
}
