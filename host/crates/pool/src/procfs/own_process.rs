//! The resources of this process.

use std::{
    fs, io, process,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::{
    param::{clock_ticks_per_second, page_size},
    process::{Resource, getrlimit},
};

use super::Stat;

/// The resources of this process, without its workers.
#[derive(Clone, Copy, Debug)]
pub struct OwnProcess {
    pub cpu: Duration,
    pub resident_bytes: u64,
    pub open_files: usize,
    /// `None` if there is no limit.
    pub max_open_files: Option<u64>,
    pub started: SystemTime,
}

impl OwnProcess {
    /// Reads the resources of this process.
    ///
    /// # Errors
    /// `/proc` cannot be read.
    pub fn read() -> io::Result<Self> {
        let stat = Stat::of(process::id())?;
        let system = fs::read_to_string("/proc/stat")?;
        let booted = system
            .lines()
            .find_map(|line| line.strip_prefix("btime ")?.trim().parse().ok());
        let booted = booted.ok_or_else(|| io::Error::other("/proc/stat has no btime"))?;
        let time = |ticks: u64| {
            Duration::from_millis(ticks.saturating_mul(1000) / clock_ticks_per_second())
        };
        Ok(Self {
            cpu: time(stat.own_ticks),
            resident_bytes: stat.resident_pages * page_size() as u64,
            open_files: fs::read_dir("/proc/self/fd")?.count(),
            max_open_files: getrlimit(Resource::Nofile).current,
            started: UNIX_EPOCH + Duration::from_secs(booted) + time(stat.started_at),
        })
    }
}

#[test]
fn reads_this_process() {
    let before = OwnProcess::read().unwrap();
    let file = fs::File::open("/proc/self/stat").unwrap();
    let now = OwnProcess::read().unwrap();
    assert!(
        now.open_files > 3
            && now
                .max_open_files
                .is_none_or(|most| most >= now.open_files as u64)
    );
    assert!(
        now.cpu >= before.cpu && now.resident_bytes > 100_000,
        "{now:?}"
    );
    // The boot time is in whole seconds.
    let age = SystemTime::now() + Duration::from_secs(2);
    let age = age.duration_since(now.started).unwrap();
    assert!(age < Duration::from_hours(24), "{age:?}");
    drop(file);
}
