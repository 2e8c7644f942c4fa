//! The calls about chess and AIs. Each module defines one call: its form, reply, function,
//! `OpenAPI` entry and example.

pub mod attacks;
pub mod batch;
pub mod best_move;
pub mod blogchess;
pub mod board;
pub mod book;
pub mod compare;
pub mod convert;
pub mod evaluate;
pub mod legal_moves;
pub mod levels;
pub mod reachable;
pub mod report;
pub mod tablebase;
pub mod validate;
pub mod why;
