//! Errors of the arena's file.

use std::{io, path::PathBuf};

use formats::ChunkError;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{} cannot be opened: this `rookery` has no SQLite; build it with the feature `arena`", .0.display())]
    Absent(PathBuf),
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{} is a folder; expected the path of an arena's file", .0.display())]
    Folder(PathBuf),
    #[error("{} cannot be opened; check that the file and its folder can be read and written", .0.display())]
    NotOpened(PathBuf),
    #[error("{} cannot be written; check the permissions of the file and its folder", .0.display())]
    NotWritable(PathBuf),
    #[error(
        "{} is not the file of an arena; choose another path, where a new file will be created",
        .0.display()
    )]
    NotAnArena(PathBuf),
    #[error(
        "{} has version {found} of the tables, and this program knows versions up to {latest}; use the rookery that wrote the \
         file, or a later one",
        path.display()
    )]
    LaterVersion { path: PathBuf, found: u32, latest: u32 },
    #[error(
        "{} has version {found} of the tables, and this call expects {latest}; start the arena with this file once, which \
         brings it up to date",
        path.display()
    )]
    EarlierVersion { path: PathBuf, found: u32, latest: u32 },
    #[error(
        "{} is damaged ({error}); restore a backup, or recover its games with `sqlite3 FILE .recover`",
        path.display()
    )]
    Damaged { path: PathBuf, error: String },
    #[error("{} is in use by {holder}; stop that arena, or choose another file", path.display())]
    InUse { path: PathBuf, holder: String },
    #[error(
        "{} has games with the time control {found}, not {expected}; set time_control = \"{found}\", or choose another file",
        path.display()
    )]
    OtherTimeControl { path: PathBuf, found: String, expected: String },
    #[error("{} has reached max_mb = {max_mb}; raise max_mb, or choose another file", path.display())]
    MaxSize { path: PathBuf, max_mb: u64 },
    #[error("no space is left on the disk of {}; free some space", .0.display())]
    DiskFull(PathBuf),
    #[error("{} cannot be read or written ({error}); check its disk and its limits", path.display())]
    Disk { path: PathBuf, error: String },
    #[error("{} is locked by another program for too long; end that program", .0.display())]
    Locked(PathBuf),
    #[error("cannot write the games: {0}")]
    Output(io::Error),
    #[error("cannot read the games: {0}")]
    Source(#[from] ChunkError),
    #[error("{}: {error}", path.display())]
    Database { path: PathBuf, error: String },
}
