//! FEN; X-FEN and Shredder-FEN for Chess960.

mod format;
mod parse;

pub use format::{format_fen, format_xfen};
pub use parse::parse_fen;
