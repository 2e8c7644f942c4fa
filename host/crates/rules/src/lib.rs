//! The rules of chess: legal moves, positions, results and notations. This crate does no I/O, reads
//! no clock and does not panic on external data.
//!
//! - A [`Setup`] is any arrangement of pieces. [`Setup::into_position`] and [`parse_fen`] turn a
//!   legal arrangement into a [`Position`](ai_api::Position) and name every issue of an illegal
//!   one. [`Setup::into_composed`] and the `import_…` functions also accept positions to look at,
//!   which no game can reach.
//! - [`legal_moves`], [`is_legal`] and [`play`] work on positions without allocation.
//!   [`why_illegal`], [`reachable`] and [`explain_move`] explain what is illegal.
//! - A [`Game`] is a first position and its moves, or a list of boards, with its [`Status`].
//! - `parse_…` and `format_…` read and write FEN, UCI and SAN. For EPD, use [`parse_epd`] and
//!   [`Epd`]; for PGN, [`PgnReader`] and [`PgnGame`].
//! - [`RULES`] is the vtable for AIs.
//!
//! Chess960 is supported throughout: castling is a [`Move`](ai_api::Move) of the king onto the
//! rook.
//!
//! # Examples
//! ```
//! use rules::{Game, format_san, parse_san};
//!
//! let mut game = Game::from_moves(None, &["e2e4", "e7e5"]).expect("legal moves");
//! let chosen = parse_san(game.position(), "Nf3").expect("a legal move");
//! assert_eq!(format_san(game.position(), chosen), "Nf3");
//! game.play(chosen)?;
//! let fen = rules::format_fen(game.position());
//! assert_eq!(fen, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
//! # Ok::<(), rules::MoveError>(())
//! ```
#![deny(unsafe_code)]

/// The package's README, whose Rust code is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

mod attacks;
mod boards;
mod castling;
mod code;
mod control;
mod epd;
mod explain;
mod fen;
mod game;
mod illegal;
mod import_note;
#[expect(
    unsafe_code,
    reason = "the contract offers no way to write a position in place"
)]
mod in_place;
mod move_text;
mod movegen;
mod names;
mod outcome;
mod perft;
mod pgn;
mod placement;
mod play;
#[cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "uses instructions that not every processor supports"
    )
)]
mod processor;
mod quote;
mod reach;
mod san;
mod setup;
mod slides;
mod texts;
mod uci;
mod vtable;
mod zobrist;

pub use boards::{Board, board_of};
pub use code::IssueCode;
pub use control::{Pin, attackers_of, dangerous_squares, hanging, pins, worth};
pub use epd::{Epd, EpdFault, EpdIssue, Operand, Operation, import_epd, parse_epd};
pub use explain::{IllegalMeaning, MoveFault, MoveRefusal, explain_move};
pub use fen::{format_fen, format_setup, format_xfen, import_fen, parse_fen, parse_setup};
pub use game::{Assumed, DrawnAt, Game, GameIssue, Place};
pub use illegal::{CastlingRefusal, IllegalReason, why_illegal};
pub use import_note::ImportNote;
pub use move_text::MoveText;
pub use movegen::{
    count_legal_moves, has_legal_move, is_legal, legal_captures, legal_moves, legal_moves_from,
};
pub use outcome::{DrawClaim, DrawReason, Outcome, Status, is_insufficient_material};
pub use perft::{PerftCase, PerftCount, PerftSuiteError, divide, parse_perft_suite, perft};
pub use pgn::{
    Notes, NullMoves, PgnBoundaries, PgnError, PgnFault, PgnGame, PgnReader, PgnResult,
    ReadVariations, Variation, parse_pgn,
};
pub use play::{gives_check, pass, passed_square, play, play_into};
pub use reach::{Movement, Obstacle, Reach, reachable, reachable_in};
pub use san::{Language, SanError, format_san, parse_san};
pub use setup::{
    CastlingFault, CastlingRook, EnPassantFault, Excess, FenField, Setup, SetupIssue,
    start_position,
};
pub use uci::{MoveError, format_uci, parse_uci, uci_target};
pub use vtable::RULES;
