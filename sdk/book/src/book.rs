//! Reads books from files.

use std::{
    fmt,
    fs::{self, File},
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

use ai_api::{MAX_MOVES, Move, Position};

use crate::{Entry, key, key::possible_keys};

/// A book that is read on demand. Each lookup is a binary search.
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
            Self::NotAFile => f.write_str("not a regular file; expected a Polyglot book"),
            Self::Length { bytes } => {
                write!(
                    f,
                    "found {bytes} bytes; expected a Polyglot book with a multiple of {} bytes",
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

/// A legal move and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub chosen: Move,
    /// The weight, relative to the position's other moves. A move with weight 0 is not played.
    pub weight: u16,
}

/// How to choose among a position's moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The heaviest move, or the first of several equally heavy ones.
    Best,
    /// Any move, with a probability proportional to its weight. The same seed and position give the
    /// same move.
    Weighted {
        /// Selects one of many ways through the book.
        seed: u64,
    },
}

impl Book {
    /// Opens a file.
    ///
    /// # Errors
    /// The file cannot be opened, is not a regular file, or ends in the middle of an entry.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, BookError> {
        // Opening a pipe could block forever.
        if !fs::metadata(path.as_ref())?.is_file() {
            return Err(BookError::NotAFile);
        }
        Self::new(File::open(path)?)
    }
}

impl<S: Read + Seek> Book<S> {
    /// Reads a book from a source. Does not check that the entries are sorted: in an unsorted book,
    /// some are not found.
    ///
    /// # Errors
    /// The source fails, or ends in the middle of an entry.
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

    /// Returns the size in bytes.
    pub const fn bytes(&self) -> u64 {
        self.length * Entry::BYTES as u64
    }

    /// Returns the book's moves in a position that are among `legal`, in book order.
    ///
    /// In this format, a double push changes the key if a pawn is ready to capture it en passant,
    /// even if the capture is illegal. A [`Position`] does not show such an illegal capture. If the
    /// book has no move under the position's [`key`](crate::key()), this also tries the keys after
    /// each such push that could have been the last move: by the rules, these are the same
    /// position.
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

    /// Returns the moves that the book lists under `key` and that are among `legal`, in book order.
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

    /// Chooses one of the book's moves that are among `legal`. Returns `None` if the book has no
    /// move to play.
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

    /// Returns at most 256 entries with this key, whether their moves are legal or not.
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

    /// Returns an iterator that reads all entries, in book order.
    ///
    /// # Errors
    /// The source fails, now or while the iterator reads an entry.
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

/// Mixes the bits of a number with splitmix64. AIs that choose by this number choose the same move
/// on every machine.
pub const fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
