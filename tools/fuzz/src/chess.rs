//! Positions and moves as text.

use ai_api::{Color, MAX_MOVES, Position, Role};
use rules::{
    Game, GameIssue, PgnReader, ReadVariations, explain_move, format_fen, format_san, format_uci,
    import_fen, is_legal, legal_moves, parse_epd, parse_fen, parse_perft_suite, parse_san,
    parse_uci, perft, play, start_position,
};

use crate::{assert_all_printable, assert_printable, first_line};

/// Parses a FEN. Either it is rejected, or every legal move in the position round-trips through SAN
/// and UCI and can be played.
pub fn fen(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match parse_fen(text) {
        Ok(position) => {
            assert_is_legal(&position);
            assert_moves_round_trip(&position);
        }
        Err(issues) => assert_all_printable(&issues),
    }
}

/// Parses a move in UCI notation. The first line is the FEN of the position; the default is the
/// start position.
pub fn uci(data: &[u8]) {
    let (position, text) = position_and_text(data);
    match parse_uci(&position, &text) {
        Ok(chosen) => {
            assert!(is_legal(&position, chosen));
            assert_eq!(
                parse_uci(&position, &format_uci(&position, chosen).to_string()),
                Ok(chosen)
            );
            assert_is_legal(&play(&position, chosen));
        }
        Err(error) => assert_printable(&error.to_string()),
    }
}

/// Parses a move in SAN, or explains why the text is not one. The first line is the FEN of the
/// position; the default is the start position.
pub fn san(data: &[u8]) {
    let (position, text) = position_and_text(data);
    match parse_san(&position, &text) {
        Ok(chosen) => {
            assert!(is_legal(&position, chosen));
            assert_eq!(
                parse_san(&position, &format_san(&position, chosen)),
                Ok(chosen)
            );
        }
        Err(error) => assert_printable(&error.to_string()),
    }
    match explain_move(&position, &text) {
        Ok(chosen) => assert!(is_legal(&position, chosen)),
        Err(refusal) => assert_printable(&refusal.to_string()),
    }
}

/// Parses a game. The first line is its FEN, or empty for the start position. Each further line is
/// a move.
pub fn game_moves(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (fen, moves) = text.split_once('\n').unwrap_or((&text, ""));
    let fen = Some(fen).filter(|fen| !fen.is_empty());
    let moves: Vec<&str> = moves.lines().collect();
    match Game::from_moves(fen, &moves) {
        Ok(game) => {
            assert_eq!(game.moves().len(), moves.len());
            assert_is_legal(game.position());
            let again = Game::from_moves(Some(&format_fen(game.start())), &game.uci_moves());
            assert_same_game(&again.expect("a written game is legal"), &game);
        }
        Err(issues) => assert_issues(&issues, moves.len()),
    }
}

/// Parses games in PGN, with their variations.
pub fn pgn(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let read = |pgn| PgnReader::new(pgn).variations(ReadVariations::Keep);
    let mut games = Vec::new();
    for game in read(text) {
        match game {
            Ok(game) => games.push(game),
            Err(errors) => {
                assert!(errors.len() <= 1000);
                assert_all_printable(&errors);
            }
        }
    }
    let written: String = games.iter().map(ToString::to_string).collect();
    let again: Vec<_> = read(&written)
        .map(|game| game.unwrap_or_else(|errors| panic!("{errors:?}: {written}")))
        .collect();
    assert_eq!(again.len(), games.len(), "{written}");
    for (reread, game) in again.iter().zip(&games) {
        assert_same_game(&reread.game, &game.game);
        assert_eq!(
            (&reread.notes, reread.result),
            (&game.notes, game.result),
            "{written}"
        );
    }
}

