//! The contract between Rookery and the chess AIs it serves.

#[doc(hidden)]
pub use abi_stable;

mod ai;
mod bitboard;
mod host;
mod moves;
mod options;
mod piece;
mod position;
mod question;
mod score;
pub mod search;
mod square;

pub use ai::{Ai, Evaluator, Searcher};
pub use bitboard::{Bitboard, Squares};
pub use host::{Host, Services};
pub use moves::{MAX_MOVES, Move, MoveList};
pub use options::{OptionKind, OptionSetting, OptionSpec, OptionValue, Options};
pub use piece::{Color, Role};
pub use position::{CastlingRights, CastlingSide, Position, PositionParts};
pub use question::{AiError, AiErrorKind, Answer, Limit, Question, Report, Term};
pub use score::{Score, ScoreKind};
pub use square::{ParseSquareError, Square};
