//! A library's bytes: read once, hashed once, sealed.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create},
    io::Errno,
};
use sha2::{Digest, Sha256};

/// More than any AI with a net inside needs, and little enough to be held in memory.
const MAX_LIBRARY_BYTES: u64 = 1 << 30;

/// The bytes of an AI's library in a memory file that nobody can change any more: what was hashed is what every worker
/// loads, whatever happens to the file on disk.
#[derive(Debug)]
pub struct SealedLibrary {
    file: PathBuf,
    sha256: String,
    memory: OwnedFd,
}

/// Why a library could not be read and sealed.
#[derive(Debug, thiserror::Error)]
pub enum ReadLibraryError {
    /// The file can't be read.
    #[error("can't read the library {}: {source}; check that the file exists and that this user may read it", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is a directory, a device or the like.
    #[error("{} is no regular file; an AI's library is a .so file", .0.display())]
    NoFile(PathBuf),
    /// More than a library may have.
    #[error("{} has {bytes} bytes; a library has at most {MAX_LIBRARY_BYTES}", file.display())]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// The kernel gives no sealed memory file.
    #[error("can't copy {} to a sealed memory file: {source}; the kernel must allow executable memory files (sysctl vm.memfd_noexec=0)", file.display())]
    Seal {
        /// The file.
        file: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl SealedLibrary {
    /// Reads, hashes and seals the file. Blocks on the disk.
    ///
    /// # Errors
    /// The file can't be read, or there is no memory file to be had.
    pub fn read(path: &Path) -> Result<Self, ReadLibraryError> {
        let file = path.to_path_buf();
        let bytes = match read_file(path) {
            Ok(bytes) => bytes,
            Err(ReadFileError::Io(source)) => return Err(ReadLibraryError::Read { file, source }),
            Err(ReadFileError::NoFile) => return Err(ReadLibraryError::NoFile(file)),
            Err(ReadFileError::TooLarge(bytes)) => return Err(ReadLibraryError::TooLarge { file, bytes }),
        };
        let sha256 = hex(&Sha256::digest(&bytes));
        match seal(&bytes) {
            Ok(memory) => Ok(Self { file, sha256, memory }),
            Err(source) => Err(ReadLibraryError::Seal { file, source }),
        }
    }

    /// Where the bytes were read.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The SHA-256 of the bytes, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The memory file.
    pub fn memory(&self) -> BorrowedFd<'_> {
        self.memory.as_fd()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

enum ReadFileError {
    Io(io::Error),
    NoFile,
    TooLarge(u64),
}

impl From<io::Error> for ReadFileError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, ReadFileError> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(ReadFileError::NoFile);
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    if length > MAX_LIBRARY_BYTES {
        return Err(ReadFileError::TooLarge(length));
    }
    let mut bytes = Vec::with_capacity(length as usize);
    // A file that grows while it is read must not fill the memory.
    file.take(MAX_LIBRARY_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
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

    #[test]
    fn keeps_the_bytes_that_were_hashed_when_the_file_changes() {
        let path = temporary_file("keeps", b"abc");
        let library = SealedLibrary::read(&path).unwrap();
        fs::write(&path, b"changed").unwrap();
        fs::remove_file(&path).unwrap();
        let memory = File::from(library.memory().try_clone_to_owned().unwrap());
        let mut bytes = [0; 3];
        memory.read_exact_at(&mut bytes, 0).unwrap();
        assert_eq!(&bytes, b"abc");
        assert_eq!(library.sha256(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn nobody_can_change_the_sealed_bytes() {
        let path = temporary_file("sealed", b"abc");
        let library = SealedLibrary::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let memory = File::from(library.memory().try_clone_to_owned().unwrap());
        assert!(memory.write_at(b"x", 0).is_err());
        assert!(memory.set_len(1).is_err());
        assert!(memory.set_len(9).is_err());
    }

    #[test]
    fn tells_what_is_wrong_with_a_file() {
        let missing = SealedLibrary::read(Path::new("/nowhere/lib.so")).unwrap_err().to_string();
        assert!(
            missing.contains("/nowhere/lib.so") && missing.contains("check that the file exists"),
            "{missing}"
        );
        let directory = SealedLibrary::read(&std::env::temp_dir()).unwrap_err().to_string();
        assert!(directory.contains("no regular file"), "{directory}");
    }
}
