//! A folder of files named by their hashes. The least recently used files are deleted first.

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, File, Permissions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use library::sha256::Sha256Sum;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt as _};

const FOLDER_MODE: u32 = 0o700;
/// Workers may run as a different user, and a file may be a program.
const FILE_MODE: u32 = 0o555;
const PIECE_BYTES: usize = 64 << 10;

/// Files named by their hashes. Several processes may share the folder.
#[derive(Clone, Debug)]
pub(crate) struct FileCache {
    folder: PathBuf,
    max_bytes: u64,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CacheError {
    #[error("cannot use the file cache {}: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("cannot write the file {sha256}: {error}")]
    Write { sha256: Sha256Sum, error: io::Error },
    #[error("the file {sha256} did not arrive: {error}")]
    Arrival { sha256: Sha256Sum, error: io::Error },
    #[error("a file has the SHA-256 {found}; expected {expected}")]
    OtherHash {
        found: Sha256Sum,
        expected: Sha256Sum,
    },
    #[error("the file {sha256} has {found} bytes or more; expected {expected}")]
    OtherSize {
        sha256: Sha256Sum,
        found: u64,
        expected: u64,
    },
    #[error(
        "no room for {bytes} bytes: {kept} of at most {max_bytes} bytes are in use; raise max_mb \
         in [fleet.matches]"
    )]
    NoRoom {
        bytes: u64,
        kept: u64,
        max_bytes: u64,
    },
}

impl FileCache {
    /// # Errors
    /// The folder cannot be created, or belongs to another user.
    pub(crate) fn open(folder: &Path, max_bytes: u64) -> Result<Self, CacheError> {
        let made = DirBuilder::new()
            .recursive(true)
            .mode(FOLDER_MODE)
            .create(folder)
            .and_then(|()| fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE)));
        let cache = Self {
            folder: folder.to_owned(),
            max_bytes,
        };
        made.map_err(|error| cache.error(error))?;
        Ok(cache)
    }

    /// Returns the path of a file, and marks it as used now.
    pub(crate) fn find(&self, sha256: Sha256Sum) -> Option<PathBuf> {
        let path = self.path_of(sha256);
        let file = File::open(&path).ok()?;
        // If this fails, the file looks older and is deleted earlier.
        let _ = file.set_modified(SystemTime::now());
        Some(path)
    }

    /// Writes a file of this size. It appears under its hash only when it is complete.
    ///
    /// # Errors
    /// The file does not arrive, has a different hash or size, or cannot be written.
    pub(crate) async fn add(
        &self,
        sha256: Sha256Sum,
        bytes: u64,
        content: impl AsyncRead + Unpin,
    ) -> Result<PathBuf, CacheError> {
        let failed = |error| CacheError::Write { sha256, error };
        let name = format!(".{sha256}-{:016x}", fastrand::u64(..));
        let mut temporary = Temporary::create(self.folder.join(name)).map_err(failed)?;
        copy(sha256, bytes, content, &mut temporary.file).await?;
        let path = self.path_of(sha256);
        temporary.keep_as(&path).map_err(failed)?;
        Ok(path)
    }

    /// Deletes the least recently used files until this many more bytes fit.
    ///
    /// # Errors
    /// The files to keep leave too little room, or the folder cannot be read.
    pub(crate) fn make_room(
        &self,
        bytes: u64,
        keep: &BTreeSet<Sha256Sum>,
    ) -> Result<(), CacheError> {
        let is_kept = |path: &Path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.and_then(|name| name.parse().ok())
                .is_some_and(|sum| keep.contains(&sum))
        };
        let (mut kept, mut others) = (0, Vec::new());
        for entry in fs::read_dir(&self.folder).map_err(|error| self.error(error))? {
            let path = entry.map_err(|error| self.error(error))?.path();
            // Another process may delete the same file.
            let Ok(found) = path.symlink_metadata() else {
                continue;
            };
            if is_kept(&path) {
                kept += found.len();
            } else if found.is_file() {
                let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                others.push((used, path, found.len()));
            }
        }
        let needed = kept.saturating_add(bytes);
        if needed > self.max_bytes {
            return Err(CacheError::NoRoom {
                bytes,
                kept,
                max_bytes: self.max_bytes,
            });
        }
        others.sort();
        let mut total = needed + others.iter().map(|(.., length)| length).sum::<u64>();
        for (_, path, length) in others {
            if total <= self.max_bytes {
                break;
            }
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(self.error(error));
                }
                _ => total -= length,
            }
        }
        Ok(())
    }

    /// Returns the path of a file, whether or not it exists.
    pub(crate) fn path_of(&self, sha256: Sha256Sum) -> PathBuf {
        self.folder.join(sha256.to_string())
    }

    fn error(&self, error: io::Error) -> CacheError {
        CacheError::Folder {
            path: self.folder.clone(),
            error,
        }
    }
}

/// Copies a file of this size, and checks its size and hash.
async fn copy(
    sha256: Sha256Sum,
    bytes: u64,
    mut content: impl AsyncRead + Unpin,
    target: &mut impl Write,
) -> Result<(), CacheError> {
    let (mut hasher, mut found) = (Sha256::new(), 0);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let read = content.read(&mut piece).await;
        let length = read.map_err(|error| CacheError::Arrival { sha256, error })?;
        found += length as u64;
        if found > bytes || length == 0 && found < bytes {
            return Err(CacheError::OtherSize {
                sha256,
                found,
                expected: bytes,
            });
        }
        if length == 0 {
            break;
        }
        hasher.update(&piece[..length]);
        let written = target.write_all(&piece[..length]);
        written.map_err(|error| CacheError::Write { sha256, error })?;
    }
    let sum = Sha256Sum::from(hasher);
    if sum == sha256 {
        return Ok(());
    }
    Err(CacheError::OtherHash {
        found: sum,
        expected: sha256,
    })
}

