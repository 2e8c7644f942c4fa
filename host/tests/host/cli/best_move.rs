//! `rookery best-move`.

use std::io::Read as _;

use serde_json::{Value, json};

use super::{command, outcome, run_with, terminal};
use crate::support::{Application, ConfigFile, configuration, rookery, shipped, stable, with_ais};

const FREE_QUEEN: &str = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1";

fn best_move(file: &ConfigFile, arguments: &[&str]) -> super::Outcome {
    run_with(file, &[&["best-move"], arguments].concat())
}

#[test]
fn prints_a_move_on_one_line() {
    let file = configuration(&["ai_basic1"]);
    let text = best_move(&file, &["--fen", FREE_QUEEN, "--depth", "1"]).data();
    assert!(
        text.starts_with("e4d5  exd5  +1.05 for White  depth 1  "),
        "{text}"
    );
    assert!(text.ends_with(" ms  e4d5\n"), "{text}");
    let mate = best_move(&file, &["--moves", "f2f3", "e7e5", "g2g4", "--depth", "2"]).data();
    assert!(mate.starts_with("d8h4  Qh4#  #-1 for White  "), "{mate}");
}

#[test]
fn prints_several_lines_best_first() {
    let text = best_move(
        &configuration(&["ai_basic1"]),
        &["--fen", FREE_QUEEN, "--depth", "2", "--lines", "3"],
    );
    let text = text.data();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].starts_with("e4d5  exd5  +"), "{text}");
    assert!(
        lines[1..]
            .iter()
            .all(|line| line.contains(" for White  depth 2  ")),
        "{text}"
    );
}

#[test]
fn an_analysis_uses_no_book() {
    let file = shipped();
    let depth = |arguments: &[&str]| {
        let nnue1 = ["--ai", "nnue1", "--nodes", "2000", "--json"];
        best_move(&file, &[&nnue1, arguments].concat()).json()["search"]["depth"].as_u64()
    };
    assert_eq!(depth(&[]), Some(0), "the AI plays from its book");
    assert!(depth(&["--analysis"]) > Some(0));
}

#[test]
fn shows_progress_only_on_a_terminal() {
    let file = configuration(&["ai_basic1"]);
    let (mut terminal, screen) = terminal();
    let config = file.path().to_str().unwrap().to_owned();
    let mut pending = std::process::Command::new(rookery());
    pending
        .args(["best-move", "--movetime-ms", "300", "--config", &config])
        .stderr(screen);
    let answer = pending.output().unwrap();
    drop(pending);
    let answer = String::from_utf8(answer.stdout).unwrap();
    assert!(
        answer.lines().count() == 1 && answer.contains(" for White  depth "),
        "{answer}"
    );
    let mut shown = Vec::new();
    // Reading fails once the last writer has closed the terminal.
    let _ = terminal.read_to_end(&mut shown);
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.lines().count() >= 2, "{shown}");
    assert!(
        shown
            .lines()
            .all(|line| line.starts_with("depth ") && line.contains(" nodes  ")),
        "{shown}"
    );
}

