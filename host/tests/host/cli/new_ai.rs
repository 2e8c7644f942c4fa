//! `rookery new-ai`: the folder builds, its tests pass, and the library is an AI.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use super::{Outcome, command, outcome, run, run_with};
use crate::support::{Application, ConfigFile, assert_has, built, rookery, with_ais};

fn new_ai(parent: &Path, arguments: &[&str]) -> Outcome {
    outcome(command(&[&["new-ai"], arguments].concat()).current_dir(parent))
}

/// Runs cargo offline in the folder of a new AI, with a target folder that later runs reuse.
fn cargo(folder: &Path, arguments: &[&str]) -> PathBuf {
    let target = rookery().ancestors().nth(2).unwrap().join("new-ai");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(arguments)
        .args(["--config", "profile.release.opt-level=0", "--offline", "--target-dir"])
        .arg(&target)
        .current_dir(folder);
    for (name, _) in std::env::vars_os() {
        // Variables of the cargo that runs this test.
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG") || name.starts_with("CARGO_BIN") || name == "CARGO_MANIFEST_DIR" {
            cargo.env_remove(name);
        }
    }
    let output = cargo.output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    target
}

/// Creates, tests, builds, checks and serves an AI.
fn create_and_check(name: &str, further: &[&str]) {
    let place = tempfile::tempdir().unwrap();
    let parent = place.path().join("with spaces");
    fs::create_dir(&parent).unwrap();
    let printed = new_ai(&parent, &[&[name], further].concat()).data();
    let library = format!("release/lib{}.so", name.replace('-', "_"));
    assert_has(&printed, &[format!("rookery check-ai ./target/{library}")]);
    let folder = parent.join(name);
    // With one profile, so that the dependencies are built once.
    cargo(&folder, &["test", "--release"]);
    let target = cargo(&folder, &["build", "--release"]);
    serve(&target.join(library));
}

/// Checks a built AI, and lets it play.
fn serve(library: &Path) {
    let examined = run(&["check-ai", library.to_str().unwrap(), "--seed", "1"]);
    assert_eq!(examined.status, Some(0), "{}", examined.stdout);
    assert!(examined.stdout.contains("pass     manifest.author"), "{}", examined.stdout);
    let file = with_ais(&[("new", library.to_str().unwrap(), ""), ("basic1", "ai_basic1", "")], "");
    let answer = run_with(&file, &["best-move", "--nodes", "1000"]).data();
    assert!(!answer.is_empty());
    let played = run_with(&file, &["match", "new", "basic1", "--games", "2", "--nodes", "200", "--json"]);
    let played: Value = serde_json::from_str(&played.stdout).unwrap();
    assert_eq!((&played["games"], &played["finish"]), (&json!(2), &json!("played")), "{played:#}");
    // The release profile does not strip the note.
    let pinned = run_with(&file, &["ais", "pin"]).data();
    assert!(pinned.contains("[ai.new]\nsha256 = "), "{pinned}");
}

#[test]
fn creates_a_working_searcher() {
    create_and_check("ai-seeker", &[]);
}

#[test]
fn creates_a_working_evaluator() {
    create_and_check("judge_1", &["--evaluator"]);
}

#[test]
fn creates_working_ais_in_c() {
    let folder = tempfile::tempdir().unwrap();
    // A path that needs quoting.
    let parent = folder.path().join("the sea's \"$HOME\"");
    fs::create_dir(&parent).unwrap();
    for (name, further) in [("sea-searcher", None), ("sea_judge", Some("--evaluator"))] {
        let arguments: Vec<_> = [name, "--lang", "c"].into_iter().chain(further).collect();
        new_ai(&parent, &arguments).data();
        let folder = parent.join(name);
        let made = Command::new("make")
            .current_dir(&folder)
            .env("CFLAGS", "-Wall -Wextra -Werror")
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // A path without quotes for the configuration.
        let library = tempfile::tempdir().unwrap();
        let library = library.path().join("libsea.so");
        fs::copy(folder.join(format!("lib{}.so", name.replace('-', "_"))), &library).unwrap();
        serve(&library);
    }
}

