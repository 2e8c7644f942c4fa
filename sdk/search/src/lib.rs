//! Negamax search with alpha-beta for any [`Evaluator`].
//!
//! Rookery runs this search with every AI that is only an [`Evaluator`]. A [`Searcher`] can use it
//! with its own [options](SearchOptions).
//!
//! With [`SearchOptions::EXACT`] and without quiescence, the score and the best move are exactly
//! the ones that plain negamax finds at the same depth. Among moves with equal scores, the search
//! chooses the one that [`Host::legal_moves`] lists first. The same holds for each further line,
//! among the remaining moves. By default, the search also prunes what rarely matters, and so
//! searches two to three plies deeper in the same time. Checkmate and stalemate take precedence
//! over draws. A position is a draw if the material is insufficient, after a hundred plies without
//! a capture or pawn move, if it repeats a position in the line from the root, or if it occurs for
//! the third time in the game.
//!
//! The modules [`mod@line`], [`path`], [`trace`] and [`window`] are building blocks for AIs with
//! their own search.
//!
//! ```
//! use ai_api::{
//!     AiError, Color, Evaluator, Host, Position, Role, Score, SearchRequest, SearchResult,
//!     Searcher,
//! };
//! use ai_search::{Search, SearchOptions};
//!
//! /// Counts queens.
//! struct Queens;
//!
//! impl Evaluator for Queens {
//!     fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
//!         let queens = |color| position.pieces(color, Role::Queen).count() as i32;
//!         let [white, black] = Color::ALL.map(queens);
//!         Score::centipawns(900 * (white - black))
//!     }
//! }
//!
//! struct LovesQueens(Search);
//!
//! impl Searcher for LovesQueens {
//!     fn search(
//!         &mut self,
//!         request: &SearchRequest<'_>,
//!         host: &Host<'_>,
//!     ) -> Result<SearchResult, AiError> {
//!         Ok(self.0.search(&mut Queens, request, host))
//!     }
//! }
//!
//! let ai = LovesQueens(Search::new(SearchOptions { hash_mb: 1, ..SearchOptions::default() })?);
//! # Ok::<(), AiError>(())
//! ```
//!
//! [`Evaluator`]: ai_api::Evaluator
//! [`Searcher`]: ai_api::Searcher
//! [`Host::legal_moves`]: ai_api::Host::legal_moves

mod clock;
pub mod line;
mod negamax;
mod options;
mod ordering;
pub mod path;
mod root;
mod search;
mod selective;
mod table;
pub mod trace;
pub mod window;
mod with_search;

pub use options::{MAX_DEPTH, MAX_LINES, MAX_PLY, MAX_TRACE_NODES, SearchOptions};
pub use search::Search;
pub use with_search::WithSearch;
