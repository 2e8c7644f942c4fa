//! The contract between Rookery, a chess server, and the AIs that it serves.
//!
//! An AI is a shared library (`crate-type = ["cdylib"]`) that exports a [`Searcher`], which has its
//! own search, or an [`Evaluator`], which evaluates positions for the host's search, or both. This
//! is a complete AI, which plays some legal move:
//!
//! ```
//! use ai_api::*;
//!
//! struct Dice;
//!
//! impl Ai for Dice {
//!     fn create(_: &Options, _: &Host) -> Result<Self, AiError> {
//!         Ok(Dice)
//!     }
//! }
//!
//! impl Searcher for Dice {
//!     fn search(
//!         &mut self,
//!         request: &SearchRequest,
//!         host: &Host,
//!     ) -> Result<SearchResult, AiError> {
//!         let moves = host.legal_moves(&request.position);
//!         let roll = request.position.hash() as usize;
//!         Ok(SearchResult::play(moves[roll % moves.len()]))
//!     }
//! }
//!
//! export_ai!(Dice: Searcher);
//! #
//! # let request = SearchRequest::new(rules::start_position(), Limits::depth(1));
//! # let stop = Flag::new(false);
//! # let result = Dice.search(&request, &Host::new(&rules::RULES, &stop, &|_| ())).unwrap();
//! # assert!(rules::is_legal(&request.position, result.best_move.unwrap()));
//! ```
//!
//! Its `Cargo.toml` depends only on `rookery-ai-api`. Build it and set the path of `libdice.so` in
//! the host's configuration.
//!
//! See [`export_ai!`] for an evaluator, and [`Ai::options`] for an AI with options. The host's
//! search is the crate `rookery-ai-search`. A [`Searcher`] can use it with its own [`Evaluator`].
//!
//! # Rules of the contract
//! - **Scores are from White's point of view** in every type of the contract; see [`Score`].
//! - Each method documents its thread and whether it may block. When it returns, all threads of the
//!   AI are idle.
//! - A panic is caught on the AI's side and returned as an error. The host replaces the instance. A
//!   crash ends only the AI's worker process.
//! - With only depth or node limits, the same requests in the same order since [`Ai::create`] or
//!   [`Ai::new_game`] give the same results, unless the AI [varies](Capabilities::varies).
//! - **Structs and enumerations grow.** A struct literal ends with `..` and a value of the struct
//!   (`Capabilities::SIMPLEST`, `SearchResult::play(…)`), and a match on an enumeration that grows
//!   has a `_` arm.
//! - The host checks results: the move must be legal, and the line is cut at its first illegal
//!   move.

mod ai;
mod bitboard;
pub mod c;
mod capabilities;
#[doc(hidden)]
pub mod export;
mod extension;
mod further;
mod host;
#[cfg(feature = "layout")]
#[doc(hidden)]
pub mod layout;
mod moves;
mod named_enum;
#[cfg(not(feature = "layout"))]
mod no_layout;
mod options;
mod piece;
mod position;
mod request;
mod score;
mod square;
mod tablebase;
mod trace;

/// The package's README, whose Rust code is compiled as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
pub mod harness;
pub mod note;

pub use ai::{Ai, Evaluator, Searcher};
pub use bitboard::{Bitboard, Squares};
pub use capabilities::Capabilities;
pub use extension::{Extension, Log, LogLevel};
pub use host::{Flag, GrantTable, Grants, Host, RulesVtable};
pub use moves::{MAX_MOVES, Move, MoveList};
pub use options::{OptionKind, OptionSetting, OptionSpec, OptionValue, Options};
pub use piece::{Color, Role};
pub use position::{CastlingRights, CastlingSide, Position, PositionParts};
pub use request::{
    AiError, AiErrorKind, Clocks, EvalTerm, Limits, PvLine, SearchInfo, SearchRequest, SearchResult,
};
pub use score::{Score, ScoreKind, Wdl};
pub use square::{ParseSquareError, Square};
pub use tablebase::{TableMove, TableProbe, TableResult, Tablebase};
pub use trace::{Bound, NodeKind, TraceNode};
