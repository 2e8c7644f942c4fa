//! One check, its time limit and its retry with more resources.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use futures_util::future::LocalBoxFuture;

use crate::{
    failure::CheckFailure,
    report::{CheckReport, NEEDS_MORE, Verdict},
    subject::{Printed, Subject},
};
use config::THREAD_COUNTS;
use protocol::SandboxSettings;

/// The minimum time limit for a check. The worker is killed when the limit expires.
const TIME_LIMIT: Duration = Duration::from_mins(1);

/// One check of the contract.
pub struct Check {
    /// The name, such as `moves.castling`.
    pub name: &'static str,
    /// What the contract requires of an AI, in a sentence.
    pub description: &'static str,
    pub(crate) marks: &'static [Mark],
    pub(crate) run: for<'s> fn(&'s Subject) -> LocalBoxFuture<'s, Result<Passed, CheckFailure>>,
}

/// A special property of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It measures times, and concurrent searches would distort them.
    MeasuresTime,
    /// The quick form skips it, because it takes a long time or examines more closely what another
    /// check covers.
    OnlyFull,
}

/// Declares a group's checks in running order. Each has a name, marks, a description and the call
/// that runs it.
macro_rules! checks {
    ($subject:ident => $(
        $name:literal $([$($mark:ident),+])?: $description:literal, $run:expr;
    )+) => {
        pub(crate) const CHECKS: &[$crate::check::Check] = &[$($crate::check::Check {
            name: $name,
            description: $description,
            marks: &[$($($crate::check::Mark::$mark),+)?],
            run: |$subject| Box::pin($run),
        }),+];
    };
}
pub(crate) use checks;

/// A passed check, with an optional note.
pub(crate) struct Passed(Option<String>);

impl Passed {
    pub(crate) const WITHOUT_NOTE: Self = Self(None);

    pub(crate) const fn with_note(note: String) -> Self {
        Self(Some(note))
    }
}

impl Check {
    /// Returns whether the quick form includes the check.
    pub fn is_quick(&self) -> bool {
        !self.marks.contains(&Mark::OnlyFull)
    }

    /// Runs the check. Its workers are killed when it ends or when the future is dropped.
    pub async fn run(&self, subject: &Subject) -> CheckReport {
        let start = Instant::now();
        let subject = &Subject {
            printed: Printed::default(),
            ..subject.clone()
        };
        let mut result = if self.marks.contains(&Mark::MeasuresTime) {
            repeat_warning(async || self.run_once(subject).await).await
        } else {
            self.run_once(subject).await
        };
        let printed = subject.printed.replace(String::new());
        // Leaves out crashes, whose reasons already include the printed text.
        if let Err(CheckFailure {
            verdict: Verdict::Fail | Verdict::Warning,
            reason,
            ..
        }) = &mut result
            && !printed.is_empty()
        {
            let _ = write!(reason, "; it printed: {printed}");
        }
        if let Err(failure) = &mut result
            && failure.is_fault
            && self.passes_with_more(subject).await
        {
            failure.remedy = Some(NEEDS_MORE);
        }
        let (verdict, reason, remedy) = match result {
            Ok(Passed(note)) => (Verdict::Pass, note, None),
            Err(CheckFailure {
                verdict,
                reason,
                remedy,
                ..
            }) => (verdict, Some(reason), remedy),
        };
        let time_ms = start.elapsed().as_millis() as u64;
        CheckReport {
            name: self.name,
            verdict,
            reason,
            remedy,
            time_ms,
        }
    }

    /// Returns whether the check passes with more threads and memory. An AI that lacks threads or
    /// memory can fail without naming the cause.
    async fn passes_with_more(&self, subject: &Subject) -> bool {
        let mut subject = subject.clone();
        let SandboxSettings {
            threads, memory_mb, ..
        } = &mut subject.ai.sandbox;
        *threads = *THREAD_COUNTS.end();
        *memory_mb = memory_mb.saturating_mul(4);
        self.run_once(&subject).await.is_ok()
    }

    async fn run_once(&self, subject: &Subject) -> Result<Passed, CheckFailure> {
        // A check may start two workers.
        let time_limit = TIME_LIMIT.max(2 * Duration::from_millis(subject.ai.start_timeout_ms));
        let result = tokio::time::timeout(time_limit, (self.run)(subject)).await;
        result.unwrap_or_else(|_| {
            Err(CheckFailure::failed(
                format!(
                    "the check did not finish within {} s; its worker was killed",
                    time_limit.as_secs()
                ),
                "return from each search within the limits of its request",
            ))
        })
    }
}

/// Repeats a check that ends with a warning. Other work on the machine may have delayed the AI,
/// but a slow AI will be late again.
async fn repeat_warning<T>(
    run: impl AsyncFn() -> Result<T, CheckFailure>,
) -> Result<T, CheckFailure> {
    match run().await {
        Err(CheckFailure {
            verdict: Verdict::Warning,
            ..
        }) => run().await,
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Returns the verdict of a check whose runs end with these verdicts, and the number of runs.
    async fn outcome(verdicts: &[Verdict]) -> (Verdict, usize) {
        let runs = Cell::new(0);
        let result = repeat_warning(async || match verdicts[runs.replace(runs.get() + 1)] {
            Verdict::Pass => Ok(()),
            Verdict::Warning => Err(CheckFailure::warning("late", "be faster")),
            _ => Err(CheckFailure::failed("too late", "be faster")),
        })
        .await;
        let verdict = result.map_or_else(|failure| failure.verdict, |()| Verdict::Pass);
        (verdict, runs.get())
    }

    #[tokio::test]
    async fn repeats_only_warnings_and_only_once() {
        use Verdict::{Fail, Pass, Warning};
        assert_eq!(outcome(&[Pass]).await, (Pass, 1));
        assert_eq!(outcome(&[Fail]).await, (Fail, 1));
        assert_eq!(outcome(&[Warning, Pass]).await, (Pass, 2));
        assert_eq!(outcome(&[Warning, Warning]).await, (Warning, 2));
        assert_eq!(outcome(&[Warning, Fail]).await, (Fail, 2));
    }
}
