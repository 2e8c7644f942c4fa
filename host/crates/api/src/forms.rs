//! The parts of request bodies that several calls share.

pub mod game;
pub mod options;
pub mod search;
