//! Blocks requests that killed several workers in a row.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use tokio::time::Instant;

use crate::fault::Fault;
use protocol::{self, Job, Request, Wanted};

/// How many workers a request may kill before it is blocked.
const MAX_KILLS: u32 = 2;
/// How long a request is remembered.
const REMEMBERED: Duration = Duration::from_mins(10);
/// The maximum number of requests to remember.
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
    pub(super) fn record_kill(&mut self, job: &Job, fault: &Fault, now: Instant) {
        self.kills.retain(|_, kills| kills.forgotten_at > now);
        let key = self.key(job);
        if self.kills.len() >= MOST_REMEMBERED && !self.kills.contains_key(&key) {
            let oldest = self
                .kills
                .iter()
                .min_by_key(|(_, kills)| kills.forgotten_at)
                .map(|(&oldest_key, _)| oldest_key);
            oldest.map(|oldest| self.kills.remove(&oldest));
        }
        let count = self.kills.get(&key).map_or(0, |kills| kills.count) + 1;
        self.kills.insert(
            key,
            Kills {
                count,
                fault: fault.clone(),
                forgotten_at: now + REMEMBERED,
            },
        );
    }

    /// Forgets a request that succeeded.
    pub(super) fn clear(&mut self, job: &Job) {
        if !self.kills.is_empty() {
            let key = self.key(job);
            self.kills.remove(&key);
        }
    }

    /// Returns the fault of a blocked request.
    pub(super) fn rejection(&self, job: &Job, now: Instant) -> Option<Fault> {
        if self.kills.is_empty() {
            return None;
        }
        let kills = self.kills.get(&self.key(job))?;
        let is_blocked = kills.count >= MAX_KILLS && kills.forgotten_at > now;
        is_blocked.then(|| Fault::BlockedRequest {
            fault: Box::new(kills.fault.clone()),
            kills: kills.count,
            retry_after: kills.forgotten_at - now,
        })
    }

    /// Returns the hash of a request. It is keyed with random bytes, so that no client can make two
    /// requests collide.
    fn key(&self, job: &Job) -> u64 {
        // A request that exceeds the frame limit reaches neither a worker nor this table.
        self.hasher.hash_one(
            protocol::encode(&Request::Run(0, None, job.clone(), Wanted::Result))
                .unwrap_or_default(),
        )
    }
}

#[cfg(test)]
mod tests {
    use ai_api::{Limits, Move, OptionSetting, OptionValue};

    use super::*;
    use crate::fault::FaultCode;
    use protocol::{SearchParams, Task};

    fn job(number: u16) -> Job {
        let task = Task::Search(Limits::depth(3));
        let (moves, params, options) = (
            vec![Move::from_bits(number)],
            SearchParams::default(),
            Vec::new(),
        );
        Job {
            fresh: false,
            fen: "8/8".into(),
            moves,
            task,
            params,
            options,
        }
    }

    fn crash() -> Fault {
        Fault::Crashed("its process was killed by signal 11".into())
    }

    #[test]
    fn blocks_a_request_after_two_kills_until_it_expires() {
        let (mut blocked_requests, start) = (BlockedRequests::default(), Instant::now());
        blocked_requests.record_kill(&job(1), &crash(), start);
        assert_eq!(blocked_requests.rejection(&job(1), start), None);
        let second = start + Duration::from_mins(1);
        blocked_requests.record_kill(&job(1), &crash(), second);
        let rejection = blocked_requests
            .rejection(&job(1), second + Duration::from_mins(4))
            .unwrap();
        assert_eq!(rejection.code(), FaultCode::AiCrashed);
        assert_eq!(rejection.retry_after(), Some(Duration::from_mins(6)));
        assert!(rejection.to_string().contains("signal 11"), "{rejection}");
        assert_eq!(blocked_requests.rejection(&job(2), second), None);
        assert_eq!(
            blocked_requests.rejection(&job(1), second + REMEMBERED),
            None
        );
    }

    #[test]
    fn tracks_each_set_of_options_separately() {
        let (mut blocked_requests, now) = (BlockedRequests::default(), Instant::now());
        let level = |level| {
            let options = vec![OptionSetting {
                name: "level".into(),
                value: OptionValue::Integer(level),
            }];
            Job { options, ..job(1) }
        };
        blocked_requests.record_kill(&level(9), &crash(), now);
        blocked_requests.record_kill(&level(9), &crash(), now);
        assert!(blocked_requests.rejection(&level(9), now).is_some());
        assert_eq!(blocked_requests.rejection(&level(8), now), None);
        assert_eq!(blocked_requests.rejection(&job(1), now), None);
    }

    #[test]
    fn forgets_kills_after_the_window() {
        let (mut blocked_requests, start) = (BlockedRequests::default(), Instant::now());
        blocked_requests.record_kill(&job(1), &crash(), start);
        let later = start + REMEMBERED;
        blocked_requests.record_kill(&job(1), &crash(), later);
        assert_eq!(blocked_requests.rejection(&job(1), later), None);
    }

    #[test]
    fn forgets_a_request_that_succeeds() {
        let (mut blocked_requests, now) = (BlockedRequests::default(), Instant::now());
        blocked_requests.record_kill(&job(1), &crash(), now);
        blocked_requests.clear(&job(1));
        blocked_requests.record_kill(&job(1), &crash(), now);
        assert_eq!(blocked_requests.rejection(&job(1), now), None);
    }

    #[test]
    fn evicts_the_oldest_request_from_a_full_table() {
        let (mut blocked_requests, start) = (BlockedRequests::default(), Instant::now());
        for number in 0..=MOST_REMEMBERED as u16 {
            let time = start + Duration::from_millis(number.into());
            for _ in 0..2 {
                blocked_requests.record_kill(&job(number), &crash(), time);
            }
        }
        assert_eq!(blocked_requests.kills.len(), MOST_REMEMBERED);
        let now = start + Duration::from_secs(2);
        assert_eq!(blocked_requests.rejection(&job(0), now), None);
        assert!(blocked_requests.rejection(&job(1), now).is_some());
        assert!(
            blocked_requests
                .rejection(&job(MOST_REMEMBERED as u16), now)
                .is_some()
        );
    }
}
