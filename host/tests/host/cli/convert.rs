//! `rookery convert`.

mod foreign;

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
};

use test_kit::processes::status_kb;

use super::{Outcome, command, outcome, run, terminal};
use crate::support::{assert_has, rookery};

/// Converts text on standard input.
fn convert(text: &str, arguments: &[&str]) -> Outcome {
    outcome(command(&[&["convert"], arguments].concat()).write_stdin(text))
}

#[test]
fn detects_the_format_and_reports_it() {
    let found = convert("e2e4 e7e5 g1f3\n", &["--to", "fen"]);
    assert_eq!(
        found.stdout,
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2\n"
    );
    assert_eq!(
        found.stderr,
        "note: reading as uci; use --from to override\nnote: fen cannot hold moves\n"
    );
    let reported = convert("e2e4 e7e5\n", &["--to", "san", "--from", "uci"]);
    assert_eq!((reported.data().as_str()), "1. e4 e5\n");
}

#[test]
fn detects_boards_in_csharp() {
    let start = convert("e2e4 e7e5\n", &["--to", "csharp"]).stdout;
    assert_eq!(start.matches("{\n    {-4, -2, -3,").count(), 3, "{start}");
    let post = format!(
        "// My boards\nvar boards = new[] {{ {} }};\n",
        start.replace("}\n\n{", "}, new int[,] {")
    );
    let found = convert(&post, &["--to", "uci"]);
    assert_eq!(found.stdout, "e2e4 e7e5\n", "{}", found.stderr);
    assert!(
        found
            .stderr
            .starts_with("note: reading as csharp; use --from to override\n"),
        "{}",
        found.stderr
    );
    let first = &start[..=start.find("\n}").unwrap() + 1];
    let position = convert(first, &["--to", "fen", "--turn", "black"]);
    assert_eq!(
        position.stdout,
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1\n"
    );
    let without_turn = convert(first, &["--to", "fen"]);
    assert_eq!(without_turn.status, Some(1));
    assert_has(&without_turn.stderr, &["without a turn; set turn to"]);
}

#[test]
fn writes_good_games_and_reports_bad_ones() {
    let pgn = "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. e4 Ke5 2. zz *\n\n[White \
        \"C\"]\n\n1. d4 *\n";
    let found = convert(pgn, &["--from", "pgn", "--to", "uci"]);
    assert_eq!(
        (found.status, found.stdout.as_str()),
        (Some(1), "e2e4\nd2d4\n")
    );
    for line in [
        "error: game 2, line 7, column 7, ply 2: Ke5 is illegal",
        "error: game 2, line 7, column 14: \"zz\" is not a move",
        "note: uci cannot hold tags",
        "error: 1 of 3 games are invalid",
    ] {
        assert!(
            found
                .stderr
                .lines()
                .any(|reported| reported.starts_with(line)),
            "{line}: {}",
            found.stderr
        );
    }
}

#[test]
fn selects_one_game_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, "1. e4 *\n1. d4 (1. c4) d5 *\n").unwrap();
    let path = path.to_str().unwrap();
    let two = run(&[
        "convert", path, "--from", "pgn", "--to", "pgn", "--game", "2",
    ])
    .data();
    assert!(two.contains("1. d4 (1. c4) 1... d5 *"), "{two}");
    let skipped = run(&[
        "convert",
        path,
        "--from",
        "pgn",
        "--to",
        "pgn",
        "--game",
        "2",
        "--variations",
        "skip",
    ])
    .data();
    assert!(skipped.contains("1. d4 d5 *"), "{skipped}");
    let picture = run(&[
        "convert", path, "--from", "pgn", "--to", "svg", "--game", "1",
    ]);
    assert!(picture.stdout.starts_with("<svg "), "{}", picture.stdout);
    run(&["convert", path, "--from", "pgn", "--to", "svg"])
        .fails_with(2, &["choose it with --game"]);
    run(&[
        "convert", path, "--from", "pgn", "--to", "fen", "--game", "3",
    ])
    .fails_with(2, &["larger than the number of games, 2"]);
}

