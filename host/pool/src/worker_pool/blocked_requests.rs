//! Requests that killed several workers in a row. They are blocked for a while.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use tokio::time::Instant;

use super::super::Fault;
use protocol::{self, Job, Request};

/// Workers that a request may kill before it is blocked.
const FATAL_KILLS: u32 = 2;
/// How long a request is remembered.
const REMEMBERED: Duration = Duration::from_mins(10);
/// The most requests that are remembered.
const MOST_REMEMBERED: usize = 1024;

/// The requests that recently killed a worker of an AI.
#[derive(Debug, Default)]
pub(super) struct BlockedRequests {
    hasher: RandomState,
    kills: HashMap<u64, Kills>,
}

#[derive(Debug)]
struct Kills {
    count: u32,
    /// The last fault.
    fault: Fault,
    forgotten_at: Instant,
}

impl BlockedRequests {
    /// Records that a request killed a worker.
    pub(super) fn killed(&mut self, question: &Job, fault: &Fault, now: Instant) {
        self.kills.retain(|_, kills| kills.forgotten_at > now);
        let key = self.key(question);
        if self.kills.len() >= MOST_REMEMBERED && !self.kills.contains_key(&key) {
            let oldest = self.kills.iter().min_by_key(|(_, kills)| kills.forgotten_at).map(|(&key, _)| key);
            oldest.map(|oldest| self.kills.remove(&oldest));
        }
        let forgotten_at = now + REMEMBERED;
        let kills = self.kills.entry(key).or_insert(Kills { count: 0, fault: fault.clone(), forgotten_at });
        kills.count += 1;
        kills.fault = fault.clone();
        kills.forgotten_at = forgotten_at;
    }

    /// Forgets a request that has a result.
    pub(super) fn answered(&mut self, question: &Job) {
        if !self.kills.is_empty() {
            let key = self.key(question);
            self.kills.remove(&key);
        }
    }

    /// The fault of a blocked request.
    pub(super) fn refusal(&self, question: &Job, now: Instant) -> Option<Fault> {
        if self.kills.is_empty() {
            return None;
        }
        let kills = self.kills.get(&self.key(question))?;
        let fatal = kills.count >= FATAL_KILLS && kills.forgotten_at > now;
        fatal.then(|| Fault::BlockedRequest {
            fault: Box::new(kills.fault.clone()),
            kills: kills.count,
            retry_after: kills.forgotten_at - now,
        })
    }

    /// Keyed with random bytes, so that no client can make two requests collide.
    fn key(&self, question: &Job) -> u64 {
        // A request that is too long for a frame reaches neither a worker nor this table.
        self.hasher.hash_one(protocol::encode(&Request::Ask(0, None, question.clone())).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use ai_api::{Limits, Move, OptionSetting, OptionValue};

    use super::*;
    use protocol::{SearchParams, Task};

    fn question(number: u16) -> Job {
        let task = Task::Search(Limits::depth(3));
        let (moves, wishes, options) = (vec![Move::from_bits(number)], SearchParams::default(), Vec::new());
        Job { fen: "8/8".into(), moves, task, wishes, options }
    }

    fn crash() -> Fault {
        Fault::Crashed("its process was killed by signal 11".into())
    }

    #[test]
    fn a_question_that_has_killed_twice_is_refused_with_its_fault_until_it_is_forgotten() {
        let (mut blocked_requests, start) = (BlockedRequests::default(), Instant::now());
        blocked_requests.killed(&question(1), &crash(), start);
        assert_eq!(blocked_requests.refusal(&question(1), start), None);
        let second = start + Duration::from_mins(1);
        blocked_requests.killed(&question(1), &crash(), second);
        let refusal = blocked_requests.refusal(&question(1), second + Duration::from_mins(4)).unwrap();
        assert_eq!(refusal.code(), "ai_crashed");
        assert_eq!(refusal.retry_after(), Some(Duration::from_mins(6)));
        assert!(refusal.to_string().contains("signal 11"), "{refusal}");
        assert_eq!(blocked_requests.refusal(&question(2), second), None);
        assert_eq!(blocked_requests.refusal(&question(1), second + REMEMBERED), None);
    }

    #[test]
    fn the_same_question_with_other_options_is_another_one() {
        let (mut blocked_requests, now) = (BlockedRequests::default(), Instant::now());
        let level = |level| {
            let options = vec![OptionSetting { name: "level".into(), value: OptionValue::Integer(level) }];
            Job { options, ..question(1) }
        };
        blocked_requests.killed(&level(9), &crash(), now);
        blocked_requests.killed(&level(9), &crash(), now);
        assert!(blocked_requests.refusal(&level(9), now).is_some());
        assert_eq!(blocked_requests.refusal(&level(8), now), None);
        assert_eq!(blocked_requests.refusal(&question(1), now), None);
    }

    #[test]
    fn kills_that_are_long_ago_do_not_add_up() {
        let (mut blocked_requests, start) = (BlockedRequests::default(), Instant::now());
        blocked_requests.killed(&question(1), &crash(), start);
        let later = start + REMEMBERED;
        blocked_requests.killed(&question(1), &crash(), later);
        assert_eq!(blocked_requests.refusal(&question(1), later), None);
    }

    #[test]
    fn an_answer_clears_a_question() {
        let (mut blocked_requests, now) = (BlockedRequests::default(), Instant::now());
        blocked_requests.killed(&question(1), &crash(), now);
        blocked_requests.answered(&question(1));
        blocked_requests.killed(&question(1), &crash(), now);
        assert_eq!(blocked_requests.refusal(&question(1), now), None);
    }

    #[test]
    fn the_table_is_bounded_and_forgets_the_oldest_first() {
        let (mut blocked_requests, start) = (BlockedRequests::default(), Instant::now());
        for number in 0..=MOST_REMEMBERED as u16 {
            for _ in 0..2 {
                blocked_requests.killed(
                    &question(number),
                    &crash(),
                    start + Duration::from_millis(number.into()),
                );
            }
        }
        assert_eq!(blocked_requests.kills.len(), MOST_REMEMBERED);
        let now = start + Duration::from_secs(2);
        assert_eq!(blocked_requests.refusal(&question(0), now), None);
        assert!(blocked_requests.refusal(&question(1), now).is_some());
        assert!(blocked_requests.refusal(&question(MOST_REMEMBERED as u16), now).is_some());
    }
}