/// Parses a position with operations.
pub fn epd(data: &[u8]) {
    let Ok(line) = std::str::from_utf8(data) else {
        return;
    };
    match parse_epd(line) {
        Ok(epd) => {
            assert_is_legal(&epd.position);
            let written = epd.to_string();
            assert!(
                !written.contains(|c: char| c.is_control() && c != '\t'),
                "{written:?}"
            );
            let again =
                parse_epd(&written).unwrap_or_else(|issues| panic!("{issues:?}: {written}"));
            assert_eq!(again.operations, epd.operations, "{written}");
            assert_eq!(format_fen(&again.position), format_fen(&epd.position));
        }
        Err(issues) => assert_all_printable(&issues),
    }
}

/// Parses a perft suite, whose positions need not be reachable in a game.
pub fn perft_suite(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match parse_perft_suite(&text) {
        Ok(cases) => {
            let lines = cases.iter().map(|case| case.line);
            assert!(lines.is_sorted_by(|line, next| line < next), "{cases:?}");
            for case in &cases {
                assert!(
                    !case.counts.is_empty() && case.counts.iter().all(|count| count.depth <= 30)
                );
                assert_has_moves(&case.position);
            }
        }
        Err(errors) => assert_all_printable(&errors),
    }
}

/// Checks invariants that hold even for unreachable positions.
pub(crate) fn assert_has_moves(position: &Position) {
    let moves = legal_moves(position);
    assert!(moves.len() <= MAX_MOVES);
    assert_eq!(perft(position, 1), moves.len() as u64);
    for &chosen in &moves {
        assert!(is_legal(position, chosen));
        let after = play(position, chosen);
        assert_eq!(perft(&after, 1), legal_moves(&after).len() as u64);
    }
    let (again, _) = import_fen(&format_fen(position)).expect("a written position can be imported");
    assert_eq!(format_fen(&again), format_fen(position));
}

fn position_and_text(data: &[u8]) -> (Position, String) {
    let (first, rest) = first_line(data);
    let position = std::str::from_utf8(first)
        .ok()
        .and_then(|text| parse_fen(text).ok());
    (
        position.unwrap_or_else(start_position),
        String::from_utf8_lossy(rest).into_owned(),
    )
}

/// Checks the invariants of every position.
pub(crate) fn assert_is_legal(position: &Position) {
    for color in Color::ALL {
        assert_eq!(position.pieces(color, Role::King).count(), 1);
        assert!(position.color(color).count() <= 16);
        assert!(position.pieces(color, Role::Pawn).count() <= 8);
    }
    assert!(position.checkers().count() <= 2);
    assert!(position.fullmove_number() >= 1);
    assert!(legal_moves(position).len() <= MAX_MOVES);
    // Without castling rights, a FEN does not show whether a position is Chess960.
    let mut parts = *position.parts();
    parts.chess960 &= !parts.castling.is_none();
    assert_eq!(
        parse_fen(&format_fen(position)),
        Ok(Position::from_parts_unchecked(parts))
    );
}

fn assert_moves_round_trip(position: &Position) {
    for &chosen in &legal_moves(position) {
        let uci = format_uci(position, chosen).to_string();
        assert_eq!(parse_uci(position, &uci), Ok(chosen), "{uci}");
        let san = format_san(position, chosen);
        assert_eq!(parse_san(position, &san), Ok(chosen), "{san}");
        // A clock of 150 ends the game.
        if position.halfmove_clock() < 150 {
            assert_is_legal(&play(position, chosen));
        }
    }
}

pub(crate) fn assert_same_game(found: &Game, expected: &Game) {
    assert_eq!(format_fen(found.start()), format_fen(expected.start()));
    assert_eq!(found.uci_moves(), expected.uci_moves());
    assert_eq!(found.status(), expected.status());
}

pub(crate) fn assert_issues(issues: &[GameIssue], plies: usize) {
    assert!(
        (1..=1100).contains(&issues.len()),
        "{} issues",
        issues.len()
    );
    for issue in issues {
        assert_printable(&issue.message);
        assert!(
            issue.ply.is_none_or(|ply| (1..=plies).contains(&ply)),
            "{issue:?}"
        );
    }
}
