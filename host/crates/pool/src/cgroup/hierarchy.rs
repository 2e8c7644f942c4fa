//! The mounted cgroup hierarchy, as files.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::status::NoCgroup;

const ROOT: &str = "/sys/fs/cgroup";

/// The mount point of the cgroups, and this process's place in them. Tests use a folder instead.
#[derive(Debug)]
pub(super) struct Hierarchy {
    pub(super) root: PathBuf,
    /// The path of this process's cgroup below the root.
    pub(super) own: String,
    pub(super) process: u32,
    /// Whether the process may use cgroups that are not delegated to it.
    pub(super) is_privileged: bool,
    pub(super) make: fn(&Path) -> io::Result<()>,
    pub(super) remove: fn(&Path) -> io::Result<()>,
}

impl Hierarchy {
    pub(super) fn of_this_process() -> Result<Self, NoCgroup> {
        let memberships =
            fs::read_to_string("/proc/self/cgroup").map_err(|_| NoCgroup::NotMounted)?;
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

    /// Removes a cgroup unless it still has processes. Returns whether it is gone.
    pub(super) fn remove(&self, path: &Path) -> bool {
        match (self.remove)(path) {
            Ok(()) => true,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

/// Returns the path from the version 2 line, which begins with `0::`.
pub(super) fn own_path(memberships: &str) -> Result<String, NoCgroup> {
    let own = memberships
        .lines()
        .find_map(|line| line.strip_prefix("0::"));
    let own = own.ok_or(NoCgroup::NotMounted)?.trim_start_matches('/');
    // A path with `..` is outside the cgroup namespace.
    if own.split('/').any(|part| part == "..") {
        Err(NoCgroup::NotMounted)
    } else {
        Ok(own.to_owned())
    }
}

/// Writes a line to an existing file.
pub(super) fn write(path: &Path, line: &str) -> io::Result<()> {
    // The kernel takes each write as a complete value, at any offset.
    OpenOptions::new()
        .append(true)
        .open(path)?
        .write_all(format!("{line}\n").as_bytes())
}
