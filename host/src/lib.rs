//! Rookery, a chess server that plays with other people's AIs.

pub mod ai;
