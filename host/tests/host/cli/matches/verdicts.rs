//! The exit status of a match: the verdict of its test, and faults.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{play, players};
use crate::{
    cli::{Outcome, run},
    support::{ConfigFile, assert_has, with_ais},
};

fn report(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap()
}

/// A `rookery match` command, with standard error in a pipe.
fn start(file: &ConfigFile, arguments: &str) -> Command {
    let mut command = test_kit::command();
    command
        .arg("match")
        .args(shlex::split(arguments).unwrap())
        .arg("--config")
        .arg(file.path())
        .current_dir(file.folder())
        .stderr(Stdio::piped());
    command
}

#[test]
fn the_status_is_the_verdict_of_the_test() {
    let file = players(&["no_move"]);
    for (arguments, status, verdict) in [
        ("full no_move --sprt 0,100", 0, json!("accepted")),
        ("no_move full --sprt 0,100", 3, json!("rejected")),
        (
            "full quick --sprt 0,10 --max-moves 4",
            4,
            json!("undecided"),
        ),
        ("no_move full --max-moves 4", 0, Value::Null),
    ] {
        let outcome = play(&file, &format!("{arguments} --games 60 --depth 1 --json"));
        assert_eq!(outcome.status, Some(status), "{arguments}: {outcome:?}");
        assert_eq!(report(&outcome)["verdict"], verdict, "{arguments}");
        // A verdict is not an error.
        assert!(!outcome.stderr.contains("exit_status"), "{outcome:?}");
    }
    let help = run(&["match", "--help"]).data();
    assert_has(&help, &["0 accepted", "3 rejected", "4 undecided"]);
}

#[test]
fn an_interrupted_test_is_undecided() {
    let file = players(&[]);
    let mut running = start(
        &file,
        "full quick --games 100 --nodes 2000 --sprt 0,10 --json",
    )
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let mut messages = BufReader::new(running.stderr.take().unwrap());
    let mut message = String::new();
    messages.read_line(&mut message).unwrap();
    assert!(message.starts_with("game "), "{message}");
    kill_process(Pid::from_child(&running), Signal::INT).unwrap();
    messages.read_to_string(&mut message).unwrap();
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(4), "{message}");
    let reply: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(
        (&reply["finish"], &reply["verdict"]),
        (&json!("interrupted"), &json!("undecided")),
        "{reply:#}"
    );
}

#[test]
fn the_verdict_holds_even_if_nobody_reads_the_result() {
    let file = players(&["no_move"]);
    let (_, closed) = std::io::pipe().unwrap();
    let status = start(&file, "no_move full --games 60 --depth 1 --sprt 0,100")
        .stdout(closed)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(3));
}

#[test]
fn a_fault_fails_the_command_on_request() {
    let faults = [
        ("stack_overflow", "ai_crashed", "overflowed its stack"),
        ("panic", "ai_failed", "I can't see the board"),
        ("hang", "ai_timeout", "the AI did not answer within "),
        ("illegal_move", "ai_illegal_move", "the AI played "),
    ];
    let file = players(&faults.map(|(fault, ..)| fault));
    for (player, code, last_words) in faults {
        let arguments = format!("full {player} --games 2 --depth 1 --json");
        let lost = play(&file, &arguments);
        assert_eq!(lost.status, Some(0), "{player}: {}", lost.stderr);
        let failed = play(&file, &format!("{arguments} --fail-on-fault"));
        assert_eq!(failed.status, Some(1), "{player}: {}", failed.stderr);
        let faults = &report(&failed)["faults"];
        assert_eq!(
            faults[0],
            json!({"player": "full", "games": 0, "first": null}),
            "{player}"
        );
        let first = &faults[1]["first"];
        assert_eq!(
            (
                &faults[1]["games"],
                &first["game"],
                &first["color"],
                &first["code"]
            ),
            (&json!(2), &json!(1), &json!("black"), &json!(code)),
            "{player}: {faults:#}"
        );
        assert_has(first["message"].as_str().unwrap(), &[last_words]);
        let (_, failure) = failed.messages_and_failure();
        let detail = failure["detail"].as_str().unwrap();
        let expected = format!(
            "2 games were lost by a fault (full 0, {player} 2); the first is game 1, which \
             {player} (black) lost: "
        );
        assert!(detail.starts_with(&expected), "{detail}");
        assert_has(detail, &[last_words]);
    }
}

