//! Programs that an AI may start.

use std::{
    env::consts::ARCH,
    ffi::OsStr,
    fs::File,
    io::{self, Read as _, Seek as _},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
};

use object::{
    Endianness, FileKind, ReadCache,
    elf::{ELFMAG, FileHeader32, FileHeader64},
    read::elf::{FileHeader, ProgramHeader},
};
use rustix::fs::{Access, access};

use crate::{
    elf::machine_name,
    file_access::{ReadFileError, StalledError, bounded, open},
    format::recognize,
    suggest_file::suggest_file,
};
use protocol::Executable;

/// Why a file can't be granted as a program. The text continues a sentence that starts with the
/// path.
#[derive(Debug, thiserror::Error)]
pub enum ExecutableError {
    #[error("can't be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("can't be read: {0}")]
    Stalled(#[from] StalledError),
    #[error("can't be read: there is no such file; {}", match closest {
        Some(file) => format!("did you mean {}?", file.display()),
        None => "install the program, or correct the path".to_owned(),
    })]
    Missing { closest: Option<PathBuf> },
    #[error("is not a regular file")]
    NotAFile,
    #[error("is not executable (mode {mode:03o}); chmod a+rx it")]
    NotExecutable { mode: u32 },
    /// The grant would apply to the interpreter and everything it can do.
    #[error("is a script for {interpreter}; list the program it runs")]
    Script {
        interpreter: String,
        /// The rest of the script's first line.
        argument: String,
    },
    #[error("is {0}, not a program for Linux; get a build for Linux, or compile it from source")]
    OtherFormat(&'static str),
    #[error(
        "is a program for {0}, but this machine is {ARCH}; get a build for {ARCH}, or compile it \
         from source"
    )]
    OtherProcessor(String),
    #[error("is not an ELF program: {0}")]
    NotAProgram(&'static str),
}

/// Checks that a file is a program that this user can start, and finds its loader. A worker may run
/// as a different user, so it checks its own access.
///
/// # Errors
/// The file is missing, inaccessible, or not a program.
pub fn inspect(file: &Path) -> Result<Executable, ExecutableError> {
    bounded(file, |file, _| read(file))?
}

fn read(file: &Path) -> Result<Executable, ExecutableError> {
    let metadata = file.metadata().map_err(|error| unreadable(file, error))?;
    if !metadata.is_file() {
        return Err(ExecutableError::NotAFile);
    }
    let not_executable = || ExecutableError::NotExecutable {
        mode: metadata.permissions().mode() & 0o777,
    };
    let mut program = open(file).map_err(|error| match error {
        ReadFileError::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            not_executable()
        }
        ReadFileError::Io(error) => error.into(),
        _ => ExecutableError::NotAFile,
    })?;
    let mut start = Vec::new();
    program.by_ref().take(128).read_to_end(&mut start)?;
    program.rewind()?;
    // For any other file, execute permission would not help.
    let could_start = start.is_empty() || start.starts_with(b"#!") || start.starts_with(&ELFMAG);
    if could_start && access(file, Access::EXEC_OK).is_err() {
        return Err(not_executable());
    }
    if let Some(line) = start.strip_prefix(b"#!") {
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or(line);
        let line = String::from_utf8_lossy(line);
        let (interpreter, argument) = line
            .trim()
            .split_once(char::is_whitespace)
            .unwrap_or((line.trim(), ""));
        return Err(ExecutableError::Script {
            interpreter: interpreter.to_owned(),
            argument: argument.trim().to_owned(),
        });
    }
    if !start.starts_with(&ELFMAG) {
        return Err(ExecutableError::OtherFormat(recognize(&start).0));
    }
    let loader = loader(&ReadCache::new(program))?;
    Ok(Executable {
        file: file.to_owned(),
        loader,
    })
}

/// Returns the error for a file whose metadata can't be read.
pub fn unreadable(file: &Path, error: io::Error) -> ExecutableError {
    match error.kind() {
        io::ErrorKind::NotFound => {
            let could_be = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
            ExecutableError::Missing {
                closest: suggest_file(file, could_be),
            }
        }
        _ => error.into(),
    }
}

fn loader(file: &ReadCache<File>) -> Result<Option<PathBuf>, ExecutableError> {
    match FileKind::parse(file) {
        Ok(FileKind::Elf32) => loader_in::<FileHeader32<Endianness>>(file),
        Ok(FileKind::Elf64) => loader_in::<FileHeader64<Endianness>>(file),
        _ => Err(ExecutableError::NotAProgram("its ELF header is truncated")),
    }
}

fn loader_in<H: FileHeader<Endian = Endianness>>(
    file: &ReadCache<File>,
) -> Result<Option<PathBuf>, ExecutableError> {
    let malformed = ExecutableError::NotAProgram;
    let header = H::parse(file).map_err(|_| malformed("its ELF header is truncated"))?;
    let endian = header
        .endian()
        .map_err(|_| malformed("its byte order is unknown"))?;
    let machine = machine_name(header.e_machine(endian));
    // x86_64 processors can run 32-bit programs.
    if machine != ARCH && !(machine == "x86" && ARCH == "x86_64") {
        return Err(ExecutableError::OtherProcessor(machine));
    }
    let segments = header
        .program_headers(endian, file)
        .map_err(|_| malformed("its program headers are truncated"))?;
    let path = segments
        .iter()
        .find_map(|segment| segment.interpreter(endian, file).transpose());
    let path = path
        .transpose()
        .map_err(|_| malformed("the path of its loader is truncated"))?;
    Ok(path.map(|path| OsStr::from_bytes(path).into()))
}
