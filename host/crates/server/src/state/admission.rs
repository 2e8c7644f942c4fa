//! Admission control: the rate and the concurrent requests of each client. A client without a key
//! is counted per address, because any sender may use its id.

use std::{
    collections::{BTreeMap, HashMap},
    num::NonZeroU32,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crate::state::client_rate::ClientRate;
use api::{error::Malformed, problem::Problem};
use config::{ClientSettings, Rate};
use game::Client;
use pool::ClientIdentity;

/// The `Retry-After` for a client with too many concurrent requests. The actual time is unknown.
const BUSY_RETRY_AFTER: Duration = Duration::from_secs(1);
/// The maximum number of identities counted per client. Beyond this number, the identities that
/// have been idle longest are evicted.
const MAX_REQUESTERS: usize = 16_384;

/// The usage of each client with limits. Shared by all threads.
#[derive(Debug, Default)]
pub(crate) struct Admissions(BTreeMap<String, Admission>);

/// The limits of one client and the usage of its identities.
#[derive(Debug)]
struct Admission {
    rate: Option<Rate>,
    max_concurrent: Option<usize>,
    /// Shared with the next generation if the rate is unchanged. The lock is not held while a
    /// request is processed.
    usages: Arc<Mutex<HashMap<ClientIdentity, ClientLoad>>>,
}

/// The usage of one identity.
#[derive(Clone, Debug)]
struct ClientLoad {
    rate: Option<Arc<ClientRate>>,
    /// The number of its open requests, across all generations.
    open: Arc<AtomicUsize>,
    last_request: Instant,
}

/// The slot of an admitted request. Dropping it releases the slot.
#[derive(Debug)]
pub(crate) struct RequestSlot(Option<Arc<AtomicUsize>>);

impl Drop for RequestSlot {
    fn drop(&mut self) {
        if let Some(open) = &self.0 {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Admissions {
    /// Returns the limits of these clients. The usage of known clients carries over.
    pub(crate) fn continued<'a>(&self, clients: impl Iterator<Item = &'a ClientSettings>) -> Self {
        let bounded =
            clients.filter(|client| client.rate.is_some() || client.max_concurrent.is_some());
        let admission = |client| Admission::new(client, self.0.get(&client.id));
        Self(
            bounded
                .map(|client| (client.id.clone(), admission(client)))
                .collect(),
        )
    }

    /// Admits a request.
    ///
    /// # Errors
    /// The client has too many open requests, or exceeds its rate. A rejected request is not
    /// counted.
    pub(crate) fn admit(&self, client: &Client) -> Result<RequestSlot, Problem> {
        self.0
            .get(&client.id)
            .map_or(Ok(RequestSlot(None)), |admission| {
                admission.admit(&client.identity)
            })
    }

    /// Admits `count` additional searches for an already admitted request. Returns fewer slots if
    /// the client has fewer free slots; the searches must share them.
    ///
    /// # Errors
    /// The client's rate does not allow that many searches now, or ever.
    pub(crate) fn admit_additional(
        &self,
        client: &Client,
        count: usize,
    ) -> Result<Vec<RequestSlot>, Problem> {
        let Some(admission) = self.0.get(&client.id) else {
            return Ok(std::iter::repeat_with(|| RequestSlot(None))
                .take(count)
                .collect());
        };
        let usage = admission.usage(&client.identity);
        admission.charge(&usage, count)?;
        let slots = std::iter::repeat_with(|| admission.acquire(&usage).ok());
        Ok(slots.take(count).map_while(|slot| slot).collect())
    }

    /// Waits until the rate of a client allows another request, and counts it. If the future is
    /// dropped, nothing is counted.
    ///
    /// # Errors
    /// The wait would be longer than `at_most`.
    pub(crate) async fn wait_for_rate(
        &self,
        client: &Client,
        at_most: Duration,
    ) -> Result<(), Problem> {
        let (Some(rate), Some(counted)) = (client.rate, self.rate(client)) else {
            return Ok(());
        };
        counted
            .wait(at_most)
            .await
            .map_err(|wait| rate_exceeded(rate, wait))
    }

    /// Returns the rate of a client, if it has one.
    pub(crate) fn rate(&self, client: &Client) -> Option<Arc<ClientRate>> {
        client.rate?;
        self.0.get(&client.id)?.usage(&client.identity).rate
    }
}

fn rate_exceeded(rate: Rate, wait: Duration) -> Problem {
    let detail = format!(
        "this client exceeded its rate limit of {rate}; try again in {:.3} s",
        wait.as_secs_f64()
    );
    Problem::rate_limited(detail, wait)
}

impl ClientLoad {
    fn new(rate: Option<Rate>, now: Instant) -> Self {
        Self {
            rate: rate.and_then(ClientRate::new).map(Arc::new),
            open: Arc::default(),
            last_request: now,
        }
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
                let reset = |(identity, usage): (&ClientIdentity, &ClientLoad)| {
                    let open = Arc::clone(&usage.open);
                    (
                        identity.clone(),
                        ClientLoad {
                            open,
                            ..ClientLoad::new(client.rate, usage.last_request)
                        },
                    )
                };
                Arc::new(Mutex::new(before.usages().iter().map(reset).collect()))
            }
            None => Arc::default(),
        };
        Self {
            rate: client.rate,
            max_concurrent: client.max_concurrent,
            usages,
        }
    }

    fn admit(&self, identity: &ClientIdentity) -> Result<RequestSlot, Problem> {
        let usage = self.usage(identity);
        let slot = self.acquire(&usage)?;
        if let (Some(rate), Some(counted)) = (self.rate, &usage.rate) {
            counted
                .count(NonZeroU32::MIN)
                .map_err(|wait| rate_exceeded(rate, wait.unwrap_or_default()))?;
        }
        Ok(slot)
    }

    /// Returns the usage of an identity, or a new one for its first request.
    fn usage(&self, identity: &ClientIdentity) -> ClientLoad {
        let (mut usages, now) = (self.usages(), Instant::now());
        if let Some(usage) = usages.get_mut(identity) {
            usage.last_request = now;
            return usage.clone();
        }
        if usages.len() >= MAX_REQUESTERS {
            evict_idle(&mut usages);
        }
        let usage = ClientLoad::new(self.rate, now);
        usages.insert(identity.clone(), usage.clone());
        usage
    }

    fn usages(&self) -> MutexGuard<'_, HashMap<ClientIdentity, ClientLoad>> {
        self.usages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the additional searches of a request that is already counted.
    fn charge(&self, usage: &ClientLoad, count: usize) -> Result<(), Problem> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let (Some(rate), Some(counted), Some(additional)) =
            (self.rate, &usage.rate, NonZeroU32::new(count))
        else {
            return Ok(());
        };
        // The burst must fit these searches and the request that is already counted.
        let most = rate.burst.get();
        if additional.get() < most {
            match counted.count(additional) {
                Ok(()) => return Ok(()),
                Err(Some(wait)) => return Err(rate_exceeded(rate, wait)),
                Err(None) => {}
            }
        }
        let detail = format!(
            "'ais' names {} AIs, each of which counts as a request; this client's rate of {rate} \
             allows at most {most} at once",
            u64::from(count) + 1
        );
        Err(Malformed::new("/ais", detail).into())
    }

    fn acquire(&self, usage: &ClientLoad) -> Result<RequestSlot, Problem> {
        let most = self.max_concurrent.unwrap_or(usize::MAX);
        let one_more = |open: usize| (open < most).then_some(open + 1);
        if usage
            .open
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
            .is_ok()
        {
            return Ok(RequestSlot(Some(Arc::clone(&usage.open))));
        }
        let detail = format!(
            "this client has {most} open requests, its maximum (max_concurrent); try again when \
             one finishes"
        );
        Err(Problem::rate_limited(detail, BUSY_RETRY_AFTER))
    }
}

