//! SAN, the moves of score sheets.

mod format;
mod parse;

pub use format::format_san;
pub use parse::{SanError, parse_san};
