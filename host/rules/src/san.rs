//! SAN, the moves of score sheets.

mod format;
mod parse;

pub use format::format_san;
pub(crate) use parse::is_san;
pub use parse::{SanError, parse_san};
