//! Properties of every decoder, for any input: no panic, printable errors, and a round trip for
//! every accepted value.
//!
//! libFuzzer runs these functions (`make fuzz-smoke`). The tests run them on the seeds, which
//! include every input that has failed.
#![expect(
    clippy::missing_panics_doc,
    reason = "a panic reports a violated property"
)]

mod boards;
mod book;
mod chess;
mod configuration;
mod formats;
mod frames;
mod library;
mod requests;

pub use boards::board_lists;
pub use book::polyglot_book;
pub use chess::{epd, fen, game_moves, perft_suite, pgn, san, uci};
pub use configuration::configuration;
pub use formats::{formats, html};
pub use frames::{frame_decoder, worker_frames};
pub use library::library_note;
pub use requests::requests;

/// A property of a decoder. Panics if the property is violated.
pub type Property = fn(&[u8]);

/// Every property, with the name of its program and seed folder.
pub const TARGETS: [(&str, Property); 16] = [
    ("board_lists", board_lists),
    ("configuration", configuration),
    ("epd", epd),
    ("fen", fen),
    ("formats", formats),
    ("frame_decoder", frame_decoder),
    ("game_moves", game_moves),
    ("html", html),
    ("library_note", library_note),
    ("perft_suite", perft_suite),
    ("pgn", pgn),
    ("polyglot_book", polyglot_book),
    ("requests", requests),
    ("san", san),
    ("uci", uci),
    ("worker_frames", worker_frames),
];

/// Checks that an error message is short, on one line and without control characters.
#[track_caller]
fn assert_printable(message: &str) {
    let characters = message.chars().count();
    assert!(
        (1..=700).contains(&characters),
        "{characters} characters: {message:?}"
    );
    assert!(!message.contains(char::is_control), "{message:?}");
}

/// Checks that there is at least one issue, and that each one is printable.
#[track_caller]
fn assert_all_printable<T: ToString>(issues: &[T]) {
    assert!(!issues.is_empty());
    for issue in issues {
        assert_printable(&issue.to_string());
    }
}

/// Returns the first line and the rest.
fn first_line(data: &[u8]) -> (&[u8], &[u8]) {
    let end = data
        .iter()
        .position(|&byte| byte == b'\n')
        .unwrap_or(data.len());
    (&data[..end], data.get(end + 1..).unwrap_or_default())
}
