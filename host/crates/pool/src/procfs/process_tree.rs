//! The processor time of a process and all its descendants.

use std::{collections::HashMap, io};

use super::{MAX_MEASURED, Stat, descendants};

/// A process and all its descendants, including exited ones.
///
/// The kernel adds a child's time to its parent's time when the parent waits for it. If the parent
/// ignores SIGCHLD, that never happens, and the time is lost when the child exits. Each measurement
/// therefore computes two sums: the times of the processes including the children they have waited
/// for, and the time of each process since its last measurement. The larger increase is used.
#[derive(Debug)]
pub(crate) struct ProcessTree {
    root: u32,
    /// The sum of all measurements.
    ticks: u64,
    last: Measurement,
}

/// One measurement of all processes.
#[derive(Debug, Default)]
struct Measurement {
    /// The time of the processes and of the children they have waited for.
    with_reaped: u64,
    /// The time of each process without its children.
    own: HashMap<ProcessId, u64>,
}

/// Distinguishes processes with the same id, because the kernel reuses ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProcessId {
    pub(crate) id: u32,
    started_at: u64,
}

impl ProcessTree {
    pub(crate) fn new(root: u32) -> Self {
        Self {
            root,
            ticks: 0,
            last: Measurement::default(),
        }
    }

    /// Measures every process and returns their total ticks so far.
    ///
    /// # Errors
    /// The root has exited.
    pub(crate) fn ticks(&mut self) -> io::Result<u64> {
        let mut now = Measurement::at(self.root)?;
        if now.with_reaped < self.last.with_reaped {
            // A process may have exited after its parent was measured. Its time is now part of its
            // parent's time.
            now = Measurement::at(self.root)?;
        }
        now.keep_running(&self.last);
        self.ticks += now.since(&self.last);
        self.last = now;
        Ok(self.ticks)
    }

    /// Returns the processes of the last measurement.
    pub(crate) fn processes(&self) -> impl Iterator<Item = &ProcessId> {
        self.last.own.keys()
    }
}

impl Measurement {
    fn at(root: u32) -> io::Result<Self> {
        let mut now = Self::default();
        for (process, stat) in descendants(root, MAX_MEASURED, usize::MAX)? {
            now.add(process, &stat);
        }
        Ok(now)
    }

    fn add(&mut self, number: u32, stat: &Stat) {
        self.with_reaped += stat.own_ticks + stat.reaped_ticks;
        self.own.insert(
            ProcessId {
                id: number,
                started_at: stat.started_at,
            },
            stat.own_ticks,
        );
    }

    /// Adds processes that still run but were missed, because their parent changed.
    fn keep_running(&mut self, before: &Self) {
        for &process in before.own.keys() {
            if !self.own.contains_key(&process)
                && let Ok(stat) = Stat::of(process.id)
                && stat.started_at == process.started_at
                && self.own.len() < MAX_MEASURED
            {
                self.add(process.id, &stat);
            }
        }
    }

    /// Returns the increase since an earlier measurement.
    fn since(&self, before: &Self) -> u64 {
        let own = |(process, ticks): (&ProcessId, &u64)| {
            ticks.saturating_sub(before.own.get(process).copied().unwrap_or(0))
        };
        let own: u64 = self.own.iter().map(own).sum();
        own.max(self.with_reaped.saturating_sub(before.with_reaped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A measurement of processes: their ids, their own ticks and the ticks of children they have
    /// waited for.
    fn measurement(processes: &[(u32, u64, u64)]) -> Measurement {
        let mut now = Measurement::default();
        for &(number, own_ticks, reaped_ticks) in processes {
            let stat = Stat {
                own_ticks,
                reaped_ticks,
                started_at: u64::from(number),
                ..Stat::default()
            };
            now.add(number, &stat);
        }
        now
    }

    #[test]
    fn counts_a_child_once_whether_it_was_reaped_or_not() {
        let before = measurement(&[(1, 10, 0), (2, 500, 0)]);
        for (after, ticks) in [
            // The child keeps running.
            (measurement(&[(1, 11, 0), (2, 507, 0)]), 8),
            // The child ran for 3 more ticks, and its parent waited for it.
            (measurement(&[(1, 11, 503)]), 4),
            // The child exited unreaped.
            (measurement(&[(1, 11, 0)]), 1),
            // Another process has taken the child's place.
            (measurement(&[(1, 10, 0), (3, 25, 0)]), 25),
            // Some children were never measured.
            (measurement(&[(1, 10, 40), (2, 500, 0)]), 40),
        ] {
            assert_eq!(after.since(&before), ticks, "{after:?}");
        }
    }
}
