//! Tracks whether a server's AIs have jobs.

use std::time::Duration;

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

/// Counts the jobs of AIs. Clones share the count.
#[derive(Clone, Debug)]
pub struct Activity(watch::Sender<JobCount>);

#[derive(Clone, Copy, Debug)]
struct JobCount {
    running: usize,
    /// When the last job ended; `None` before the first one.
    ended: Option<Instant>,
}

/// A job, counted until this is dropped.
#[derive(Debug)]
pub struct ActiveJob(watch::Sender<JobCount>);

impl Default for Activity {
    fn default() -> Self {
        Self(watch::Sender::new(JobCount {
            running: 0,
            ended: None,
        }))
    }
}

impl Activity {
    /// Counts a job until the returned guard is dropped, whether it is queued or running.
    #[must_use]
    pub fn begin(&self) -> ActiveJob {
        self.0.send_modify(|jobs| jobs.running += 1);
        ActiveJob(self.0.clone())
    }

    /// Returns whether there has been no job for this long.
    pub fn is_idle_for(&self, time: Duration) -> bool {
        self.0.borrow().is_idle_for(time)
    }

    /// Resolves when there is a job or one has ended within this time: a short job may end before
    /// this future is polled.
    pub async fn busy_within(&self, time: Duration) {
        let mut jobs = self.0.subscribe();
        // The sender is in `self`, which outlives this future.
        let _ = jobs.wait_for(|jobs| !jobs.is_idle_for(time)).await;
    }

    /// Resolves when fewer than this many jobs are running.
    pub async fn fewer_than(&self, jobs: usize) {
        // The sender is in `self`, which outlives this future.
        let _ = self
            .0
            .subscribe()
            .wait_for(|count| count.running < jobs)
            .await;
    }

    /// Resolves when there has been no job for this long.
    pub async fn idle_for(&self, time: Duration) {
        let mut jobs = self.0.subscribe();
        loop {
            let Ok(JobCount { ended, .. }) = jobs
                .wait_for(|jobs| jobs.running == 0)
                .await
                .map(|jobs| *jobs)
            else {
                return;
            };
            let Some(idle_at) = ended.map(|ended| ended + time) else {
                return;
            };
            tokio::select! {
                () = sleep_until(idle_at) => return,
                _ = jobs.changed() => {}
            }
        }
    }
}

impl JobCount {
    fn is_idle_for(self, time: Duration) -> bool {
        self.running == 0 && self.ended.is_none_or(|ended| ended.elapsed() >= time)
    }
}

impl Drop for ActiveJob {
    fn drop(&mut self) {
        self.0.send_modify(|jobs| {
            jobs.running -= 1;
            jobs.ended = Some(Instant::now());
        });
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, pin::pin, task::Poll};

    use super::*;

    async fn is_ready(future: impl Future<Output = ()>) -> bool {
        let mut future = pin!(future);
        poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await
    }

    #[tokio::test]
    async fn counts_idle_time_from_the_end_of_the_last_job() {
        let (activity, hour) = (Activity::default(), Duration::from_hours(1));
        assert!(
            is_ready(activity.idle_for(hour)).await
                && !is_ready(activity.busy_within(Duration::ZERO)).await
        );
        let (one, other) = (activity.begin(), activity.clone().begin());
        drop(one);
        assert!(
            is_ready(activity.busy_within(Duration::ZERO)).await
                && !is_ready(activity.idle_for(Duration::ZERO)).await
        );
        drop(other);
        assert!(
            !is_ready(activity.busy_within(Duration::ZERO)).await
                && !is_ready(activity.idle_for(hour)).await
        );
        activity.idle_for(Duration::ZERO).await;
    }

    #[tokio::test]
    async fn a_wait_sees_every_job() {
        let activity = Activity::default();
        let running = activity.begin();
        let mut idle = pin!(activity.idle_for(Duration::ZERO));
        assert!(!is_ready(idle.as_mut()).await);
        let mut busy = pin!(activity.busy_within(Duration::ZERO));
        drop(running);
        assert!(!is_ready(busy.as_mut()).await);
        let running = activity.begin();
        busy.await;
        drop(running);
        idle.await;
    }

    #[tokio::test]
    async fn a_wait_sees_a_job_that_has_ended() {
        let (activity, hour) = (Activity::default(), Duration::from_hours(1));
        let mut busy = pin!(activity.busy_within(hour));
        assert!(!is_ready(busy.as_mut()).await);
        drop(activity.begin());
        busy.await;
        assert!(is_ready(activity.busy_within(hour)).await);
    }
}
