//! A working directory that nobody else has, that is empty and stays so.

use std::{env, fs, path::Path};

use rustix::process::getpid;

/// Folders in which everybody may make another.
const FOLDERS: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Makes a folder, goes there and removes it: it has no name any more, and nothing can be made in it.
pub(super) fn enter_private() -> Result<(), String> {
    let mut reasons = Vec::new();
    for folder in FOLDERS {
        match enter_below(Path::new(folder)) {
            Ok(()) => return Ok(()),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(format!("can't make an empty folder anywhere ({}); let this user write to one", reasons.join(", ")))
}

fn enter_below(folder: &Path) -> Result<(), String> {
    let own = folder.join(format!("rookery-worker-{}", getpid()));
    let told = |error: std::io::Error| format!("{}: {error}", own.display());
    fs::create_dir(&own).map_err(told)?;
    let entered = env::set_current_dir(&own);
    fs::remove_dir(&own).map_err(told)?;
    entered.map_err(told)
}