#[test]
fn reads_files_in_any_encoding() {
    let mixed =
        b"[White \"R\xe9ti\"]\n[Black \"M\xfcller, \x8eeljko\"]\n\n1. e4 {sch\xc3\xb6n \x96 0.5 \
            \x80} *\n";
    let read =
        outcome(command(&["convert", "--from", "pgn", "--to", "pgn"]).write_stdin(&mixed[..]));
    assert_has(
        &read.stdout,
        &[
            "[White \"Réti\"]",
            "[Black \"Müller, Željko\"]",
            "1. e4 {schön – 0.5 €} *",
        ],
    );
    assert_eq!(
        read.stderr,
        "note: word that is not UTF-8, read as Windows-1252: 5 times\n"
    );
    let utf_16: Vec<u8> = "\u{feff}[White \"Ján\"]\n\n1. e4 *\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let read = outcome(command(&["convert", "--to", "pgn"]).write_stdin(utf_16)).stdout;
    assert!(read.contains("[White \"Ján\"]"), "{read}");
}

#[test]
fn joined_files_have_no_phantom_games() {
    let joined = "\u{feff}[White \"A\"]\r\n\r\n1. e4 *\r\n\u{1a}\u{feff}[White \"B\"]\r\n\r\n1. d4 \
        *\r\n\u{1a}";
    assert_eq!(
        convert(joined, &["--from", "pgn", "--to", "uci"]).stdout,
        "e2e4\nd2d4\n"
    );
    let positions = "\u{feff}4k3/8/8/8/8/8/8/4K2R w K - 0 1\r\n\u{1a}\u{feff}4k3/8/8/8/8/8/8/R3K3 \
        w Q - 0 1\r\n\u{1a}";
    let found = convert(positions, &["--from", "fen", "--to", "fen"]).data();
    assert_eq!(found.lines().count(), 2, "{found}");
}

#[test]
fn groups_notes_by_kind() {
    let pgn = "[Event \"5th \"Memorial\" Open\"]\n\n1. e4 *\n\n[Event \"a \"b\" c\"]\n\n1. d4 *\n\n\
        [FEN \"8/8/4k3/8/8/4K3/8/R7 w - - 148 160\"]\n\n160. Ra2 Kd5 161. Ra3 Kc4 *\n";
    let found = convert(pgn, &["--from", "pgn", "--to", "uci", "--game", "3"]);
    assert_eq!(
        found.stdout,
        "position fen 8/8/4k3/8/8/4K3/8/R7 w - - 148 160 moves a1a2 e6d5 a2a3 d5c4\n"
    );
    let drawn = "continued after a draw by today's rules: once in game 3, drawn by the 75-move \
        rule after ply 2\n";
    assert_eq!(
        found.stderr,
        format!("note: {drawn}note: uci cannot hold result\n")
    );
    let all = convert(pgn, &["--from", "pgn", "--to", "pgn"]);
    let bare = "tag with an unescaped quotation mark, read to the last one: 2 \
        times in 2 games, first in game 1\n";
    assert_eq!(all.stderr, format!("note: {drawn}note: {bare}"));
}

#[test]
fn reads_the_piece_letters_of_other_languages() {
    let german = "1. e4 e5 2. Sf3 Sc6 3. Lb5 *\n";
    convert(german, &["--from", "pgn", "--to", "uci"]).fails_with(
        1,
        &["\"Sf3\" is not a move", "German (de)", "option 'language'"],
    );
    let read = convert(
        german,
        &["--from", "pgn", "--to", "uci", "--language", "de"],
    )
    .data();
    assert_eq!(read, "e2e4 e7e5 g1f3 b8c6 f1b5\n");
    run(&["convert", "--to", "uci", "--language", "xx"])
        .fails_with(2, &["possible values: en, cs"]);
}

