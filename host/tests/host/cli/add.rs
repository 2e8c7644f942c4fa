//! `rookery add` and `rookery remove`.

mod foreign;
mod grants;
mod places;
mod refusals;

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Stdio,
};

use library::file_sha256;
use serde_json::{Value, json};
use tempfile::TempDir;
use test_kit::write_program;

use super::{Outcome, command, outcome, run, run_with};
use crate::{
    server::Server,
    support::{ConfigFile, assert_has, basic1_and, built, rookery},
};

/// A script that is a UCI engine. It reads its moves from a file next to it.
const ENGINE: &str = r#"#!/bin/sh
. "${0%/*}/moves.sh"
while read -r word rest; do
    case "$word" in
        uci) printf 'id name Shell 1.5\nid author Its Author\noption name Hash type spin default 16 min 1 max 64\nuciok\n' ;;
        isready) echo readyok ;;
        position) position=$rest ;;
        go) reply "$position" ;;
        quit) exit ;;
    esac
done
"#;
/// The engine's moves in the positions that the trial, the smoke tests and some checks use.
const MOVES: &str = r#"
reply() {
    case "$1" in
        startpos*) move=e2e4 ;;
        *r3k2r/p1ppqpb1*) move=e2a6 ;;
        *6k1/5ppp/8/8/8/8/8/4R2K*) move=e1e8 ;;
        *7k/8/5KQ1*) move=g6g7 ;;
        *r1bqkbnr/pppp1ppp/2n5*) move=g8f6 ;;
        *) move=f7f6 ;;
    esac
    printf 'info depth 1 score cp 12 nodes 1 pv %s\nbestmove %s\n' $move $move
}
"#;

/// A folder with the engine, and the engine's path.
pub(crate) fn engine() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("moves.sh"), MOVES).unwrap();
    let engine = script(folder.path(), "shell.sh", ENGINE);
    (folder, engine)
}

/// Writes a program that every user may run.
fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    write_program(&file, text);
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

fn add(file: &ConfigFile, arguments: &[&str]) -> Outcome {
    refused(file, &[&["--json"], arguments].concat())
}

/// Tries to add a target that will be refused. The messages are text, not JSON.
fn refused(file: &ConfigFile, arguments: &[&str]) -> Outcome {
    // The words after `--` belong to the engine, so the flags come first.
    let path = file.path();
    let flags = ["add", "--config", path.to_str().unwrap()];
    // Test servers have their sockets in this folder.
    outcome(command(&[&flags, arguments].concat()).env("XDG_RUNTIME_DIR", file.folder()))
}

/// Adds an AI and returns the printed JSON.
#[track_caller]
fn added(file: &ConfigFile, arguments: &[&str]) -> Value {
    let outcome = add(file, arguments);
    outcome.assert_success();
    serde_json::from_str(&outcome.stdout).unwrap()
}

fn text(file: &ConfigFile) -> String {
    fs::read_to_string(file.path()).unwrap()
}

#[test]
fn a_script_gets_only_what_it_reads_in_its_folder() {
    let (folder, engine) = engine();
    fs::write(folder.path().join("diary.txt"), "private").unwrap();
    let file = basic1_and("\n# At the end.\n");
    let before = text(&file);
    let printed = added(&file, &[engine.to_str().unwrap()]);
    let moves = fs::canonicalize(folder.path().join("moves.sh")).unwrap();
    assert_eq!(
        printed["allow_read"],
        json!([moves, fs::canonicalize(&engine).unwrap()]),
        "{printed:#}"
    );
    assert_eq!(printed["allow_exec"], json!(["/bin/sh"]), "{printed:#}");
    let expected = json!([
        "shell",
        "added",
        true,
        "Shell",
        "1.5",
        "Its Author",
        ["hash_mb"]
    ]);
    let keys = [
        "id",
        "change",
        "is_written",
        "name",
        "version",
        "author",
        "options",
    ];
    assert_eq!(
        json!(keys.map(|key| &printed[key])),
        expected,
        "{printed:#}"
    );
    let steps = printed["trial"]["steps"].as_array().unwrap();
    assert_eq!(
        steps
            .iter()
            .map(|step| &step["best_move"])
            .collect::<Vec<_>>(),
        ["e2e4", "e2a6", "f7f6", "e2e4", "e2e4", "e2e4"]
    );
    let section = printed["section"].as_str().unwrap();
    assert_has(
        section,
        &[
            "[ai.shell]\n",
            "limit = { movetime_ms = 1000 }",
            "memory_mb = 1024",
            "threads = 8",
        ],
    );
    let after = text(&file);
    assert!(after.contains(section), "{after}");
    for line in before.lines() {
        assert!(after.contains(line), "{line} is not in {after}");
    }
    let game = run_with(&file, &["best-move", "--ai", "shell", "--json"]).json();
    assert_eq!(game["move"]["uci"], "e2e4", "{game:#}");
}

