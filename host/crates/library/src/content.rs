//! Hashes the files that an AI may read.

use std::{
    collections::HashMap,
    fs,
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use sha2::{Digest as _, Sha256};

use crate::{
    file_access::{AccessProgress, ReadFileError, bounded, metadata, open},
    sha256::Sha256Sum,
    stamp::FileStamp,
};

/// The maximum number of files in a folder and its subfolders.
const MAX_FILES: usize = 100_000;
/// Reading more would exceed the deadline.
const MAX_BYTES: u64 = 1 << 36;
/// The number of hashes to remember.
const MAX_REMEMBERED: usize = 1000;
/// Two changes to a file within this time can leave it with the same stamp.
const STAMP_PRECISION: Duration = Duration::from_secs(2);
const PIECE_BYTES: usize = 1 << 20;

/// Returns a file's SHA-256. For a folder, which may hold terabytes, returns the hash of its file
/// names and sizes. Pipes, devices and files that the kernel generates have no content; only their
/// kind counts.
///
/// # Errors
/// A file can't be read, is too large or does not respond in time, or there are too many files.
pub fn content_sha256(path: &Path) -> io::Result<Sha256Sum> {
    let hashed = bounded(path, |path, progress| {
        if path.metadata()?.is_dir() {
            let mut files = Vec::new();
            list(path, Path::new(""), &mut files)?;
            files.sort();
            return Ok(Sha256Sum::of(files.join("\n").as_bytes()));
        }
        match read(path, progress) {
            Err(ReadFileError::Io(error)) => Err(error),
            Err(ReadFileError::TooLarge(bytes)) => Err(io::Error::other(format!(
                "the file has {bytes} bytes; at most {MAX_BYTES} are read"
            ))),
            Err(no_content) => Ok(Sha256Sum::of(no_content.to_string().as_bytes())),
            Ok(sum) => Ok(sum),
        }
    })?;
    hashed.map_err(|error: io::Error| {
        io::Error::new(error.kind(), format!("{}: {error}", path.display()))
    })
}

/// Returns the SHA-256 of a regular file; `None` if it can't be read or is something else.
pub fn file_sha256(path: &Path) -> Option<Sha256Sum> {
    bounded(path, read).ok()?.ok()
}

/// Like [`file_sha256`], but remembers the hash of a file that has not changed.
pub fn remembered_sha256(path: &Path) -> Option<Sha256Sum> {
    static REMEMBERED: LazyLock<Mutex<HashMap<PathBuf, (FileStamp, Sha256Sum)>>> =
        LazyLock::new(Mutex::default);
    let remembered = || REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner);
    let stamp = || Some(FileStamp::from(&metadata(path).ok()?));
    let before = stamp()?;
    if let Some((of, sum)) = remembered().get(path)
        && *of == before
    {
        return Some(*sum);
    }
    let sum = file_sha256(path)?;
    let settled = SystemTime::now()
        .checked_sub(STAMP_PRECISION)?
        .duration_since(UNIX_EPOCH)
        .ok()?;
    if !is_later(before.changed, settled) && stamp() == Some(before) {
        let mut remembered = remembered();
        if remembered.len() >= MAX_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(path.to_owned(), (before, sum));
    }
    Some(sum)
}

fn read(path: &Path, progress: &AccessProgress) -> Result<Sha256Sum, ReadFileError> {
    let (mut file, mut sum, mut piece) = (open(path)?, Sha256::new(), vec![0; PIECE_BYTES]);
    let bytes = file.metadata()?.len();
    if bytes > MAX_BYTES {
        return Err(ReadFileError::TooLarge(bytes));
    }
    loop {
        progress.advance()?;
        match file.read(&mut piece)? {
            0 => return Ok(Sha256Sum::from(sum)),
            length => sum.update(&piece[..length]),
        }
    }
}

/// Returns the files in a folder and its subfolders that have changed or appeared since a time, or
/// the folder itself if files were only removed. Returns nothing if the folder cannot be read in
/// time.
pub fn changed_since(folder: &Path, since: SystemTime) -> Vec<PathBuf> {
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default();
    let changed = bounded(folder, move |folder, progress| {
        let (mut changed, mut seen, mut folders) = (Vec::new(), 0, vec![folder.to_owned()]);
        while let Some(next) = folders.pop() {
            progress.advance()?;
            let before = changed.len();
            for entry in fs::read_dir(&next)? {
                let (path, metadata) =
                    entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
                seen += 1;
                match metadata.is_dir() {
                    true => folders.push(path),
                    false if is_later((metadata.ctime(), metadata.ctime_nsec()), since) => {
                        changed.push(path);
                    }
                    false => {}
                }
            }
            let metadata = next.metadata()?;
            if changed.len() == before && is_later((metadata.mtime(), metadata.mtime_nsec()), since)
            {
                changed.push(next);
            }
            if seen > MAX_FILES {
                break;
            }
        }
        changed.sort();
        io::Result::Ok(changed)
    });
    changed.ok().and_then(Result::ok).unwrap_or_default()
}