#[test]
fn reports_what_was_read_noted_and_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = file(
        "good.pgn",
        b"[White \"J\xe1n\"]\n\n1. e4 *\n\n[White \"B\"]\n[Result \"1-0\"]\n\n1. d4 0-1\n",
    );
    let bad = file("bad.pgn", b"1. e4 *\n\n1. e4 Ke5 *\n");
    let found = run(&["convert", "--report", &good]).data();
    let notes = "  note: tag Result, result after the moves and board disagree; the result after \
        the moves counts, or else the board: once in game 2\n  note: word that is not UTF-8, \
        read as Windows-1252: once\n";
    assert_eq!(found, format!("{good} (pgn): 2 games read\n{notes}"));
    let found = run(&["convert", "--report", &good, &bad]);
    assert_eq!(found.status, Some(1));
    let refused = format!(
        "{bad} (pgn): 1 of 2 games read, 1 refused\n  refused: game 2, line 3, column 7, ply 2: \
         Ke5 is"
    );
    assert_has(
        &found.stdout,
        &[&refused, "2 files: 3 of 4 games read, 1 refused\n"],
    );
    assert_eq!(found.stderr, "error: refused 1 of 4 games\n");
    let json: serde_json::Value =
        serde_json::from_str(&run(&["convert", "--report", "--json", &bad]).stdout).unwrap();
    assert_eq!((&json["games"], &json["refused"]), (&2.into(), &1.into()));
    let issue = &json["files"][0]["issues"][0];
    assert_eq!(
        (&issue["game"], &issue["line"], &issue["code"]),
        (&2.into(), &3.into(), &"illegal_move".into())
    );
    run(&["convert", "--report", "--to", "pgn", &bad]).fails_with(2, &["cannot be used with"]);
    run(&["convert", "--to", "pgn", &good, &bad]).fails_with(2, &["found 2 files; expected one"]);
    run(&["convert", &bad]).fails_with(2, &["--to"]);
    run(&["convert", "--report", "/no/such/file"]).fails_with(2, &["/no/such/file"]);
}

#[test]
fn rejects_wrong_usage() {
    run(&["convert", "--to", "docx"]).fails_with(2, &["possible values: fen, xfen, epd, pgn"]);
    run(&["convert", "/no/such/file", "--to", "fen"]).fails_with(2, &["/no/such/file"]);
    let nothing = convert(" \n", &["--to", "fen", "--from", "pgn"]);
    assert_eq!(
        nothing.error_output(2),
        "error: found no game in the text, read as pgn\n"
    );
    let board = "[[0,0,0,0,-6,0,0,0],\
                  [0,0,0,0,0,0,0,0],\
                  [0,0,0,0,0,0,0,0],\
                  [0,0,0,0,0,0,0,0],\
                  [0,0,0,0,0,0,0,0],\
                  [0,0,0,0,0,0,0,0],\
                  [0,0,0,0,0,0,0,0],\
                  [4,0,0,0,6,0,0,0]]";
    let unsaid = convert(board, &["--to", "fen", "--from", "boards"]);
    assert!(
        unsaid.stderr.contains("without a turn; set turn to"),
        "{}",
        unsaid.stderr
    );
    let printed = convert(
        board,
        &["--to", "fen", "--from", "boards", "--turn", "white"],
    );
    assert_eq!(printed.data(), "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\n");
}

/// A game of 70 half-moves.
const GAME: &str = "[Event \"?\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. \
    Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O\n9. h3 Nb8 10. d4 Nbd7 \
    11. c4 c6 12. cxb5 axb5 13. Nc3 Bb7 14. Bg5 b4\n15. Nb1 h6 16. Bh4 c5 17. dxe5 Nxe4 18. Bxe7 \
    Qxe7 19. exd6 Qf6 20. Nbd2 Nxd6\n21. Nc4 Nxc4 22. Bxc4 Nb6 23. Ne5 Rae8 24. Bxf7+ Rxf7 25. \
    Nxf7 Rxe1+ 26. Qxe1\nKxf7 27. Qe3 Qg5 28. Qxg5 hxg5 29. b3 Ke6 30. a3 Kd6 31. axb4 cxb4 32. \
    Ra5 Nd5\n33. f3 Bc8 34. Kf2 Bf5 35. Ra7 g6 1-0\n\n";

