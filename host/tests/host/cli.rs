//! The command as a process: data on standard output, messages on standard error, and the exit
//! status.

pub(crate) mod add;
mod ais;
mod arena;
mod bench;
mod best_move;
mod book;
pub(crate) mod check_ai;
mod client;
mod config;
mod convert;
mod diagnostics;
mod discovery;
mod matches;
mod mcp;
mod new_ai;
mod perft;
mod replay;
mod report;
mod rollout;
mod uci;
pub(crate) mod without_file;

use std::fs::{self, File};

use assert_cmd::Command;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use tempfile::TempDir;
use test_kit::NO_CONFIG_HOME;

use crate::support::{ConfigFile, assert_has, built, rookery};

/// The exit status and the output of a command.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Checks that a command succeeded, whatever it printed.
    #[track_caller]
    fn assert_success(&self) {
        assert_eq!(self.status, Some(0), "{}{}", self.stdout, self.stderr);
    }

    /// Returns the data of a command that succeeded and printed no messages.
    #[track_caller]
    fn data(self) -> String {
        assert_eq!(
            (self.status, self.stderr.as_str()),
            (Some(0), ""),
            "{}",
            self.stdout
        );
        self.stdout
    }

    /// Returns the JSON of a command that succeeded and printed no messages.
    #[track_caller]
    fn json(self) -> Value {
        serde_json::from_str(&self.data()).unwrap()
    }

    /// Returns the message of a command that failed and printed no data.
    #[track_caller]
    fn error_output(self, status: i32) -> String {
        assert_eq!(
            (self.status, self.stdout.as_str()),
            (Some(status), ""),
            "{}",
            self.stderr
        );
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        self.stderr
    }

    /// Returns the JSON of a command that failed and printed nothing else.
    #[track_caller]
    fn failure(self, status: i32) -> Value {
        assert_eq!(
            (self.status, self.stdout.as_str()),
            (Some(status), ""),
            "{}",
            self.stderr
        );
        let (messages, failure) = self.messages_and_failure();
        assert_eq!(
            (messages, &failure["exit_status"]),
            ("", &json!(status)),
            "{failure:#}"
        );
        failure
    }

    /// Returns the messages of a failed command, and the JSON after them.
    #[track_caller]
    fn messages_and_failure(&self) -> (&str, Value) {
        let line = self.stderr.trim_end().rfind('\n').map_or(0, |end| end + 1);
        (
            &self.stderr[..line],
            serde_json::from_str(&self.stderr[line..]).unwrap(),
        )
    }

    /// Checks and returns the message of a command that failed and printed no data.
    #[track_caller]
    fn fails_with(self, status: i32, parts: &[impl AsRef<str>]) -> String {
        let message = self.error_output(status);
        assert_has(&message, parts);
        message
    }

    /// Returns the last line of data, the result of some commands.
    #[track_caller]
    pub(crate) fn last_line(&self) -> &str {
        assert_eq!(self.status, Some(0), "{}", self.stderr);
        self.stdout.lines().last().unwrap()
    }
}

/// A pseudo-terminal and its slave end.
fn terminal() -> (File, File) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new())
        .unwrap()
        .into_string()
        .unwrap();
    (
        terminal.into(),
        File::options().read(true).write(true).open(name).unwrap(),
    )
}

/// The command, run in a folder without a configuration and without environment variables.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::from(test_kit::command());
    command.args(arguments).current_dir("/");
    command
}

