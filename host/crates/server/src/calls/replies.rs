//! The parts of replies that several calls share.

pub mod ai;
pub mod compared;
pub mod game;
pub mod judged;
pub mod search;
pub mod trace;
