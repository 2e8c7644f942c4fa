//! A library's bytes: read once, understood as data, hashed once, sealed.

use std::{
    fs::File,
    io::{self, Write},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create},
    io::Errno,
};

use crate::{
    access, elf,
    elf::UnfitLibraryError,
    file_access::{self, ReadFileError, StalledError},
    missing,
    note::Note,
    open_files,
    sha256::Sha256Sum,
};

/// More than any AI with a net inside needs, and little enough to be held in memory.
const MAX_LIBRARY_BYTES: u64 = 1 << 30;

/// The bytes of an AI's library in a memory file that nobody can change any more: what was hashed is what every worker
/// loads, whatever happens to the file on disk.
#[derive(Debug)]
pub struct SealedLibrary {
    file: PathBuf,
    note: Note,
    sha256: Sha256Sum,
    memory: OwnedFd,
}

/// Why a file can't be loaded as an AI.
#[derive(Debug, thiserror::Error)]
pub enum ReadLibraryError {
    /// The file can't be read.
    #[error("the library can't be read: {0}; check that it is on a disk that works")]
    Read(io::Error),
    /// Too many files are open, as the text says.
    #[error("the library can't be read: {0}")]
    NoDescriptor(String),
    /// This user may not read it.
    #[error("the library can't be read: {0}")]
    Denied(String),
    /// It is not there.
    #[error("the library can't be read: there is no such file; {0}")]
    Missing(String),
    /// It is a directory.
    #[error("this is a folder, and an AI's library is a .so file; {0}")]
    Folder(String),
    /// A device, a named pipe or a socket.
    #[error("this is {0}, not a regular file; an AI's library is a .so file")]
    NotRegular(&'static str),
    /// On a file system of the kernel, by its name.
    #[error(
        "this is a file of {0}, which the kernel generates and which may never end; an AI's library is a .so file on a disk"
    )]
    Generated(&'static str),
    /// Its file system does not respond.
    #[error("the library can't be read: {0}")]
    Stalled(#[from] StalledError),
    /// Larger than the limit.
    #[error(
        "the library has {0} bytes, at most {MAX_LIBRARY_BYTES} are allowed; keep weights and tables in a file beside it, \
         which an option of kind file names"
    )]
    TooLarge(u64),
    /// It is no AI for this host.
    #[error(transparent)]
    Unfit(#[from] UnfitLibraryError),
    /// The kernel gives no sealed memory file.
    #[error(
        "the library can't be copied to a sealed memory file: {0}; the kernel must allow executable memory files (sysctl vm.memfd_noexec=0)"
    )]
    Seal(io::Error),
}

impl SealedLibrary {
    /// Reads the file, checks that it is an AI for this host, hashes and seals it. Runs none of it. Blocks on the disk.
    ///
    /// # Errors
    /// The file can't be read or is no AI for this host, or there is no memory file to be had.
    pub fn read(path: &Path) -> Result<Self, ReadLibraryError> {
        let bytes = read_file(path)?;
        let note = elf::read(&bytes)?;
        let sha256 = Sha256Sum::of(&bytes);
        let memory = seal(&bytes).map_err(|error| {
            if open_files::is_lack(&error) {
                ReadLibraryError::NoDescriptor(open_files::explain(&error))
            } else {
                ReadLibraryError::Seal(error)
            }
        })?;
        Ok(Self { file: path.to_path_buf(), note, sha256, memory })
    }

    /// Where the bytes were read.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What the library says of itself.
    pub const fn note(&self) -> &Note {
        &self.note
    }

    /// The SHA-256 of the bytes.
    pub const fn sha256(&self) -> Sha256Sum {
        self.sha256
    }

