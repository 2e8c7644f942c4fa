//! An empty working directory that no other process can reach and in which no file can be created.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::Path,
};

use rustix::{
    fs::OFlags,
    process::{fchdir, geteuid},
    rand::{GetRandomFlags, getrandom},
};

/// Folders that every user can write to.
const FOLDERS: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
/// Names are random, so a second attempt is rarely needed.
const TRIES: usize = 4;

/// Creates a folder, enters it and removes it. A removed folder has no name, and no file can be
/// created in it.
pub(super) fn enter_private() -> Result<(), String> {
    let mut reasons = Vec::new();
    for folder in FOLDERS {
        match enter_below(Path::new(folder)) {
            Ok(()) => return Ok(()),
            Err(error) => reasons.push(format!("{folder}: {error}")),
        }
    }
    Err(format!(
        "can't create an empty folder ({}); let this user write to one of them",
        reasons.join(", ")
    ))
}

fn enter_below(folder: &Path) -> io::Result<()> {
    let mut tries = 1;
    let own = loop {
        let own = folder.join(format!("rookery-worker-{:016x}", random()?));
        match DirBuilder::new().mode(0o700).create(&own) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {
                tries += 1;
            }
            Err(error) => return Err(error),
            Ok(()) => break own,
        }
    };
    let entered = enter(&own);
    fs::remove_dir(&own)?;
    entered
}

/// Enters the new folder, unless another user has replaced it.
fn enter(own: &Path) -> io::Result<()> {
    let flags = (OFlags::DIRECTORY | OFlags::NOFOLLOW).bits();
    let folder = OpenOptions::new()
        .read(true)
        .custom_flags(flags.cast_signed())
        .open(own)?;
    let metadata = folder.metadata()?;
    if metadata.uid() != geteuid().as_raw() || metadata.mode() & 0o077 != 0 {
        return Err(io::Error::other("the folder was replaced by another user"));
    }
    Ok(fchdir(&folder)?)
}

fn random() -> io::Result<u64> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes, GetRandomFlags::empty())?;
    Ok(u64::from_ne_bytes(bytes))
}
