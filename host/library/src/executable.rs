//! Programs that an AI may start.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read as _, Seek as _},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

use object::{
    Endianness, FileKind, ReadCache,
    elf::{FileHeader32, FileHeader64},
    read::elf::{FileHeader, ProgramHeader},
};
use rustix::fs::{Access, access};

use crate::{
    file_access::{ReadFileError, StalledError, bounded, open},
    suggest_file::suggest_file,
};
use protocol::Executable;

/// Why a file can't be started, as the end of a sentence that names it.
#[derive(Debug, thiserror::Error)]
pub enum ExecutableError {
    /// It is not for this user, or on a disk that does not work.
    #[error("can't be read: {0}")]
    Unreadable(#[from] io::Error),
    /// Its file system does not respond.
    #[error("can't be read: {0}")]
    Stalled(#[from] StalledError),
    /// It is not there.
    #[error("can't be read: there is no such file; {}", match closest {
        Some(file) => format!("did you mean {}?", file.display()),
        None => "install the program, or write the path where it is".to_owned(),
    })]
    Missing {
        /// What may have been meant.
        closest: Option<PathBuf>,
    },
    /// Such as a folder.
    #[error("is not a plain file")]
    NotAFile,
    /// Its mode says so.
    #[error("is not executable (mode {mode:03o}); chmod a+rx it")]
    NotExecutable {
        /// The permissions.
        mode: u32,
    },
    /// Its interpreter would be what is granted, with all that it can do.
    #[error("is a script for {interpreter}; grant the program that it starts")]
    Script {
        /// As its first line names it.
        interpreter: String,
    },
    /// Something else.
    #[error("is no program in ELF: {0}")]
    NotAProgram(&'static str),
}

/// The program in this file.
///
/// # Errors
/// It can't be started by this user. That of a worker may be another one, and finds out by itself.
pub fn inspect(file: &Path) -> Result<Executable, ExecutableError> {
    bounded(file, |file, _| found(file))?
}

fn found(file: &Path) -> Result<Executable, ExecutableError> {
    let metadata = file.metadata().map_err(|error| unreadable(file, error))?;
    if !metadata.is_file() {
        return Err(ExecutableError::NotAFile);
    }
    if access(file, Access::READ_OK | Access::EXEC_OK).is_err() {
        return Err(ExecutableError::NotExecutable { mode: metadata.permissions().mode() & 0o777 });
    }
    let mut program = open(file).map_err(|error| match error {
        ReadFileError::Io(error) => error.into(),
        _ => ExecutableError::NotAFile,
    })?;
    let mut start = Vec::new();
    program.by_ref().take(128).read_to_end(&mut start)?;
    program.rewind()?;
    if let Some(line) = start.strip_prefix(b"#!") {
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or(line);
        let interpreter = String::from_utf8_lossy(line).split_whitespace().next().map(str::to_owned);
        return Err(ExecutableError::Script { interpreter: interpreter.unwrap_or_default() });
    }
    let loader = loader(&ReadCache::new(program)).map_err(ExecutableError::NotAProgram)?;
    Ok(Executable { file: file.to_owned(), loader })
}

/// Why a file can't even be looked at.
pub fn unreadable(file: &Path, error: io::Error) -> ExecutableError {
    match error.kind() {
        io::ErrorKind::NotFound => {
            let could_be = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
            ExecutableError::Missing { closest: suggest_file(file, could_be) }
        }
        _ => error.into(),
    }
}
fn loader(file: &ReadCache<File>) -> Result<Option<PathBuf>, &'static str> {
    match FileKind::parse(file) {
        Ok(FileKind::Elf32) => loader_in::<FileHeader32<Endianness>>(file),
        Ok(FileKind::Elf64) => loader_in::<FileHeader64<Endianness>>(file),
        _ => Err("it has no header of one"),
    }
}

fn loader_in<H: FileHeader<Endian = Endianness>>(
    file: &ReadCache<File>,
) -> Result<Option<PathBuf>, &'static str> {
    let header = H::parse(file).map_err(|_| "it has no header of one")?;
    let endian = header.endian().map_err(|_| "its order of bytes is unknown")?;
    let segments = header.program_headers(endian, file).map_err(|_| "its table of segments is cut off")?;
    for segment in segments {
        if let Some(path) =
            segment.interpreter(endian, file).map_err(|_| "the name of its loader is cut off")?
        {
            return Ok(Some(PathBuf::from(OsStr::from_bytes(path))));
        }
    }
    Ok(None)
}
