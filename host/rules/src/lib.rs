//! The rules of chess.
#![forbid(unsafe_code)]

mod attacks;
mod zobrist;
