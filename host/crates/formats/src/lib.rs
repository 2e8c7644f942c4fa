//! Game formats: each has a module with its [`Format`].
//!
//! Knows nothing of requests; `rules` decides what is legal.

mod code;
mod chunks;
mod issue;
mod record;
mod format;
mod format_name;
mod lines;
mod fen;
mod epd;
mod pgn;
mod uci;
mod san;
mod boards;
mod diagram;
mod html;
mod svg;
mod guess;
mod registry;

pub use chunks::{Boundaries, Chunk, ChunkError, Chunks, for_each_chunk, read_head};
pub use code::FormatCode;
pub use format::{Format, Games, Import};
pub use format_name::FormatName;
pub use guess::guess;
pub use issue::{FormatIssue, TextPlace};
pub use record::{GameRecord, Part};
pub use svg::{Arrow, Picture};