#[test]
fn reports_a_missing_c_compiler() {
    let parent = tempfile::tempdir().unwrap();
    new_ai(parent.path(), &["ai-mine", "--lang", "c"]).data();
    let made = Command::new("make")
        .arg("CC=no-such-compiler -m64")
        .current_dir(parent.path().join("ai-mine"))
        .output()
        .unwrap();
    let reported = String::from_utf8(made.stderr).unwrap();
    assert!(!made.status.success());
    let missing = "cannot find the C compiler 'no-such-compiler -m64'";
    assert_has(&reported, &[missing, "apt install gcc", "make CC=clang"]);
}

#[test]
fn the_readme_explains_how_to_serve_the_ai() {
    let parent = tempfile::tempdir().unwrap();
    new_ai(parent.path(), &["ai-mine"]).data();
    let folder = fs::canonicalize(parent.path()).unwrap().join("ai-mine");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let parts = [
        format!("[ai.mine]\nlibrary = \"{}/target/release/libai_mine.so\"", folder.display()),
        "rookery check-ai ./target/release/libai_mine.so".into(),
        "rookery best-move --ai mine".into(),
        format!("cp {}/target/release/libai_mine.so target/release/", folder.display()),
        "rookery match mine basic1 --games 20".into(),
        "rookery match mine --gauntlet".into(),
    ];
    assert_has(&readme, &parts);
    assert!(!readme.contains('{') || readme.contains("{\"game\""), "{readme}");
}

#[test]
fn rejects_bad_names_and_folders() {
    let parent = tempfile::tempdir().unwrap();
    for name in ["", "Mine", "1st", "a/b", "my ai", "é", &"x".repeat(65)] {
        let part = format!("'{name}' is not a valid name of an AI: expected a letter");
        new_ai(parent.path(), &["--", name]).fails_with(2, &[part]);
    }
    for name in ["match", "ai-api", "ai-search", "rules"] {
        let part = format!("'{name}' is not a valid name of an AI: it is a Rust keyword or a crate");
        new_ai(parent.path(), &[name]).fails_with(2, &[part]);
    }
    new_ai(parent.path(), &["mine", "--ai-api", "/nowhere"])
        .fails_with(2, &["are not in /nowhere; give the folder ai-api of a clone"]);
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    new_ai(parent.path(), &["mine"]).data();
    new_ai(parent.path(), &["mine"]).fails_with(2, &["mine already exists; choose another name"]);
}

#[test]
fn the_guide_names_existing_commands() {
    let guide = include_str!("../../../../docs/writing-an-ai.md");
    let (_, road) = guide.split_once("## From nothing to a rated AI").unwrap();
    let road = road.split("```").nth(1).unwrap();
    let calls: Vec<_> =
        road.lines().filter_map(|line| line.strip_prefix("$ target/release/rookery ")).collect();
    assert_eq!(calls.len(), 6, "{road}");
    for call in calls {
        // `--help` parses the words before it and runs nothing.
        let words: Vec<_> = call.split(' ').chain(["--help"]).collect();
        let help = run(&words).data();
        let flags = words.iter().filter(|word| word.starts_with("--"));
        assert!(flags.clone().all(|flag| help.contains(flag)), "{call}: {help}");
    }
}

#[actix_web::test]
async fn the_configuration_of_the_guide_serves_an_ai() {
    let guide = include_str!("../../../../docs/writing-an-ai.md");
    let (_, text) = guide.split_once("```toml\n").unwrap();
    let (text, _) = text.split_once("```").unwrap();
    let name = "\"ai-mine/target/release/libai_mine.so\"";
    assert!(text.contains(name), "{text}");
    let library = built("echo");
    let file = ConfigFile::verbatim(&text.replace(name, &format!("{library:?}")));
    let app = Application::of(&file);
    app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    let path = file.path();
    let added = run(&["client", "add", "me", "--ai", "mine", "--config", path.to_str().unwrap()]);
    assert_eq!(added.status, Some(0), "{}", added.stderr);
    let keyed = fs::read_to_string(&path).unwrap() + &added.stdout;
    let key = added.stderr.split_whitespace().max_by_key(|word| word.len()).unwrap();
    let app = Application::of(&ConfigFile::verbatim(&keyed));
    app.post_with_key(key, "/v1/best-move", &json!({"game": {}})).await.ok();
}