/// Evicts the longest-idle eighth of the identities, so that evictions are rare. Keeps identities
/// with open requests; the connection limit bounds their number.
fn evict_idle(usages: &mut HashMap<ClientIdentity, ClientLoad>) {
    let mut times: Vec<_> = usages
        .values()
        .filter(|usage| !usage.is_open())
        .map(|usage| usage.last_request)
        .collect();
    if times.is_empty() {
        return;
    }
    let eighth = times.len() / 8;
    let (_, &mut newest_evicted, _) = times.select_nth_unstable(eighth);
    usages.retain(|_, usage| usage.is_open() || usage.last_request > newest_evicted);
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
            ..ClientSettings::unbounded("keyless".into(), "x".into())
        }
    }

    fn from(settings: &ClientSettings, address: u32) -> Client {
        let identity = ClientIdentity::Keyless(IpAddr::V4(Ipv4Addr::from_bits(address)));
        Client {
            settings: settings.clone(),
            identity,
        }
    }

    #[test]
    fn limits_each_address_separately() {
        let settings = client("1/h burst 2");
        let admissions = Admissions::default().continued([&settings].into_iter());
        for address in [1, 2] {
            let first = admissions.admit(&from(&settings, address)).unwrap();
            assert!(
                admissions.admit(&from(&settings, address)).is_err(),
                "one is open"
            );
            drop(first);
            assert!(admissions.admit(&from(&settings, address)).is_ok());
            assert!(
                admissions.admit(&from(&settings, address)).is_err(),
                "the rate is used up"
            );
        }
        // A reload with the same rate keeps the usage; a different rate resets it.
        let continued = admissions.continued([&settings].into_iter());
        assert!(continued.admit(&from(&settings, 1)).is_err());
        let settings = client("2/h burst 2");
        let continued = continued.continued([&settings].into_iter());
        assert!(continued.admit(&from(&settings, 1)).is_ok());
    }

    #[test]
    fn evicts_the_longest_idle_addresses() {
        let settings = client("1/h");
        let admissions = Admissions::default().continued([&settings].into_iter());
        let open = admissions.admit(&from(&settings, 0)).unwrap();
        let many = u32::try_from(MAX_REQUESTERS).unwrap() * 2;
        for address in 1..many {
            assert!(admissions.admit(&from(&settings, address)).is_ok());
        }
        let counted = || admissions.0["keyless"].usages().len();
        assert!(
            (MAX_REQUESTERS / 2..=MAX_REQUESTERS).contains(&counted()),
            "{}",
            counted()
        );
        // The limits still apply to the latest identity and to the one with an open request.
        assert!(admissions.admit(&from(&settings, many - 1)).is_err());
        assert!(admissions.admit(&from(&settings, 0)).is_err());
        drop(open);
    }
}
