//! SAN, the notation of score sheets.

mod format;
mod origins;
mod parse;

pub use format::format_san;
pub(crate) use parse::check_san;
pub use parse::{SanError, parse_san};
