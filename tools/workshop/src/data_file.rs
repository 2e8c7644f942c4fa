//! Sample files.
//!
//! All numbers are little-endian. The header contains the magic and the version (u32). A block
//! follows for each game: its number (u32), its number of samples (u32) and the samples. An
//! incomplete block is dropped when the file is continued.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufReader, Read, Seek, Write},
    path::{Path, PathBuf},
};

use crate::sample::Sample;

const MAGIC: [u8; 8] = *b"rookdata";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 12;
const BLOCK_HEADER_BYTES: usize = 8;

#[derive(Debug, thiserror::Error)]
pub enum DataFileError {
    #[error("{}", .path.display())]
    Io {
        path: PathBuf,
        #[source]
        error: io::Error,
    },
    #[error(
        "{}: not a sample file; expected a file written by `workshop generate`",
        .0.display()
    )]
    NotSamples(PathBuf),
    #[error(
        "{}: format version {found}; expected {VERSION}; generate the samples again",
        .path.display()
    )]
    Version { path: PathBuf, found: u32 },
}

/// Returns the samples in a file, in order.
///
/// # Errors
/// The file cannot be read or is not a sample file.
pub fn read_samples(path: &Path) -> Result<Vec<Sample>, DataFileError> {
    let io_error = |error| DataFileError::Io {
        path: path.to_owned(),
        error,
    };
    let mut source = BufReader::new(File::open(path).map_err(io_error)?);
    read_header(&mut source, path)?;
    let mut samples = Vec::new();
    while let Some((_, game)) = read_game(&mut source).map_err(io_error)? {
        let parsed = game
            .iter()
            .map(Sample::from_bytes)
            .collect::<Option<Vec<_>>>();
        samples.extend(parsed.ok_or_else(|| DataFileError::NotSamples(path.to_owned()))?);
    }
    Ok(samples)
}

/// A file to which the samples of games are appended.
#[derive(Debug)]
pub struct DataFile {
    file: File,
    path: PathBuf,
    /// The number of the next game.
    pub next_game: u32,
    /// The number of samples in the file.
    pub samples: u64,
}

impl DataFile {
    /// Creates a file, or continues one after its last complete game.
    ///
    /// # Errors
    /// The file cannot be read or written, or is not a sample file.
    pub fn open(path: &Path) -> Result<Self, DataFileError> {
        let io_error = |error| DataFileError::Io {
            path: path.to_owned(),
            error,
        };
        let options = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path);
        let mut file = options.map_err(io_error)?;
        let mut data = Self {
            file: file.try_clone().map_err(io_error)?,
            path: path.to_owned(),
            next_game: 0,
            samples: 0,
        };
        if file.metadata().map_err(io_error)?.len() == 0 {
            let header = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
            file.write_all(&header).map_err(io_error)?;
            return Ok(data);
        }
        let mut source = BufReader::new(&mut file);
        read_header(&mut source, path)?;
        let mut length = HEADER_BYTES;
        while let Some((game, samples)) = read_game(&mut source).map_err(io_error)? {
            length += BLOCK_HEADER_BYTES + samples.len() * Sample::BYTES;
            data.next_game = game + 1;
            data.samples += samples.len() as u64;
        }
        file.set_len(length as u64)
            .and_then(|()| file.seek(io::SeekFrom::End(0)))
            .map_err(io_error)?;
        Ok(data)
    }

    /// Appends the samples of the next game.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&mut self, samples: &[Sample]) -> Result<(), DataFileError> {
        let mut block = Vec::with_capacity(BLOCK_HEADER_BYTES + samples.len() * Sample::BYTES);
        block.extend(self.next_game.to_le_bytes());
        block.extend((samples.len() as u32).to_le_bytes());
        block.extend(samples.iter().flat_map(Sample::to_bytes));
        self.file
            .write_all(&block)
            .map_err(|error| DataFileError::Io {
                path: self.path.clone(),
                error,
            })?;
        self.next_game += 1;
        self.samples += samples.len() as u64;
        Ok(())
    }
}

fn read_header(source: &mut impl Read, path: &Path) -> Result<(), DataFileError> {
    let not_samples = || DataFileError::NotSamples(path.to_owned());
    let mut header = [0; HEADER_BYTES];
    source.read_exact(&mut header).map_err(|_| not_samples())?;
    let (magic, version) = header.split_first_chunk().ok_or_else(not_samples)?;
    if *magic != MAGIC {
        return Err(not_samples());
    }
    let found = version
        .try_into()
        .map(u32::from_le_bytes)
        .map_err(|_| not_samples())?;
    if found != VERSION {
        return Err(DataFileError::Version {
            path: path.to_owned(),
            found,
        });
    }
    Ok(())
}

/// Returns the number and the samples of the next game, or `None` at the end and before an
/// incomplete block.
fn read_game(source: &mut impl Read) -> io::Result<Option<(u32, Vec<[u8; Sample::BYTES]>)>> {
    let mut read = || {
        let mut numbers = [[0; 4]; 2];
        source.read_exact(numbers.as_flattened_mut())?;
        let [game, count] = numbers.map(u32::from_le_bytes);
        let mut bytes = Vec::new();
        let length = u64::from(count) * Sample::BYTES as u64;
        if source.take(length).read_to_end(&mut bytes)? as u64 != length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        Ok((game, bytes.as_chunks().0.to_vec()))
    };
    match read() {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        result => result.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{GameResult, Origin};

    fn samples(count: i16) -> Vec<Sample> {
        let start = rules::start_position();
        (0..count)
            .map(|score| Sample::new(&start, Origin::Game, score, GameResult::Draw))
            .collect()
    }

    #[test]
    fn continues_after_the_last_complete_game() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.data");
        let mut data = DataFile::open(&path).unwrap();
        data.append(&samples(3)).unwrap();
        data.append(&[]).unwrap();
        let whole = std::fs::metadata(&path).unwrap().len();
        data.append(&samples(5)).unwrap();
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(whole + 50)
            .unwrap();
        assert_eq!(read_samples(&path).unwrap(), samples(3));

        let mut data = DataFile::open(&path).unwrap();
        assert_eq!((data.next_game, data.samples), (2, 3));
        data.append(&samples(2)).unwrap();
        assert_eq!(
            read_samples(&path).unwrap(),
            [samples(3), samples(2)].concat()
        );
        assert_eq!(DataFile::open(&path).unwrap().next_game, 3);
    }

    #[test]
    fn rejects_files_of_other_formats() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other");
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let opened = DataFile::open(&path)
                .expect_err("the format is wrong")
                .to_string();
            assert_eq!(
                read_samples(&path)
                    .expect_err("the format is wrong")
                    .to_string(),
                opened
            );
            assert_eq!(
                std::fs::read(&path).unwrap(),
                bytes,
                "the file was not changed"
            );
            opened
        };
        assert!(error(b"hello").contains("not a sample file"));
        assert!(error(b"rookdata\x02\0\0\0").contains("format version 2; expected 1"));
    }
}
