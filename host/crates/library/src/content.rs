//! The hash of what an AI may read.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use sha2::{Digest as _, Sha256};

use crate::{file_access::bounded, sha256::Sha256Sum};

/// The most files in a folder and its folders.
const MAX_FILES: usize = 100_000;
const PIECE_BYTES: usize = 1 << 20;

/// Returns a file's SHA-256; for a folder, which may have terabytes, that of its file names and sizes.
///
/// # Errors
/// A file can't be read, or does not return in time; or there are too many files.
pub fn content_sha256(path: &Path) -> io::Result<Sha256Sum> {
    let hashed = bounded(path, |path, progress| {
        if path.metadata()?.is_dir() {
            let mut files = Vec::new();
            list(path, Path::new(""), &mut files)?;
            files.sort();
            return Ok(Sha256Sum::of(files.join("\n").as_bytes()));
        }
        let (mut file, mut sum, mut piece) = (File::open(path)?, Sha256::new(), vec![0; PIECE_BYTES]);
        loop {
            progress.advance()?;
            match file.read(&mut piece)? {
                0 => return Ok(Sha256Sum::from(sum)),
                length => sum.update(&piece[..length]),
            }
        }
    })?;
    hashed.map_err(|error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Adds the files of a folder and its folders, with their sizes.
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
            return Err(io::Error::other(format!("the folder has more than {MAX_FILES} files")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
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
}
