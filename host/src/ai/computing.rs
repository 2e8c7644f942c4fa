//! How much a process has computed, as the kernel counts, so that it does not go on when nobody has asked it anything.
//!
//! A limit that the kernel holds would not do: it ends a healthy worker some day, only root can raise it, its signal can be
//! blocked, and each program that an AI starts begins anew.

use std::{fs, io, time::Duration};

use rustix::param::clock_ticks_per_second;
use tokio::time::{Instant, sleep};

/// How often it is looked at.
const PERIOD: Duration = Duration::from_secs(1);
/// What may be left to do after an answer: clearing tables, giving memory back.
const AT_ONCE: Duration = Duration::from_secs(2);
/// The part of one processor that it may use all the time.
const SHARE: u32 = 50;
/// How many processes are looked at; more than threads can be granted.
const MOST_PROCESSES: usize = 8192;

/// Which processes are counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    /// That of this number.
    Process(u32),
    /// It and all that come from it, even if they have ended.
    Tree(u32),
}

impl Counted {
    /// The computing time until now, on all processors.
    pub(super) fn used(self) -> io::Result<Duration> {
        match self {
            Self::Process(number) => used(number),
            Self::Tree(number) => used_in_tree(number),
        }
    }

    /// Comes when the processes, which should rest from now on, have computed too much: how much.
    pub(super) async fn exceeded(self) -> Duration {
        // The first look is after a while, since most are asked again before.
        sleep(PERIOD).await;
        let (start, before) = (Instant::now(), self.used());
        loop {
            sleep(PERIOD).await;
            // What can't be read has ended, which is noticed elsewhere.
            let (Ok(before), Ok(now)) = (&before, self.used()) else { continue };
            let used = now.saturating_sub(*before);
            if used > AT_ONCE + start.elapsed() / SHARE {
                return used;
            }
        }
    }
}

fn used_in_tree(root: u32) -> io::Result<Duration> {
    let mut sum = used(root)?;
    let mut parents = vec![root];
    let mut seen = 0;
    while let Some(parent) = parents.pop() {
        for child in children(parent) {
            seen += 1;
            if seen > MOST_PROCESSES {
                return Ok(sum);
            }
            // One that ends meanwhile is in its parent's sum the next time.
            sum += used(child).unwrap_or_default();
            parents.push(child);
        }
    }
    Ok(sum)
}

/// Its own time and that of those that it has reaped.
fn used(process: u32) -> io::Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    ticks(&stat)
        .map(|ticks| Duration::from_millis(ticks * 1000 / clock_ticks_per_second()))
        .ok_or_else(|| io::Error::other(format!("/proc/{process}/stat is not as expected")))
}

/// The sum of the fields `utime`, `stime`, `cutime` and `cstime` (14 to 17) of proc(5).
fn ticks(stat: &str) -> Option<u64> {
    // The second field is a name, which may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let times: Vec<u64> =
        fields.split_whitespace().skip(11).take(4).map_while(|field| field.parse().ok()).collect();
    (times.len() == 4).then(|| times.iter().sum())
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
        assert_eq!(ticks(stat), Some(110));
        assert_eq!(ticks("7 (a) S 1 7 7 0 -1 4194560 100 200 0 0 11 22 x 44"), None);
        assert_eq!(ticks(""), None);
    }

    #[test]
    fn counts_what_this_process_computes() {
        let counted = Counted::Tree(std::process::id());
        let before = counted.used().unwrap();
        while counted.used().unwrap() < before + Duration::from_millis(50) {
            std::hint::black_box(before);
        }
    }
}
