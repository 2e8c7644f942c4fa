//! The contract between Rookery, a chess server, and the AIs that it serves.
//!
//! An AI is a shared library (`crate-type = ["cdylib"]`) that exports a [`Searcher`], which has its own search, or an
//! [`Evaluator`], which judges positions while the host does the searching, or both. Here is a complete one that plays
//! some legal move:
//!
//! ```
//! use ai_api::*;
//! struct Dice;
//! impl Ai for Dice { fn create(_: &Options, _: &Host) -> Result<Self, AiError> { Ok(Dice) } }
//! impl Searcher for Dice {
//!     fn search(&mut self, request: &SearchRequest, host: &Host) -> Result<SearchResult, AiError> {
//!         let moves = host.legal_moves(&request.position);
//!         Ok(SearchResult::play(moves[request.position.hash() as usize % moves.len()]))
//!     }
//! } export_ai!(Dice: Searcher);
//! #
//! # let request = SearchRequest::new(rules::start_position(), Limits::depth(1));
//! # let stop = Flag::new(false);
//! # let answer = Dice.search(&request, &Host::new(&rules::RULES, &stop, &|_| ())).unwrap();
//! # assert!(rules::is_legal(&request.position, answer.best_move.unwrap()));
//! ```
//!
//! Its `Cargo.toml` depends on `rookery-ai-api` alone. Build it and name the `libdice.so` in the host's configuration.
//!
//! [`export_ai!`] shows an AI that only judges, and [`Ai::options`] one that has options. The host's search is a crate of
//! its own, `rookery-ai-search`: with it a [`Searcher`] searches with an [`Evaluator`] of its own.
//!
//! # Rules of the contract
//! - **Scores are White's** wherever they cross the contract; see [`Score`].
//! - Each method says on which thread it is called and whether it may block.
//! - A panic is caught on the AI's side and told as an error; the instance is dropped and a new one made. A crash costs
//!   only the worker process that the AI runs in.
//! - The same question with a depth or node limit gives the same answer.
//! - What an AI answers is checked: its move against the legal moves, its line by playing it.

#[doc(hidden)]
pub use abi_stable;

mod square;
mod bitboard;
mod piece;
mod moves;
mod position;
mod score;
mod trace;
mod request;
mod options;
mod capabilities;
mod extension;
mod host;
mod ai;
#[doc(hidden)]
pub mod export;
pub mod c;
#[doc(hidden)]
pub mod layout;

/// The guide for authors, whose every piece of Rust is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../docs/writing-an-ai.md")]
pub struct Guide;

/// The page of the package, whose Rust is compiled too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
pub mod note;
#[cfg(feature = "harness")]
pub mod harness;

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
pub use trace::{Bound, NodeKind, TraceNode};
