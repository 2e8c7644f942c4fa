//! Limits a worker's processor time between jobs with a token bucket.
//!
//! A kernel limit is not an alternative. It eventually kills even a healthy worker, only root can
//! raise it, its signal can be blocked, and it applies to each of an AI's programs separately.

use std::{io, time::Duration};

use tokio::time::Instant;

use super::cpu_time::CpuTime;

/// How often to measure an idle process.
const PERIOD: Duration = Duration::from_secs(1);
/// How often to measure an idle process tree. The time that a process uses after its last
/// measurement can be lost.
const TREE_PERIOD: Duration = Duration::from_millis(200);
/// How much processor time a fresh worker may use at once between jobs, for example to clear tables
/// or release memory.
const BURST: Duration = Duration::from_secs(2);
/// Between jobs, a worker may always use the time of one processor divided by this.
const SHARE: u32 = 50;
/// How much each job adds to the bucket, because a worker has a little work left after it has sent
/// the result.
const PER_JOB: Duration = Duration::from_millis(1);

/// Charges a worker for its processor time between jobs over its whole life, so that frequent jobs
/// cannot hide it.
#[derive(Debug)]
pub(super) struct IdleCpuWatch {
    time: CpuTime,
    bucket: Bucket,
    /// The time at the last measurement.
    before: Duration,
    /// Whether the worker is starting or running a job, and is therefore not charged.
    is_paused: bool,
}

impl IdleCpuWatch {
    pub(super) fn start(mut time: CpuTime) -> io::Result<Self> {
        let before = time.used()?;
        time.expect_programs();
        Ok(Self {
            time,
            bucket: Bucket::full(Instant::now()),
            before,
            is_paused: true,
        })
    }

    /// Returns how often to measure an idle worker.
    pub(super) const fn period(&self) -> Duration {
        match self.time {
            CpuTime::Process(_) | CpuTime::Cgroup(_) => PERIOD,
            CpuTime::Tree(_) => TREE_PERIOD,
        }
    }

    pub(super) fn used(&mut self) -> io::Result<Duration> {
        self.time.used()
    }

    /// Called when the worker starts a job.
    pub(super) fn pause(&mut self) {
        self.measure();
        self.is_paused = true;
    }

    /// Called when the worker is ready, or has finished a job.
    pub(super) fn resume(&mut self) {
        self.measure();
        self.bucket.add(PER_JOB);
        self.is_paused = false;
    }

    /// Measures the worker and charges it.
    pub(super) fn measure(&mut self) {
        // A worker that can't be measured has exited, which `receive` reports.
        let Ok(used) = self.time.used() else { return };
        let since = used.saturating_sub(self.before);
        self.before = used;
        let charged = if self.is_paused {
            Duration::ZERO
        } else {
            since
        };
        self.bucket.charge(charged, Instant::now());
    }

    /// Returns the time that the worker has used between jobs so far, if that is too much.
    pub(super) fn exceeded(&self) -> Option<Duration> {
        self.bucket.is_overdrawn.then_some(self.bucket.charged)
    }
}

/// A token bucket whose tokens are processor time.
#[derive(Debug)]
struct Bucket {
    tokens: Duration,
    refilled_at: Instant,
    charged: Duration,
    is_overdrawn: bool,
}

impl Bucket {
    const fn full(now: Instant) -> Self {
        Self {
            tokens: BURST,
            refilled_at: now,
            charged: Duration::ZERO,
            is_overdrawn: false,
        }
    }

    fn add(&mut self, tokens: Duration) {
        self.tokens = BURST.min(self.tokens + tokens);
    }

    fn charge(&mut self, used: Duration, now: Instant) {
        self.add(now.saturating_duration_since(self.refilled_at) / SHARE);
        self.refilled_at = now;
        self.charged += used;
        match self.tokens.checked_sub(used) {
            Some(left) => self.tokens = left,
            None => self.is_overdrawn = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn charges_idle_time_over_a_workers_life() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        // The worker uses one second of processor time in every 1.5 seconds.
        let mut periods = 0;
        while !bucket.is_overdrawn {
            periods += 1;
            bucket.add(PER_JOB);
            bucket.charge(1000 * MS, start + 1500 * MS * periods);
        }
        assert_eq!(periods, 3);
    }

    #[test]
    fn allows_a_rate_and_a_burst() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        bucket.charge(BURST, start);
        for second in 1..=600 {
            bucket.charge(1000 * MS / SHARE, start + 1000 * MS * second);
        }
        assert!(!bucket.is_overdrawn);
        bucket.charge(2 * MS, start + 600_000 * MS);
        assert!(bucket.is_overdrawn);
    }

    #[test]
    fn allows_some_work_after_each_job() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        for job in 1..=100_000 {
            bucket.add(PER_JOB);
            bucket.charge(MS / 5, start + MS * job);
        }
        assert!(!bucket.is_overdrawn);
    }

    #[test]
    fn caps_the_allowance_at_a_burst() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        bucket.charge(BURST + MS, start + Duration::from_hours(24));
        assert!(bucket.is_overdrawn);
    }
}