/// A file that is deleted unless it is kept.
struct Temporary {
    file: File,
    path: PathBuf,
}

impl Temporary {
    fn create(path: PathBuf) -> io::Result<Self> {
        let file = File::create_new(&path)?;
        Ok(Self { file, path })
    }

    fn keep_as(&self, path: &Path) -> io::Result<()> {
        self.file
            .set_permissions(Permissions::from_mode(FILE_MODE))?;
        fs::rename(&self.path, path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A kept file has been renamed.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::Pin,
        task::{Context, Poll},
        time::Duration,
    };

    use futures_util::FutureExt as _;
    use tempfile::TempDir;
    use tokio::io::ReadBuf;

    use super::*;

    fn open(max_bytes: u64) -> (TempDir, FileCache) {
        let folder = TempDir::new().unwrap();
        let cache = FileCache::open(&folder.path().join("files"), max_bytes).unwrap();
        (folder, cache)
    }

    /// Adds content from memory, which is available immediately.
    fn add(cache: &FileCache, sum: Sha256Sum, bytes: u64, text: &[u8]) -> Result<PathBuf, String> {
        let added = cache.add(sum, bytes, text).now_or_never().unwrap();
        added.map_err(|error| error.to_string())
    }

    fn add_text(cache: &FileCache, text: &[u8]) -> Sha256Sum {
        let sum = Sha256Sum::of(text);
        let path = add(cache, sum, text.len() as u64, text).unwrap();
        assert_eq!(fs::read(path).unwrap(), text);
        sum
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn keeps_only_a_file_that_matches_its_hash_and_size() {
        let (_folder, cache) = open(100);
        let sum = Sha256Sum::of(b"abc");
        assert_eq!(cache.find(sum), None);
        for (bytes, text, expected) in [
            (3, &b"abd"[..], "expected ba7816bf"),
            (3, b"abcd", "has 4 bytes or more; expected 3"),
            (3, b"ab", "has 2 bytes or more; expected 3"),
            (2, b"abc", "has 3 bytes or more; expected 2"),
        ] {
            let error = add(&cache, sum, bytes, text).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert_eq!(fs::read_dir(&cache.folder).unwrap().count(), 0);
        }
        add_text(&cache, b"abc");
        let path = cache.find(sum).unwrap();
        assert_eq!((mode(&path), mode(&cache.folder)), (0o555, 0o700));
        // Two concurrent matches can add the same file.
        add_text(&cache, b"abc");
    }

    #[test]
    fn deletes_the_least_recently_used_files() {
        let (_folder, cache) = open(10);
        let sums = [b"one", b"two", b"old"].map(|text| add_text(&cache, text));
        let ages = [30, 20, 10];
        for (sum, age) in sums.iter().zip(ages) {
            let file = File::open(cache.path_of(*sum)).unwrap();
            let used = SystemTime::now() - Duration::from_secs(age);
            file.set_modified(used).unwrap();
        }
        cache.find(sums[0]).unwrap();
        let has = || sums.map(|sum| cache.path_of(sum).exists());
        cache.make_room(1, &BTreeSet::new()).unwrap();
        assert_eq!(has(), [true; 3]);
        cache.make_room(4, &BTreeSet::from([sums[1]])).unwrap();
        assert_eq!(has(), [true, true, false]);
        let kept = BTreeSet::from([sums[0], sums[1]]);
        let error = cache.make_room(5, &kept).unwrap_err().to_string();
        assert!(
            error.starts_with("no room for 5 bytes: 6 of at most "),
            "{error}"
        );
        assert_eq!(has(), [true, true, false]);
        cache.make_room(10, &BTreeSet::new()).unwrap();
        assert_eq!(has(), [false; 3]);
    }

    #[test]
    fn distinguishes_a_full_disk_from_a_broken_transfer() {
        let text = vec![7; 1 << 20];
        let (sum, bytes) = (Sha256Sum::of(&text), text.len() as u64);
        let mut full = File::options().write(true).open("/dev/full").unwrap();
        let copied = copy(sum, bytes, &text[..], &mut full).now_or_never();
        let full_disk = copied.unwrap().unwrap_err().to_string();
        assert!(
            full_disk.starts_with("cannot write the file") && full_disk.contains("No space left"),
            "{full_disk}"
        );
        let (_folder, cache) = open(100);
        let broken = broken_reader();
        let added = cache.add(sum, bytes, broken).now_or_never().unwrap();
        let error = added.unwrap_err().to_string();
        assert!(error.contains("did not arrive: broken"), "{error}");
        assert_eq!(fs::read_dir(&cache.folder).unwrap().count(), 0);
    }

    /// Returns a reader that fails after a few bytes.
    fn broken_reader() -> impl AsyncRead + Unpin {
        struct Broken;
        impl AsyncRead for Broken {
            fn poll_read(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
                _: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                Poll::Ready(Err(io::Error::other("broken")))
            }
        }
        (&b"some"[..]).chain(Broken)
    }
}
