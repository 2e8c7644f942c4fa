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

/// The mebibytes of memory that an AI may have.
pub const MEMORY_SIZES_MB: RangeInclusive<u64> = 16..=1 << 20;
/// The threads that an AI may start.
pub const THREAD_COUNTS: RangeInclusive<u64> = 0..=4096;

section! {
    impl SandboxSettings {
        /// How the workers are confined: an AI that cannot be confined completely does not start
        /// (`required`), is confined as far as the kernel can (`best-effort`), or is not confined
        /// at all (`off`). An AI may be foreign code, so by default it may only compute, read
        /// granted files and answer. With `best-effort` the server warns where the kernel cannot
        /// enforce that; with `off` the AI has the rights of the server.
        mode as "sandbox": SandboxMode = choice().or(SandboxMode::Required),
        /// The memory of each worker in MiB, with the library and all programs that it starts. What
        /// a program has reserved and not used does not count. Without a cgroup the server measures
        /// programs ten times a second, and the page tables of an AI without programs are not
        /// counted; they can take three times as much again. The default is enough for large
        /// tables, and too little to exhaust the machine.
        memory_mb: u64 = number(MEMORY_SIZES_MB).or(1024),
        /// How many threads the AI may start in each worker, in addition to the main thread. The
        /// default is one for each core of most machines.
        threads: u64 = number(THREAD_COUNTS).or(64),
        /// The files and directories that the AI may read. If root runs the server, workers run as
        /// another user, so the files must be readable for all users.
        read as "allow_read": Vec<PathBuf> = List::new(
            "a list of files and directories that exist, relative to this file, such as \
             [\"nets/\"]",
            readable,
            shown_path,
        ).or(Vec::new()),
        /// The programs that the AI may start, such as a UCI engine; no scripts. They have the
        /// rights of the AI, share its `threads` and its `memory_mb`, and end with the worker.
        exec as "allow_exec": Vec<Executable> = List::new(
            "a list of programs by their paths, such as [\"/usr/games/stockfish\"]",
            program,
            |executable| shown_path(&executable.file),
        ).or(Vec::new()),
        /// The directory in which the programs of `allow_exec` start, relative to this file. They
        /// find their files there by relative paths, as far as `allow_read` grants them, and can
        /// write nothing.
        working_directory: Option<PathBuf> = path("a directory that exists")
            .optional("the folder of the engine or the script in `command`")
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

/// Not a key: files of another machine come with a match.
struct PlacedIn;

impl Field for PlacedIn {
    type Value = Option<PathBuf>;

    fn read(&self, _: &'static str, _: &Table<'_>, _: &mut Issues<'_>) -> Option<PathBuf> {
        None
    }
}

/// Not a key: the granted paths as written, where symbolic links lead elsewhere.
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
