//! The rules of chess.
#![forbid(unsafe_code)]

mod attacks;
mod boards;
mod fen;
mod game;
mod illegal;
mod movegen;
mod outcome;
mod perft;
mod placement;
mod play;
mod quote;
mod san;
mod services;
mod setup;
mod uci;
mod zobrist;

pub use boards::{Board, board_of};
pub use fen::{format_fen, parse_fen};
pub use game::{Assumed, Game, GameIssue, Place};
pub use illegal::{CastlingRefusal, IllegalReason, why_illegal};
pub use movegen::{
    count_legal_moves, has_legal_move, is_legal, legal_captures, legal_moves, legal_moves_from,
};
pub use outcome::{Claim, DrawReason, Outcome, Status};
pub use perft::{divide, perft};
pub use play::play;
pub use san::{SanError, format_san, parse_san};
pub use services::{SERVICES, is_insufficient_material};
pub use setup::{
    CastlingFault, CastlingRook, EnPassantFault, Excess, FenField, Setup, SetupIssue, start_position,
};
pub use uci::{MoveError, format_uci, parse_uci};
