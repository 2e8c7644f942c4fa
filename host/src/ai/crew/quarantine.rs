//! Who has failed so often that an AI is left alone for a while: the AI itself, or one client's questions.
//!
//! What a client's questions do is held against that client first. Five failures in a minute, and the AI is not available
//! to it for a while. Of one client no more than two of them count against the AI, so that nobody takes it away from the
//! others; what happens when nobody asks, such as a start that fails, counts in full.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use tokio::time::Instant;

/// So many failures within the window are too many.
const TOO_MANY_FAILURES: usize = 5;
/// So many of one client's failures within the window count against the AI.
const MOST_OF_A_CLIENT: usize = 2;
const WINDOW: Duration = Duration::from_mins(1);
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// Whose doing a failure may be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cause<'a> {
    /// Nobody had asked anything.
    Ai,
    /// A question of this client.
    Client(&'a Arc<str>),
}

/// What has gone wrong lately with an AI, and what has not.
#[derive(Debug, Default)]
pub(super) struct Conduct {
    ai: Standing,
    clients: HashMap<Arc<str>, Standing>,
}

impl Conduct {
    /// The AI has failed.
    pub(super) fn failed(&mut self, cause: Cause<'_>, now: Instant) {
        if let Cause::Client(client) = cause {
            let standing = self.clients.entry(Arc::clone(client)).or_default();
            standing.failed(now);
            standing.held_against_ai.retain(|&failure| failure + WINDOW > now);
            if standing.held_against_ai.len() >= MOST_OF_A_CLIENT {
                return;
            }
            standing.held_against_ai.push(now);
        }
        self.ai.failed(now);
    }

    /// The AI has answered a client.
    pub(super) fn answered(&mut self, client: &Arc<str>, now: Instant) {
        self.ai.answered(now);
        if !self.clients.contains_key(client) {
            self.clients.insert(Arc::clone(client), Standing::default());
        }
        if let Some(standing) = self.clients.get_mut(client) {
            standing.answered(now);
        }
    }

    /// How long the AI is left alone yet.
    pub(super) fn pause(&self, now: Instant) -> Option<Duration> {
        self.ai.pause(now)
    }

    /// How long the AI is not available yet to a client.
    pub(super) fn pause_for(&self, client: &str, now: Instant) -> Option<Duration> {
        let of_client = self.clients.get(client).and_then(|standing| standing.pause(now));
        self.pause(now).max(of_client)
    }

    /// Whether the AI is available to nobody, as far as is known: some are kept from it, and nobody else was answered lately.
    pub(super) fn is_quarantined(&self, now: Instant) -> bool {
        let kept_away = self.clients.values().any(|standing| standing.pause(now).is_some());
        self.pause(now).is_some()
            || kept_away && !self.clients.values().any(|standing| standing.was_answered_lately(now))
    }
}

/// The failures of one within the window, and what followed from them.
#[derive(Debug, Default)]
struct Standing {
    failures: VecDeque<Instant>,
    /// Of a client: those that count against the AI too.
    held_against_ai: Vec<Instant>,
    answered_at: Option<Instant>,
    paused_until: Option<Instant>,
    pauses: u32,
    /// After a pause, until the first success: one more failure, and the next pause begins.
    on_probation: bool,
}

impl Standing {
    fn failed(&mut self, now: Instant) {
        self.failures.retain(|&failure| failure + WINDOW > now);
        if self.failures.is_empty() && !self.on_probation {
            self.pauses = 0;
        }
        self.failures.push_back(now);
        if self.failures.len() > TOO_MANY_FAILURES {
            self.failures.pop_front();
        }
        let is_too_many = self.on_probation || self.failures.len() >= TOO_MANY_FAILURES;
        if is_too_many && self.pause(now).is_none() {
            let pause = FIRST_PAUSE.saturating_mul(1 << self.pauses.min(16)).min(LONGEST_PAUSE);
            self.paused_until = Some(now + pause);
            self.pauses += 1;
            self.on_probation = true;
            self.failures.clear();
        }
    }

