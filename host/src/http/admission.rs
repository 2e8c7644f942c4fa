//! How many requests each client may make, and how often.

use std::{
    collections::BTreeMap,
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::problem::Problem;
use crate::{
    arbiter::Malformed,
    config::{ClientSettings, Rate},
};
use governor::{
    DefaultDirectRateLimiter, NotUntil, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use tokio::time::sleep;

/// A time of the limiters' clock.
type RateInstant = <DefaultClock as Clock>::Instant;

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

impl Admissions {
    /// Lets so many further questions of a request in that is let in already. There are places for fewer, where the client
    /// has no more free: then they are to be asked with those, one after another.
    ///
    /// # Errors
    /// The client's rate does not allow so many now, or ever.
    pub(super) fn admit_further(&self, client: &str, count: usize) -> Result<Vec<Place>, Problem> {
        let Some(admission) = self.0.get(client) else {
            return Ok(std::iter::repeat_with(|| Place(None)).take(count).collect());
        };
        admission.charge(count)?;
        Ok(std::iter::repeat_with(|| admission.place().ok()).take(count).map_while(|place| place).collect())
    }

    /// Comes when the rate of a client lets it ask once more.
    pub(super) async fn turn(&self, client: &str) {
        let limiter = self.0.get(client).and_then(|admission| admission.rate.as_ref());
        let Some((_, limiter)) = limiter else { return };
        while let Err(early) = limiter.check() {
            sleep(early.wait_time_from(DefaultClock::default().now())).await;
        }
    }
}

fn too_early(rate: Rate, early: &NotUntil<RateInstant>) -> Problem {
    let wait = early.wait_time_from(DefaultClock::default().now());
    let detail = format!(
        "this client may ask at a rate of {rate} and has used it up; try again in {:.3} s",
        wait.as_secs_f64()
    );
    Problem::rate_limited(detail, wait)
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
        limiter.check().map_err(|early| too_early(*rate, &early))?;
        Ok(place)
    }

    /// Counts further questions of a request that has been counted once.
    fn charge(&self, count: usize) -> Result<(), Problem> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let (Some((rate, limiter)), Some(further)) = (&self.rate, NonZeroU32::new(count)) else {
            return Ok(());
        };
        // With the one that has been counted they must fit, or they never will.
        let most = rate.burst.get();
        let fits = Some(further).filter(|further| further.get() < most);
        if let Some(Ok(charged)) = fits.map(|further| limiter.check_n(further)) {
            return charged.map_err(|early| too_early(*rate, &early));
        }
        let detail = format!(
            "'ais' names {} AIs, each of which counts as a request; this client's rate of {rate} lets it ask {most} at once",
            u64::from(count) + 1
        );
        Err(Malformed { pointer: "/ais".into(), detail }.into())
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
