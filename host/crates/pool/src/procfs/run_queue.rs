//! How long the threads of a process wait for a processor.

use std::{
    collections::HashMap,
    fs,
    time::{Duration, Instant},
};

use super::{MAX_PROCESSES, MAX_THREADS, descendants};

/// The threads of some processes and their descendants at one point in time.
#[derive(Debug)]
pub struct RunQueue {
    at: Instant,
    threads: HashMap<u32, Thread>,
}

/// A thread, as `/proc/PID/task/TID/schedstat` describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Thread {
    computed_ns: u64,
    /// The time that it was runnable but waited for a processor, excluding the current wait.
    waited_ns: u64,
    /// How often it got a processor.
    turns: u64,
    is_runnable: bool,
}

impl RunQueue {
    /// Reads the threads of these processes. There are none if the kernel does not report these
    /// times or the processes have exited.
    pub(crate) fn of(processes: impl IntoIterator<Item = u32>) -> Self {
        let family = |process| descendants(process, MAX_PROCESSES, MAX_THREADS).unwrap_or_default();
        let processes = processes.into_iter().flat_map(family);
        let threads = processes.flat_map(|(process, _)| {
            let tasks = fs::read_dir(format!("/proc/{process}/task"))
                .into_iter()
                .flatten()
                .flatten();
            tasks.take(MAX_THREADS).filter_map(|task| {
                let id = task.file_name().to_str()?.parse().ok()?;
                let read = |name| fs::read_to_string(task.path().join(name)).ok();
                Some((id, Thread::parse(&read("schedstat")?, &read("stat")?)?))
            })
        });
        Self {
            at: Instant::now(),
            threads: threads.collect(),
        }
    }

    /// Returns the longest time since `before` that a thread waited for a processor while other
    /// processes used all processors. `computed` includes the time of exited threads.
    pub fn starved_since(&self, before: &Self, computed: Duration) -> Duration {
        let elapsed = self.at.duration_since(before.at);
        let mut longest = Duration::ZERO;
        for (id, thread) in &self.threads {
            let earlier = before.threads.get(id).copied();
            let since = earlier.unwrap_or_default();
            let waited = if earlier == Some(*thread) && thread.is_runnable {
                // The kernel counts a wait when it ends.
                elapsed
            } else {
                Duration::from_nanos(thread.waited_ns.saturating_sub(since.waited_ns))
            };
            longest = longest.max(waited);
        }
        // While one of its threads computes, the others wait for that thread.
        longest.min(elapsed.saturating_sub(computed.max(self.computed_since(before))))
    }

    /// Returns the processor time of these threads since an earlier time.
    pub fn computed_since(&self, before: &Self) -> Duration {
        let earlier = |id| {
            before
                .threads
                .get(id)
                .map_or(0, |thread| thread.computed_ns)
        };
        let computed = self
            .threads
            .iter()
            .map(|(id, thread)| thread.computed_ns.saturating_sub(earlier(id)));
        Duration::from_nanos(computed.sum())
    }
}

impl Thread {
    fn parse(schedstat: &str, stat: &str) -> Option<Self> {
        let mut numbers = schedstat.split_ascii_whitespace().map(str::parse);
        let mut number = || numbers.next()?.ok();
        let (_, state) = stat.rsplit_once(')')?;
        Some(Self {
            computed_ns: number()?,
            waited_ns: number()?,
            turns: number()?,
            is_runnable: state.trim_start().starts_with('R'),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// The run queue after this many milliseconds, with (computed, waited, turns, runnable) for
    /// each thread.
    fn after(start: Instant, ms: u64, threads: &[(u64, u64, u64, bool)]) -> RunQueue {
        let thread = |&(computed, waited, turns, is_runnable)| Thread {
            computed_ns: computed * MS,
            waited_ns: waited * MS,
            turns,
            is_runnable,
        };
        RunQueue {
            at: start + Duration::from_millis(ms),
            threads: (1..).zip(threads.iter().map(thread)).collect(),
        }
    }

    #[test]
    fn only_other_processes_starve_a_worker() {
        for (why, before, now, exited_ms, starved_ms) in [
            (
                "it sleeps",
                vec![(5, 5, 9, false)],
                vec![(5, 5, 9, false)],
                0,
                0,
            ),
            (
                "it waits",
                vec![(5, 5, 9, true)],
                vec![(10, 85, 12, true)],
                0,
                80,
            ),
            (
                "it keeps waiting",
                vec![(5, 5, 9, true)],
                vec![(5, 5, 9, true)],
                0,
                100,
            ),
            (
                "it has just woken up",
                vec![(5, 5, 9, false)],
                vec![(5, 5, 9, true)],
                0,
                0,
            ),
            (
                "a new thread waits",
                vec![(0, 0, 1, false)],
                vec![(0, 0, 1, false), (1, 60, 2, true)],
                0,
                60,
            ),
            (
                "its own threads use the processors",
                vec![(0, 0, 1, true); 4],
                vec![(50, 50, 9, true); 4],
                0,
                0,
            ),
            (
                "exited threads used the processors",
                vec![(0, 0, 1, true)],
                vec![(0, 99, 1, true)],
                90,
                10,
            ),
            (
                "many threads wait for one processor",
                vec![(0, 0, 1, true); 8],
                vec![(5, 95, 9, true); 8],
                0,
                60,
            ),
        ] {
            let start = Instant::now();
            let exited = Duration::from_millis(exited_ms);
            let starved = after(start, 100, &now).starved_since(&after(start, 0, &before), exited);
            assert_eq!(starved, Duration::from_millis(starved_ms), "{why}");
        }
    }

    #[test]
    fn reads_the_threads_of_a_process() {
        let own = RunQueue::of(Some(std::process::id()));
        assert!(own.threads[&std::process::id()].turns > 0, "{own:?}");
        assert!(
            !Thread::parse("12 34 5", "7 (a) R 1) S 42")
                .unwrap()
                .is_runnable
        );
        assert_eq!(Thread::parse("12 34", "7 (a) R 1"), None);
    }
}
