//! What an operator gets wrong around the command.

use std::{fs::File, process::Command, process::Stdio};

use super::{command, outcome};
use crate::support::{configuration, rookery};

#[test]
fn warns_of_a_bad_log_filter() {
    let file = configuration(&["ai_basic1"]);
    let mut ask = command(&["best-move", "--depth", "1", "--config"]);
    let told = outcome(ask.arg(file.path()).env("ROOKERY_LOG", "rookery=loud"));
    assert_eq!(told.status, Some(0));
    assert!(told.stderr.starts_with("warning: ROOKERY_LOG is not understood"), "{}", told.stderr);
    assert!(told.stderr.contains("allowed: off, error, warn, info, debug, trace"), "{}", told.stderr);
}

#[test]
fn fails_when_stdout_is_not_writable() {
    let file = configuration(&["ai_basic1"]);
    let mut serve = Command::new(rookery());
    serve.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(file.path());
    serve.stdout(File::options().write(true).open("/dev/full").unwrap()).stderr(Stdio::piped());
    let ended = serve.output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("error: can't write the address to standard output: No space left"), "{said}");
}

#[test]
fn reports_a_fault_without_server_wording() {
    let file = configuration(&["exit"]);
    let mut ask = command(&["best-move", "--config"]);
    let complaint = outcome(ask.arg(file.path())).complaint(1);
    assert_eq!(complaint, "error: AI 'exit': the AI crashed: its process called exit(0)\n");
}
