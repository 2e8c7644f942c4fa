//! Failed reloads keep the current configuration and report the reason.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::{processes::kill, wait_until};

use super::{basic1, depth, reload, reload_command, reloaded};
use crate::{
    server::Server,
    support::{ConfigFile, assert_has, library, own_library, rookery},
};

/// Reloads a configuration that must fail with `part` in its errors, and then the good
/// configuration again.
#[track_caller]
fn check(server: &Server, file: &ConfigFile, text: &str, part: &str) {
    let (ais, workers) = (server.get("/v1/ais").1, server.children());
    file.write(text);
    let output = reload(file);
    let error_output = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error_output}");
    assert_has(&error_output, &["keeping the current configuration"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let errors = printed["servers"][0]["errors"].to_string();
    assert!(errors.contains(part), "{errors}");

    assert_eq!(depth(server), json!(2));
    wait_until("the new workers exit", || server.children() == workers);
    let reported = server.get("/v1/ais/basic1").1;
    assert!(
        reported["reload"]["failed_at"]
            .as_str()
            .unwrap()
            .ends_with('Z'),
        "{reported}"
    );
    let reported = reported["reload"]["errors"].as_array().unwrap();
    assert!(
        !reported.is_empty()
            && reported
                .iter()
                .all(|error| !error.as_str().unwrap().contains('/')),
        "{reported:?}"
    );

    file.write(&basic1(2));
    assert_eq!(reloaded(file)["ais"]["unchanged"], json!(["basic1"]));
    assert_eq!((server.get("/v1/ais").1, server.children()), (ais, workers));
}

fn with(ai: &str) -> String {
    format!("{}{ai}", basic1(2))
}

const CLUB: &str = "[level.club]\nname = \"Club\"\nai = \"basic1\"\nelo = 1550\n";

#[test]
fn a_bad_file_keeps_the_configuration() {
    let file = ConfigFile::new(&basic1(2));
    let server = Server::start(&file);
    for (text, part) in [
        ("[ai.basic1\n".to_owned(), "error: "),
        (
            with("[client.bob]\nai = \"nobody\"\n"),
            "names the AI `nobody`",
        ),
        (with("[ai.more]\nlibrary = \"nowhere\"\n"), "was not found"),
        (
            with("[ai.more]\nlibrary = \"ai_basic1\"\noptions.hash = 5\n"),
            "declares no option `hash`",
        ),
        // The AI itself is unchanged.
        (
            with(&format!("{CLUB}options.hash_mb = 1\n")),
            "sets `hash_mb`, which requests may not set",
        ),
    ] {
        check(&server, &file, &text, part);
    }
}

#[test]
fn a_failing_ai_keeps_the_configuration() {
    let file = ConfigFile::new(&basic1(2));
    let server = Server::start(&file);
    for (name, part) in [
        (
            "illegal_move",
            "in its smoke test, the start position: the AI played",
        ),
        (
            "no_move",
            "in its smoke test, the start position: the AI played no move",
        ),
        ("segfault", "killed by signal 11"),
        ("exit", "called exit("),
        ("hang", "did not answer within 300 ms"),
        ("required_option", "not in a bad mood"),
        (
            "abort_on_load",
            "while starting: the AI crashed: its process was killed by signal 6",
        ),
        ("other_layout", "AI 'more'"),
    ] {
        let ai = format!("[ai.more]\n{}move_timeout_ms = 300\n", library(name));
        check(&server, &file, &with(&ai), part);
    }
}

#[test]
fn restarts_workers_killed_in_their_smoke_test() {
    let file = ConfigFile::new(&basic1(2));
    let server = Server::start(&file);
    let serving = server.children();
    file.write(&with(&format!("[ai.more]\n{}", library("hang"))));
    let reloading = std::thread::spawn(move || reload(&file));
    let mut killed = Vec::new();
    for _ in 0..5 {
        let mut new = None;
        wait_until("a worker is started", || {
            new = server
                .children()
                .into_iter()
                .find(|worker| !serving.contains(worker) && !killed.contains(worker));
            new.is_some()
        });
        kill(new.unwrap(), Signal::KILL);
        killed.extend(new);
    }
    let reloading = reloading.join().unwrap();
    assert_eq!(reloading.status.code(), Some(2));
    let reported = String::from_utf8(reloading.stdout).unwrap();
    assert!(reported.contains("killed by signal 9"), "{reported}");
    assert_eq!(server.children(), serving);
}

#[test]
fn a_broken_library_keeps_the_configuration() {
    let (file, library) = own_library("ai_basic1", "");
    let whole = fs::read(&library).unwrap();
    let server = Server::start(&file);
    let workers = server.children();
    for bytes in [&b"no library"[..], &[], &whole[..whole.len() / 40]] {
        fs::write(&library, bytes).unwrap();
        assert_eq!(reload(&file).status.code(), Some(2));
        depth(&server);
        wait_until("the new workers exit", || server.children() == workers);
    }
    // A missing library is not an error: the AI keeps running.
    fs::remove_file(&library).unwrap();
    let reported = reloaded(&file);
    assert_eq!(
        reported["ais"]["unchanged"],
        json!(["basic1"]),
        "{reported}"
    );
    let warning = format!("{} is gone", library.display());
    assert!(
        reported["warnings"].to_string().contains(&warning),
        "{reported}"
    );
    fs::write(&library, &whole).unwrap();
    assert_eq!(reloaded(&file)["ais"]["unchanged"], json!(["basic1"]));
    assert_eq!(server.children(), workers);
}

#[test]
fn applies_removals_only_if_a_command_allows_them() {
    let file = ConfigFile::new(&basic1(2));
    let server = Server::start(&file);
    let without_client = basic1(2)
        .split("[client.default]")
        .next()
        .unwrap()
        .to_owned();
    for (text, part) in [
        (String::new(), "it has no AIs; the running server has 1 AI"),
        (
            without_client,
            "it has no clients; the running server has 1 client",
        ),
        (basic1(2).replace("ai = \"basic1\"\n", ""), "has no `ai`"),
    ] {
        check(&server, &file, &text, part);
    }
    let removed = |arguments: &[&str]| {
        let mut command = std::process::Command::new(rookery());
        command.env("XDG_RUNTIME_DIR", file.folder());
        command
            .args(arguments)
            .arg("--config")
            .arg(file.path())
            .output()
            .unwrap()
    };
    let output = removed(&["client", "remove", "default"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(server.post("/v1/best-move", &json!({"game": {}})).0, 401);
    let output = removed(&["remove", "basic1"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    wait_until("the AI's worker exits", || server.children().is_empty());
    file.write(&basic1(2));
    assert_eq!(reloaded(&file)["ais"]["added"], json!(["basic1"]));
    file.write("");
    assert_eq!(
        reload_command(&file, &["--allow-empty"])
            .status()
            .unwrap()
            .code(),
        Some(0)
    );
    assert_eq!(server.post("/v1/best-move", &json!({"game": {}})).0, 401);
}
