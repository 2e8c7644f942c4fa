//! The bytes of a library: read, checked and hashed once, then sealed.

use std::{
    fs::File,
    io::{self, Write},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rustix::{
    fs::{IFlags, MemfdFlags, SealFlags, fcntl_add_seals, ioctl_setflags, memfd_create},
    io::Errno,
};

use crate::{
    elf,
    file_access::{self, ReadFileError, StalledError},
    note::LibraryNote,
    open_files, permission, remedy,
    sha256::Sha256Sum,
    unfit_library::UnfitLibraryError,
};

/// Enough for any AI with an embedded net, and small enough for memory.
const MAX_LIBRARY_BYTES: u64 = 1 << 30;
/// How many times to try to seal a memory file whose pages the kernel reports as busy, and the
/// delay between tries.
const MAX_SEAL_TRIES: u32 = 20;
const SEAL_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The bytes of an AI's library in an immutable memory file. Every worker loads the bytes that were
/// hashed, even if the file on disk changes.
#[derive(Debug)]
pub struct SealedLibrary {
    file: PathBuf,
    note: LibraryNote,
    sha256: Sha256Sum,
    memory: OwnedFd,
}

/// Why a file can't be loaded as an AI.
#[derive(Debug, thiserror::Error)]
pub enum ReadLibraryError {
    #[error("the library can't be read: {0}; check the disk that it is on")]
    Read(io::Error),
    /// Access is denied, or too many files are open.
    #[error("the library can't be read: {0}")]
    Denied(String),
    #[error("the library can't be read: there is no such file; {0}")]
    Missing(String),
    #[error("this is a folder, but an AI's library is a .so file; {0}")]
    Folder(String),
    #[error("this is {0}, not a regular file; an AI's library is a .so file")]
    NotRegular(&'static str),
    #[error(
        "this is a file of {0}, which the kernel generates and which may never end; an AI's \
         library is a .so file on a disk"
    )]
    Generated(&'static str),
    #[error("the library can't be read: {0}")]
    Stalled(#[from] StalledError),
    #[error(
        "the library has {0} bytes; at most {MAX_LIBRARY_BYTES} are allowed; keep weights and \
         tables in a separate file, named by an option of kind file"
    )]
    TooLarge(u64),
    #[error(transparent)]
    Unfit(#[from] UnfitLibraryError),
    #[error(
        "the library can't be copied to a sealed memory file: {0}; the kernel must allow \
         executable memory files (sysctl vm.memfd_noexec=0)"
    )]
    Seal(io::Error),
}

impl SealedLibrary {
    /// Reads the file, checks that it is an AI for this host, hashes it and seals it. Does not run
    /// any of it. Blocks on the disk.
    ///
    /// # Errors
    /// The file can't be read or is not an AI for this host, or the memory file can't be created.
    pub fn read(path: &Path) -> Result<Self, ReadLibraryError> {
        let bytes = read_file(path)?;
        let note = elf::read(&bytes)?;
        let sha256 = Sha256Sum::of(&bytes);
        let memory = seal(&bytes).map_err(|error| {
            if open_files::is_exhausted(&error) {
                ReadLibraryError::Denied(open_files::explain(&error))
            } else {
                ReadLibraryError::Seal(error)
            }
        })?;
        Ok(Self {
            file: path.to_path_buf(),
            note,
            sha256,
            memory,
        })
    }

    /// Creates the empty library for a worker that runs no AI and only probes tablebases.
    ///
    /// # Errors
    /// The memory file can't be created.
    pub fn built_in() -> io::Result<Self> {
        Ok(Self {
            file: PathBuf::new(),
            note: LibraryNote::default(),
            sha256: Sha256Sum::of(&[]),
            memory: seal(&[])?,
        })
    }

    /// Returns the file's path on disk.
    pub fn file(&self) -> &Path {
        &self.file
    }

    pub const fn note(&self) -> &LibraryNote {
        &self.note
    }

    pub const fn sha256(&self) -> Sha256Sum {
        self.sha256
    }

