//! Tests the rules through the public API.

mod against_cozy_chess;
mod arbitrary_input;
mod board_lists;
mod control;
mod epd;
mod explain;
mod fen;
mod games;
mod legal_moves;
mod moves_as_text;
mod naive;
mod perft;
mod pgn;
mod pgn_boundaries;
mod pgn_of_others;
mod pgn_tags;
mod play;
mod positions_to_look_at;
#[path = "../support/random_games.rs"]
mod random_games;
mod random_text;
mod reach;
mod setups;

use std::time::{SystemTime, UNIX_EPOCH};

use ai_api::{Move, Position, Role};
use rules::{Game, SetupIssue, parse_fen};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn position(fen: &str) -> Position {
    parse_fen(fen).unwrap_or_else(|issues| panic!("{fen}: {issues:?}"))
}

/// The codes of a FEN's issues.
fn codes(fen: &str) -> Vec<&'static str> {
    parse_fen(fen)
        .err()
        .unwrap_or_default()
        .iter()
        .map(SetupIssue::code)
        .collect()
}

/// The issues of an illegal FEN, one per line.
fn messages(fen: &str) -> String {
    let issues = parse_fen(fen).expect_err(fen);
    issues
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the position as its FEN represents it. Without castling rights, a FEN does not show
/// Chess960.
fn as_in_fen(position: &Position) -> Position {
    let mut parts = *position.parts();
    parts.chess960 &= !parts.castling.is_none();
    Position::from_parts_unchecked(parts)
}

/// Reads a move, legal or not. Castling is written as king takes rook.
fn chosen(text: &str) -> Move {
    let square = |name: &str| {
        name.parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    match text[4..].chars().next().and_then(Role::from_letter) {
        Some(role) => Move::promoting(square(&text[..2]), square(&text[2..4]), role),
        None => Move::new(square(&text[..2]), square(&text[2..4])),
    }
}

fn game(fen: Option<&str>, moves: &str) -> Game {
    let moves: Vec<&str> = moves.split_whitespace().collect();
    Game::from_moves(fen, &moves).unwrap_or_else(|issues| panic!("{fen:?} {moves:?}: {issues:#?}"))
}

type Boards = Vec<Vec<Vec<i64>>>;

fn boards_of(game: &Game) -> Boards {
    game.boards()
        .map(|board| board.map(|row| row.map(i64::from).to_vec()).to_vec())
        .collect()
}

/// The seed of a test: random, or taken from `RULES_TEST_SEED` to repeat a failure.
fn seed() -> u64 {
    match std::env::var("RULES_TEST_SEED") {
        Ok(text) => text.parse().expect("RULES_TEST_SEED is a number"),
        Err(_) => SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(1, |since| since.as_nanos() as u64),
    }
}