#[test]
fn a_program_has_the_usual_devices_and_writes_no_file() {
    let (folder, engine) = engine();
    let moves = folder.path().join("moves.sh");
    let with = |line: &str| fs::write(&moves, format!("set -e\n{line}\n{MOVES}")).unwrap();
    with("echo nothing 2>/dev/null >/dev/null\nread -r random </dev/urandom");
    let file = basic1_and("");
    assert_eq!(added(&file, &[engine.to_str().unwrap()])["change"], "added");
    with("echo line >>\"${0%/*}/engine.log\"");
    let outcome = add(&file, &[engine.to_str().unwrap(), "--id", "other"]);
    assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
    assert_has(
        &outcome.stderr,
        &["Read-only file system", "an AI may not write files"],
    );
}

#[test]
fn a_file_elsewhere_needs_a_flag() {
    let (folder, engine) = engine();
    let elsewhere = tempfile::tempdir().unwrap();
    let moves = elsewhere.path().join("moves.sh");
    fs::rename(folder.path().join("moves.sh"), &moves).unwrap();
    fs::set_permissions(elsewhere.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let source = "${0%/*}/moves.sh";
    let engine = script(
        folder.path(),
        "other.sh",
        &fs::read_to_string(&engine)
            .unwrap()
            .replace(source, moves.to_str().unwrap()),
    );
    let file = basic1_and("");
    let before = text(&file);
    let outcome = add(&file, &[engine.to_str().unwrap()]);
    let real = fs::canonicalize(&moves).unwrap();
    let hint = format!(
        "it looked for {}: --allow-read {} grants it",
        real.display(),
        real.display()
    );
    assert_eq!(
        (outcome.status, outcome.stdout.as_str()),
        (Some(1), ""),
        "{}",
        outcome.stderr
    );
    assert_has(&outcome.stderr, &["it does not play", &hint]);
    assert_eq!(text(&file), before);
    let printed = added(
        &file,
        &[
            engine.to_str().unwrap(),
            "--allow-read",
            moves.to_str().unwrap(),
        ],
    );
    assert!(
        printed["allow_read"]
            .as_array()
            .unwrap()
            .contains(&json!(real)),
        "{printed:#}"
    );
}

#[test]
fn a_running_server_serves_an_added_ai_until_it_is_removed() {
    let (_folder, engine) = engine();
    let file = basic1_and("");
    let before = text(&file);
    let server = Server::start(&file);
    let printed = added(&file, &["--id", "mine", "--", engine.to_str().unwrap()]);
    assert_eq!(
        printed["servers"].as_array().unwrap().len(),
        1,
        "{printed:#}"
    );
    let (status, body) = server.post("/v1/best-move", &json!({"game": {}, "ai": "mine"}));
    assert_eq!(
        (status, &body["move"]["uci"]),
        (200, &json!("e2e4")),
        "{body}"
    );
    assert_eq!(body["ai"]["name"], "Shell", "{body}");
    let mut remove = command(&[
        "remove",
        "mine",
        "--json",
        "--config",
        file.path().to_str().unwrap(),
    ]);
    let removed = outcome(remove.env("XDG_RUNTIME_DIR", file.folder()));
    assert_eq!(removed.status, Some(0), "{}", removed.stderr);
    let (status, body) = server.post("/v1/best-move", &json!({"game": {}, "ai": "mine"}));
    assert_eq!(
        (status, &body["code"]),
        (404, &json!("unknown_ai")),
        "{body}"
    );
    assert_eq!(text(&file).trim_end(), before.trim_end());
}

#[test]
fn adding_an_existing_id_updates_the_ai_and_keeps_its_other_keys() {
    let (_folder, engine) = engine();
    let engine = engine.to_str().unwrap();
    let file = basic1_and("");
    added(&file, &[engine]);
    assert_eq!(added(&file, &[engine])["change"], "unchanged");
    let own = text(&file)
        .replace("memory_mb = 1024", "memory_mb = 2048 # enough")
        .replace(
            "limit = { movetime_ms = 1000 }",
            "workers = 2\nlimit = { depth = 3 }",
        );
    fs::write(file.path(), &own).unwrap();
    let printed = added(
        &file,
        &[engine, "--option", "hash_mb=32", "--threads", "20"],
    );
    let expected = own
        .replace("threads = 8", "threads = 20")
        .replace(" }\n", ", hash_mb = 32 }\n");
    let expected = expected.replace("depth = 3, hash_mb = 32", "depth = 3");
    assert_eq!(text(&file), expected, "{printed:#}");
    let shown = run_with(&file, &["add", engine, "--dry-run", "--threads", "30"]);
    assert_has(
        &shown.stdout,
        &[
            "+ threads = 30",
            "- threads = 20",
            "  workers = 2",
            "nothing was written",
        ],
    );
    assert_eq!(text(&file), expected);
}

#[test]
fn another_program_with_the_same_name_does_not_take_the_id() {
    let (_folder, first) = engine();
    let (_other, second) = engine();
    let file = basic1_and("");
    added(&file, &[first.to_str().unwrap()]);
    let message = refused(&file, &[second.to_str().unwrap()])
        .fails_with(2, &["[ai.shell] already exists, for ", "--id shell"]);
    assert_has(&message, &["--id OTHER", first.to_str().unwrap()]);
    let printed = added(&file, &[second.to_str().unwrap(), "--id", "shell"]);
    assert_eq!(printed["change"], "changed");
    assert!(
        !text(&file).contains(first.to_str().unwrap()),
        "{}",
        text(&file)
    );
}

#[test]
fn a_library_is_added_by_its_name_or_its_path() {
    let file = ConfigFile::new("");
    let listed = added(&file, &[built("ai_basic1").to_str().unwrap()]);
    assert_has(
        listed["section"].as_str().unwrap(),
        &["[ai.basic1]\nlibrary = \"ai_basic1\"\n"],
    );
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("libcopy.so");
    fs::copy(built("ai_basic1"), &copy).unwrap();
    let copied = added(&file, &[copy.to_str().unwrap(), "--id", "copy"]);
    assert_has(
        copied["section"].as_str().unwrap(),
        &[&format!("library = \"{}\"", copy.display())],
    );
}

#[test]
fn the_first_ai_gets_a_file_and_a_client() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/my.toml");
    let library = built("ai_basic1");
    let arguments = [
        "add",
        library.to_str().unwrap(),
        "--config",
        path.to_str().unwrap(),
    ];
    let outcome = run(&arguments);
    assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    assert_has(
        &outcome.stdout,
        &[
            "Basic1 1.0.0 by ",
            "rookery serve --config ",
            "rookery match basic1 --gauntlet",
        ],
    );
    assert_has(
        &fs::read_to_string(&path).unwrap(),
        &["[ai.basic1]\n", "[client.default]\nai = \"basic1\"\n"],
    );
}

