//! Diagnostics for operators.

use std::{fs::File, process::Command, process::Stdio};

use super::{command, outcome};
use crate::support::{assert_has, built, configuration, rookery};

#[test]
fn warns_of_a_bad_log_filter() {
    let file = configuration(&["ai_basic1"]);
    let mut ask = command(&["best-move", "--depth", "1", "--config"]);
    let reported = outcome(ask.arg(file.path()).env("ROOKERY_LOG", "rookery=loud"));
    assert_eq!(reported.status, Some(0));
    assert!(
        reported
            .stderr
            .starts_with("warning: ignoring ROOKERY_LOG: "),
        "{}",
        reported.stderr
    );
    assert!(
        reported
            .stderr
            .contains("allowed: off, error, warn, info, debug and trace"),
        "{}",
        reported.stderr
    );
}

#[test]
fn fails_when_stdout_is_not_writable() {
    let file = configuration(&["ai_basic1"]);
    let mut serve = Command::new(rookery());
    serve
        .args(["serve", "--listen", "127.0.0.1:0", "--config"])
        .arg(file.path());
    serve
        .stdout(File::options().write(true).open("/dev/full").unwrap())
        .stderr(Stdio::piped());
    let ended = serve.output().unwrap();
    let printed = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{printed}");
    assert_has(
        &printed,
        &["error: cannot write the address to standard output: No space left"],
    );
}

#[test]
fn a_failed_write_names_the_file() {
    let file = configuration(&["ai_basic1", "ai_huo1"]);
    std::fs::write(
        file.folder().join("games.pgn"),
        "1. e4 e5 1-0\n\n".repeat(3),
    )
    .unwrap();
    std::fs::write(file.folder().join("blocked"), "").unwrap();
    let path = file.path();
    let config = path.to_str().unwrap();
    let library = built("ai_basic1");
    for (words, named) in [
        (
            vec![
                "match",
                "ai_basic1",
                "ai_huo1",
                "--games",
                "2",
                "--nodes",
                "9",
                "--config",
                config,
                "--pgn",
                "blocked/x.pgn",
            ],
            "blocked/x.pgn: ",
        ),
        (
            vec!["book", "make", "games.pgn", "--out", "blocked/x.bin"],
            "blocked/x.bin: ",
        ),
        (
            vec!["man", "blocked/pages"],
            "cannot write the pages to blocked/pages: ",
        ),
        (
            vec![
                "add",
                "--config",
                "blocked/x.toml",
                library.to_str().unwrap(),
            ],
            "blocked/x.toml",
        ),
        (
            vec![
                "arena",
                "run",
                "--pairs",
                "1",
                "--config",
                config,
                "--arena",
                "blocked/x.db",
            ],
            "blocked/x.db",
        ),
    ] {
        let refused = outcome(command(&words).current_dir(file.folder()));
        assert!(
            refused.status != Some(0) && refused.stderr.contains(named),
            "{words:?}: {}",
            refused.stderr
        );
    }
    let mut print = Command::new(rookery());
    print.args(["perft", "--depth", "1"]).stderr(Stdio::piped());
    let full = print
        .stdout(File::options().write(true).open("/dev/full").unwrap())
        .output()
        .unwrap();
    let printed = String::from_utf8(full.stderr).unwrap();
    assert_eq!(
        printed,
        "error: standard output: No space left on device (os error 28)\n"
    );
}

#[test]
fn reports_a_fault_without_server_wording() {
    let file = configuration(&["exit"]);
    let mut ask = command(&["best-move", "--config"]);
    let error_output = outcome(ask.arg(file.path())).error_output(1);
    assert_eq!(
        error_output,
        "error: AI 'exit': the AI crashed: its process called exit(0)\n"
    );
}
