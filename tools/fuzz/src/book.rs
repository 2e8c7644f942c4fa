//! Polyglot books.

use std::io::Cursor;

use ai_book::{Book, Choice};
use rules::{is_legal, legal_moves, start_position};

use crate::assert_printable;

/// Reads a book.
pub fn polyglot_book(data: &[u8]) {
    let mut book = match Book::new(Cursor::new(data)) {
        Ok(book) => book,
        Err(error) => return assert_printable(&error.to_string()),
    };
    let start = start_position();
    for choice in [Choice::Best, Choice::Weighted { seed: 1 }] {
        let chosen = book
            .choose(&start, &legal_moves(&start), choice)
            .expect("bytes can be read");
        assert!(chosen.is_none_or(|chosen| is_legal(&start, chosen)));
    }
    let report = ::book::check(&mut book).expect("bytes can be read");
    assert_eq!(report.entries as usize, data.len() / 16);
    for line in ::book::lines(&mut book, 6).expect("bytes can be read") {
        assert!((1..=6).contains(&line.moves().len()) && line.outcome().is_none());
    }
    let mut entries: Vec<_> = book
        .entries()
        .expect("bytes can be read")
        .map(|entry| entry.expect("bytes can be read"))
        .collect();
    let mut written = Vec::new();
    ai_book::write(&mut entries, &mut written).expect("writing to a vector never fails");
    let mut sorted = Book::new(Cursor::new(written)).expect("whole entries");
    assert_eq!(
        ::book::check(&mut sorted)
            .expect("bytes can be read")
            .out_of_order,
        0
    );
    let again: Vec<_> = sorted
        .entries()
        .expect("bytes can be read")
        .flatten()
        .collect();
    assert_eq!(again, entries);
}
