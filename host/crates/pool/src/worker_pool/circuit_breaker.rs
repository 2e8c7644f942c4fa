//! The circuit breaker of one AI. After too many failures it rejects requests for a while, for one
//! client or for all.
//!
//! Five failures within a minute open it for the client that caused them. All clients without a key
//! count as one. A failed request from a client with a key counts against the AI itself only while
//! no client's request has succeeded within the minute, and at most twice per client. So no client
//! or group of clients can make an AI unavailable to clients that it serves, and clients without a
//! key can't make it unavailable to clients with one. A failure without a request, such as a failed
//! start, counts against the AI.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use tokio::time::Instant;

use crate::client_identity::ClientIdentity;

/// How many failures within the window open the circuit.
const MAX_FAILURES: usize = 5;
/// How many of one client's failures within the window count against the AI.
const MAX_FAILURES_OF_CLIENT: usize = 2;
const WINDOW: Duration = Duration::from_mins(1);
const FIRST_OPENING: Duration = Duration::from_secs(5);
const LONGEST_OPENING: Duration = Duration::from_mins(5);

/// The party that a failure counts against.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause<'a> {
    /// The AI failed outside a request.
    Ai,
    /// A request from this client.
    Request(&'a ClientIdentity),
}

/// The recent failures of an AI and of its clients.
#[derive(Debug, Default)]
pub(super) struct CircuitBreaker {
    ai: FailureWindow,
    /// By client id; all clients without a key share `None`. Bounded by the number of clients.
    clients: HashMap<Option<Arc<str>>, FailureWindow>,
}

impl CircuitBreaker {
    pub(super) fn record_failure(&mut self, cause: Cause<'_>, now: Instant) {
        if let Cause::Request(client) = cause {
            let id = client.keyed_id().cloned();
            let has_key = id.is_some();
            let window = self.clients.entry(id).or_default();
            window.record_failure(now);
            if !has_key {
                return;
            }
            window
                .counted_against_ai
                .retain(|&failure| failure + WINDOW > now);
            if window.counted_against_ai.len() >= MAX_FAILURES_OF_CLIENT {
                return;
            }
            window.counted_against_ai.push(now);
            if self
                .clients
                .values()
                .any(|of_client| of_client.succeeded_recently(now))
            {
                return;
            }
        }
        self.ai.record_failure(now);
    }

    pub(super) fn record_success(&mut self, client: &ClientIdentity, now: Instant) {
        self.ai.record_success(now);
        self.clients
            .entry(client.keyed_id().cloned())
            .or_default()
            .record_success(now);
    }

    /// Returns how long the circuit stays open for all clients.
    pub(super) fn open_for(&self, now: Instant) -> Option<Duration> {
        self.ai.open_for(now)
    }

    /// Returns how long the circuit stays open for a client.
    pub(super) fn open_for_client(
        &self,
        client: &ClientIdentity,
        now: Instant,
    ) -> Option<Duration> {
        let client = client.keyed_id().cloned();
        let of_client = self
            .clients
            .get(&client)
            .and_then(|window| window.open_for(now));
        self.open_for(now).max(of_client)
    }

    /// Returns whether the AI counts as unavailable: the circuit is open for all clients, or it is
    /// open for some and no other client has had a result recently.
    pub(super) fn is_quarantined(&self, now: Instant) -> bool {
        let is_open_for_some = self
            .clients
            .values()
            .any(|window| window.open_for(now).is_some());
        self.open_for(now).is_some()
            || is_open_for_some
                && !self
                    .clients
                    .values()
                    .any(|window| window.succeeded_recently(now))
    }
}

/// One party's failures within the window.
#[derive(Debug, Default)]
struct FailureWindow {
    failures: VecDeque<Instant>,
    /// A client's failures that also count against the AI.
    counted_against_ai: Vec<Instant>,
    succeeded_at: Option<Instant>,
    open_until: Option<Instant>,
    openings: u32,
    /// Set when the circuit opens, until the next success. Meanwhile, a single failure reopens the
    /// circuit.
    half_open: bool,
}

