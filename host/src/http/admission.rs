//! How many requests each client may make, and how often.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::problem::Problem;
use crate::config::{ClientSettings, Rate};
use governor::{
    DefaultDirectRateLimiter, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};

/// When a client that has too many requests open may come again: nobody knows when one of them will be done.
const BUSY_RETRY_AFTER: Duration = Duration::from_secs(1);

/// What each client that has bounds has used of them. One for all threads of the server.
#[derive(Debug, Default)]
pub(super) struct Admissions(BTreeMap<String, Admission>);

/// What one client has used.
#[derive(Debug)]
struct Admission {
    rate: Option<(Rate, Arc<DefaultDirectRateLimiter>)>,
    max_concurrent: Option<usize>,
    /// How many of its requests are open, whichever generation let them in.
    open: Arc<AtomicUsize>,
}

/// The place of a request that was let in; free again when it is dropped.
#[derive(Debug)]
pub(super) struct Place(Option<Arc<AtomicUsize>>);

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(open) = &self.0 {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Admissions {
    /// The bounds of these clients, with what those of them that were here before have used.
    pub(super) fn continued<'a>(&self, clients: impl Iterator<Item = &'a ClientSettings>) -> Self {
        let bounded = clients.filter(|client| client.rate.is_some() || client.max_concurrent.is_some());
        let admission = |client| Admission::new(client, self.0.get(&client.id));
        Self(bounded.map(|client| (client.id.clone(), admission(client))).collect())
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
    fn new(client: &ClientSettings, before: Option<&Self>) -> Self {
        let limiter = |rate: Rate| {
            let same = before.and_then(|before| before.rate.as_ref()).filter(|(before, _)| *before == rate);
            if let Some((_, used)) = same {
                return Some((rate, Arc::clone(used)));
            }
            let quota = Quota::with_period(rate.interval())?.allow_burst(rate.burst);
            Some((rate, Arc::new(RateLimiter::direct(quota))))
        };
        let open = before.map(|before| Arc::clone(&before.open));
        Self {
            rate: client.rate.and_then(limiter),
            max_concurrent: client.max_concurrent,
            open: open.unwrap_or_default(),
        }
    }

    fn admit(&self) -> Result<Place, Problem> {
        let place = self.place()?;
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

    fn place(&self) -> Result<Place, Problem> {
        let most = self.max_concurrent.unwrap_or(usize::MAX);
        let one_more = |open: usize| (open < most).then_some(open + 1);
        if self.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok() {
            return Ok(Place(Some(Arc::clone(&self.open))));
        }
        let detail = format!(
            "this client has {most} requests open, which is all it may have at a time; try again when one is answered"
        );
        Err(Problem::rate_limited(detail, BUSY_RETRY_AFTER))
    }
}
