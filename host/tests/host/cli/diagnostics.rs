//! Diagnostics for operators.

use std::{fs::File, process::Command, process::Stdio};

use super::{command, outcome};
use crate::support::{configuration, rookery};

#[test]
fn warns_of_a_bad_log_filter() {
    let file = configuration(&["ai_basic1"]);
    let mut ask = command(&["best-move", "--depth", "1", "--config"]);
    let reported = outcome(ask.arg(file.path()).env("ROOKERY_LOG", "rookery=loud"));
    assert_eq!(reported.status, Some(0));
    assert!(reported.stderr.starts_with("warning: ignoring ROOKERY_LOG: "), "{}", reported.stderr);
    assert!(reported.stderr.contains("allowed: off, error, warn, info, debug, trace"), "{}", reported.stderr);
}

#[test]
fn fails_when_stdout_is_not_writable() {
    let file = configuration(&["ai_basic1"]);
    let mut serve = Command::new(rookery());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(file.path());
    serve.stdout(File::options().write(true).open("/dev/full").unwrap()).stderr(Stdio::piped());
    let ended = serve.output().unwrap();
    let printed = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("error: cannot write the address to standard output: No space left"),
        "{printed}"
    );
}

#[test]
fn reports_a_fault_without_server_wording() {
    let file = configuration(&["exit"]);
    let mut ask = command(&["best-move", "--config"]);
    let error_output = outcome(ask.arg(file.path())).error_output(1);
    assert_eq!(error_output, "error: AI 'exit': the AI crashed: its process called exit(0)\n");
}
