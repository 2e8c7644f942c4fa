//! The progress of the checks: a bar on a terminal, otherwise periodic lines.

use std::{
    cell::Cell,
    future::Future,
    io::{self, IsTerminal as _},
    time::Duration,
};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use tokio::time::{Instant, interval_at};

use crate::cli::output::print_message;

/// The time between two lines.
const PERIOD: Duration = Duration::from_secs(10);

pub(super) struct CheckProgress {
    /// `None` without a terminal.
    bar: Option<ProgressBar>,
    checks: usize,
    ended: Cell<usize>,
    started: Instant,
    deadline: Option<Instant>,
}

impl CheckProgress {
    pub(super) fn new(checks: usize, deadline: Option<Instant>) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos} of {len} checks  {msg}");
            let bar = ProgressBar::new(checks as u64);
            bar.with_style(style.expect("the template is well-formed"))
        });
        Self {
            bar,
            checks,
            ended: Cell::new(0),
            started: Instant::now(),
            deadline,
        }
    }

    /// Counts a check that has ended.
    pub(super) fn add(&self) {
        self.ended.set(self.ended.get() + 1);
        self.bar.iter().for_each(|bar| bar.inc(1));
    }

    /// Hides the bar while printing.
    pub(super) fn beside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Shows the progress until a future has ended.
    pub(super) async fn shown_while<T>(&self, future: impl Future<Output = T>) -> T {
        let period = if self.bar.is_some() {
            Duration::from_secs(1)
        } else {
            PERIOD
        };
        let mut ticks = interval_at(self.started + period, period);
        tokio::pin!(future);
        let output = loop {
            tokio::select! {
                output = &mut future => break output,
                _ = ticks.tick() => self.show(),
            }
        };
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
        output
    }

    fn show(&self) {
        let left = self.left(Instant::now());
        match &self.bar {
            Some(bar) => bar.set_message(left),
            None => print_message(&format!(
                "{} of {} checks, {left}",
                self.ended.get(),
                self.checks
            )),
        }
    }

    /// Estimates the remaining time from the checks that have ended, limited by the deadline.
    #[expect(
        clippy::cast_precision_loss,
        reason = "there are fewer than 2^52 checks"
    )]
    fn left(&self, now: Instant) -> String {
        let (elapsed, ended) = (now - self.started, self.ended.get());
        let each = elapsed.as_secs_f64() / ended.max(1) as f64;
        let left = Duration::from_secs_f64(each * (self.checks - ended) as f64);
        let most = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(now));
        match most {
            Some(most) if most < left => format!("at most {:#} left", HumanDuration(most)),
            _ => format!("about {:#} left", HumanDuration(left)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_remaining_time() {
        let progress = |deadline: Option<u64>| {
            let started = Instant::now();
            let deadline = deadline.map(|seconds| started + Duration::from_secs(seconds));
            CheckProgress {
                bar: None,
                checks: 60,
                ended: Cell::new(20),
                started,
                deadline,
            }
        };
        let left = |deadline| {
            let progress = progress(deadline);
            progress.left(progress.started + Duration::from_secs(10))
        };
        assert_eq!(left(None), "about 20s left");
        assert_eq!(left(Some(50)), "about 20s left");
        assert_eq!(left(Some(15)), "at most 5s left");
    }
}
