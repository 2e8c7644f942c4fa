//! Polyglot books: builds them from games, checks them, and uses them as match openings. Packs
//! lines of moves. The crate `ai-book` reads and writes the files.

mod builder;
mod check;
mod lines;
mod packed;

pub use builder::{BookBuilder, GameMove, Points, moves_of_game};
pub use check::{BookReport, IllegalEntry, MAX_LISTED, check};
pub use lines::{MAX_LINES, lines};
pub use packed::{pack, unpack};
