//! The circuit breaker of one AI: after too many failures it rejects requests for a while, for one client or for all.
//!
//! Five failures within a minute open it for the client that caused them; all clients without a key count as one. At most two
//! failures of one client count against the AI itself, so that one client cannot make the AI unavailable to the others. A failure
//! without a request, such as a failed start, counts against the AI.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use tokio::time::Instant;

use super::Requester;

/// Failures within the window that open the circuit.
const TOO_MANY_FAILURES: usize = 5;
/// Failures of one client within the window that count against the AI.
const MOST_OF_A_CLIENT: usize = 2;
const WINDOW: Duration = Duration::from_mins(1);
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// The party that a failure counts against.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause<'a> {
    /// The AI failed without a request.
    Ai,
    /// A request of this requester.
    Request(&'a Requester),
}

/// The recent failures of an AI and of its clients.
#[derive(Debug, Default)]
pub(super) struct CircuitBreaker {
    ai: FailureWindow,
    /// By client id; all clients without a key share `None`. Bounded by the number of clients.
    clients: HashMap<Option<Arc<str>>, FailureWindow>,
}

impl CircuitBreaker {
    /// Records a failure.
    pub(super) fn failed(&mut self, cause: Cause<'_>, now: Instant) {
        if let Cause::Request(requester) = cause {
            let window = self.clients.entry(requester.keyed_id().cloned()).or_default();
            window.failed(now);
            window.held_against_ai.retain(|&failure| failure + WINDOW > now);
            if window.held_against_ai.len() >= MOST_OF_A_CLIENT {
                return;
            }
            window.held_against_ai.push(now);
        }
        self.ai.failed(now);
    }

    /// Records a result for a client.
    pub(super) fn answered(&mut self, requester: &Requester, now: Instant) {
        self.ai.answered(now);
        self.clients.entry(requester.keyed_id().cloned()).or_default().answered(now);
    }

    /// How long the circuit stays open for all clients.
    pub(super) fn pause(&self, now: Instant) -> Option<Duration> {
        self.ai.pause(now)
    }

    /// How long the circuit stays open for a client.
    pub(super) fn pause_for(&self, requester: &Requester, now: Instant) -> Option<Duration> {
        let client = requester.keyed_id().cloned();
        let of_client = self.clients.get(&client).and_then(|window| window.pause(now));
        self.pause(now).max(of_client)
    }

    /// Whether the AI counts as unavailable to all: the circuit is open for some clients, and no other one had a result recently.
    pub(super) fn is_quarantined(&self, now: Instant) -> bool {
        let kept_away = self.clients.values().any(|window| window.pause(now).is_some());
        self.pause(now).is_some()
            || kept_away && !self.clients.values().any(|window| window.was_answered_lately(now))
    }
}

/// The failures of one party within the window.
#[derive(Debug, Default)]
struct FailureWindow {
    failures: VecDeque<Instant>,
    /// The failures of a client that also count against the AI.
    held_against_ai: Vec<Instant>,
    answered_at: Option<Instant>,
    paused_until: Option<Instant>,
    pauses: u32,
    /// After a pause, until the first success: one more failure opens the circuit again.
    half_open: bool,
}

impl FailureWindow {
    fn failed(&mut self, now: Instant) {
        self.failures.retain(|&failure| failure + WINDOW > now);
        if self.failures.is_empty() && !self.half_open {
            self.pauses = 0;
        }
        self.failures.push_back(now);
        if self.failures.len() > TOO_MANY_FAILURES {
            self.failures.pop_front();
        }
        let is_too_many = self.half_open || self.failures.len() >= TOO_MANY_FAILURES;
        if is_too_many && self.pause(now).is_none() {
            let pause = FIRST_PAUSE.saturating_mul(1 << self.pauses.min(16)).min(LONGEST_PAUSE);
            self.paused_until = Some(now + pause);
            self.pauses += 1;
            self.half_open = true;
            self.failures.clear();
        }
    }

    fn answered(&mut self, now: Instant) {
        self.answered_at = Some(now);
        self.half_open &= self.pause(now).is_some();
    }

    fn pause(&self, now: Instant) -> Option<Duration> {
        self.paused_until.filter(|&until| until > now).map(|until| until - now)
    }