#[test]
fn a_fault_outweighs_the_verdict() {
    let file = players(&["no_move"]);
    let outcome = play(
        &file,
        "full no_move --games 60 --depth 1 --sprt 0,100 --fail-on-fault",
    );
    assert_eq!(outcome.status, Some(1), "{}", outcome.stderr);
    assert_has(
        &outcome.stdout,
        &["H1 accepted", "full - no_move: at least +"],
    );
    assert_has(
        &outcome.stderr,
        &["error: ", " games were lost by a fault (full 0, no_move "],
    );
}

#[test]
fn a_fallen_flag_is_not_a_fault() {
    // The AI sleeps for 1.4 s, and is killed 1.25 s after its flag falls.
    let late = "options.fault = \"exceeds_movetime\"";
    let file = with_ais(&[("full", "ai_basic1", ""), ("late", "faulty", late)], "");
    let outcome = play(
        &file,
        "full late --games 2 --tc 0.5+0.01 --margin-ms 0 --pgn games.pgn --fail-on-fault",
    );
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    let text = std::fs::read_to_string(file.folder().join("games.pgn")).unwrap();
    assert_eq!(text.matches("Black loses on time").count(), 1, "{text}");
}

#[test]
fn a_resumed_match_counts_the_faults_in_its_file() {
    let file = players(&["stack_overflow"]);
    let arguments = "full stack_overflow --games 2 --depth 1 --pgn games.pgn --json";
    let first = play(&file, arguments);
    assert_eq!(first.status, Some(0), "{}", first.stderr);
    let resumed = play(&file, &format!("{arguments} --resume --fail-on-fault"));
    assert_eq!(resumed.status, Some(1), "{}", resumed.stderr);
    let faults = &report(&resumed)["faults"];
    assert_eq!(faults[1]["games"], 2);
    assert_eq!(faults, &report(&first)["faults"]);
    // The file contains another game, which does not belong to this match.
    let shorter = arguments.replace("--games 2", "--games 1");
    let shorter = play(&file, &format!("{shorter} --resume"));
    assert_eq!(report(&shorter)["faults"][1]["games"], 1);
}

#[test]
fn two_broken_players_never_draw() {
    let file = players(&["segfault", "panic"]);
    // The test accepts if each player gets half of the points.
    let outcome = play(
        &file,
        "segfault panic --games 4 --depth 1 --sprt=-1000,-100 --json",
    );
    let reply = report(&outcome);
    let tally = ["wins", "draws", "losses"].map(|key| reply["encounters"][0][key].as_u64());
    assert_eq!(tally, [Some(1), Some(0), Some(1)], "{reply:#}");
    assert_eq!(
        (outcome.status, &reply["verdict"]),
        (Some(1), &json!("accepted")),
        "{reply:#}"
    );
    let (_, failure) = outcome.messages_and_failure();
    assert_has(
        failure["detail"].as_str().unwrap(),
        &["2 games were lost by a fault (segfault 1, panic 1); the first is game 1"],
    );
}

#[test]
fn a_player_that_does_not_start_fails_the_command() {
    let file = with_ais(
        &[
            ("full", "ai_basic1", ""),
            ("stuck", "hang_in_create", "start_timeout_ms = 300"),
        ],
        "",
    );
    let outcome = play(&file, "full stuck --games 2 --depth 1 --sprt 0,10");
    outcome.fails_with(2, &["stuck"]);
}
