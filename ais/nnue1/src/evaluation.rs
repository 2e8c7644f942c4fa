//! The value of a position without a search.
//!
//! The hand-written terms, a file each, count [features]. Each feature has a weight for the
//! middlegame and one for the endgame ([`Weights`]); the material left interpolates between the
//! sums. [`trace`] returns the counts of a position, with which weights can be tuned.

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
