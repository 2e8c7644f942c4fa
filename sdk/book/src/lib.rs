//! Opening books in [Polyglot](http://hgm.nubati.net/book_format.html) format: 16-byte entries,
//! sorted by position key.
//!
//! A [`Book`] finds a position's moves in a file of any size. [`write()`] writes a file. Nothing in
//! a file is trusted: an entry counts only if its move is legal.
//!
//! # Examples
//! ```
//! use ai_api::Move;
//! use ai_book::{Book, Choice, Entry};
//!
//! let start = rules::start_position();
//! let chosen = rules::parse_uci(&start, "e2e4").expect("a legal move");
//! let mut file = Vec::new();
//! let entry = Entry {
//!     key: ai_book::key(&start),
//!     chosen,
//!     weight: 3,
//!     learn: 0,
//! };
//! ai_book::write(&mut [entry], &mut file)?;
//!
//! let mut book = Book::new(std::io::Cursor::new(file))?;
//! let legal = rules::legal_moves(&start);
//! assert_eq!(book.choose(&start, &legal, Choice::Best)?, Some(chosen));
//! # Ok::<(), ai_book::BookError>(())
//! ```
#![forbid(unsafe_code)]

mod book;
mod entry;
mod key;
mod random64;

pub use book::{Book, BookError, BookMove, Choice, mixed};
pub use entry::{Entry, write};
pub use key::{key, key_after};