#[test]
fn removes_nothing_that_others_need() {
    let file = basic1_and("");
    let before = text(&file);
    run_with(&file, &["remove", "basic1"])
        .fails_with(2, &["`client.default.ai` names the AI `basic1`"]);
    let level = "[level.one]\nname = \"One\"\nelo = 1000\nai = \"mine\"\n";
    let mine = format!("[ai.mine]\nlibrary = {:?}\n{level}", built("ai_basic1"));
    let with_level = basic1_and(&mine);
    run_with(&with_level, &["remove", "mine"])
        .fails_with(2, &["[ai.mine] is still needed", "level.one"]);
    run_with(&file, &["remove", "basic2"]).fails_with(2, &["has no [ai.basic2]"]);
    assert_eq!(text(&file), before);
}

#[test]
fn an_ai_without_its_library_is_removed_from_a_file_with_other_errors() {
    let lost = |id: &str| format!("\n[ai.{id}]\nlibrary = \"lost\"\n");
    let file = basic1_and(&(lost("one") + &lost("two")));
    let first = run_with(&file, &["remove", "one"]);
    assert_eq!(first.status, Some(0), "{}", first.stderr);
    assert_has(
        &first.stderr,
        &["the file has other errors, which 'rookery config check' reports"],
    );
    assert!(!text(&file).contains("[ai.one]"), "{}", text(&file));
    let second = run_with(&file, &["remove", "two"]);
    assert_eq!(second.status, Some(0));
    assert!(
        second.stderr.starts_with("note: found no running server"),
        "{}",
        second.stderr
    );
}

