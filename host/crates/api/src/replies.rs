//! The parts of replies that several calls share.

pub mod ai;
pub mod ai_summary;
pub mod claim;
pub mod client_summary;
pub mod compared;
pub mod game;
pub mod judged;
pub mod piece;
pub mod search;
pub mod trace;
