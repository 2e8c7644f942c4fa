//! Games in any format.

use ::formats::{FormatName, Import, guess};
use ai_api::{Color, Square};
use rules::{NullMoves, ReadVariations, Setup, board_of, reachable_in};

use crate::{
    assert_all_printable,
    chess::{assert_has_moves, assert_is_legal, assert_same_game},
};

/// Imports an HTML page.
pub fn html(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    check(FormatName::Html, text);
}

/// Imports text in the format that the first byte selects.
pub fn formats(data: &[u8]) {
    let [which, rest @ ..] = data else { return };
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    check(
        FormatName::ALL[usize::from(*which) % FormatName::ALL.len()],
        text,
    );
    let _ = guess(text);
}

fn check(name: FormatName, text: &str) {
    let format = name.format();
    let how = Import {
        turn: Some(Color::White),
        variations: ReadVariations::Keep,
        null_moves: NullMoves::Reject,
        language: rules::Language::English,
        max_plies: 400,
    };
    if let Some(setup) = format.read_setup(text, how.turn) {
        for square in Square::all() {
            let _ = reachable_in(&setup, square);
        }
    }
    for imported in format.import(text, how) {
        let record = match imported {
            Ok(record) => record,
            Err(issues) => {
                assert_all_printable(&issues);
                continue;
            }
        };
        let game = &record.game.game;
        if Setup::from(game.start()).into_position().is_ok() {
            assert_is_legal(game.position());
        } else {
            assert!(!record.notes.is_empty(), "{name}: {text}");
            assert_has_moves(game.position());
        }
        let written = format.export(&record);
        let how = Import {
            turn: Some(game.position().turn()),
            ..how
        };
        let mut again: Vec<_> = format.import(&written, how).collect();
        assert_eq!(again.len(), 1, "{name}: {written}");
        let again = again
            .remove(0)
            .unwrap_or_else(|issues| panic!("{name}: {issues:?}: {written}"));
        assert_eq!(
            board_of(again.game.game.position()),
            board_of(game.position()),
            "{name}: {written}"
        );
        if name == FormatName::Pgn {
            assert_same_game(&again.game.game, game);
        }
    }
}