fn is_later((seconds, nanoseconds): (i64, i64), since: Duration) -> bool {
    let whole = since.as_secs().cast_signed();
    (seconds, nanoseconds) > (whole, i64::from(since.subsec_nanos()))
}

/// Adds the files in a folder and its subfolders, with their sizes.
fn list(folder: &Path, name: &Path, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, metadata) = (name.join(entry.file_name()), entry.metadata()?);
        if metadata.is_dir() {
            list(&entry.path(), &name, files)?;
        } else {
            files.push(format!("{} {}", name.display(), metadata.len()));
        }
        if files.len() > MAX_FILES {
            return Err(io::Error::other(format!(
                "the folder has more than {MAX_FILES} files"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::slice;

    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn hashes_the_bytes_of_a_file_and_the_names_and_sizes_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (weights, below) = (folder.path().join("weights"), folder.path().join("below"));
        fs::write(&weights, "abc").unwrap();
        assert_eq!(content_sha256(&weights).unwrap(), Sha256Sum::of(b"abc"));
        fs::create_dir(&below).unwrap();
        let before = content_sha256(folder.path()).unwrap();
        fs::write(&weights, "abd").unwrap();
        assert_eq!(content_sha256(folder.path()).unwrap(), before);
        fs::write(below.join("more"), "").unwrap();
        assert_ne!(content_sha256(folder.path()).unwrap(), before);
        let missing = content_sha256(&folder.path().join("missing")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn finds_what_has_changed_in_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        fs::create_dir(&below).unwrap();
        let [old, net] = [folder.path().join("old"), below.join("net")];
        fs::write(&old, "").unwrap();
        fs::write(&net, "abc").unwrap();
        let beside = tempfile::tempdir().unwrap();
        let now = || {
            tempfile::tempfile_in(&beside)
                .unwrap()
                .metadata()
                .unwrap()
                .modified()
                .unwrap()
        };
        // Files written in the same kernel tick have the same time.
        let later = || {
            let since = now();
            while now() == since {}
            since
        };
        let since = later();
        assert!(changed_since(folder.path(), since).is_empty());
        fs::write(&net, "abd").unwrap();
        assert_eq!(changed_since(folder.path(), since), slice::from_ref(&net));
        let since = later();
        fs::write(below.join("more"), "").unwrap();
        assert_eq!(changed_since(folder.path(), since), [below.join("more")]);
        let since = later();
        fs::remove_file(&net).unwrap();
        assert_eq!(changed_since(folder.path(), since), [below]);
        assert!(changed_since(Path::new("/nowhere"), since).is_empty());
    }

    #[test]
    fn updates_a_remembered_hash_when_the_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (script, other) = (folder.path().join("script"), folder.path().join("other"));
        // This file changed long ago, but the files written below change now.
        let old = Path::new("/etc/hostname");
        assert_eq!(remembered_sha256(old), file_sha256(old));
        assert_eq!(remembered_sha256(old), file_sha256(old));
        assert_eq!(remembered_sha256(&script), None);
        for text in ["abc", "abd", "abc"] {
            fs::write(&script, text).unwrap();
            assert_eq!(
                remembered_sha256(&script),
                Some(Sha256Sum::of(text.as_bytes()))
            );
        }
        fs::write(&other, "abd").unwrap();
        fs::rename(&other, &script).unwrap();
        assert_eq!(remembered_sha256(&script), Some(Sha256Sum::of(b"abd")));
    }

    #[test]
    fn reads_only_regular_files_of_limited_size() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, large) = (folder.path().join("pipe"), folder.path().join("large"));
        mkfifoat(CWD, &pipe, Mode::from_raw_mode(0o600)).unwrap();
        fs::File::create(&large)
            .unwrap()
            .set_len(MAX_BYTES + 1)
            .unwrap();
        let endless = [Path::new("/dev/zero"), Path::new("/proc/self/mem"), &pipe];
        for path in endless.into_iter().chain([large.as_path(), folder.path()]) {
            assert_eq!(file_sha256(path), None, "{}", path.display());
        }
        let [device, generated, pipe] = endless.map(|path| content_sha256(path).unwrap());
        assert!(device != generated && device != pipe);
        let error = content_sha256(&large).unwrap_err().to_string();
        assert!(error.contains("at most 68719476736 are read"), "{error}");
        fs::write(&large, "abc").unwrap();
        assert_eq!(file_sha256(&large), Some(Sha256Sum::of(b"abc")));
    }
}