    /// The memory file.
    pub fn memory(&self) -> BorrowedFd<'_> {
        self.memory.as_fd()
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, ReadLibraryError> {
    // Of anything else, the head is enough to tell what it is.
    let is_elf: fn(&[u8]) -> bool = |head| head.starts_with(&elf::MAGIC);
    file_access::read(path, MAX_LIBRARY_BYTES, is_elf).map_err(|error| match error {
        ReadFileError::Io(error) => match error.kind() {
            io::ErrorKind::PermissionDenied => ReadLibraryError::Denied(access::denied(path)),
            io::ErrorKind::NotFound => ReadLibraryError::Missing(missing::remedy(path)),
            _ if open_files::is_lack(&error) => ReadLibraryError::NoDescriptor(open_files::explain(&error)),
            _ => ReadLibraryError::Read(error),
        },
        ReadFileError::Folder => ReadLibraryError::Folder(missing::libraries_in(path)),
        ReadFileError::NotRegular(kind) => ReadLibraryError::NotRegular(kind),
        ReadFileError::Generated(system) => ReadLibraryError::Generated(system),
        ReadFileError::TooLarge(bytes) => ReadLibraryError::TooLarge(bytes),
        ReadFileError::Stalled(error) => ReadLibraryError::Stalled(error),
    })
}

fn seal(bytes: &[u8]) -> io::Result<OwnedFd> {
    const NAME: &str = "rookery-ai";
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let memory = match memfd_create(NAME, flags | MemfdFlags::EXEC) {
        // Kernels before 6.3 do not know the flag and make executable files without it.
        Err(Errno::INVAL) => memfd_create(NAME, flags)?,
        created => created?,
    };
    let mut file = File::from(memory);
    file.write_all(bytes)?;
    let memory = OwnedFd::from(file);
    fcntl_add_seals(&memory, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    Ok(memory)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::FileExt};

    use super::*;

    fn temporary_file(name: &str, bytes: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("rookery-library-{}-{name}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        path
    }

    /// A library that is an AI: ours.
    fn library() -> PathBuf {
        crate::elf::tests::library()
    }

    #[test]
    fn keeps_the_bytes_that_were_hashed_when_the_file_changes() {
        let whole = fs::read(library()).unwrap();
        let path = temporary_file("keeps", &whole);
        let sealed = SealedLibrary::read(&path).unwrap();
        fs::write(&path, b"changed").unwrap();
        fs::remove_file(&path).unwrap();
        let memory = File::from(sealed.memory().try_clone_to_owned().unwrap());
        let mut bytes = vec![0; whole.len()];
        memory.read_exact_at(&mut bytes, 0).unwrap();
        assert!(bytes == whole);
        assert_eq!(sealed.sha256(), Sha256Sum::of(&whole));
        assert_eq!(sealed.note().id, "basic1");
    }

    #[test]
    fn nobody_can_change_the_sealed_bytes() {
        let memory = File::from(seal(b"abc").unwrap());
        assert!(memory.write_at(b"x", 0).is_err());
        assert!(memory.set_len(1).is_err());
        assert!(memory.set_len(9).is_err());
    }

    #[test]
    fn tells_what_is_wrong_with_a_file() {
        let missing = SealedLibrary::read(Path::new("/nowhere/lib.so")).unwrap_err().to_string();
        assert!(missing.contains("no such file; there is no folder /nowhere either"), "{missing}");
        let folder = library();
        let folder = SealedLibrary::read(folder.parent().unwrap()).unwrap_err().to_string();
        assert!(
            folder.starts_with("this is a folder") && folder.contains(".so file; there is /"),
            "{folder}"
        );
        let device = SealedLibrary::read(Path::new("/dev/zero")).unwrap_err().to_string();
        assert!(device.contains("a device, not a regular file"), "{device}");
        let zeros = temporary_file("zeros", b"");
        // A file as large as a library may be, of which only the head is read.
        fs::File::options().write(true).open(&zeros).unwrap().set_len(MAX_LIBRARY_BYTES).unwrap();
        let told = SealedLibrary::read(&zeros).unwrap_err().to_string();
        fs::remove_file(zeros).unwrap();
        assert!(told.contains("filled with zeros") && told.contains("copy or build the AI again"), "{told}");
    }
}
