//! Reads `/proc`. Processes may exit at any time, and their ids may be reused.

mod own_process;
mod process_tree;
mod run_queue;

use std::{collections::HashSet, fs, io, iter};

pub use own_process::OwnProcess;
pub(crate) use process_tree::{ProcessId, ProcessTree};
pub use run_queue::RunQueue;

/// The maximum number of processes in a tree whose memory or processor time is measured. It exceeds
/// the number of threads that can be granted.
const MAX_MEASURED: usize = 8192;
/// A worker's main thread and its listener.
pub(crate) const OWN_THREADS: usize = 2;
/// The threads of a worker in a PID namespace, including the two processes that wait for it.
pub(crate) const OWN_THREADS_IN_NAMESPACE: usize = OWN_THREADS + 2;
/// The maximum number of processes per worker in all other measurements.
const MAX_PROCESSES: usize = 64;
/// The maximum number of threads per process whose children are measured.
const MAX_THREADS: usize = 64;

/// The fields of `/proc/PID/stat` that the host uses; see `proc_pid_stat(5)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stat {
    parent: u32,
    /// Its own processor time.
    own_ticks: u64,
    /// The processor time of the children that it has waited for.
    reaped_ticks: u64,
    threads: usize,
    started_at: u64,
    resident_pages: u64,
}

impl Stat {
    fn of(process: u32) -> io::Result<Self> {
        let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
        Self::parse(&text)
            .ok_or_else(|| io::Error::other(format!("/proc/{process}/stat is malformed")))
    }

    fn parse(stat: &str) -> Option<Self> {
        // The second field is the name, which may contain any characters.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<_> = fields.split_ascii_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Self {
            parent: u32::try_from(number(4)?).ok()?,
            own_ticks: number(14)?.checked_add(number(15)?)?,
            reaped_ticks: number(16)?.checked_add(number(17)?)?,
            threads: usize::try_from(number(20)?).ok()?,
            started_at: number(22)?,
            resident_pages: number(24)?,
        })
    }
}

/// Returns the memory of the machine, or of the container.
pub(crate) fn total_memory() -> u64 {
    let info = rustix::system::sysinfo();
    let of_machine = (info.totalram as u64).saturating_mul(u64::from(info.mem_unit));
    let of_container = fs::read_to_string("/sys/fs/cgroup/memory.max")
        .ok()
        .and_then(|text| text.trim().parse().ok());
    of_container.map_or(of_machine, |bytes: u64| bytes.min(of_machine))
}

/// Returns the memory of a child process and its descendants. Returns 0 for a process that is not a
/// child of this one, because another process may have reused the id.
pub(crate) fn resident_bytes(child: u32) -> u64 {
    let pages: u64 = family(child).iter().map(|stat| stat.resident_pages).sum();
    pages * rustix::param::page_size() as u64
}

/// Returns the private memory of a child process and its descendants, or 0 if it is not a child of
/// this process. Counts page tables, but not pages shared with files.
pub(crate) fn occupied_bytes(child: u32) -> u64 {
    const PARTS: [&str; 4] = ["RssAnon:", "RssShmem:", "VmPTE:", "VmSwap:"];
    let family = descendants(child, MAX_MEASURED, usize::MAX).unwrap_or_default();
    if family
        .first()
        .is_none_or(|(_, stat)| stat.parent != std::process::id())
    {
        return 0;
    }
    let kilobytes = |process: u32| -> u64 {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let number = |line: &str| {
            let (name, value) = line.split_once('\t')?;
            let is_part = PARTS.contains(&name);
            value
                .trim()
                .strip_suffix(" kB")
                .filter(|_| is_part)?
                .parse::<u64>()
                .ok()
        };
        status.lines().filter_map(number).sum()
    };
    family
        .iter()
        .map(|&(process, _)| kilobytes(process))
        .sum::<u64>()
        * 1024
}

/// Returns whether a process is `ancestor`, its child or its grandchild.
pub(crate) fn descends(process: u32, ancestor: u32) -> bool {
    let parent = |child: &u32| Stat::of(*child).ok().map(|stat| stat.parent);
    iter::successors(Some(process), parent)
        .take(3)
        .any(|member| member == ancestor)
}

/// Returns how many threads a child process and its descendants have, or 0 if it is not a child.
pub(crate) fn threads(child: u32) -> usize {
    family(child).iter().map(|stat| stat.threads).sum()
}