impl FailureWindow {
    fn record_failure(&mut self, now: Instant) {
        self.failures.retain(|&failure| failure + WINDOW > now);
        if self.failures.is_empty() && !self.half_open {
            self.openings = 0;
        }
        self.failures.push_back(now);
        if self.failures.len() > MAX_FAILURES {
            self.failures.pop_front();
        }
        let is_too_many = self.half_open || self.failures.len() >= MAX_FAILURES;
        if is_too_many && self.open_for(now).is_none() {
            let time = FIRST_OPENING
                .saturating_mul(1 << self.openings.min(16))
                .min(LONGEST_OPENING);
            self.open_until = Some(now + time);
            self.openings += 1;
            self.half_open = true;
            self.failures.clear();
        }
    }

    fn record_success(&mut self, now: Instant) {
        self.succeeded_at = Some(now);
        self.half_open &= self.open_for(now).is_some();
    }

    fn open_for(&self, now: Instant) -> Option<Duration> {
        self.open_until
            .filter(|&until| until > now)
            .map(|until| until - now)
    }

    fn succeeded_recently(&self, now: Instant) -> bool {
        self.open_for(now).is_none()
            && self
                .succeeded_at
                .is_some_and(|succeeded| succeeded + WINDOW > now)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn keyed(id: &str) -> ClientIdentity {
        ClientIdentity::Keyed(id.into())
    }

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    fn fail(circuit_breaker: &mut CircuitBreaker, cause: Cause<'_>, times: usize, now: Instant) {
        (0..times).for_each(|_| circuit_breaker.record_failure(cause, now));
    }

    #[test]
    fn opens_after_five_failures_within_a_minute() {
        let (mut circuit_breaker, start) = (CircuitBreaker::default(), Instant::now());
        fail(&mut circuit_breaker, Cause::Ai, 4, start);
        assert_eq!(circuit_breaker.open_for(start), None);
        // The first four failures are outside the window.
        circuit_breaker.record_failure(Cause::Ai, start + seconds(60));
        assert_eq!(circuit_breaker.open_for(start + seconds(60)), None);
        fail(&mut circuit_breaker, Cause::Ai, 4, start + seconds(100));
        assert_eq!(
            circuit_breaker.open_for(start + seconds(100)),
            Some(FIRST_OPENING)
        );
        assert!(circuit_breaker.is_quarantined(start + seconds(104)));
        assert_eq!(circuit_breaker.open_for(start + seconds(105)), None);
    }

    #[test]
    fn doubles_the_open_time_until_a_success() {
        let (mut circuit_breaker, mut now) = (CircuitBreaker::default(), Instant::now());
        fail(&mut circuit_breaker, Cause::Ai, 5, now);
        let mut times = Vec::new();
        for _ in 0..9 {
            let time = circuit_breaker.open_for(now).unwrap();
            times.push(time.as_secs());
            now += time;
            circuit_breaker.record_failure(Cause::Ai, now);
        }
        assert_eq!(times, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
        now += circuit_breaker.open_for(now).unwrap();
        circuit_breaker.record_success(&keyed("alice"), now);
        circuit_breaker.record_failure(Cause::Ai, now);
        assert_eq!(
            circuit_breaker.open_for(now),
            None,
            "one failure after a success"
        );
        now += WINDOW;
        fail(&mut circuit_breaker, Cause::Ai, 5, now);
        assert_eq!(circuit_breaker.open_for(now), Some(FIRST_OPENING));
    }

    #[test]
    fn opens_for_one_client_and_stays_closed_for_the_others() {
        let (mut circuit_breaker, now) = (CircuitBreaker::default(), Instant::now());
        let (bad, good) = (keyed("bad"), keyed("good"));
        circuit_breaker.record_success(&good, now);
        fail(&mut circuit_breaker, Cause::Request(&bad), 50, now);
        assert_eq!(
            circuit_breaker.open_for_client(&keyed("bad"), now),
            Some(FIRST_OPENING)
        );
        assert_eq!(circuit_breaker.open_for_client(&keyed("good"), now), None);
        assert_eq!(circuit_breaker.open_for_client(&keyed("other"), now), None);
        assert!(!circuit_breaker.is_quarantined(now));
        assert_eq!(
            circuit_breaker.open_for_client(&keyed("bad"), now + FIRST_OPENING),
            None
        );
        circuit_breaker.record_failure(Cause::Request(&bad), now + FIRST_OPENING);
        assert_eq!(
            circuit_breaker.open_for_client(&keyed("bad"), now + FIRST_OPENING),
            Some(FIRST_OPENING * 2)
        );
        assert_eq!(circuit_breaker.open_for(now + FIRST_OPENING), None);
    }

    #[test]
    fn quarantines_an_ai_that_fails_for_its_only_client() {
        let (mut circuit_breaker, now) = (CircuitBreaker::default(), Instant::now());
        let only = ClientIdentity::Keyless(ADDRESS);
        circuit_breaker.record_success(&only, now);
        fail(&mut circuit_breaker, Cause::Request(&only), 4, now);
        assert!(!circuit_breaker.is_quarantined(now));
        circuit_breaker.record_failure(Cause::Request(&only), now);
        assert!(circuit_breaker.is_quarantined(now));
        assert!(!circuit_breaker.is_quarantined(now + FIRST_OPENING));
    }

    #[test]
    fn opens_for_all_clients_after_failures_with_several() {
        let (mut circuit_breaker, now) = (CircuitBreaker::default(), Instant::now());
        for client in ["a", "b"].map(keyed) {
            fail(&mut circuit_breaker, Cause::Request(&client), 2, now);
        }
        assert_eq!(circuit_breaker.open_for(now), None);
        circuit_breaker.record_failure(Cause::Request(&keyed("c")), now);
        assert_eq!(
            circuit_breaker.open_for_client(&keyed("other"), now),
            Some(FIRST_OPENING)
        );
    }

    #[test]
    fn stays_closed_for_a_client_with_results() {
        let (mut circuit_breaker, mut now) = (CircuitBreaker::default(), Instant::now());
        let (served, keyless) = (keyed("served"), ClientIdentity::Keyless(ADDRESS));
        for _ in 0..30 {
            circuit_breaker.record_success(&served, now);
            for client in [&keyed("a"), &keyed("b"), &keyless] {
                fail(&mut circuit_breaker, Cause::Request(client), 5, now);
            }
            assert_eq!(circuit_breaker.open_for_client(&served, now), None);
            assert!(circuit_breaker.open_for_client(&keyless, now).is_some());
            assert!(!circuit_breaker.is_quarantined(now));
            now += WINDOW / 2;
        }
        // From now on, the AI fails for this client.
        now += WINDOW;
        for client in ["a", "b", "served"].map(keyed) {
            fail(&mut circuit_breaker, Cause::Request(&client), 2, now);
        }
        assert!(circuit_breaker.open_for(now).is_some());
    }

    #[test]
    fn clients_without_keys_never_open_the_circuit_for_a_client_with_a_key() {
        let (mut circuit_breaker, now) = (CircuitBreaker::default(), Instant::now());
        for client in [ClientIdentity::Keyless(ADDRESS), keyed("a"), keyed("b")] {
            fail(&mut circuit_breaker, Cause::Request(&client), 50, now);
            assert!(circuit_breaker.open_for_client(&client, now).is_some());
        }
        assert_eq!(circuit_breaker.open_for_client(&keyed("c"), now), None);
        assert!(circuit_breaker.is_quarantined(now), "it serves nobody");
    }

    #[test]
    fn counts_clients_without_keys_as_one() {
        let (mut circuit_breaker, now) = (CircuitBreaker::default(), Instant::now());
        circuit_breaker.record_success(&keyed("good"), now);
        for last_byte in 0..100 {
            let client = ClientIdentity::Keyless(Ipv4Addr::new(192, 0, 2, last_byte).into());
            fail(&mut circuit_breaker, Cause::Request(&client), 2, now);
        }
        assert_eq!(circuit_breaker.open_for_client(&keyed("good"), now), None);
        assert!(!circuit_breaker.is_quarantined(now));
        assert_eq!(
            circuit_breaker.open_for_client(&ClientIdentity::Keyless(ADDRESS), now),
            Some(FIRST_OPENING)
        );
        assert_eq!(circuit_breaker.clients.len(), 2);
    }
}
