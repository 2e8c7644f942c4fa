//! Decides when the checks run. Checks that measure time run separately from the others.

use std::{future::Future, num::NonZero, thread::available_parallelism};

use futures_util::{StreamExt as _, stream};
use tokio::time::{Instant, timeout_at};

use crate::{
    check::{Check, Mark},
    report::CheckReport,
    subject::Subject,
};

/// More parallel checks would cost more in memory than they save in time.
const MAX_AT_ONCE: usize = 4;

/// Runs checks until the deadline, and passes each report to `each` in the order in which the
/// checks finish. Checks that measure time come first, at most one for every two processors in
/// parallel. The others follow, two per processor, because they mostly wait.
pub async fn run_checks(
    checks: &[&'static Check],
    subject: &Subject,
    deadline: Option<Instant>,
    mut each: impl FnMut(CheckReport),
) {
    let processors = available_parallelism().map_or(1, NonZero::get);
    for (measures_time, at_once) in [(true, processors / 2), (false, 2 * processors)] {
        let group = checks
            .iter()
            .filter(|check| check.marks.contains(&Mark::MeasuresTime) == measures_time);
        let running = group.map(|check| check.run(subject));
        each_until(deadline, running, at_once.clamp(1, MAX_AT_ONCE), &mut each).await;
    }
}

/// Runs futures, at most `at_once` in parallel, and drops unfinished futures at the deadline.
async fn each_until<T>(
    deadline: Option<Instant>,
    futures: impl Iterator<Item = impl Future<Output = T>>,
    at_once: usize,
    mut each: impl FnMut(T),
) {
    let mut ended = stream::iter(futures).buffer_unordered(at_once);
    let all = async {
        while let Some(output) = ended.next().await {
            each(output);
        }
    };
    match deadline {
        Some(deadline) => _ = timeout_at(deadline, all).await,
        None => all.await,
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, future::pending};

    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn runs_as_many_in_parallel_as_allowed() {
        for at_once in [1, 3] {
            let (running, most, mut ended) = (Cell::new(0), Cell::new(0), 0);
            let check = || async {
                running.set(running.get() + 1);
                most.set(most.get().max(running.get()));
                yield_now().await;
                running.set(running.get() - 1);
            };
            each_until(None, (0..9).map(|_| check()), at_once, |()| ended += 1).await;
            assert_eq!((most.get(), ended), (at_once, 9));
        }
    }

    #[tokio::test]
    async fn drops_unfinished_futures_at_the_deadline() {
        let mut ended = Vec::new();
        let check = |number: u32| async move { if number == 2 { pending().await } else { number } };
        each_until(Some(Instant::now()), (0..5).map(check), 1, |number| {
            ended.push(number);
        })
        .await;
        assert_eq!(ended, [0, 1]);
    }
}
