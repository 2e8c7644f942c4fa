//! An engine's folder, whose files it may read without a grant.

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use crate::file_access::{canonicalize, is_folder, metadata};

const OF_THE_SYSTEM: [&str; 11] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/etc", "/proc", "/sys", "/dev", "/run",
];
/// System programs and their data, which all users may read.
const PROGRAMS: [&str; 7] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/nix/store",
    "/gnu/store",
];
/// Folders that contain one folder per user or service.
const OF_OTHERS: [&str; 2] = ["/home", "/var"];
const BIN: &str = "bin";
const WRITABLE_BY_ALL: u32 = 0o002;
const PASSWD: &str = "/etc/passwd";
/// The position of the home folder in a passwd line.
const HOME: usize = 5;

/// Returns the home folders of all users on this machine.
pub(super) fn homes() -> Vec<PathBuf> {
    let passwd = fs::read(PASSWD).unwrap_or_default();
    let passwd = String::from_utf8_lossy(&passwd);
    passwd
        .lines()
        .filter_map(|line| line.split(':').nth(HOME))
        .map(PathBuf::from)
        .collect()
}

/// Returns whether a real path is a system program or its data.
pub(super) fn is_of_system(real: &Path) -> bool {
    PROGRAMS.iter().any(|system| real.starts_with(system))
}

/// Returns whether a folder is a home folder, or contains one.
pub(super) fn has_a_home(real: &Path, homes: &[PathBuf]) -> bool {
    real_homes(homes).any(|home| home.starts_with(real))
}

/// Returns the real path of an engine's folder; `None` if it contains anything but the engine.
pub(super) fn own_folder(target: &Path, homes: &[PathBuf]) -> Option<PathBuf> {
    let folder = if is_folder(target) {
        target
    } else {
        target.parent()?
    };
    let real = canonicalize(folder).ok()?;
    // A program in `bin` keeps its libraries and files next to `bin`.
    let above = real
        .parent()
        .filter(|_| real.file_name() == Some(OsStr::new(BIN)));
    let is_inside =
        |candidate: &Path| canonicalize(target).is_ok_and(|target| target.starts_with(candidate));
    let mut folders = above.into_iter().chain([&*real]);
    folders
        .find(|candidate| is_inside(candidate) && is_own(candidate, homes))
        .map(Path::to_owned)
}

fn is_own(real: &Path, homes: &[PathBuf]) -> bool {
    let is_of_system = OF_THE_SYSTEM.iter().any(|system| real.starts_with(system));
    let is_of_others = real
        .parent()
        .is_some_and(|parent| OF_OTHERS.iter().any(|others| parent == Path::new(others)));
    // These include ~/.ssh, ~/.config and ~/.local/bin.
    let is_hidden = real_homes(homes).any(|home| {
        let first = real
            .strip_prefix(home)
            .ok()
            .and_then(|below| below.iter().next());
        first.is_some_and(|first| first.as_encoded_bytes().starts_with(b"."))
    });
    let is_shared = metadata(real).map_or(true, |found| found.mode() & WRITABLE_BY_ALL != 0);
    let is_near_the_root = real.components().count() <= 2;
    !(is_near_the_root
        || is_of_system
        || is_of_others
        || is_hidden
        || is_shared
        || has_a_home(real, homes))
}

fn real_homes(homes: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    homes.iter().filter_map(|home| canonicalize(home).ok())
}
