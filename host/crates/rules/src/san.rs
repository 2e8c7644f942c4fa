//! SAN, the notation of score sheets.

mod format;
mod language;
mod origins;
mod parse;

pub use format::format_san;
pub use language::Language;
pub(crate) use parse::{PieceMove, SanMove, alternatives, check_san, listed};
pub use parse::{SanError, parse_san};