pub(crate) fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    Outcome {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The command as installed by a package, with the library that drives engines.
struct Installed(TempDir);

fn installed() -> Installed {
    let folder = tempfile::tempdir().unwrap();
    let libraries = folder.path().join("lib/rookery");
    fs::create_dir_all(&libraries).unwrap();
    fs::create_dir(folder.path().join("bin")).unwrap();
    fs::copy(rookery(), folder.path().join("bin/rookery")).unwrap();
    fs::copy(built("ai_uci"), libraries.join("libai_uci.so")).unwrap();
    Installed(folder)
}

impl Installed {
    fn command(&self) -> Command {
        let mut command = Command::new(self.0.path().join("bin/rookery"));
        command.current_dir("/");
        command.env("XDG_CONFIG_HOME", NO_CONFIG_HOME);
        command
    }
}

pub(crate) fn run(arguments: &[&str]) -> Outcome {
    outcome(&mut command(arguments))
}

pub(crate) fn run_with(file: &ConfigFile, arguments: &[&str]) -> Outcome {
    outcome(command(arguments).arg("--config").arg(file.path()))
}

/// Like [`run_with`], but without the log that a server starts before it fails.
fn run_quietly(file: &ConfigFile, arguments: &[&str]) -> Outcome {
    let mut command = command(arguments);
    command.arg("--config").arg(file.path());
    outcome(command.env("ROOKERY_LOG", "error"))
}

#[test]
fn help_goes_to_stdout_and_lists_every_command() {
    let help = run(&["--help"]).data();
    let commands = [
        "serve",
        "config",
        "ais",
        "best-move",
        "uci",
        "match",
        "book",
        "client",
        "perft",
    ];
    assert_has(&help, &commands);
    assert_has(&help, &["Examples:", "Exit status: 0 success"]);
    // `worker` is hidden.
    assert!(!help.contains("worker"), "{help}");
    for command in [
        "serve",
        "config check",
        "config show",
        "ais",
        "best-move",
        "report",
        "replay",
        "uci",
        "match",
        "book make",
        "book show",
        "book check",
        "perft",
    ] {
        let words: Vec<_> = command.split(' ').chain(["--help"]).collect();
        let help = run(&words).data();
        assert!(help.contains("Example"), "{command}: {help}");
    }
}

#[test]
fn prints_the_version_on_one_line() {
    assert_eq!(run(&["--version"]).data(), "rookery 1.0.0\n");
}

#[test]
fn suggests_the_closest_argument() {
    for (arguments, part) in [
        (&["best-move", "--dept", "3"][..], "'--depth'"),
        (&["best-move", "--movetime", "3"], "'--movetime-ms"),
        (&["bestmove"], "'best-move'"),
        (&["config", "chek"], "'check'"),
        (&["serve", "--port", "80"], "unexpected argument '--port'"),
        (&["perft"], "--depth <N>"),
        (&["perft", "--depth", "x"], "invalid value 'x'"),
        (&["perft", "--depth", "31"], "31 is not in 0..=30"),
        (&["perft", "--depth", "-1"], "-1"),
        (&["worker"], "--parent <PARENT>"),
    ] {
        run(arguments).fails_with(2, &[part]);
    }
    let nothing = run(&[]);
    assert_eq!((nothing.status, nothing.stdout.as_str()), (Some(2), ""));
    assert!(
        nothing.stderr.contains("Usage: rookery"),
        "{}",
        nothing.stderr
    );
}

#[test]
fn failures_can_be_json() {
    for (arguments, status, code, part) in [
        (&["perft", "--json"][..], 2, "wrong_usage", "--depth <N>"),
        (
            &["perft", "--depth", "1", "--fen", "x", "--json"],
            2,
            "wrong_usage",
            "bad_fen",
        ),
        (
            &["ais", "--json", "--config", "/nowhere.toml"],
            2,
            "wrong_configuration",
            "1 error in the configuration",
        ),
        (
            &["reload", "--json", "--config", "/nowhere.toml"],
            1,
            "failed",
            "cannot find the configuration /nowhere.toml",
        ),
    ] {
        let failure = run(arguments).failure(status);
        assert_eq!(
            (&failure["code"], &failure["exit_status"]),
            (&json!(code), &json!(status)),
            "{failure:#}"
        );
        assert!(
            failure["detail"].as_str().unwrap().contains(part),
            "{failure:#}"
        );
    }
    let missing = run(&["ais", "--json", "--config", "/nowhere.toml"]).failure(2);
    assert_eq!(
        missing["issues"][0]["message"], "there is no such file",
        "{missing:#}"
    );
    // The words after `--` belong to another program.
    run(&["check-ai", "--", "/nowhere", "--json"]).error_output(1);
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]).data();
        assert_has(&script, &["best-move", "gauntlet"]);
    }
    run(&["completions", "tcsh"]).fails_with(2, &["'tcsh'", "bash"]);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man");
    assert_eq!(run(&["man", pages.to_str().unwrap()]).data(), "");
    let page = |name: &str| fs::read_to_string(pages.join(name));
    assert_has(&page("rookery.1").unwrap(), &["rookery", "best\\-move"]);
    for command in [
        "serve",
        "config-check",
        "client-rotate",
        "best-move",
        "completions",
    ] {
        let text = page(&format!("rookery-{command}.1")).unwrap();
        assert_has(&text, &[".TH", "Example"]);
    }
    // These commands are hidden.
    assert!(page("rookery-worker.1").is_err() && page("rookery-man.1").is_err());
}

#[test]
fn rejects_a_worker_started_by_hand() {
    let error_output = run(&["worker", "--parent", "1", "--ai", "x"]).error_output(1);
    assert_eq!(
        error_output,
        "error: 'rookery worker' is started by the server, with a socket and a library; run \
         'rookery serve' instead\n"
    );
}

/// Runs the command with closed standard output and error.
fn run_unread(arguments: &[&str]) -> std::process::ExitStatus {
    let mut command = std::process::Command::new(rookery());
    command.args(arguments).current_dir("/");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    command.status().unwrap()
}

#[test]
fn ignores_a_closed_stdout() {
    for arguments in [
        &["perft", "--depth", "2", "--divide"][..],
        &["perft", "--depth", "1"],
        &["--help"],
        &["--version"],
    ] {
        let status = run_unread(arguments);
        assert_eq!(status.code(), Some(0), "{arguments:?}: {status}");
    }
    // A failure keeps its exit status.
    for (arguments, code) in [
        (&["perft", "--depth", "1", "--fen", "x"][..], 2),
        (&["config", "check", "--config", "/nowhere.toml"], 2),
        (&["ais", "--config", "/nowhere.toml"], 2),
        (&["worker", "--parent", "1", "--ai", "x"], 1),
        (&["nothing"], 2),
    ] {
        let status = run_unread(arguments);
        assert_eq!(status.code(), Some(code), "{arguments:?}: {status}");
    }
}
