//! The deadlines of a job.

use std::time::Duration;

use tokio::time::Instant;

use crate::fault::Stall;
use config::thinking_time;
use protocol::Job;

/// A worker that has computed for more than this multiple of the stop grace was not starved.
const GRACES_TO_STOP: u32 = 2;

/// The time allowed for one job.
#[derive(Clone, Copy, Debug)]
pub struct TimeAllowed {
    /// The time for the preparation: a new game, or an instance with different options.
    pub preparation: Duration,
    pub job: Duration,
    /// The time left for the job itself, which is less after a failed attempt.
    pub left: Duration,
}

/// What a worker has done since it was told to stop.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Late {
    /// How long the worker, or the host, has had no processor.
    pub(super) lost: Duration,
    /// The processor time of the worker and its programs.
    pub(super) computed: Duration,
}

/// The deadlines of one phase of a job.
pub(super) struct Deadlines {
    /// When the host stops the search. A preparation can't be stopped, so it is late from then on.
    pub(super) stop_at: Instant,
    /// When the host gives up and kills the worker.
    pub(super) kill_at: Instant,
    /// The end of the allowed time, without the extension for a starved worker.
    due_at: Instant,
    /// The latest value that `kill_at` may take.
    latest: Instant,
    pub(super) stall: Stall,
}

impl Deadlines {
    /// Returns the deadlines of a preparation, which has no soft limit.
    pub(super) fn of_preparation(
        time: Duration,
        stop_grace: Duration,
        stall: fn(Duration) -> Stall,
    ) -> Self {
        Self::new(thinking_time(time, stop_grace), time, stall(time))
    }

    /// Returns the deadlines of a job. A search's time starts once it stops pondering.
    pub(super) fn of_job(
        time_allowed: &TimeAllowed,
        stop_grace: Duration,
        job: &Job,
        is_pondering: bool,
    ) -> Self {
        let left = time_allowed.left;
        let until_stop = thinking_time(left, stop_grace);
        let mut deadlines = Self::new(until_stop, left, Stall::Answer(time_allowed.job));
        if !is_pondering {
            deadlines.start_time_of(job);
        }
        deadlines
    }

    /// Starts the job's time: from now on, its hard time limit applies.
    pub(super) fn start_time_of(&mut self, job: &Job) {
        if let Some(ms) = job.task.limits().hard_ms {
            let left = self.stop_at.saturating_duration_since(Instant::now());
            self.stop_at = Instant::now() + left.min(Duration::from_millis(ms));
        }
    }

    fn new(until_stop: Duration, time: Duration, stall: Stall) -> Self {
        let now = Instant::now();
        let due_at = now + time;
        Self {
            stop_at: now + until_stop,
            kill_at: due_at,
            due_at,
            latest: due_at + time,
            stall,
        }
    }

    /// Moves the hard limit to at most this long from now, and rules out extensions.
    pub(super) fn shorten(&mut self, grace: Duration) {
        self.kill_at = self.kill_at.min(Instant::now() + grace);
        self.latest = self.kill_at;
    }

    /// Extends the deadline by the time lost without a processor, but at most to twice the allowed
    /// time.
    ///
    /// # Errors
    /// No time is left, or the worker has computed for so long that it could have stopped even on a
    /// busy machine.
    pub(super) fn extend(&mut self, late: Late, stop_grace: Duration) -> Result<(), Stall> {
        if late.computed > GRACES_TO_STOP * stop_grace {
            return Err(self.stall);
        }
        self.kill_at = self.latest.min(self.due_at + late.lost);
        if self.kill_at > Instant::now() {
            return Ok(());
        }
        let is_starved = self.kill_at == self.latest && self.latest > self.due_at;
        Err(if is_starved {
            Stall::Starved(late.lost)
        } else {
            self.stall
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Fault;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn starvation_at_most_doubles_the_time() {
        let mut deadlines = Deadlines::new(90 * SECOND, 100 * SECOND, Stall::Answer(100 * SECOND));
        let due = deadlines.kill_at;
        let late = |lost_s| Late {
            lost: lost_s * SECOND,
            computed: 20 * SECOND,
        };
        for (lost_s, extension_s) in [(0, 0), (30, 30), (40, 40), (500, 100)] {
            deadlines.extend(late(lost_s), 10 * SECOND).unwrap();
            assert_eq!(deadlines.kill_at - due, extension_s * SECOND);
        }
        deadlines.shorten(Duration::ZERO);
        assert_eq!(
            deadlines.extend(late(500), 10 * SECOND),
            Err(Stall::Answer(100 * SECOND)),
            "disconnected"
        );
    }

    #[test]
    fn processor_time_since_the_stop_decides_whose_fault_it_is() {
        for (computed_ms, stall) in [
            (0, Stall::Starved(SECOND)),
            (500, Stall::Starved(SECOND)),
            (501, Stall::Answer(Duration::ZERO)),
        ] {
            let mut deadlines = Deadlines::new(
                Duration::ZERO,
                Duration::ZERO,
                Stall::Answer(Duration::ZERO),
            );
            deadlines.due_at -= SECOND;
            let late = Late {
                lost: SECOND,
                computed: Duration::from_millis(computed_ms),
            };
            let stall_found = deadlines.extend(late, Duration::from_millis(250));
            assert_eq!(stall_found, Err(stall), "{computed_ms} ms");
        }
    }

    #[test]
    fn replaces_a_starved_worker_without_blaming_the_ai() {
        let faults = [Stall::Answer(SECOND), Stall::Starved(SECOND)].map(Fault::Stalled);
        assert_eq!(faults.each_ref().map(Fault::is_ai_fault), [true, false]);
        assert_eq!(faults.each_ref().map(Fault::kills_worker), [true, true]);
    }
}
