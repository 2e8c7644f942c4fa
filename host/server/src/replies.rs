//! The parts of replies that several calls share.

pub mod ai;
pub mod game;
pub mod search;
pub mod trace;
pub mod words;
