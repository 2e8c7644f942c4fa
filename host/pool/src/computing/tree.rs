//! The computing time of a process and of all its descendants.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
};

/// How many processes are looked at; more than threads can be granted.
const MOST_PROCESSES: usize = 8192;

/// A process and all its descendants, those included that have ended.
///
/// The kernel adds the time of a child to its parent's when the parent waits for it. For a parent that ignores SIGCHLD it never
/// does, and the time is lost when the child ends. So two sums are compared from look to look: that of the processes with what
/// they have waited for, and that of what each process has used since the last look at it. The greater one counts.
#[derive(Debug)]
pub(crate) struct Tree {
    root: u32,
    /// Of all looks together.
    ticks: u64,
    last: Look,
}

/// What one look at the processes has shown.
#[derive(Debug, Default)]
struct Look {
    /// What the processes have used, with what they have waited for.
    with_reaped: u64,
    /// What each process has used itself.
    own: HashMap<ProcessId, u64>,
}

/// A process of all times: numbers are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ProcessId {
    number: u32,
    started_at: u64,
}

impl Tree {
    pub(super) fn of(root: u32) -> Self {
        Self { root, ticks: 0, last: Look::default() }
    }

    /// Looks at every process, and returns the ticks of all until now.
    pub(super) fn ticks(&mut self) -> io::Result<u64> {
        let mut look = Look::at(self.root)?;
        if look.with_reaped < self.last.with_reaped {
            // One may have ended between the look at its parent and the look at its siblings. Then its parent has its time now.
            look = Look::at(self.root)?;
        }
        look.keep_running(&self.last);
        self.ticks += look.since(&self.last);
        self.last = look;
        Ok(self.ticks)
    }
}

impl Look {
    fn at(root: u32) -> io::Result<Self> {
        let mut look = Self::default();
        look.add(root, &stat(root)?);
        let (mut parents, mut seen) = (vec![root], HashSet::from([root]));
        while let Some(parent) = parents.pop() {
            for child in children(parent) {
                // One whose parent ends meanwhile is met twice.
                if seen.len() > MOST_PROCESSES || !seen.insert(child) {
                    continue;
                }
                if let Ok(stat) = stat(child) {
                    look.add(child, &stat);
                }
                parents.push(child);
            }
        }
        Ok(look)
    }

    fn add(&mut self, number: u32, stat: &Stat) {
        self.with_reaped += stat.own_ticks + stat.reaped_ticks;
        self.own.insert(ProcessId { number, started_at: stat.started_at }, stat.own_ticks);
    }

    /// Adds those of the look before that still run, and were missed because their parents changed.
    fn keep_running(&mut self, before: &Self) {
        for &process in before.own.keys() {
            if !self.own.contains_key(&process)
                && let Ok(stat) = stat(process.number)
                && stat.started_at == process.started_at
                && self.own.len() < MOST_PROCESSES
            {
                self.add(process.number, &stat);
            }
        }
    }

    /// What was used since the look before.
    fn since(&self, before: &Self) -> u64 {
        let own = |(process, ticks): (&ProcessId, &u64)| {
            ticks.saturating_sub(before.own.get(process).copied().unwrap_or(0))
        };
        let own: u64 = self.own.iter().map(own).sum();
        own.max(self.with_reaped.saturating_sub(before.with_reaped))
    }
}

/// What the kernel tells of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    /// What it has used itself.
    own_ticks: u64,
    /// What its children have used that it has waited for.
    reaped_ticks: u64,
    started_at: u64,
}

fn stat(process: u32) -> io::Result<Stat> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    Stat::parse(&text).ok_or_else(|| io::Error::other(format!("/proc/{process}/stat is not as expected")))
}

impl Stat {
    /// Reads the fields `utime`, `stime`, `cutime`, `cstime` (14 to 17) and `starttime` (22) of proc(5).
    fn parse(stat: &str) -> Option<Self> {
        // The second field is a name, which may hold anything.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<_> = fields.split_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Self {
            own_ticks: number(14)?.checked_add(number(15)?)?,
            reaped_ticks: number(16)?.checked_add(number(17)?)?,
            started_at: number(22)?,
        })
    }
}

/// The processes that this one's threads have started; none where the kernel does not list them.
fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_times_behind_a_name_that_looks_like_fields() {
        let stat = "7 (a) 1 2 3) S 1 7 7 0 -1 4194560 100 200 0 0 11 22 33 44 20 0 1 0 5 0 0";
        assert_eq!(Stat::parse(stat), Some(Stat { own_ticks: 33, reaped_ticks: 77, started_at: 5 }));
        assert_eq!(Stat::parse("7 (a) S 1 7 7 0 -1 4194560 100 200 0 0 11 22 x 44 20 0 1 0 5"), None);
        assert_eq!(Stat::parse(""), None);
    }

    /// A look at a root and its children: their numbers, what each has used, and what it has waited for.
    fn look(processes: &[(u32, u64, u64)]) -> Look {
        let mut look = Look::default();
        for &(number, own_ticks, reaped_ticks) in processes {
            look.add(number, &Stat { own_ticks, reaped_ticks, started_at: u64::from(number) });
        }
        look
    }

    #[test]
    fn counts_a_child_once_whether_it_was_waited_for_or_not() {
        let before = look(&[(1, 10, 0), (2, 500, 0)]);
        for (after, ticks) in [
            // It goes on; it was waited for, after 3 more; it ended, and nobody waited for it.
            (look(&[(1, 11, 0), (2, 507, 0)]), 8),
            (look(&[(1, 11, 503)]), 4),
            (look(&[(1, 11, 0)]), 1),
            // Another one has come in its place, which nobody will wait for either.
            (look(&[(1, 10, 0), (3, 25, 0)]), 25),
            // Some were never seen.
            (look(&[(1, 10, 40), (2, 500, 0)]), 40),
        ] {
            assert_eq!(after.since(&before), ticks, "{after:?}");
        }
    }
}
