//! FEN, including X-FEN and Shredder-FEN for Chess960.

mod format;
mod parse;

pub use format::{format_fen, format_setup, format_xfen};
pub(crate) use parse::read_as;
pub use parse::{import_fen, parse_fen, parse_setup};
