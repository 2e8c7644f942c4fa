//! The keys of `[ai.ID]` that set its sandbox.

use std::{
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use crate::{
    issue::Issues,
    kinds::{ItemError, List, absolute_path, choice, number, path, shown_path},
    library_path::absolute,
    section::{Field, IntoField as _, section},
    table::Table,
    tablebases::SharedTablebases,
};
use library::{
    executable::inspect,
    file_access::{metadata, written},
};
use protocol::{Executable, SandboxMode, SandboxSettings};

/// The allowed sizes of an AI's memory, in MiB.
pub const MEMORY_SIZES_MB: RangeInclusive<u64> = 16..=1 << 20;
/// The allowed numbers of threads that an AI may start.
pub const THREAD_COUNTS: RangeInclusive<u64> = 0..=4096;

section! {
    impl SandboxSettings {
        /// What happens if the kernel lacks a protection that the sandbox requires: the AI does not
        /// start (`required`), or starts with a warning (`best-effort`). With `off`, it always has
        /// the server's rights.
        mode as "sandbox": SandboxMode = choice().or(SandboxMode::Required),
        /// The memory of each worker in MiB, including the library and all programs that it starts.
        memory_mb: u64 = number(MEMORY_SIZES_MB).or(1024),
        /// How many threads each worker may start in addition to the main thread.
        threads: u64 = number(THREAD_COUNTS).or(64),
        /// The files and directories that the AI may read. If root runs the server, all users
        /// must be able to read them.
        read as "allow_read": Vec<PathBuf> = List::new(
            "a list of files and directories that exist, relative to this file, such as \
             [\"nets/\"]",
            readable,
            shown_path,
        ).or(Vec::new()),
        /// The programs, not scripts, that the AI may start. They share its rights, `threads` and
        /// `memory_mb`, and end with its worker.
        exec as "allow_exec": Vec<Executable> = List::new(
            "a list of program paths, such as [\"/usr/games/stockfish\"]",
            program,
            |executable| shown_path(&executable.file),
        ).or(Vec::new()),
        /// The directory in which the programs in `allow_exec` start. They read only what
        /// `allow_read` grants, and write nothing.
        working_directory: Option<PathBuf> = path("a directory that exists")
            .optional("the folder of the engine or script in `command`")
            .example("\".\""),
        links: Vec<PathBuf> = Links,
        placed_in: Option<PathBuf> = PlacedIn,
        tablebases: Vec<PathBuf> = SharedTablebases,
    }
}

fn readable(text: &str, folder: &Path) -> Result<PathBuf, ItemError> {
    let path = absolute_path(text, folder)?;
    match metadata(&path) {
        Ok(_) => Ok(path),
        Err(error) => Err(ItemError::Target(format!(
            "grants {}, which can't be found: {error}",
            path.display()
        ))),
    }
}

fn program(text: &str, folder: &Path) -> Result<Executable, ItemError> {
    let path = absolute_path(text, folder)?;
    inspect(&path)
        .map_err(|error| ItemError::Target(format!("grants {}, which {error}", path.display())))
}

/// Not a key: only a match from another machine sets it.
struct PlacedIn;

impl Field for PlacedIn {
    type Value = Option<PathBuf>;

    fn read(&self, _: &'static str, _: &Table<'_>, _: &mut Issues<'_>) -> Option<PathBuf> {
        None
    }
}

/// Not a key: the granted paths as written, if they contain symbolic links.
struct Links;

impl Field for Links {
    type Value = Vec<PathBuf>;

    fn read(&self, _: &'static str, table: &Table<'_>, _: &mut Issues<'_>) -> Vec<PathBuf> {
        let folder = table.document.folder;
        let granted = ["allow_read", "allow_exec"]
            .into_iter()
            .flat_map(|key| table.texts(key));
        let link = |(text, _): (&str, _)| {
            let path = written(folder, text.as_ref());
            (path != absolute(folder, text)).then_some(path)
        };
        granted.filter_map(link).collect()
    }
}
