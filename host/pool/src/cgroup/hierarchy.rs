//! The mounted hierarchy, as files.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::NoCgroup;

const ROOT: &str = "/sys/fs/cgroup";

/// Where cgroups are mounted, and this process in it. The tests have a folder in its place.
#[derive(Debug)]
pub(super) struct Hierarchy {
    pub(super) root: PathBuf,
    /// The path of this process's cgroup below the root.
    pub(super) own: String,
    pub(super) process: u32,
    /// Whether the process may use what is not delegated to it.
    pub(super) is_privileged: bool,
    pub(super) make: fn(&Path) -> io::Result<()>,
    pub(super) remove: fn(&Path) -> io::Result<()>,
}

impl Hierarchy {
    pub(super) fn of_this_process() -> Result<Self, NoCgroup> {
        let memberships = read(Path::new("/proc/self/cgroup")).map_err(|_| NoCgroup::NotMounted)?;
        Ok(Self {
            root: ROOT.into(),
            own: own_path(&memberships)?,
            process: std::process::id(),
            is_privileged: rustix::process::geteuid().is_root(),
            make: |path| fs::create_dir(path),
            remove: |path| fs::remove_dir(path),
        })
    }

    pub(super) fn make(&self, path: &Path) -> io::Result<()> {
        (self.make)(path)
    }

    /// Removes a cgroup, unless it still has processes. Returns whether it is gone.
    pub(super) fn is_removed(&self, path: &Path) -> bool {
        match (self.remove)(path) {
            Ok(()) => true,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

/// The path in the line of version 2, which begins with `0::`.
pub(super) fn own_path(memberships: &str) -> Result<String, NoCgroup> {
    let own = memberships.lines().find_map(|line| line.strip_prefix("0::"));
    let own = own.ok_or(NoCgroup::NotMounted)?.trim_start_matches('/');
    // Outside of what a cgroup namespace shows.
    if own.split('/').any(|part| part == "..") { Err(NoCgroup::NotMounted) } else { Ok(own.to_owned()) }
}

pub(super) fn read(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

/// Writes a line to a file that exists.
pub(super) fn write(path: &Path, line: &str) -> io::Result<()> {
    // The kernel takes each write as a whole, wherever it begins.
    OpenOptions::new().append(true).open(path)?.write_all(format!("{line}\n").as_bytes())
}