/// Starts a command whose standard input and output the test handles.
fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(rookery());
    command
        .arg("convert")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command.stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn long_files_keep_their_order_and_error_positions() {
    // The text is about a megabyte long, so the command reads it in several chunks.
    let game = |number: usize| match number % 1000 {
        0 => format!("[Event \"{number}\"]\n\n1. e4 Ke5\n\n*\n\n"),
        _ => format!(
            "[Event \"{number}\"]\n\n1. e4 {{\n[Event \"none\"]}} e5\n{}*\n\n",
            "{c} ".repeat(20)
        ),
    };
    let pgn: String = (1..=8000).map(game).collect();
    let found = convert(&pgn, &["--from", "pgn", "--to", "pgn"]);
    assert_eq!(found.status, Some(1));
    let events: Vec<_> = found
        .stdout
        .lines()
        .filter(|line| line.starts_with("[Event"))
        .collect();
    let expected = (1..=8000)
        .filter(|number| number % 1000 != 0)
        .map(|number| format!("[Event \"{number}\"]"));
    assert_eq!(events, expected.collect::<Vec<_>>());
    let errors: Vec<_> = found.stderr.lines().collect();
    for (nth, error) in (1..=8).zip(&errors) {
        let line = 1000 * nth * 6 - 3;
        let expected = format!(
            "error: game {}, line {line}, column 7, ply 2: Ke5 is illegal",
            1000 * nth
        );
        assert!(error.starts_with(&expected), "{error}");
    }
    assert_eq!(errors[8..], ["error: 8 of 8000 games are invalid"]);

    let chosen = convert(&pgn, &["--from", "pgn", "--to", "pgn", "--game", "7001"]).data();
    assert!(chosen.starts_with("[Event \"7001\"]\n"), "{chosen}");
    let invalid = convert(&pgn, &["--from", "pgn", "--to", "uci", "--game", "7000"]);
    let expected = "error: game 7000, line 41997, column 7, ply 2: Ke5";
    assert!(invalid.stderr.starts_with(expected), "{}", invalid.stderr);
    convert(&pgn, &["--from", "pgn", "--to", "uci", "--game", "8001"])
        .fails_with(2, &["larger than the number of games, 8000"]);
    convert(&pgn, &["--from", "pgn", "--to", "svg"]).fails_with(2, &["found 8000 games"]);

    let moves = "e2e4 e7e5\n".repeat(20_000) + "\ne2e5\n" + &"d2d4\n".repeat(20_000);
    let found = convert(&moves, &["--from", "uci", "--to", "uci"]);
    assert_eq!(found.stdout, moves.replace("\ne2e5\n", ""));
    let expected = "error: game 20001, line 20002, ply 1: e2e5 is illegal";
    assert!(found.stderr.starts_with(expected), "{}", found.stderr);
}

#[test]
fn diagrams_of_a_long_file_are_separated() {
    let pgn = GAME.repeat(300);
    let found = convert(&pgn, &["--from", "pgn", "--to", "text"]);
    let diagrams = found.stdout.split("\n\n8  ").count();
    assert_eq!((found.status, diagrams), (Some(0), 300));
    let again = convert(&found.stdout, &["--from", "text", "--to", "fen"]).data();
    assert_eq!(again.lines().count(), 300);
}

