//! `rookery convert`.

use super::{Outcome, command, outcome, run};

/// Converts a text on standard input.
fn convert(text: &str, arguments: &[&str]) -> Outcome {
    outcome(command(&[&["convert"], arguments].concat()).write_stdin(text))
}

#[test]
fn detects_the_format_and_reports_it() {
    let found = convert("e2e4 e7e5 g1f3\n", &["--to", "fen"]);
    assert_eq!(found.stdout, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2\n");
    assert_eq!(found.stderr, "note: reading as uci; use --from to override\nnote: fen cannot hold moves\n");
    let reported = convert("e2e4 e7e5\n", &["--to", "san", "--from", "uci"]);
    assert_eq!((reported.data().as_str()), "1. e4 e5\n");
}

#[test]
fn writes_good_games_and_reports_bad_ones() {
    let pgn = "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. e4 Ke5 2. zz *\n\n[White \"C\"]\n\n1. d4 *\n";
    let found = convert(pgn, &["--from", "pgn", "--to", "uci"]);
    assert_eq!((found.status, found.stdout.as_str()), (Some(1), "e2e4\nd2d4\n"));
    for line in [
        "error: game 2, line 7, column 7, ply 2: Ke5 is illegal",
        "error: game 2, line 7, column 14: \"zz\" is not a move",
        "note: uci cannot hold tags",
        "error: 1 of 3 games are invalid",
    ] {
        assert!(found.stderr.lines().any(|reported| reported.starts_with(line)), "{line}: {}", found.stderr);
    }
}

#[test]
fn selects_one_game_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, "1. e4 *\n1. d4 (1. c4) d5 *\n").unwrap();
    let path = path.to_str().unwrap();
    let two = run(&["convert", path, "--from", "pgn", "--to", "pgn", "--game", "2"]).data();
    assert!(two.contains("1. d4 (1. c4) 1... d5 *"), "{two}");
    let skipped =
        run(&["convert", path, "--from", "pgn", "--to", "pgn", "--game", "2", "--variations", "skip"]).data();
    assert!(skipped.contains("1. d4 d5 *"), "{skipped}");
    let picture = run(&["convert", path, "--from", "pgn", "--to", "svg", "--game", "1"]);
    assert!(picture.stdout.starts_with("<svg "), "{}", picture.stdout);
    let error_output = run(&["convert", path, "--from", "pgn", "--to", "svg"]).error_output(2);
    assert!(error_output.contains("choose it with --game"), "{error_output}");
    let error_output = run(&["convert", path, "--from", "pgn", "--to", "fen", "--game", "3"]).error_output(2);
    assert!(error_output.contains("larger than the number of games, 2"), "{error_output}");
}

#[test]
fn reads_latin_1() {
    let latin = b"[White \"R\xe9ti\"]\n[Black \"M\xfcller\"]\n\n1. e4 {sch\xf6n} *\n";
    let read = outcome(command(&["convert", "--from", "pgn", "--to", "pgn"]).write_stdin(&latin[..])).data();
    for part in ["[White \"Réti\"]", "[Black \"Müller\"]", "1. e4 {schön} *"] {
        assert!(read.contains(part), "{part}: {read}");
    }
    let utf8 = "[White \"Réti\"]\n\n1. e4 *\n";
    assert!(convert(utf8, &["--from", "pgn", "--to", "pgn"]).data().contains("[White \"Réti\"]"));
}

#[test]
fn rejects_wrong_usage() {
    assert!(
        run(&["convert", "--to", "docx"]).error_output(2).contains("possible values: fen, xfen, epd, pgn")
    );
    assert!(run(&["convert", "/no/such/file", "--to", "fen"]).error_output(2).contains("/no/such/file"));
    let nothing = convert(" \n", &["--to", "fen", "--from", "pgn"]);
    assert_eq!(nothing.error_output(2), "error: found no game in the text, read as pgn\n");
    let board = "[[0,0,0,0,-6,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],\
        [0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[4,0,0,0,6,0,0,0]]";
    let unsaid = convert(board, &["--to", "fen", "--from", "boards"]);
    assert!(unsaid.stderr.contains("expected turn beside it"), "{}", unsaid.stderr);
    let printed = convert(board, &["--to", "fen", "--from", "boards", "--turn", "white"]);
    assert_eq!(printed.data(), "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\n");
}
