//! Book files.

use std::path::Path;

use ai_book::{Book, BookError};

use crate::cli::failure::Failure;

/// Opens a book.
pub(crate) fn open(path: &Path) -> Result<Book, Failure> {
    Book::open(path)
        .map_err(|error: BookError| Failure::Usage(format!("{}: {error}", path.display())))
}