#[test]
fn memory_does_not_depend_on_the_input_size() {
    let mut child = start(&["-", "--from", "pgn", "--to", "uci"]);
    let mut stdout = child.stdout.take().unwrap();
    let written = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).unwrap();
        text.lines().count()
    });
    let mut stdin = child.stdin.take().unwrap();
    let games = (20 << 20) / GAME.len();
    for _ in 0..games {
        stdin.write_all(GAME.as_bytes()).unwrap();
    }
    // The command has read everything except what the pipe still holds.
    let peak_kib = status_kb(child.id(), "VmHWM");
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert_eq!(written.join().unwrap(), games);
    assert!((1..64 << 10).contains(&peak_kib), "{peak_kib} KiB");
}

#[test]
fn ends_quietly_at_a_broken_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    std::fs::write(&path, GAME.repeat(5000)).unwrap();
    let mut child = start(&[path.to_str().unwrap(), "--from", "pgn", "--to", "uci"]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.starts_with("e2e4 e7e5 g1f3"), "{line}");
    let ended = child.wait_with_output().unwrap();
    assert_eq!(
        (ended.status.code(), ended.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

#[test]
fn shows_progress_on_a_terminal_only_for_long_files() {
    let folder = tempfile::tempdir().unwrap();
    for (games, is_long) in [(20_000, true), (1, false)] {
        let path = folder.path().join("games.pgn");
        std::fs::write(&path, GAME.repeat(games)).unwrap();
        let (mut terminal, screen) = terminal();
        let mut command = Command::new(rookery());
        command
            .arg("convert")
            .arg(&path)
            .args(["--from", "pgn", "--to", "uci"])
            .env("TERM", "xterm");
        command.stdout(Stdio::null()).stderr(screen);
        let mut child = command.spawn().unwrap();
        // Now only the child holds the other end of the terminal open.
        drop(command);
        let mut shown = Vec::new();
        // Reading fails at the end of a terminal.
        let _ = terminal.read_to_end(&mut shown);
        assert!(child.wait().unwrap().success());
        let shown = String::from_utf8_lossy(&shown);
        assert_eq!(shown.contains(" of "), is_long, "{shown}");
        assert!(shown.contains("note: uci cannot hold tags"), "{shown}");
    }
}

#[test]
fn reading_stops_after_the_chosen_game() {
    let mut child = start(&["--from", "pgn", "--to", "uci", "--game", "2"]);
    let mut stdin = child.stdin.take().unwrap();
    // The text is far longer than what the command reads ahead, so the pipe breaks when the command
    // exits.
    let text = GAME.repeat(1000);
    let ended = (0..1000).any(|_| stdin.write_all(text.as_bytes()).is_err());
    let output = child.wait_with_output().unwrap();
    assert!(ended && output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
}

#[test]
fn reads_uci_moves_and_null_moves_in_pgn() {
    let moves = convert(
        "1. e2e4 e7e5 2. g1f3! (2. f1c4) *\n",
        &["--from", "pgn", "--to", "pgn"],
    )
    .data();
    assert!(moves.contains("1. e4 e5 2. Nf3 $1 (2. Bc4) *"), "{moves}");
    let pgn = "[Event \"1\"]\n\n1. e4 (1. d4 -- 2. c4 {threat}) e5 *\n\n[Event \"2\"]\n\n1. d4 Z0 \
        2. zz 1-0\n";
    let rejected = convert(pgn, &["--from", "pgn", "--to", "uci"]);
    assert!(
        rejected
            .stderr
            .contains("-- is a null move, which is not legal"),
        "{}",
        rejected.stderr
    );
    let cut = convert(
        pgn,
        &["--from", "pgn", "--to", "pgn", "--null-moves", "cut"],
    );
    assert!(
        cut.stdout.contains("\n1. e4 (1. d4) 1... e5 *\n"),
        "{}",
        cut.stdout
    );
    assert!(cut.stdout.contains("\n1. d4 1-0\n"), "{}", cut.stdout);
    assert_eq!(
        (cut.status, cut.stderr.as_str()),
        (
            Some(0),
            "note: 2 games or variations end before a null move\n"
        )
    );
}
