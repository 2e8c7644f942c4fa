//! How many requests each client may make, and how often. A client without a key is anybody who gives its name, so its
//! requests are counted for each address.

use std::{
    collections::{BTreeMap, HashMap},
    num::NonZeroU32,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use super::problem::Problem;
use crate::error::Malformed;
use config::{ClientSettings, Rate};
use game::Caller;
use governor::{
    DefaultDirectRateLimiter, NotUntil, Quota, RateLimiter,
    clock::{Clock, DefaultClock},
};
use pool::Requester;
use tokio::time::sleep;

/// A time of the limiters' clock.
type RateInstant = <DefaultClock as Clock>::Instant;

/// When a client that has too many requests open may come again: nobody knows when one of them will be done.
const BUSY_RETRY_AFTER: Duration = Duration::from_secs(1);
/// The most requesters that are counted for one client. Beyond it those that have been idle longest are forgotten.
const MAX_REQUESTERS: usize = 16_384;

/// What each client that has bounds has used of them. One for all threads of the server.
#[derive(Debug, Default)]
pub(super) struct Admissions(BTreeMap<String, Admission>);

/// The bounds of one client, and what its requesters have used of them.
#[derive(Debug)]
struct Admission {
    rate: Option<Rate>,
    max_concurrent: Option<usize>,
    usages: Arc<Mutex<HashMap<Requester, Usage>>>,
}

/// What one requester has used.
#[derive(Clone, Debug)]
struct Usage {
    limiter: Option<Arc<DefaultDirectRateLimiter>>,
    /// How many of its requests are open, whichever generation let them in.
    open: Arc<AtomicUsize>,
    last_request: Instant,
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

    /// Lets a request in.
    ///
    /// # Errors
    /// It has too many open, or comes too early; one that is refused counts for nothing.
    pub(super) fn admit(&self, caller: &Caller) -> Result<Place, Problem> {
        self.0.get(&caller.id).map_or(Ok(Place(None)), |admission| admission.admit(&caller.requester))
    }

    /// Lets so many further questions of a request in that is let in already. There are places for fewer, where the client
    /// has no more free: then they are to be asked with those, one after another.
    ///
    /// # Errors
    /// The client's rate does not allow so many now, or ever.
    pub(super) fn admit_further(&self, caller: &Caller, count: usize) -> Result<Vec<Place>, Problem> {
        let Some(admission) = self.0.get(&caller.id) else {
            return Ok(std::iter::repeat_with(|| Place(None)).take(count).collect());
        };
        let usage = admission.usage(&caller.requester);
        admission.charge(&usage, count)?;
        let places = std::iter::repeat_with(|| admission.place(&usage).ok());
        Ok(places.take(count).map_while(|place| place).collect())
    }

    /// Comes when the rate of a client lets it ask once more.
    pub(super) async fn turn(&self, caller: &Caller) {
        let usage = self.0.get(&caller.id).map(|admission| admission.usage(&caller.requester));
        let Some(limiter) = usage.and_then(|usage| usage.limiter) else { return };
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

impl Usage {
    fn new(rate: Option<Rate>, now: Instant) -> Self {
        let limiter = |rate: Rate| {
            let quota = Quota::with_period(rate.interval())?.allow_burst(rate.burst);
            Some(Arc::new(RateLimiter::direct(quota)))
        };
        Self { limiter: rate.and_then(limiter), open: Arc::default(), last_request: now }
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }
}

impl Admission {
    fn new(client: &ClientSettings, before: Option<&Self>) -> Self {
        let usages = match before {
            Some(before) if before.rate == client.rate => Arc::clone(&before.usages),
            Some(before) => {
                let anew = |(requester, usage): (&Requester, &Usage)| {
                    let open = Arc::clone(&usage.open);
                    (requester.clone(), Usage { open, ..Usage::new(client.rate, usage.last_request) })
                };
                Arc::new(Mutex::new(before.usages().iter().map(anew).collect()))
            }
            None => Arc::default(),
        };
        Self { rate: client.rate, max_concurrent: client.max_concurrent, usages }
    }

    fn admit(&self, requester: &Requester) -> Result<Place, Problem> {
        let usage = self.usage(requester);
        let place = self.place(&usage)?;
        if let (Some(rate), Some(limiter)) = (self.rate, &usage.limiter) {
            limiter.check().map_err(|early| too_early(rate, &early))?;
        }
        Ok(place)
    }

    /// What a requester has used, which is nothing at its first request.
    fn usage(&self, requester: &Requester) -> Usage {
        let (mut usages, now) = (self.usages(), Instant::now());
        if let Some(usage) = usages.get_mut(requester) {
            usage.last_request = now;
            return usage.clone();
        }
        if usages.len() >= MAX_REQUESTERS {
            forget_idle(&mut usages);
        }
        let usage = Usage::new(self.rate, now);
        usages.insert(requester.clone(), usage.clone());
        usage
    }

    fn usages(&self) -> MutexGuard<'_, HashMap<Requester, Usage>> {
        self.usages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts further questions of a request that has been counted once.
    fn charge(&self, usage: &Usage, count: usize) -> Result<(), Problem> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let (Some(rate), Some(limiter), Some(further)) = (self.rate, &usage.limiter, NonZeroU32::new(count))
        else {
            return Ok(());
        };
        // With the one that has been counted they must fit, or they never will.
        let most = rate.burst.get();
        let fits = Some(further).filter(|further| further.get() < most);
        if let Some(Ok(charged)) = fits.map(|further| limiter.check_n(further)) {
            return charged.map_err(|early| too_early(rate, &early));
        }
        let detail = format!(
            "'ais' names {} AIs, each of which counts as a request; this client's rate of {rate} lets it ask {most} at once",
            u64::from(count) + 1
        );
        Err(Malformed { pointer: "/ais".into(), detail }.into())
    }

    fn place(&self, usage: &Usage) -> Result<Place, Problem> {
        let most = self.max_concurrent.unwrap_or(usize::MAX);
        let one_more = |open: usize| (open < most).then_some(open + 1);
        if usage.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok() {
            return Ok(Place(Some(Arc::clone(&usage.open))));
        }
        let detail = format!(
            "this client has {most} requests open, which is all it may have at a time; try again when one is answered"
        );
        Err(Problem::rate_limited(detail, BUSY_RETRY_AFTER))
    }
}

/// Makes room for further requesters: removes the eighth that has been idle longest, so that this happens rarely. Requesters
/// with open requests stay; there are no more of them than connections.
fn forget_idle(usages: &mut HashMap<Requester, Usage>) {
    let mut times: Vec<_> =
        usages.values().filter(|usage| !usage.is_open()).map(|usage| usage.last_request).collect();
    if times.is_empty() {
        return;
    }
    let eighth = times.len() / 8;
    let (_, &mut newest_forgotten, _) = times.select_nth_unstable(eighth);
    usages.retain(|_, usage| usage.is_open() || usage.last_request > newest_forgotten);
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn client(rate: &str) -> ClientSettings {
        let rate = Some(rate.parse().unwrap());
        ClientSettings {
            rate,
            max_concurrent: Some(1),
            ..ClientSettings::unbounded("anybody".into(), "x".into())
        }
    }

    fn caller(settings: &ClientSettings, address: u32) -> Caller {
        let requester = Requester::Keyless(IpAddr::V4(Ipv4Addr::from_bits(address)));
        Caller { settings: settings.clone(), requester }
    }

    #[test]
    fn limits_each_address_separately() {
        let settings = client("1/h burst 2");
        let admissions = Admissions::default().continued([&settings].into_iter());
        for address in [1, 2] {
            let first = admissions.admit(&caller(&settings, address)).unwrap();
            assert!(admissions.admit(&caller(&settings, address)).is_err(), "one is open");
            drop(first);
            assert!(admissions.admit(&caller(&settings, address)).is_ok());
            assert!(admissions.admit(&caller(&settings, address)).is_err(), "the rate is used up");
        }
        // A reload with the same rate forgets none of it, and another rate begins anew.
        let continued = admissions.continued([&settings].into_iter());
        assert!(continued.admit(&caller(&settings, 1)).is_err());
        let settings = client("2/h burst 2");
        let continued = continued.continued([&settings].into_iter());
        assert!(continued.admit(&caller(&settings, 1)).is_ok());
    }

    #[test]
    fn evicts_the_longest_idle_addresses() {
        let settings = client("1/h");
        let admissions = Admissions::default().continued([&settings].into_iter());
        let open = admissions.admit(&caller(&settings, 0)).unwrap();
        let many = u32::try_from(MAX_REQUESTERS).unwrap() * 2;
        for address in 1..many {
            assert!(admissions.admit(&caller(&settings, address)).is_ok());
        }
        let counted = || admissions.0["anybody"].usages().len();
        assert!((MAX_REQUESTERS / 2..=MAX_REQUESTERS).contains(&counted()), "{}", counted());
        // The latest is still held to its rate, and the one with an open request to its number.
        assert!(admissions.admit(&caller(&settings, many - 1)).is_err());
        assert!(admissions.admit(&caller(&settings, 0)).is_err());
        drop(open);
    }
}
