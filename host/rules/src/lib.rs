//! The rules of chess.
#![forbid(unsafe_code)]

mod attacks;
mod fen;
mod movegen;
mod perft;
mod placement;
mod play;
mod quote;
mod services;
mod setup;
mod zobrist;

pub use fen::{format_fen, parse_fen};
pub use movegen::{
    count_legal_moves, has_legal_move, is_legal, legal_captures, legal_moves, legal_moves_from,
};
pub use perft::{divide, perft};
pub use play::play;
pub use services::{SERVICES, is_insufficient_material};
pub use setup::{CastlingFault, CastlingRook, EnPassantFault, Excess, FenField, Setup, SetupIssue};
