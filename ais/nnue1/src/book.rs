//! The opening book from the option `book`.

use std::path::Path;

use ai_api::{AiError, Host, Limits, LogLevel, Move, SearchRequest};
use ai_book::{Book, Choice};

/// Larger than any book in use. Files above this size take too long to check.
const MAX_BYTES: u64 = 256 << 20;

/// A Polyglot book whose entries are in order.
#[derive(Debug)]
pub(crate) struct OpeningBook {
    book: Book,
    /// Selects one of many ways through the book.
    pub(crate) seed: u64,
}

impl OpeningBook {
    /// Opens a book and reads it once.
    ///
    /// # Errors
    /// The file cannot be read, is too large, or is not a sorted book.
    pub(crate) fn open(path: &Path, seed: u64) -> Result<Self, AiError> {
        let error = |found: &dyn std::fmt::Display| {
            AiError::new(format!("book = {:?}: {found}", path.display().to_string()))
        };
        let mut book = Book::open(path).map_err(|cause| error(&cause))?;
        match book.bytes() {
            0 => return Err(error(&"found an empty file; expected a Polyglot book")),
            bytes if bytes > MAX_BYTES => {
                return Err(error(&format!(
                    "found {bytes} bytes; expected a Polyglot book of at most {MAX_BYTES}; make a \
                     smaller one"
                )));
            }
            _ => {}
        }
        let mut last = 0;
        for (entry, number) in book.entries().map_err(|cause| error(&cause))?.zip(1..) {
            let key = entry.map_err(|cause| error(&cause))?.key;
            if key < last {
                return Err(error(&format!(
                    "entry {number} is out of order; expected a Polyglot book sorted by key; \
                     list the errors with `rookery book check`"
                )));
            }
            last = key;
        }
        Ok(Self { book, seed })
    }

    /// Returns a move from the book, chosen by weight. The same position and seed give the same
    /// move. Returns `None` for an analysis and for requests that need more than a move: lines, a
    /// mate, or a search without limits.
    pub(crate) fn choose(&mut self, request: &SearchRequest<'_>, host: &Host<'_>) -> Option<Move> {
        let is_endless = request.limits == Limits::NONE && request.clocks.is_none();
        let wants_more = request.lines > 1 || request.limits.mate_plies.is_some();
        if request.analysis || is_endless || wants_more {
            return None;
        }
        let mut allowed = host.legal_moves(&request.position);
        if !request.root_moves.is_empty() {
            allowed.retain(|chosen| request.root_moves.contains(&chosen));
        }
        let chosen = self.book.choose(
            &request.position,
            &allowed,
            Choice::Weighted { seed: self.seed },
        );
        chosen.unwrap_or_else(|error| {
            host.log(
                LogLevel::Warn,
                &format!("cannot read the book: {error}; searching without it"),
            );
            None
        })
    }
}
