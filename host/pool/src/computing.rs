//! How much a worker computes between questions, when it should rest.
//!
//! A limit that the kernel holds would not do: it ends a healthy worker some day, only root can raise it, its signal can be
//! blocked, and each program that an AI starts begins anew.

mod clock;
mod tree;

use std::{io, time::Duration};

use rustix::param::clock_ticks_per_second;
use tokio::time::Instant;

use super::cgroup::ProcessorTime;
use clock::processor_time;
use tree::Tree;

/// How often an idle process is looked at.
const PERIOD: Duration = Duration::from_secs(1);
/// How often an idle tree of processes is looked at: what a short-lived process uses after the last look at it can be lost.
const TREE_PERIOD: Duration = Duration::from_millis(200);
/// The computing time between questions that a fresh worker may use at once: to clear tables, to give memory back.
const BURST: Duration = Duration::from_secs(2);
/// The part of one processor, as a divisor, that a worker may use between questions all the time.
const SHARE: u32 = 50;
/// What each answer adds: the worker itself has some work left once the host has the answer.
const PER_ANSWER: Duration = Duration::from_millis(1);

/// Which processes are counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    /// The process of this number; it cannot start others.
    Process(u32),
    /// The process of this number and all its descendants.
    Tree(u32),
}

/// The computing time of one worker.
#[derive(Debug)]
pub(super) enum ComputingTime {
    /// The worker is one process.
    Process(u32),
    /// The worker can start programs.
    Tree(Tree),
    /// The kernel counts all that was ever in the worker's cgroup.
    Cgroup(ProcessorTime),
}

impl ComputingTime {
    pub(super) fn of(counted: Counted) -> Self {
        match counted {
            Counted::Process(number) => Self::Process(number),
            Counted::Tree(root) => Self::Tree(Tree::of(root)),
        }
    }

    /// Returns the computing time of the worker until now, on all processors. Never decreases.
    ///
    /// # Errors
    /// The kernel does not tell, or the worker has ended.
    pub(super) fn used(&mut self) -> io::Result<Duration> {
        match self {
            Self::Process(number) => processor_time(*number),
            Self::Tree(tree) => Ok(Duration::from_millis(tree.ticks()? * 1000 / clock_ticks_per_second())),
            Self::Cgroup(counter) => counter.used(),
        }
    }

    const fn period(&self) -> Duration {
        match self {
            Self::Process(_) | Self::Cgroup(_) => PERIOD,
            Self::Tree(_) => TREE_PERIOD,
        }
    }
}

/// Charges a worker for what it computes between questions, over its whole life, so that no question comes often enough to
/// hide it.
#[derive(Debug)]
pub(super) struct ComputingWatch {
    time: ComputingTime,
    bucket: Bucket,
    /// What was used at the last look.
    before: Duration,
    /// Whether the worker is starting or has a question: then it may compute.
    is_asked: bool,
}

impl ComputingWatch {
    /// Watches a worker that is starting.
    ///
    /// # Errors
    /// The kernel does not tell what the worker computes.
    pub(super) fn start(mut time: ComputingTime) -> io::Result<Self> {
        let before = time.used()?;
        Ok(Self { time, bucket: Bucket::full(Instant::now()), before, is_asked: true })
    }

    /// How often an idle worker is to be looked at.
    pub(super) const fn period(&self) -> Duration {
        self.time.period()
    }

    /// The computing time of the worker until now.
    pub(super) fn used(&mut self) -> io::Result<Duration> {
        self.time.used()
    }

    /// The worker has a question from now on.
    pub(super) fn question_begins(&mut self) {
        self.look();
        self.is_asked = true;
    }

    /// The worker is ready for questions, or has answered one.
    pub(super) fn question_ends(&mut self) {
        self.look();
        self.bucket.add(PER_ANSWER);
        self.is_asked = false;
    }

    /// Looks at the worker and charges it.
    pub(super) fn look(&mut self) {
        // What can't be read has ended, which is noticed elsewhere.
        let Ok(used) = self.time.used() else { return };
        let since = used.saturating_sub(self.before);
        self.before = used;
        let charged = if self.is_asked { Duration::ZERO } else { since };
        self.bucket.charge(charged, Instant::now());
    }

    /// How much the worker has computed between questions in its life, if that was too much.
    pub(super) fn exceeded(&self) -> Option<Duration> {
        self.bucket.is_overdrawn.then_some(self.bucket.charged)
    }
}

/// A token bucket: its tokens are computing time.
#[derive(Debug)]
struct Bucket {
    tokens: Duration,
    refilled_at: Instant,
    /// All that was ever charged.
    charged: Duration,
    is_overdrawn: bool,
}

impl Bucket {
    const fn full(now: Instant) -> Self {
        Self { tokens: BURST, refilled_at: now, charged: Duration::ZERO, is_overdrawn: false }
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
    fn counts_what_this_process_computes() {
        let mut time = ComputingTime::of(Counted::Tree(std::process::id()));
        let before = time.used().unwrap();
        while time.used().unwrap() < before + 50 * MS {
            std::hint::black_box(before);
        }
    }

    #[test]
    fn charges_computing_between_questions_over_the_whole_life() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        // A second of every second and a half.
        let mut periods = 0;
        while !bucket.is_overdrawn {
            periods += 1;
            bucket.add(PER_ANSWER);
            bucket.charge(1000 * MS, start + 1500 * MS * periods);
        }
        assert_eq!(periods, 3);
    }

    #[test]
    fn allows_a_share_of_one_processor_and_a_burst() {
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
    fn allows_the_rest_of_each_of_many_answers() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        for answer in 1..=100_000 {
            bucket.add(PER_ANSWER);
            bucket.charge(MS / 5, start + MS * answer);
        }
        assert!(!bucket.is_overdrawn);
    }

    #[test]
    fn saves_no_more_than_a_burst() {
        let start = Instant::now();
        let mut bucket = Bucket::full(start);
        bucket.charge(BURST + MS, start + Duration::from_hours(24));
        assert!(bucket.is_overdrawn);
    }
}