    fn answered(&mut self, now: Instant) {
        self.answered_at = Some(now);
        self.on_probation &= self.pause(now).is_some();
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
    use super::*;

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    fn fail(conduct: &mut Conduct, cause: Cause<'_>, times: usize, now: Instant) {
        (0..times).for_each(|_| conduct.failed(cause, now));
    }

    #[test]
    fn five_failures_in_a_minute_are_too_many_and_four_are_not() {
        let (mut conduct, start) = (Conduct::default(), Instant::now());
        fail(&mut conduct, Cause::Ai, 4, start);
        assert_eq!(conduct.pause(start), None);
        // The first four are a minute ago, and forgotten.
        conduct.failed(Cause::Ai, start + seconds(60));
        assert_eq!(conduct.pause(start + seconds(60)), None);
        fail(&mut conduct, Cause::Ai, 4, start + seconds(100));
        assert_eq!(conduct.pause(start + seconds(100)), Some(FIRST_PAUSE));
        assert!(conduct.is_quarantined(start + seconds(104)));
        assert_eq!(conduct.pause(start + seconds(105)), None);
    }

    #[test]
    fn pauses_grow_until_something_succeeds_within_bounds() {
        let (mut conduct, mut now) = (Conduct::default(), Instant::now());
        fail(&mut conduct, Cause::Ai, 5, now);
        let mut pauses = Vec::new();
        for _ in 0..9 {
            let pause = conduct.pause(now).unwrap();
            pauses.push(pause.as_secs());
            now += pause;
            conduct.failed(Cause::Ai, now);
        }
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
        now += conduct.pause(now).unwrap();
        conduct.answered(&"alice".into(), now);
        conduct.failed(Cause::Ai, now);
        assert_eq!(conduct.pause(now), None, "one failure after a success");
        now += WINDOW;
        fail(&mut conduct, Cause::Ai, 5, now);
        assert_eq!(conduct.pause(now), Some(FIRST_PAUSE));
    }

    #[test]
    fn one_client_is_kept_away_from_an_ai_that_answers_the_others() {
        let (mut conduct, now) = (Conduct::default(), Instant::now());
        let (bad, good) = (Arc::from("bad"), Arc::from("good"));
        conduct.answered(&good, now);
        fail(&mut conduct, Cause::Client(&bad), 50, now);
        assert_eq!(conduct.pause_for("bad", now), Some(FIRST_PAUSE));
        assert_eq!(conduct.pause_for("good", now), None);
        assert_eq!(conduct.pause_for("anybody", now), None);
        assert!(!conduct.is_quarantined(now));
        assert_eq!(conduct.pause_for("bad", now + FIRST_PAUSE), None);
        conduct.failed(Cause::Client(&bad), now + FIRST_PAUSE);
        assert_eq!(conduct.pause_for("bad", now + FIRST_PAUSE), Some(FIRST_PAUSE * 2));
        assert_eq!(conduct.pause(now + FIRST_PAUSE), None);
    }

    #[test]
    fn an_ai_that_fails_its_only_client_counts_as_quarantined() {
        let (mut conduct, now) = (Conduct::default(), Instant::now());
        let only = Arc::from("default");
        conduct.answered(&only, now);
        fail(&mut conduct, Cause::Client(&only), 4, now);
        assert!(!conduct.is_quarantined(now));
        conduct.failed(Cause::Client(&only), now);
        assert!(conduct.is_quarantined(now));
        assert!(!conduct.is_quarantined(now + FIRST_PAUSE));
    }

    #[test]
    fn failures_with_several_clients_are_the_ais() {
        let (mut conduct, now) = (Conduct::default(), Instant::now());
        for client in ["a", "b"].map(Arc::from) {
            fail(&mut conduct, Cause::Client(&client), 2, now);
        }
        assert_eq!(conduct.pause(now), None);
        conduct.failed(Cause::Client(&"c".into()), now);
        assert_eq!(conduct.pause_for("anybody", now), Some(FIRST_PAUSE));
    }
}
