//! What holds for every decoder, whatever bytes come in: no panic, what is refused is refused in words that can be shown,
//! and what is accepted is read back the same once it is written.
//!
//! The functions here are run by libFuzzer (`make fuzz-smoke`) and, with the seeds and with every input that once was too
//! much, by the tests.
#![expect(clippy::missing_panics_doc, reason = "that is how a property says that it does not hold")]

mod boards;
mod chess;
mod configuration;
mod formats;
mod frames;
mod library;
mod requests;

pub use boards::board_lists;
pub use chess::{epd, fen, game_moves, pgn, san, uci};
pub use configuration::configuration;
pub use formats::{formats, html};
pub use frames::{received, worker_frames};
pub use library::library_note;
pub use requests::requests;

/// A property of a decoder. It panics where it does not hold.
pub type Property = fn(&[u8]);

/// Every property, by the name of its program and of the folder of its seeds.
pub const TARGETS: [(&str, Property); 14] = [
    ("board_lists", board_lists),
    ("configuration", configuration),
    ("epd", epd),
    ("fen", fen),
    ("formats", formats),
    ("game_moves", game_moves),
    ("html", html),
    ("library_note", library_note),
    ("pgn", pgn),
    ("received", received),
    ("requests", requests),
    ("san", san),
    ("uci", uci),
    ("worker_frames", worker_frames),
];

/// A refusal in one line that fits into an answer, with nothing in it that a terminal obeys.
#[track_caller]
fn assert_can_be_shown(message: &str) {
    let characters = message.chars().count();
    assert!((1..=700).contains(&characters), "{characters} characters: {message:?}");
    assert!(!message.contains(char::is_control), "{message:?}");
}

/// The first line and the rest.
fn first_line(data: &[u8]) -> (&[u8], &[u8]) {
    let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    (&data[..end], data.get(end + 1..).unwrap_or_default())
}