#[test]
fn says_what_a_long_trial_waits_for() {
    let folder = tempfile::tempdir().unwrap();
    let silent = script(
        folder.path(),
        "silent.sh",
        "#!/bin/sh\nwhile read -r line; do :; done\n",
    );
    let file = basic1_and("");
    let mut adding = std::process::Command::new(rookery());
    adding
        .args(["add", "--config"])
        .arg(file.path())
        .arg(silent);
    let mut adding = adding
        .current_dir("/")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let messages = BufReader::new(adding.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let mut told = messages.skip_while(|line| !line.starts_with("waiting for its start … "));
    assert!(told.next().is_some());
    adding.kill().unwrap();
    adding.wait().unwrap();
}

#[test]
fn the_first_ai_is_removed_with_its_client() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.toml");
    let (library, path) = (built("ai_basic1"), path.to_str().unwrap());
    for arguments in [
        &["add", library.to_str().unwrap()][..],
        &["remove", "basic1"],
    ] {
        let outcome = run(&[arguments, &["--config", path]].concat());
        assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    }
    assert_eq!(fs::read_to_string(path).unwrap().trim(), "");
    // The message names no lines, because the changed text is never written.
    let file = basic1_and("");
    let message = run_with(&file, &["remove", "basic1"]).fails_with(
        2,
        &["[ai.basic1] is still needed; change or remove what uses it"],
    );
    assert!(!message.contains("-->"), "{message}");
}

#[test]
fn the_message_of_a_failed_smoke_test_names_no_line() {
    let (folder, engine) = engine();
    fs::write(
        folder.path().join("moves.sh"),
        MOVES.replace("move=e1e8", "move=a1a2"),
    )
    .unwrap();
    let file = basic1_and("");
    let before = text(&file);
    let Outcome { status, stderr, .. } = add(&file, &[engine.to_str().unwrap()]);
    assert_eq!(status, Some(1), "{stderr}");
    assert_has(
        &stderr,
        &["the AI was not added: ", "in its smoke test, a mate in one"],
    );
    assert!(!stderr.contains("-->"), "{stderr}");
    assert_eq!(text(&file), before);
}

#[test]
fn names_the_page_of_a_running_server() {
    let file = basic1_and("");
    let library = built("ai_basic1");
    let path = file.path();
    let add = |id: &str| {
        let own = ["--id", id, "--option", "hash_mb=8", "--memory-mb", "2048"];
        let words = [
            &[
                "add",
                library.to_str().unwrap(),
                "--config",
                path.to_str().unwrap(),
            ],
            &own[..],
        ]
        .concat();
        let outcome = outcome(command(&words).env("XDG_RUNTIME_DIR", file.folder()));
        assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
        outcome.stdout
    };
    assert_has(&add("one"), &["play     http://127.0.0.1:8080/\n"]);
    let server = Server::start(&file);
    let shown = add("two");
    let address = server.address;
    assert_has(&shown, &[format!("play     http://{address}/\n")]);
    assert!(!shown.contains("8080"), "{shown}");
    // The command repeats the flags with which the AI was added.
    assert_has(
        &shown,
        &["check    rookery check-ai --option 'hash_mb=8' --memory-mb 2048 /"],
    );
}