#[actix_web::test]
async fn prints_the_json_of_the_server() {
    let file = configuration(&["ai_basic1", "counts_pawns"]);
    let app = Application::of(&file);
    for (arguments, body) in [
        (
            &["--depth", "2"][..],
            json!({"game": {}, "limit": {"depth": 2}}),
        ),
        (
            &["--fen", FREE_QUEEN, "--nodes", "3000"],
            json!({"game": {"fen": FREE_QUEEN}, "limit": {"nodes": 3000}}),
        ),
        (
            &[
                "--moves",
                "e2e4",
                "e7e5",
                "--depth",
                "2",
                "--ai",
                "counts_pawns",
            ],
            json!({
                "game": {"moves": ["e2e4", "e7e5"]},
                "limit": {"depth": 2},
                "ai": "counts_pawns",
            }),
        ),
        (
            &["--moves", "f2f3", "e7e5", "g2g4", "d8h4"],
            json!({"game": {"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]}}),
        ),
    ] {
        let reported = best_move(&file, &[arguments, &["--json"]].concat()).json();
        assert_eq!(
            stable(&reported),
            app.post("/v1/best-move", &body).await.stable(),
            "{arguments:?}"
        );
    }
}

#[test]
fn prints_a_trace_as_an_indented_tree() {
    let file = configuration(&["ai_basic1"]);
    let text = best_move(
        &file,
        &["--fen", FREE_QUEEN, "--depth", "2", "--trace", "12"],
    )
    .data();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 12 + 2, "{text}");
    assert!(lines[0].starts_with("* root "), "{text}");
    assert!(
        lines[1..12]
            .iter()
            .any(|line| line.starts_with("*   exd5 ")),
        "{text}"
    );
    assert!(
        lines[12].contains("--trace N sets the number of nodes"),
        "{text}"
    );
    assert!(lines[13].starts_with("e4d5  exd5  "), "{text}");
    let reported = best_move(
        &file,
        &[
            "--fen", FREE_QUEEN, "--depth", "2", "--trace", "12", "--json",
        ],
    )
    .json();
    assert_eq!(reported["trace"]["nodes"].as_array().unwrap().len(), 12);
}

#[test]
fn trace_has_a_default_length() {
    let text = best_move(&configuration(&["ai_basic1"]), &["--depth", "3", "--trace"]).data();
    assert_eq!(text.lines().count(), 200 + 2, "{text}");
}

#[test]
fn accepts_moves_as_one_or_many_arguments() {
    let file = configuration(&["ai_basic1"]);
    for moves in [
        &["--moves", "e2e4 e7e5"][..],
        &["--moves", "e2e4", "e7e5"],
        &["--moves", "e2e4", "--moves", "e7e5"],
    ] {
        let reported = best_move(&file, &[moves, &["--depth", "1", "--json"]].concat()).json();
        let played = &reported["game"]["moves"].as_array().unwrap()[..2];
        assert_eq!(played, [json!("e2e4"), json!("e7e5")], "{moves:?}");
    }
}

#[test]
fn reports_a_finished_game() {
    let file = configuration(&["ai_basic1"]);
    let mate = best_move(&file, &["--moves", "f2f3", "e7e5", "g2g4", "d8h4"]).data();
    assert_eq!(mate, "the game is over: win (checkmate)\n");
    let draw = best_move(&file, &["--fen", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]).data();
    assert_eq!(draw, "the game is over: draw (stalemate)\n");
}

#[test]
fn rejects_an_illegal_game_with_every_issue() {
    let file = configuration(&["ai_basic1"]);
    let moves = ["--moves", "e2e5", "nonsense"];
    let error_output = best_move(&file, &moves).error_output(2);
    assert_eq!(error_output.lines().count(), 3, "{error_output}");
    let beginning = "error: the game is not legal:\n  e2e5 is illegal: ";
    assert!(error_output.starts_with(beginning), "{error_output}");
    assert_eq!(
        error_output.matches("(illegal_move)").count(),
        2,
        "{error_output}"
    );
    let failure = best_move(&file, &[&moves[..], &["--json"]].concat()).failure(2);
    assert_eq!(
        format!("error: {}\n", failure["detail"].as_str().unwrap()),
        error_output
    );
    best_move(&file, &["--fen", "8/8/8/8/8/8/8/4K3 w - - 0 1"]).fails_with(2, &["(missing_king)"]);
}

#[test]
fn rejects_unknown_ais_and_bad_limits() {
    let file = configuration(&["ai_basic1", "counts_pawns"]);
    best_move(&file, &["--ai", "counts_prawns"]).fails_with(
        2,
        &[
            "there is no AI 'counts_prawns' in the configuration",
            "ai_basic1, counts_pawns",
        ],
    );
    best_move(&file, &["--depth", "0"]).fails_with(2, &["depth is 0; it must be at least 1"]);
    best_move(&file, &["--depth", "-3"]).fails_with(2, &["-3"]);

    let no_default =
        ConfigFile::new("[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.alice]\nai = \"basic1\"\n");
    best_move(&no_default, &[]).fails_with(2, &["choose an AI with --ai"]);
    best_move(&no_default, &["--ai", "basic1", "--depth", "1"]).data();
}

#[test]
fn starts_only_the_requested_ai() {
    let file = with_ais(
        &[
            ("basic1", "ai_basic1", ""),
            ("moody", "required_option", ""),
        ],
        "",
    );
    best_move(&file, &["--depth", "1"]).data();
    best_move(&file, &["--ai", "moody"]).fails_with(2, &["not in a bad mood"]);
}

#[test]
fn exits_with_1_on_a_fault_of_the_ai() {
    for (library, part) in [
        ("error", "AI 'error': the AI failed: no idea"),
        ("panic", "I can't see the board"),
        ("segfault", "segmentation fault"),
        ("illegal_move", "expected a legal move"),
        ("hang", "did not answer within 1000 ms"),
    ] {
        let error_output = best_move(&configuration(&[library]), &[]).fails_with(1, &[part]);
        assert!(!error_output.contains('\u{1b}'), "{error_output:?}");
    }
}

#[test]
fn keeps_logs_and_ai_output_off_stdout() {
    let file = configuration(&["flood_output"]);
    let mut command = command(&["best-move", "--json"]);
    let reported = outcome(
        command
            .arg("--config")
            .arg(file.path())
            .env("ROOKERY_LOG", "trace"),
    );
    assert_eq!(reported.status, Some(0), "{}", reported.stderr);
    let reply: Value = serde_json::from_str(&reported.stdout).unwrap();
    assert_eq!(reply["ai"]["id"], "flood_output");
    assert!(
        reported.stderr.contains("eeee"),
        "the output of the AI is not logged"
    );
    assert!(!reported.stderr.contains('\u{7}'));
}
