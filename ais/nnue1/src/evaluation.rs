//! The value of a position without a search.
//!
//! The hand-written terms, one file each, count [features]. Each feature has a middlegame and an
//! endgame weight ([`Weights`]). The remaining material determines how the two sums
//! are mixed. [`trace`] returns the counts of a position, for tuning the weights.

mod bare_king;
mod bishop_pair;
mod evaluate;
pub mod features;
mod king_attack;
mod king_shield;
mod mobility;
mod outposts;
mod passed_pawns;
mod pawns;
mod piece_squares;
mod rooks;
mod scale;
mod tally;
mod terms;
mod threats;
mod view;
mod weights;
mod x_rays;

pub use evaluate::Evaluate;
pub use terms::{Terms, Trace, trace};
pub use weights::Weights;
