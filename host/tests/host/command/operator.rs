//! What an operator gets wrong around the command.

use std::{fs::File, process::Command, process::Stdio};

use super::{command, outcome};
use crate::support::{configuration, rookery};

#[test]
fn a_log_filter_that_is_not_understood_is_told_and_not_used() {
    let file = configuration(&["ai_basic1"]);
    let mut ask = command(&["best-move", "--depth", "1", "--config"]);
    let told = outcome(ask.arg(file.path()).env("ROOKERY_LOG", "rookery=loud"));
    assert_eq!(told.status, Some(0));
    assert!(told.stderr.starts_with("warning: ROOKERY_LOG is not understood"), "{}", told.stderr);
    assert!(told.stderr.contains("allowed: off, error, warn, info, debug, trace"), "{}", told.stderr);
}

#[test]
fn a_server_that_can_not_tell_its_address_says_so() {
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
fn a_fault_without_a_server_promises_nothing_about_one() {
    let file = configuration(&["exit"]);
    let mut ask = command(&["best-move", "--config"]);
    let complaint = outcome(ask.arg(file.path())).complaint(1);
    assert_eq!(complaint, "error: AI 'exit': the AI crashed: its process called exit(0)\n");
}
