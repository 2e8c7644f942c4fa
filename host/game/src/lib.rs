//! The game service: what an AI is asked about a game, and what its results mean.
//!
//! Knows no JSON and no HTTP; domain types only.

pub mod clock;
pub mod judgement;

pub mod ask;
pub mod smoke_tests;

pub use ask::{final_score, job, legal_move, playable_line, wrong_response};
pub use smoke_tests::smoke_tests;