    fn was_answered_lately(&self, now: Instant) -> bool {
        self.pause(now).is_none() && self.answered_at.is_some_and(|answered| answered + WINDOW > now)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn keyed(id: &str) -> Requester {
        Requester::Keyed(id.into())
    }

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    fn fail(circuit_breaker: &mut CircuitBreaker, cause: Cause<'_>, times: usize, now: Instant) {
        (0..times).for_each(|_| circuit_breaker.failed(cause, now));
    }

    #[test]
    fn five_failures_in_a_minute_are_too_many_and_four_are_not() {
        let (mut circuit_breaker, start) = (CircuitBreaker::default(), Instant::now());
        fail(&mut circuit_breaker, Cause::Ai, 4, start);
        assert_eq!(circuit_breaker.pause(start), None);
        // The first four are outside the window.
        circuit_breaker.failed(Cause::Ai, start + seconds(60));
        assert_eq!(circuit_breaker.pause(start + seconds(60)), None);
        fail(&mut circuit_breaker, Cause::Ai, 4, start + seconds(100));
        assert_eq!(circuit_breaker.pause(start + seconds(100)), Some(FIRST_PAUSE));
        assert!(circuit_breaker.is_quarantined(start + seconds(104)));
        assert_eq!(circuit_breaker.pause(start + seconds(105)), None);
    }

    #[test]
    fn pauses_grow_until_something_succeeds_within_bounds() {
        let (mut circuit_breaker, mut now) = (CircuitBreaker::default(), Instant::now());
        fail(&mut circuit_breaker, Cause::Ai, 5, now);
        let mut pauses = Vec::new();
        for _ in 0..9 {
            let pause = circuit_breaker.pause(now).unwrap();
            pauses.push(pause.as_secs());
            now += pause;
            circuit_breaker.failed(Cause::Ai, now);
        }
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
        now += circuit_breaker.pause(now).unwrap();
        circuit_breaker.answered(&keyed("alice"), now);
        circuit_breaker.failed(Cause::Ai, now);
        assert_eq!(circuit_breaker.pause(now), None, "one failure after a success");
        now += WINDOW;
        fail(&mut circuit_breaker, Cause::Ai, 5, now);
        assert_eq!(circuit_breaker.pause(now), Some(FIRST_PAUSE));
    }

    #[test]
    fn one_client_is_kept_away_from_an_ai_that_answers_the_others() {
        let (mut circuit_breaker, now) = (CircuitBreaker::default(), Instant::now());
        let (bad, good) = (keyed("bad"), keyed("good"));
        circuit_breaker.answered(&good, now);
        fail(&mut circuit_breaker, Cause::Request(&bad), 50, now);
        assert_eq!(circuit_breaker.pause_for(&keyed("bad"), now), Some(FIRST_PAUSE));
        assert_eq!(circuit_breaker.pause_for(&keyed("good"), now), None);
        assert_eq!(circuit_breaker.pause_for(&keyed("anybody"), now), None);
        assert!(!circuit_breaker.is_quarantined(now));
        assert_eq!(circuit_breaker.pause_for(&keyed("bad"), now + FIRST_PAUSE), None);
        circuit_breaker.failed(Cause::Request(&bad), now + FIRST_PAUSE);
        assert_eq!(circuit_breaker.pause_for(&keyed("bad"), now + FIRST_PAUSE), Some(FIRST_PAUSE * 2));
        assert_eq!(circuit_breaker.pause(now + FIRST_PAUSE), None);
    }

    #[test]
    fn an_ai_that_fails_its_only_client_counts_as_quarantined() {
        let (mut circuit_breaker, now) = (CircuitBreaker::default(), Instant::now());
        let only = Requester::Keyless(ADDRESS);
        circuit_breaker.answered(&only, now);
        fail(&mut circuit_breaker, Cause::Request(&only), 4, now);
        assert!(!circuit_breaker.is_quarantined(now));
        circuit_breaker.failed(Cause::Request(&only), now);
        assert!(circuit_breaker.is_quarantined(now));
        assert!(!circuit_breaker.is_quarantined(now + FIRST_PAUSE));
    }

    #[test]
    fn failures_with_several_clients_are_the_ais() {
        let (mut circuit_breaker, now) = (CircuitBreaker::default(), Instant::now());
        for client in ["a", "b"].map(keyed) {
            fail(&mut circuit_breaker, Cause::Request(&client), 2, now);
        }
        assert_eq!(circuit_breaker.pause(now), None);
        circuit_breaker.failed(Cause::Request(&keyed("c")), now);
        assert_eq!(circuit_breaker.pause_for(&keyed("anybody"), now), Some(FIRST_PAUSE));
    }

    #[test]
    fn clients_without_keys_count_as_one() {
        let (mut circuit_breaker, now) = (CircuitBreaker::default(), Instant::now());
        circuit_breaker.answered(&keyed("good"), now);
        for last_byte in 0..100 {
            let requester = Requester::Keyless(Ipv4Addr::new(192, 0, 2, last_byte).into());
            fail(&mut circuit_breaker, Cause::Request(&requester), 2, now);
        }
        assert_eq!(circuit_breaker.pause_for(&keyed("good"), now), None);
        assert!(!circuit_breaker.is_quarantined(now));
        assert_eq!(circuit_breaker.pause_for(&Requester::Keyless(ADDRESS), now), Some(FIRST_PAUSE));
        assert_eq!(circuit_breaker.clients.len(), 2);
    }
}
