//! `rookery book`.

use std::{fs, path::Path};

use ai_book::{Book, Entry, key};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    cli::{Outcome, command, outcome, run},
    support::{assert_has, with_ais},
};

const GAMES: &str = "1. e4 e5 2. Nf3 Nc6 1-0\n\n1. e4 c5 2. Nf3 d6 0-1\n\n1. e4 c5 2. Nf3 Nc6 \
    1/2-1/2\n\n1. d4 d5 *\n\n";

fn book(folder: &TempDir, arguments: &str) -> Outcome {
    outcome(
        command(&["book"])
            .args(arguments.split(' '))
            .current_dir(folder.path()),
    )
}

/// A folder with games in `games.pgn`.
fn with_games(games: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), games).unwrap();
    folder
}

fn write(path: &Path, entries: &mut [Entry]) {
    let mut bytes = Vec::new();
    ai_book::write(entries, &mut bytes).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn makes_shows_and_checks_a_book_of_games() {
    let folder = with_games(GAMES);
    let made = book(&folder, "make games.pgn --out book.bin --min-games 1").data();
    assert_eq!(made, "book.bin: 8 moves in 6 positions, from 4 games\n");
    let shown = book(&folder, "show book.bin").data();
    assert_has(
        &shown,
        &[
            "8  r n b q k b n r\n",
            "FEN: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n",
        ],
    );
    assert!(
        shown.ends_with(
            "\n\ne2e4   e4        75.0 %  weight 3\nd2d4   d4        25.0 %  weight 1\n"
        ),
        "{shown}"
    );
    let sicilian = book(&folder, "show book.bin --moves e2e4 c7c5 --json").json();
    let expected = json!({
        "fen": "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "opening": {"eco": "B20", "name": "Sicilian Defense"},
        "moves": [{"uci": "g1f3", "san": "Nf3", "weight": 1, "percent": 100.0}],
    });
    assert_eq!(sicilian, expected);
    assert!(
        book(&folder, "show book.bin --moves a2a3")
            .data()
            .ends_with("\n\nno move in the book\n")
    );
    // 1... e5 lost every time, so the book does not reach the moves after it.
    assert_eq!(
        book(&folder, "check book.bin").data(),
        "8 moves in 6 positions\n7 moves in 5 positions from the start position, up to 3 plies \
         ahead\n"
    );
    let checked = book(&folder, "check book.bin --json").json();
    assert_eq!(
        (&checked["correct"], &checked["plies"]),
        (&json!(true), &json!(3)),
        "{checked}"
    );
}

#[test]
fn makes_the_same_book_from_one_file_several_files_or_a_stream() {
    let folder = with_games(GAMES);
    fs::write(folder.path().join("more.pgn"), GAMES).unwrap();
    let twice = GAMES.repeat(2);
    fs::write(folder.path().join("twice.pgn"), &twice).unwrap();
    let made = |arguments: &str, stdin: &str| {
        let mut make = command(&["book", "make"]);
        make.args(arguments.split(' '))
            .args(["--min-games", "2", "--out", "book.bin"]);
        outcome(make.current_dir(folder.path()).write_stdin(stdin)).data();
        fs::read(folder.path().join("book.bin")).unwrap()
    };
    let one = made("twice.pgn", "");
    assert_eq!(one.len() % 16, 0);
    assert_eq!(one, made("games.pgn more.pgn", ""));
    assert_eq!(one, made("-", &twice));
    assert_ne!(one, made("twice.pgn --plies 2", ""));
}

#[test]
fn invalid_games_are_reported_and_left_out() {
    let folder = with_games("1. e4 e5 *\n\n1. e4 Ke5 *\n\n1. e4 c5 *\n\n");
    let made = book(&folder, "make games.pgn --out book.bin --min-games 1");
    assert_eq!(
        (made.status, made.stdout.as_str()),
        (Some(1), "book.bin: 3 moves in 2 positions, from 2 games\n")
    );
    assert_has(
        &made.stderr,
        &[
            "error: games.pgn: game 2, line 3",
            "(illegal_move)",
            "1 of 3 games are invalid",
        ],
    );
}

#[test]
fn makes_the_same_book_from_an_ai_each_time() {
    let file = with_ais(&[("full", "ai_basic1", ""), ("one", "no_move", "")], "");
    let run_make = |arguments: &str| {
        let mut make = command(&[
            "book", "make", "--ai", "full", "--out", "book.bin", "--config",
        ]);
        outcome(
            make.arg(file.path())
                .args(arguments.split(' '))
                .current_dir(file.folder()),
        )
    };
    let read = || fs::read(file.folder().join("book.bin")).unwrap();
    let summary = run_make("--depth 2 --plies 3 --lines 2").data();
    assert!(
        summary.starts_with("book.bin: ") && summary.ends_with(" searches\n"),
        "{summary}"
    );
    let first = read();
    run_make("--depth 2 --plies 3 --lines 2").data();
    assert_eq!(first, read());
    let start = rules::start_position();
    let mut book = Book::open(file.folder().join("book.bin")).unwrap();
    let moves = book.moves(&start, &rules::legal_moves(&start)).unwrap();
    // The weight of the best move is the margin of 40 plus 1.
    assert!(
        (1..=2).contains(&moves.len()) && moves[0].weight == 41,
        "{moves:?}"
    );
    let one = run_make("--nodes 200 --plies 9 --positions 5 --lines 1").data();
    assert_eq!(one, "book.bin: 5 moves in 5 positions, from 5 searches\n");
    let bounded =
        run_make("--nodes 200 --plies 9 --positions 5 --lines 3 --margin 500 --moves 7").data();
    assert_eq!(
        bounded,
        "book.bin: 7 moves in 5 positions, from 5 searches\n"
    );
    let mut book = Book::open(file.folder().join("book.bin")).unwrap();
    assert_eq!(
        book.moves(&start, &rules::legal_moves(&start))
            .unwrap()
            .len(),
        3
    );
    let fewer = run_make("--nodes 200 --plies 9 --positions 5 --lines 3 --moves 2").data();
    assert_eq!(fewer, "book.bin: 2 moves in 2 positions, from 2 searches\n");
    let mut make = command(&[
        "book", "make", "--ai", "one", "--out", "one.bin", "--config",
    ]);
    outcome(make.arg(file.path()).current_dir(file.folder())).fails_with(
        2,
        &["--lines is 3, but 'one' finds at most 1 at a time; lower --lines"],
    );
}

#[test]
fn check_reports_repeated_and_illegal_moves() {
    let folder = tempfile::tempdir().unwrap();
    let start = rules::start_position();
    let entry = |uci: &str| {
        let squares = [&uci[..2], &uci[2..]].map(|name| name.parse().unwrap());
        Entry {
            key: key(&start),
            chosen: ai_api::Move::new(squares[0], squares[1]),
            weight: 1,
            learn: 0,
        }
    };
    let path = folder.path().join("book.bin");
    write(&path, &mut [entry("e2e4"), entry("e2e4"), entry("e2e5")]);
    let found = book(&folder, "check book.bin");
    assert_eq!(found.status, Some(1));
    assert!(
        found.stdout.starts_with("3 moves in 1 positions\n"),
        "{}",
        found.stdout
    );
    assert_has(
        &found.stderr,
        &[
            "illegal move e2e5 in rnbqkbnr/",
            "error: book.bin: 0 entries out of order, 1 repeated moves, 1 illegal moves",
        ],
    );
    let found = book(&folder, "check book.bin --json");
    let reply: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(
        (found.status, &reply["illegal_moves"][0]["uci"]),
        (Some(1), &json!("e2e5")),
        "{reply}"
    );
}

#[test]
fn finds_moves_by_their_polyglot_key() {
    let folder = tempfile::tempdir().unwrap();
    // Another program wrote this entry for a double push whose en passant capture is pinned.
    let bytes = [
        0xf9, 0xb3, 0x7e, 0x8f, 0x47, 0x23, 0x73, 0x38, 0x0f, 0x33, 0, 1, 0, 0, 0, 0,
    ];
    fs::write(folder.path().join("book.bin"), bytes).unwrap();
    let shown = |arguments: &[&str]| {
        let mut show = command(&["book", "show", "book.bin", "--json"]);
        let reply = outcome(show.args(arguments).current_dir(folder.path())).json();
        reply["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| found["uci"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        shown(&["--fen", "4k3/8/8/8/4pP2/8/8/4RK2 b - f3 0 1"]),
        ["e8d7"]
    );
    assert_eq!(
        shown(&[
            "--fen",
            "4k3/8/8/8/4p3/8/5P2/4RK2 w - - 0 1",
            "--moves",
            "f2f4"
        ]),
        ["e8d7"]
    );
    assert_eq!(
        shown(&["--fen", "4k3/8/8/8/4pP2/8/8/4RK2 b - - 0 1"]),
        [""; 0]
    );
}

#[test]
fn check_says_how_a_book_castles() {
    let folder = tempfile::tempdir().unwrap();
    let game =
        rules::Game::from_moves(None, &["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"]).unwrap();
    for (castling, expected) in [
        (
            "e1h1",
            Some("castling is written as e1h1, as the format specifies\n"),
        ),
        (
            "e1g1",
            Some("castling is written as e1g1; the format specifies e1h1, but both are read\n"),
        ),
        ("d2d3", None),
    ] {
        let mut position = rules::start_position();
        let mut entries = Vec::new();
        let mut add = |position: &ai_api::Position, text: &str| {
            let squares = [&text[..2], &text[2..]].map(|name| name.parse().unwrap());
            let chosen = ai_api::Move::new(squares[0], squares[1]);
            entries.push(Entry {
                key: key(position),
                chosen,
                weight: 1,
                learn: 0,
            });
        };
        for &chosen in game.moves() {
            add(&position, &chosen.to_string());
            position = rules::play(&position, chosen);
        }
        add(&position, castling);
        write(&folder.path().join("book.bin"), &mut entries);
        let checked = book(&folder, "check book.bin").data();
        assert!(
            checked.ends_with(expected.unwrap_or("plies ahead\n")),
            "{checked}"
        );
        let reply = book(&folder, "check book.bin --json").json();
        let counts = (&reply["castling_by_rook"], &reply["castling_by_steps"]);
        assert_eq!(
            counts,
            (
                &json!(i32::from(castling == "e1h1")),
                &json!(i32::from(castling == "e1g1"))
            )
        );
    }
}

#[test]
fn rejects_wrong_usage() {
    let folder = with_games(GAMES);
    fs::write(folder.path().join("part.bin"), [0; 17]).unwrap();
    for (arguments, part) in [
        ("make --out book.bin", "PGN"),
        ("make games.pgn", "--out <FILE>"),
        (
            "make games.pgn --ai basic1 --out book.bin",
            "cannot be used with",
        ),
        (
            "make games.pgn --depth 3 --out book.bin",
            "cannot be used with",
        ),
        (
            "make games.pgn --out book.bin --points 1,2",
            "expected three whole numbers",
        ),
        (
            "make games.pgn --out book.bin --min-games 9",
            "no move of the 4 games qualifies for the book",
        ),
        ("make none.pgn --out book.bin", "none.pgn: "),
        (
            "show part.bin",
            "part.bin: found 17 bytes; expected a Polyglot book with a multiple of 16 bytes",
        ),
        ("show none.bin", "none.bin: "),
        (
            "show games.pgn --moves e2e5",
            "the game is not legal:\n  e2e5",
        ),
        ("check none.bin", "none.bin: "),
    ] {
        book(&folder, arguments).fails_with(2, &[part]);
    }
    assert!(!folder.path().join("book.bin").exists());
    assert_has(&run(&["book", "--help"]).data(), &["make", "show", "check"]);
}

#[test]
fn the_shipped_book_is_correct_and_small() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/book/rookery.bin");
    assert!(fs::metadata(path).unwrap().len() <= 512 * 1024);
    let checked = run(&["book", "check", path, "--json"]).json();
    assert_eq!(checked["correct"], json!(true), "{checked}");
    assert!(
        checked["positions"].as_u64().unwrap() >= 20_000,
        "{checked}"
    );
}
