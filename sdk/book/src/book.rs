//! Books in files.

use std::{
    fmt,
    fs::{self, File},
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use ai_api::{MAX_MOVES, Move, Position};

use crate::{Entry, key, key::possible_keys};

/// A book, read on demand. Each position takes a binary search.
#[derive(Debug)]
pub struct Book<S = File> {
    source: S,
    /// The number of entries.
    length: u64,
}

/// Why a file is not a book.
#[derive(Debug)]
pub enum BookError {
    /// The file cannot be read.
    Io(io::Error),
    /// The path leads to a folder, a pipe or a device.
    NotAFile,
    /// The size is not a whole number of entries.
    Length {
        /// The number of bytes.
        bytes: u64,
    },
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotAFile => f.write_str("found no regular file; expected a Polyglot book"),
            Self::Length { bytes } => {
                write!(
                    f,
                    "found {bytes} bytes; expected a Polyglot book, with {} bytes per entry",
                    Entry::BYTES
                )
            }
        }
    }
}

impl std::error::Error for BookError {}

impl From<io::Error> for BookError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A legal move in a position with its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub chosen: Move,
    /// The weight among the moves of the position. A move with weight 0 is not played.
    pub weight: u16,
}

/// How to choose among a position's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The heaviest move, or the first of several.
    Best,
    /// Any move, with a frequency according to its weight. The same seed and position give the same
    /// move.
    Weighted {
        /// Selects one of many ways through the book.
        seed: u64,
    },
}

impl Book {
    /// Opens a file.
    ///
    /// # Errors
    /// The file cannot be opened, is not a regular file, or ends within an entry.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, BookError> {
        // Opening a pipe could block forever.
        if !fs::metadata(path.as_ref())?.is_file() {
            return Err(BookError::NotAFile);
        }
        Self::new(File::open(path)?)
    }
}

impl<S: Read + Seek> Book<S> {
    /// Reads from a source. Does not check whether its entries are sorted. If they are not, some
    /// are not found.
    ///
    /// # Errors
    /// The source fails, or ends within an entry.
    pub fn new(mut source: S) -> Result<Self, BookError> {
        let bytes = source.seek(SeekFrom::End(0))?;
        if bytes % Entry::BYTES as u64 != 0 {
            return Err(BookError::Length { bytes });
        }
        Ok(Self {
            source,
            length: bytes / Entry::BYTES as u64,
        })
    }

    /// Returns the number of entries.
    pub const fn bytes(&self) -> u64 {
        self.length * Entry::BYTES as u64
    }

    /// Returns the moves of a position that are among `legal`, in the order of the book.
    ///
    /// A double push that can be captured, but not legally, changes the key, and a position does
    /// not show it. If the book does not know the position, this returns the moves after such a
    /// push, if the last move can have been one. To the rules, both are the same position.
    ///
    /// # Errors
    /// The source fails.
    pub fn moves(&mut self, position: &Position, legal: &[Move]) -> io::Result<Vec<BookMove>> {
        for key in possible_keys(position) {
            let moves = self.moves_of(key, position, legal)?;
            if !moves.is_empty() {
                return Ok(moves);
            }
        }
        Ok(Vec::new())
    }

    /// Returns the moves of a position with this key that are among `legal`, in the order of the
    /// book.
    ///
    /// # Errors
    /// The source fails.
    pub fn moves_of(
        &mut self,
        key: u64,
        position: &Position,
        legal: &[Move],
    ) -> io::Result<Vec<BookMove>> {
        let found = self.entries_of(key)?;
        let moves = found.iter().filter_map(|entry| {
            let chosen = entry.move_among(position, legal)?;
            Some(BookMove {
                chosen,
                weight: entry.weight,
            })
        });
        Ok(moves.collect())
    }

    /// Chooses a move that is among `legal`, or `None` if the book has none to play.
    ///
    /// # Errors
    /// The source fails.
    pub fn choose(
        &mut self,
        position: &Position,
        legal: &[Move],
        choice: Choice,
    ) -> io::Result<Option<Move>> {
        let moves = self.moves(position, legal)?;
        let found = match choice {
            Choice::Best => moves.iter().rev().max_by_key(|book_move| book_move.weight),
            Choice::Weighted { seed } => {
                let total = moves
                    .iter()
                    .map(|book_move| u64::from(book_move.weight))
                    .sum::<u64>();
                let mut rest = mixed(seed ^ key(position)) % total.max(1);
                moves.iter().find(|book_move| {
                    let weight = u64::from(book_move.weight);
                    let is_chosen = rest < weight;
                    rest = rest.saturating_sub(weight);
                    is_chosen
                })
            }
        };
        Ok(found
            .filter(|book_move| book_move.weight > 0)
            .map(|book_move| book_move.chosen))
    }

    /// Returns the entries of a key, at most 256, whether their moves are legal or not.
    ///
    /// # Errors
    /// The source fails.
    pub fn entries_of(&mut self, key: u64) -> io::Result<Vec<Entry>> {
        let (mut start, mut end) = (0, self.length);
        while start < end {
            let middle = start.midpoint(end);
            if self.key_at(middle)? < key {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        let count = (self.length - start).min(MAX_MOVES as u64);
        self.seek_to(start)?;
        let mut bytes = vec![0; count as usize * Entry::BYTES];
        self.source.read_exact(&mut bytes)?;
        let (entries, _) = bytes.as_chunks();
        Ok(entries
            .iter()
            .copied()
            .map(Entry::from_bytes)
            .take_while(|entry| entry.key == key)
            .collect())
    }

    /// Reads every entry, in the order of the source.
    ///
    /// # Errors
    /// The source fails, now or at an entry.
    pub fn entries(&mut self) -> io::Result<impl Iterator<Item = io::Result<Entry>>> {
        self.seek_to(0)?;
        let mut source = BufReader::new(&mut self.source);
        Ok((0..self.length).map(move |_| {
            let mut bytes = [0; Entry::BYTES];
            source.read_exact(&mut bytes)?;
            Ok(Entry::from_bytes(bytes))
        }))
    }

    fn seek_to(&mut self, index: u64) -> io::Result<()> {
        self.source
            .seek(SeekFrom::Start(index * Entry::BYTES as u64))
            .map(|_| ())
    }

    fn key_at(&mut self, index: u64) -> io::Result<u64> {
        self.seek_to(index)?;
        let mut key = [0; size_of::<u64>()];
        self.source.read_exact(&mut key)?;
        Ok(u64::from_be_bytes(key))
    }
}

/// Spreads the bits of a number (splitmix64), so AIs choose the same way on every machine.
pub const fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