    pub fn memory(&self) -> BorrowedFd<'_> {
        self.memory.as_fd()
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, ReadLibraryError> {
    // For any other file, the head is enough to recognize the format.
    let is_elf: fn(&[u8]) -> bool = |head| head.starts_with(&elf::MAGIC);
    file_access::read(path, MAX_LIBRARY_BYTES, is_elf).map_err(|error| match error {
        ReadFileError::Io(error) => match error.kind() {
            io::ErrorKind::PermissionDenied => {
                ReadLibraryError::Denied(permission::explain_denied(path))
            }
            io::ErrorKind::NotFound => ReadLibraryError::Missing(remedy::missing_file(path)),
            _ if open_files::is_exhausted(&error) => {
                ReadLibraryError::Denied(open_files::explain(&error))
            }
            _ => ReadLibraryError::Read(error),
        },
        ReadFileError::Folder => ReadLibraryError::Folder(remedy::libraries_in(path)),
        ReadFileError::NotRegular(kind) => ReadLibraryError::NotRegular(kind),
        ReadFileError::Generated(system) => ReadLibraryError::Generated(system),
        ReadFileError::TooLarge(bytes) => ReadLibraryError::TooLarge(bytes),
        ReadFileError::Stalled(error) => ReadLibraryError::Stalled(error),
    })
}

fn seal(bytes: &[u8]) -> io::Result<OwnedFd> {
    const NAME: &str = "rookery-ai";
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let descriptor = match memfd_create(NAME, flags | MemfdFlags::EXEC) {
        // Kernels before 6.3 do not know the flag and create executable files without it.
        Err(Errno::INVAL) => memfd_create(NAME, flags)?,
        created => created?,
    };
    let mut file = File::from(descriptor);
    file.write_all(bytes)?;
    let memory = OwnedFd::from(file);
    // Reading it would update its access time, through which an AI's workers could signal each
    // other. Kernels before 6.0 lack the flag.
    let _ = ioctl_setflags(&memory, IFlags::NOATIME);
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    let mut tries = 1;
    loop {
        match fcntl_add_seals(&memory, seals) {
            // The kernel briefly holds other references to the pages, for example while it moves
            // them.
            Err(Errno::BUSY) if tries < MAX_SEAL_TRIES => {
                tries += 1;
                thread::sleep(SEAL_RETRY_DELAY);
            }
            sealed => return Ok(sealed.map(|()| memory)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::FileExt};

    use tempfile::NamedTempFile;

    use super::*;
    use crate::elf::tests::library;

    #[test]
    fn keeps_the_hashed_bytes_when_the_file_changes() {
        let whole = fs::read(library()).unwrap();
        let file = NamedTempFile::new().unwrap();
        fs::write(&file, &whole).unwrap();
        let sealed = SealedLibrary::read(file.path()).unwrap();
        fs::write(&file, b"changed").unwrap();
        drop(file);
        let memory = File::from(sealed.memory().try_clone_to_owned().unwrap());
        let mut bytes = vec![0; whole.len()];
        memory.read_exact_at(&mut bytes, 0).unwrap();
        assert!(bytes == whole);
        assert_eq!(sealed.sha256(), Sha256Sum::of(&whole));
        assert_eq!(sealed.note().id, "basic1");
    }

    #[test]
    fn rejects_changes_to_the_sealed_bytes() {
        let memory = File::from(seal(b"abc").unwrap());
        assert!(memory.write_at(b"x", 0).is_err());
        assert!(memory.set_len(1).is_err());
        assert!(memory.set_len(9).is_err());
    }

    #[test]
    fn reports_why_a_file_is_not_a_library() {
        let missing = SealedLibrary::read(Path::new("/nowhere/lib.so"))
            .unwrap_err()
            .to_string();
        assert!(
            missing.contains("no such file; the folder /nowhere does not exist either"),
            "{missing}"
        );
        let folder = library();
        let folder = SealedLibrary::read(folder.parent().unwrap())
            .unwrap_err()
            .to_string();
        assert!(
            folder.starts_with("this is a folder") && folder.contains(".so file; found /"),
            "{folder}"
        );
        let device = SealedLibrary::read(Path::new("/dev/zero"))
            .unwrap_err()
            .to_string();
        assert!(device.contains("a device, not a regular file"), "{device}");
        let zeros = NamedTempFile::new().unwrap();
        // The file has the maximum size of a library. Only its head is read.
        zeros.as_file().set_len(MAX_LIBRARY_BYTES).unwrap();
        let error = SealedLibrary::read(zeros.path()).unwrap_err().to_string();
        assert!(
            error.contains("filled with zeros") && error.contains("copy or build the AI again"),
            "{error}"
        );
    }
}
