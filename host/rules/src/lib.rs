//! The rules of chess.
#![forbid(unsafe_code)]

mod attacks;
mod movegen;
mod perft;
mod play;
mod services;
mod zobrist;

pub use movegen::{
    count_legal_moves, has_legal_move, is_legal, legal_captures, legal_moves, legal_moves_from,
};
pub use perft::{divide, perft};
pub use play::play;
pub use services::{SERVICES, is_insufficient_material};
