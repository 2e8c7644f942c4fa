//! Game formats, one module for each [`Format`], and the strict JSON reader for games and requests.
//!
//! This crate knows nothing about requests. `rules` decides what is legal.

pub mod eco;

mod chunks;
mod format;
mod issue;
mod lines;
mod record;
mod registry;
mod sample;
mod strict_json;

pub use chunks::{Boundaries, Chunk, ChunkError, Chunks, for_each_chunk, read_head};
pub use format::{Format, Games, Import};
pub use issue::{FormatIssue, TextPlace};
pub use lines::lines;
pub use record::{GameRecord, Part};
pub use registry::{
    FormatName, guess,
    svg::{Arrow, Picture},
};
pub use sample::{Likeness, Sample};
pub use strict_json::StrictJson;