#[test]
fn a_pinned_configuration_gets_the_hash() {
    let file = ConfigFile::new("");
    fs::write(
        file.path(),
        text(&file).replace("\"configured\"", "\"pinned\""),
    )
    .unwrap();
    let library = built("ai_basic1");
    let printed = added(&file, &[library.to_str().unwrap()]);
    assert_has(printed["section"].as_str().unwrap(), &["\nsha256 = \""]);
}

#[test]
fn a_pinned_configuration_gets_the_hashes_of_an_engine() {
    let file = ConfigFile::new("");
    fs::write(
        file.path(),
        text(&file).replace("\"configured\"", "\"pinned\""),
    )
    .unwrap();
    let (folder, engine) = engine();
    let engine = engine.to_str().unwrap();
    let library = built("ai_basic1");
    added(&file, &[library.to_str().unwrap(), "--id", "basic1"]);
    let printed = added(&file, &[engine, "--id", "shell"]);
    let section = printed["section"].as_str().unwrap();
    let moves = folder.path().join("moves.sh");
    let pin = |path: &Path| {
        format!(
            "\"{}\" = \"{}\"",
            path.display(),
            file_sha256(path).unwrap()
        )
    };
    let (of_script, of_moves) = (pin(Path::new(engine)), pin(&moves));
    assert_has(section, &["files_sha256 = { ", &of_script, &of_moves]);
    run_with(&file, &["config", "check"]).data();
    let pinned = run_with(&file, &["ais", "pin", "shell"]).data();
    assert_has(
        &pinned,
        &[
            "# programs, scripts and other files: already pinned\n[ai.shell.files_sha256]\n",
            &of_script,
            &of_moves,
        ],
    );
    let pinned = run_with(&file, &["ais", "pin", "shell", "--json"]).json();
    let files = pinned[0]["files"].as_array().unwrap();
    assert!(
        files.len() > 2 && files.iter().all(|file| file["is_pinned"] == true),
        "{pinned}"
    );

    let before = file_sha256(&moves).unwrap().to_string();
    fs::write(&moves, MOVES.replace("e2e4", "d2d4")).unwrap();
    let after = file_sha256(&moves).unwrap().to_string();
    run_with(&file, &["config", "check"])
        .fails_with(2, &["moves.sh does not match its pin", &after, &before]);
    // Adding the engine again accepts the new file.
    let printed = added(&file, &[engine, "--id", "shell"]);
    assert_eq!(printed["change"], "changed");
    run_with(&file, &["config", "check"]).data();
}

#[test]
fn limits_are_written_and_can_be_binding() {
    let (_folder, program) = engine();
    let file = basic1_and("");
    let program = program.to_str().unwrap();
    let wrong = refused(&file, &["--limit", "moves=1", program]);
    assert_has(
        &wrong.stderr,
        &["expected depth, nodes, movetime_ms or mate"],
    );
    let unlimited = refused(&file, &["--bind", program]);
    assert_has(&unlimited.stderr, &["--limit"]);
    let none = refused(&file, &["--limit", "nodes=0", program]);
    assert_has(&none.stderr, &["limit.nodes` is 0"]);
    let limits = ["--limit", "nodes=1", "--limit", "movetime_ms=900", "--bind"];
    let printed = added(&file, &[&limits[..], &[program]].concat());
    let limit = "limit = { nodes = 1, movetime_ms = 900, bind = true }";
    assert_has(printed["section"].as_str().unwrap(), &[limit]);
    assert_has(&text(&file), &[limit]);
}
