//! Endgames with known results: Syzygy tablebases, and a bitbase for king and pawn against king.
//!
//! `pyrrhic-rs` probes the tables and trusts the contents of their files. A damaged table can crash
//! the process, make it run forever, or make the prober panic. The panic is caught, but afterwards
//! no further table can be mapped until the process ends. Use this crate only in a process that may
//! crash, such as an AI's worker.
//!
//! ```
//! # let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/syzygy");
//! use ai_api::TableResult;
//! use ai_tablebase::Tablebases;
//!
//! let tables = Tablebases::open(&[directory], 64 << 20)?;
//! let position = rules::parse_fen("8/8/8/8/8/4k3/8/4K2Q w - - 0 1").unwrap();
//! assert_eq!(tables.probe_wdl(&position), Some(TableResult::Win));
//! # Ok::<(), ai_tablebase::OpenError>(())
//! ```

mod adapter;
mod files;
mod king_pawn;
mod material;
mod tablebases;

pub use files::MAX_PIECES;
pub use king_pawn::KingPawnBitbase;
pub use tablebases::{OpenError, Tablebases};
