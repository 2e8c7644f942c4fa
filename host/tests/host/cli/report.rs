//! `rookery report`.

use std::{fs, io::Read as _};

use serde_json::{Value, json};

use super::{Outcome, command, outcome, terminal};
use crate::support::{Application, ConfigFile, assert_has, configuration, rookery, stable};

/// In the first game, Black makes a blunder and White then loses the queen.
const GAMES: &str = r#"[White "Anna"]
[Black "Bob"]

1. e4 e5 2. Qh5 g6 {[%clk 0:01:02] too \"hasty\"} 3. Nf3 $1 gxh5 0-1

[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]
[SetUp "1"]

1. O-O Kd7 *
"#;

fn report(file: &ConfigFile, input: &str, arguments: &[&str]) -> Outcome {
    let mut command = command(&["report", "-", "--depth", "2"]);
    outcome(
        command
            .args(arguments)
            .arg("--config")
            .arg(file.path())
            .write_stdin(input),
    )
}

/// A server's reply about the first game.
async fn served(file: &ConfigFile) -> Value {
    let moves = ["e2e4", "e7e5", "d1h5", "g7g6", "g1f3", "g6h5"];
    let body = json!({"game": {"moves": moves}, "limit": {"depth": 2}});
    Application::of(file).post("/v1/report", &body).await.ok()
}

#[actix_web::test]
async fn json_is_the_reply_of_the_call_for_each_game() {
    let file = configuration(&["ai_basic1"]);
    let text = report(&file, GAMES, &["--json"]).data();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(stable(&lines[0]), stable(&served(&file).await));
    assert_eq!(lines[1]["game"]["moves"], json!(["e1g1", "e8d7"]));
}

#[test]
fn the_table_lists_judged_moves_with_their_reasons() {
    let text = report(&configuration(&["ai_basic1"]), GAMES, &[]).data();
    let lines: Vec<_> = text.lines().collect();
    assert!(
        lines[0].starts_with("Game 1: Anna - Bob, 0-1; accuracy "),
        "{text}"
    );
    let blunder = lines
        .iter()
        .find(|line| line.trim_start().starts_with("3. Nf3??"))
        .unwrap_or_else(|| panic!("{text}"));
    assert_has(
        blunder,
        &["loses the queen for a pawn; ", "better 3. Qxe5+"],
    );
    assert_has(&text, &["Game 2: ? - ?, *; accuracy "]);
}

#[test]
fn a_pgn_keeps_its_annotations_and_can_be_judged_again() {
    let file = configuration(&["ai_basic1"]);
    let judged = report(&file, GAMES, &["--pgn"]).data();
    let flat = judged.replace('\n', " ");
    assert_has(
        &flat,
        &[
            "[White \"Anna\"]",
            "g6 $4 {[%eval 4.20] [%why ",
            "[%clk 0:01:02] too",
            // The author's glyph stays.
            "3. Nf3 $1 {[%eval -",
            "[%why loses_material piece=queen square=h5 value=8 lost=queen won=pawn start=after \
             line=g6h5,f3e5",
            "Loses the queen for a pawn.",
            // The better line.
            "with the queen on e5.} (3. Qxe5+ Qe7 ",
            "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]",
        ],
    );
    assert_eq!(report(&file, &judged, &["--pgn"]).data(), judged);
    // The claims of an earlier report are removed, but the author's words stay.
    let foreign = "1. e4 {[%why allows_mate moves=9 line=a1a1] [%eval 9.99] Allows mate in 9. \
                   Best by test.} 1... e5 {[%eval 0.11] Sound.} *\n";
    let judged_again = report(&file, foreign, &["--pgn"]).data();
    assert_has(
        &judged_again.replace('\n', " "),
        &[
            "1. e4 {[%eval 0.",
            "] Best by test.}",
            "{[%eval 0.11] Sound.}",
        ],
    );
    assert!(!judged_again.contains("mate"), "{judged_again}");
}

#[test]
fn invalid_games_are_reported_and_the_others_judged() {
    let file = configuration(&["ai_basic1"]);
    let text = format!("[White \"A\"]\n\n1. e4 e4 *\n\n{GAMES}");
    let Outcome {
        status,
        stdout,
        stderr,
    } = report(&file, &text, &[]);
    assert_eq!(status, Some(1));
    assert_has(&stdout, &["Game 2: Anna", "Game 3: "]);
    assert_has(&stderr, &["game 1", "e4", "1 of 3 games are invalid"]);
}

#[test]
fn a_terminal_shows_the_progress_in_each_game() {
    let file = configuration(&["ai_basic1"]);
    let (mut terminal, screen) = terminal();
    let games = tempfile::NamedTempFile::new().unwrap();
    fs::write(games.path(), GAMES).unwrap();
    let mut pending = std::process::Command::new(rookery());
    pending
        .args(["report", "--depth", "4"])
        .args([games.path(), "--config".as_ref(), &file.path()])
        .stderr(screen);
    let table = pending.output().unwrap().stdout;
    drop(pending);
    assert!(table.starts_with(b"Game 1: Anna - Bob"), "{table:?}");
    let mut shown = Vec::new();
    // Reading fails once the last writer has closed the terminal.
    let _ = terminal.read_to_end(&mut shown);
    let shown = String::from_utf8(shown).unwrap();
    assert_has(&shown, &["game 1 ", "of 6 moves", "game 2 ", "of 2 moves"]);
}

#[test]
fn a_file_without_games_is_a_usage_error() {
    let file = configuration(&["ai_basic1"]);
    report(&file, "", &[]).fails_with(2, &["standard input: found no game"]);
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.pgn");
    let arguments = ["report", missing.to_str().unwrap()];
    super::run(&arguments).fails_with(2, &["missing.pgn", "No such file"]);
    fs::write(&missing, "1. e4 *").unwrap();
    let both = [&arguments[..], &["--pgn", "--json"]].concat();
    assert_eq!(super::run(&both).status, Some(2));
}