/// Returns the peak address space of a child process, or the largest peak of its descendants if it
/// has any. Processes with children are ignored: they only start and wait for others.
pub(crate) fn peak_bytes(child: u32) -> u64 {
    let family = descendants(child, MAX_PROCESSES, MAX_THREADS).unwrap_or_default();
    let parents: HashSet<_> = family.iter().map(|(_, stat)| stat.parent).collect();
    let peak = |&(process, _): &(u32, Stat)| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let field = status
            .lines()
            .find_map(|line| line.strip_prefix("VmPeak:"))?;
        field.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    family
        .iter()
        .filter(|(process, _)| !parents.contains(process))
        .filter_map(peak)
        .max()
        .unwrap_or(0)
        * 1024
}

fn family(child: u32) -> Vec<Stat> {
    let family = descendants(child, MAX_PROCESSES, MAX_THREADS).unwrap_or_default();
    match family.first() {
        Some((_, first)) if first.parent == std::process::id() => {
            family.into_iter().map(|(_, stat)| stat).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns a process and its descendants, the process first.
///
/// # Errors
/// The process does not exist.
fn descendants(
    root: u32,
    max_processes: usize,
    max_threads: usize,
) -> io::Result<Vec<(u32, Stat)>> {
    let mut found = vec![(root, Stat::of(root)?)];
    let (mut parents, mut seen) = (vec![root], HashSet::from([root]));
    while let Some(parent) = parents.pop() {
        for child in children(parent, max_threads) {
            // A child whose parent exits during the walk is listed twice.
            if seen.len() >= max_processes || !seen.insert(child) {
                continue;
            }
            if let Ok(stat) = Stat::of(child) {
                found.push((child, stat));
                parents.push(child);
            }
        }
    }
    Ok(found)
}

/// Returns the processes that the threads of a process have started; none if the kernel does not
/// list them.
fn children(process: u32, max_threads: usize) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists = threads.take(max_threads).filter_map(|thread| {
        let list = fs::read_to_string(thread.path().join("children")).ok()?;
        Some(
            list.split_ascii_whitespace()
                .filter_map(|child| child.parse().ok())
                .collect::<Vec<_>>(),
        )
    });
    lists.flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::{
        os::unix::process::CommandExt,
        process::Command,
        time::{Duration, Instant},
    };

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::*;

    #[test]
    fn counts_only_a_child_and_its_descendants() {
        let mut child = Command::new("sh")
            .args(["-c", "sleep 600 & wait"])
            .process_group(0)
            .spawn()
            .unwrap();
        let alone =
            || Stat::of(child.id()).unwrap().resident_pages * rustix::param::page_size() as u64;
        let deadline = Instant::now() + Duration::from_secs(20);
        while resident_bytes(child.id()) <= alone() || children(child.id(), MAX_THREADS).is_empty()
        {
            assert!(Instant::now() < deadline, "the grandchild is not listed");
        }
        assert_eq!(threads(child.id()), 2, "each process has one");
        let grandchild = children(child.id(), MAX_THREADS)[0];
        assert!(descends(grandchild, std::process::id()) && !descends(child.id(), grandchild));
        kill_process_group(
            Pid::from_raw(child.id().cast_signed()).unwrap(),
            Signal::KILL,
        )
        .unwrap();
        child.wait().unwrap();
        assert_eq!(resident_bytes(child.id()), 0, "already reaped");
        assert_eq!(resident_bytes(std::process::id()), 0, "not a child");
        assert_eq!(resident_bytes(1), 0);
    }

    #[test]
    fn parses_the_fields_after_a_misleading_name() {
        let stat = "7 (a) R 1 (b) S 42 7 7 0 -1 4194304 0 0 0 0 11 22 33 44 20 0 1 0 5 1000 333 \
            18446744073709551615";
        let expected = Stat {
            parent: 42,
            own_ticks: 33,
            reaped_ticks: 77,
            threads: 1,
            started_at: 5,
            resident_pages: 333,
        };
        assert_eq!(Stat::parse(stat), Some(expected));
        for malformed in [
            "",
            "7 (a) S",
            &stat.replace(" 33 ", " x "),
            &stat.replace(" 44 ", " x "),
        ] {
            assert_eq!(Stat::parse(malformed), None, "{malformed}");
        }
    }
}
