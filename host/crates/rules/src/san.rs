//! SAN, the notation of score sheets.

mod format;
mod language;
mod origins;
mod parse;

pub use format::format_san;
pub use language::Language;
pub(crate) use parse::check_san;
pub use parse::{SanError, parse_san};
