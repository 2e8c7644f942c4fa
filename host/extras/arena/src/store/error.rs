//! Errors with the arena's file.

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use formats::ChunkError;

/// A failure, with the file's path.
#[derive(Debug)]
pub struct StoreError {
    pub path: PathBuf,
    pub fault: StoreFault,
}

/// What is wrong with the arena's file, or with data that is written to it or read from it.
#[derive(Debug, thiserror::Error)]
pub enum StoreFault {
    #[error("{0}")]
    File(io::Error),
    #[error("is a folder; expected the path of an arena file")]
    Folder,
    #[error("cannot be opened; check that the file and its folder can be read and written")]
    NotOpened,
    #[error("cannot be written; check the permissions of the file and its folder")]
    NotWritable,
    #[error("is not an arena file; choose another path, where a new file will be created")]
    NotAnArena,
    #[error(
        "has schema version {found}, but this program supports versions up to {latest}; use the \
         version of rookery that wrote the file, or a later one"
    )]
    LaterVersion { found: u32, latest: u32 },
    #[error(
        "has schema version {found}, but this program expects version {latest}; start the arena \
         with this file once to upgrade it"
    )]
    EarlierVersion { found: u32, latest: u32 },
    #[error(
        "is damaged ({0}); restore a backup, or recover its games with `sqlite3 FILE .recover`"
    )]
    Damaged(String),
    #[error("is in use by {0}; stop that arena, or choose another file")]
    InUse(String),
    #[error(
        "has games with the time control {found}, not {expected}; set time_control = \"{found}\", \
         or choose another file"
    )]
    OtherTimeControl { found: String, expected: String },
    #[error("has reached max_mb = {0}; raise max_mb, or choose another file")]
    MaxSize(u64),
    /// Contains the maximum number of bytes for all matches.
    #[error(
        "has no room for the match: all matches may take {} kB, a quarter of max_mb, and each \
         client a quarter of that; raise max_mb, or ask for a smaller match", .0 >> 10
    )]
    NoRoomForMatch(u64),
    #[error("has no space left on its disk; free some space")]
    DiskFull,
    #[error("cannot be read or written ({0}); check the disk and the limits of the process")]
    Disk(String),
    #[error("was locked by another program for too long; find it with `fuser`, and stop it")]
    Locked,
    #[error(
        "is in {}, a folder that every user may write to; choose a private folder, or run `chmod \
         o-w` on this one", .0.display()
    )]
    OpenFolder(PathBuf),
    #[error(
        "is not a regular file of this user; delete it, and make sure that no other user can write \
         to its folder"
    )]
    ForeignLock,
    #[error("{0}")]
    Database(String),
    #[error("cannot write the games: {0}")]
    Output(io::Error),
    #[error("cannot read the games: {0}")]
    Source(#[from] ChunkError),
}

impl StoreFault {
    pub(crate) fn at(self, path: &Path) -> StoreError {
        StoreError {
            path: path.to_owned(),
            fault: self,
        }
    }
}

impl std::error::Error for StoreError {}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, fault } = self;
        match fault {
            StoreFault::Output(_) | StoreFault::Source(_) => write!(f, "{fault}"),
            StoreFault::File(_) | StoreFault::Database(_) => {
                write!(f, "{}: {fault}", path.display())
            }
            _ => write!(f, "{} {fault}", path.display()),
        }
    }
}
