//! Claims: why a move is good or bad, each with the line that proves it. This crate uses no I/O and
//! no clock.
//!
//! [`claims`] derives them from the rules and an AI's checked lines. The functions of [`Claim`] add
//! what tablebases, openings and an AI's terms say. `docs/claims.md` defines every kind.
#![forbid(unsafe_code)]

mod claim;
mod draw;
mod judged;
mod line;
mod mate;
mod material;
mod motifs;
mod sentence;

pub use claim::{Claim, ClaimKind, Evidence, LineStart, PlacedPiece};
pub use judged::{Judged, claims, quiet_part};
pub use mate::MateEffort;
pub use sentence::sentence_starts;
