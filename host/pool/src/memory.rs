//! How much memory a worker holds, and how many threads it has.

use std::fs;

/// The most processes of one worker that are looked at.
const MOST_PROCESSES: usize = 64;
/// The most threads of a process that are looked at for children.
const MOST_THREADS: usize = 64;

/// The memory that a child of this process holds, and its own children with theirs. Nothing if it is no child, or not any
/// more: its number may be somebody else's by now.
pub(super) fn resident_bytes(process: u32) -> u64 {
    let pages: u64 = family(process).iter().map(|status| status.resident_pages).sum();
    pages * rustix::param::page_size() as u64
}

/// How many threads these have together.
pub(super) fn threads(process: u32) -> usize {
    family(process).iter().map(|status| status.threads).sum()
}

/// A child of this process, and its own children with theirs.
fn family(process: u32) -> Vec<Status> {
    let mut family = Vec::new();
    let mut left = vec![(process, std::process::id())];
    let mut looked_at = 0;
    while let Some((process, parent)) = left.pop() {
        looked_at += 1;
        let Some(status) = Status::of(process).filter(|status| status.parent == parent) else { continue };
        family.push(status);
        if looked_at + left.len() < MOST_PROCESSES {
            left.extend(children(process).into_iter().take(MOST_PROCESSES).map(|child| (child, process)));
        }
    }
    family
}

/// What `/proc/PID/stat` tells of a process.
#[derive(Debug, PartialEq, Eq)]
struct Status {
    parent: u32,
    threads: usize,
    resident_pages: u64,
}

impl Status {
    fn of(process: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
    }

    /// The fields are those of `proc_pid_stat(5)`: the 2nd is the name, which may hold anything; after it the parent is the
    /// 2nd, the number of threads the 18th and that of resident pages the 22nd.
    fn parse(stat: &str) -> Option<Self> {
        let mut fields = stat.rsplit(')').next()?.split_ascii_whitespace();
        let parent = fields.nth(1)?.parse().ok()?;
        let threads = fields.nth(15)?.parse().ok()?;
        Some(Self { parent, threads, resident_pages: fields.nth(3)?.parse().ok()? })
    }
}

fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists = threads.flatten().take(MOST_THREADS).filter_map(|thread| {
        let list = fs::read_to_string(thread.path().join("children")).ok()?;
        Some(list.split_ascii_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<u32>>())
    });
    lists.flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::{os::unix::process::CommandExt, process::Command};

    use super::*;

    #[test]
    fn the_memory_of_a_child_and_of_its_children_is_counted_and_of_nobody_else() {
        let mut child = Command::new("sh").args(["-c", "sleep 600 & wait"]).process_group(0).spawn().unwrap();
        let alone = || Status::of(child.id()).unwrap().resident_pages * rustix::param::page_size() as u64;
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while resident_bytes(child.id()) <= alone() || children(child.id()).is_empty() {
            assert!(std::time::Instant::now() < deadline, "the child of the child is not seen");
        }
        assert_eq!(threads(child.id()), 2, "each of them has one");
        let group = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        child.wait().unwrap();
        assert_eq!(resident_bytes(child.id()), 0, "it is reaped");
        assert_eq!(resident_bytes(std::process::id()), 0, "it is no child");
        assert_eq!(resident_bytes(1), 0);
    }

    #[test]
    fn a_name_can_not_pass_for_other_fields() {
        let stat =
            "7 (a) R 1 (b) S 42 7 7 0 -1 4194304 0 0 0 0 1 1 0 0 20 0 1 0 5 1000 333 18446744073709551615";
        assert_eq!(Status::parse(stat), Some(Status { parent: 42, threads: 1, resident_pages: 333 }));
        assert_eq!(Status::parse("7 (a) S"), None);
    }
}
