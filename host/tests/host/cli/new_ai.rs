//! `rookery new-ai`: the folder builds, its tests pass, and the library is a valid AI.

mod foreign;
mod installed;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use super::{Outcome, command, outcome, run, run_with};
use crate::{
    plugins::c_abi::{compile, contract},
    support::{Application, ConfigFile, assert_has, built, rookery, with_ais},
};

fn new_ai(parent: &Path, arguments: &[&str]) -> Outcome {
    outcome(command(&[&["new-ai"], arguments].concat()).current_dir(parent))
}

/// The clone of Rookery that this test was built from.
fn clone() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

/// Runs cargo offline in the folder of a new AI, with a target folder that later runs reuse.
fn cargo(folder: &Path, arguments: &[&str]) -> PathBuf {
    let target = rookery().ancestors().nth(2).unwrap().join("new-ai");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(arguments)
        .args([
            "--config",
            "profile.release.opt-level=0",
            "--offline",
            "--target-dir",
        ])
        .arg(&target)
        .current_dir(folder);
    for (name, _) in std::env::vars_os() {
        // Removes the variables set by the cargo that runs this test.
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG")
            || name.starts_with("CARGO_BIN")
            || name == "CARGO_MANIFEST_DIR"
        {
            cargo.env_remove(name);
        }
    }
    test_kit::run(&mut cargo);
    target
}

/// Two checks that every template passes.
const PASSED: [&str; 2] = ["pass     manifest.author", "pass     scores.repetition"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Searcher,
    Evaluator,
}

/// Plays moves at random. Each random number follows from the previous one and the position, so
/// games differ and can be repeated.
const RANDOM: &str = r#"
#include "rookery_ai.h"
static uint64_t state = 88172645463325252u;
static rookery_status manifest(const rookery_host *host, const rookery_setting *settings,
                               size_t count, rookery_manifest *to, rookery_error *error) {
    (void)host, (void)settings, (void)count, (void)error;
    to->name = "Random", to->version = "1.0", to->capabilities->varies = true;
    return ROOKERY_OK;
}
static rookery_status create(const rookery_host *host, const rookery_setting *settings,
                             size_t count, void **ai, rookery_error *error) {
    (void)host, (void)settings, (void)count, (void)error;
    *ai = &state;
    return ROOKERY_OK;
}
static void destroy(void *ai) { (void)ai; }
static rookery_status search(void *ai, const rookery_search_request *request,
                             const rookery_host *host, rookery_search_result *result,
                             rookery_error *error) {
    (void)ai, (void)error;
    rookery_move_list list;
    host->rules->legal_moves(request->position, &list);
    state ^= request->position->hash;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    result->best_move = list.moves[state % list.count], result->nodes = 1;
    return ROOKERY_OK;
}
ROOKERY_NOTE("random", "1.0");
ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {
    .size = sizeof(rookery_ai), .abi = ROOKERY_ABI, .manifest = manifest,
    .create = create, .destroy = destroy, .search = search,
};
"#;

/// Checks that an AI wins 20 games against random moves, without adjudication. `settings` are the
/// lines of its `[ai.ID]`.
fn beats_random_play(id: &str, settings: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (
        folder.path().join("random.c"),
        folder.path().join("librandom.so"),
    );
    fs::write(&source, RANDOM).unwrap();
    compile(&contract(), &source, &library, &[]);
    let file = ConfigFile::new(&format!(
        "[ai.random]\nlibrary = \"{}\"\n[ai.{id}]\n{settings}[client.default]\nai = \"random\"\n",
        library.display()
    ));
    let words = format!("match {id} random --games 20 --nodes 1500 --resign off --draw off --json");
    let played = run_with(&file, &words.split(' ').collect::<Vec<_>>());
    let played: Value = serde_json::from_str(&played.stdout).unwrap();
    let tally = ["wins", "draws", "losses"].map(|key| played["encounters"][0][key].as_u64());
    assert_eq!(tally, [Some(20), Some(0), Some(0)], "{played:#}");
}

/// Creates, tests, builds, checks and serves an AI.
fn create_and_check(name: &str, kind: Kind) {
    let further: &[&str] = if kind == Kind::Evaluator {
        &["--evaluator"]
    } else {
        &[]
    };
    let place = tempfile::tempdir().unwrap();
    let parent = place.path().join("with spaces");
    fs::create_dir(&parent).unwrap();
    // Uses the clone's crates, which later runs need not build again.
    let clone = clone();
    let link = ["--link", clone.to_str().unwrap()];
    let printed = new_ai(&parent, &[&[name], further, &link].concat()).data();
    let library = format!("release/lib{}.so", name.replace('-', "_"));
    assert_has(&printed, &[format!("rookery check-ai ./target/{library}")]);
    let folder = parent.join(name);
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let linked = format!(
        "rookery-ai-api = {{ path = \"{}/ai-api\" }}",
        clone.display()
    );
    assert_has(&manifest, &[linked]);
    assert!(!manifest.contains("vendor`") && !folder.join("vendor").exists());
    // Uses one profile, so that the dependencies are built once.
    cargo(&folder, &["test", "--release"]);
    let library = cargo(&folder, &["build", "--release"]).join(library);
    let examined = run(&["check-ai", library.to_str().unwrap(), "--seed", "1"]);
    assert_eq!(examined.status, Some(0), "{}", examined.stdout);
    assert_has(&examined.stdout, &PASSED);
    serve(&library, kind);
}

/// Checks that a built AI plays.
fn serve(library: &Path, kind: Kind) {
    let file = with_ais(
        &[
            ("new", library.to_str().unwrap(), ""),
            ("basic1", "ai_basic1", ""),
        ],
        "",
    );
    let answer = run_with(&file, &["best-move", "--nodes", "1000"]).data();
    assert!(!answer.is_empty());
    let played = run_with(
        &file,
        &[
            "match", "new", "basic1", "--games", "2", "--nodes", "200", "--json",
        ],
    );
    let played: Value = serde_json::from_str(&played.stdout).unwrap();
    assert_eq!(
        (&played["games"], &played["finish"]),
        (&json!(2), &json!("played")),
        "{played:#}"
    );
    if kind == Kind::Searcher {
        beats_random_play("new", &format!("library = \"{}\"\n", library.display()));
    }
    // The release profile does not strip the note.
    let pinned = run_with(&file, &["ais", "pin"]).data();
    assert!(pinned.contains("[ai.new]\nsha256 = "), "{pinned}");
}

#[test]
fn creates_a_working_searcher() {
    create_and_check("ai-seeker", Kind::Searcher);
}

#[test]
fn creates_a_working_evaluator() {
    create_and_check("judge_1", Kind::Evaluator);
}

/// Creates, builds, tests, checks and serves an AI in C or C++.
fn create_and_check_native(name: &str, language: &str, kind: Kind) {
    let folder = tempfile::tempdir().unwrap();
    // A path that needs quoting.
    let parent = folder.path().join("the sea's \"$HOME\"");
    fs::create_dir(&parent).unwrap();
    let further = (kind == Kind::Evaluator).then_some("--evaluator");
    let arguments: Vec<_> = [name, "--lang", language]
        .into_iter()
        .chain(further)
        .collect();
    new_ai(&parent, &arguments).data();
    let folder = parent.join(name);
    // The test in the folder asks for best moves and examines the AI.
    let made = Command::new("make")
        .arg("test")
        .current_dir(&folder)
        .env("CFLAGS", "-O2 -Wall -Wextra -Wpedantic -Werror")
        .env("CXXFLAGS", "-O2 -Wall -Wextra -Wpedantic -Werror")
        .env("ROOKERY", rookery())
        .output()
        .unwrap();
    let (said, wrong) = (
        String::from_utf8_lossy(&made.stdout),
        String::from_utf8_lossy(&made.stderr),
    );
    assert!(made.status.success(), "{said}{wrong}");
    assert_has(&said, &["found a1a8 in "]);
    assert_has(&said, &PASSED);
    // The configuration needs a path without quotes.
    let library = tempfile::tempdir().unwrap();
    let library = library.path().join("libsea.so");
    fs::copy(
        folder.join(format!("lib{}.so", name.replace('-', "_"))),
        &library,
    )
    .unwrap();
    serve(&library, kind);
}

#[test]
fn creates_a_working_searcher_in_c() {
    create_and_check_native("sea-searcher", "c", Kind::Searcher);
}

#[test]
fn creates_a_working_evaluator_in_c() {
    create_and_check_native("sea_judge", "c", Kind::Evaluator);
}

#[test]
fn creates_a_working_searcher_in_cpp() {
    create_and_check_native("plus-searcher", "cpp", Kind::Searcher);
}

#[test]
fn creates_a_working_evaluator_in_cpp() {
    create_and_check_native("plus_judge", "cpp", Kind::Evaluator);
}

#[test]
fn prints_json() {
    let parent = tempfile::tempdir().unwrap();
    let created = new_ai(parent.path(), &["ai-mine", "--lang", "c", "--json"]).json();
    let folder = fs::canonicalize(parent.path()).unwrap().join("ai-mine");
    assert_eq!(
        created,
        json!({"folder": folder, "target": folder.join("libai_mine.so")})
    );
    assert!(parent.path().join("ai-mine/Makefile").exists());
    let again = new_ai(parent.path(), &["ai-mine", "--lang", "c", "--json"]).failure(2);
    assert_eq!(again["code"], "wrong_usage", "{again}");
}

#[test]
fn reports_a_missing_compiler() {
    for (language, variable, name, remedies) in [
        ("c", "CC", "C", ["apt install gcc", "make CC=clang"]),
        ("cpp", "CXX", "C++", ["apt install g++", "make CXX=clang++"]),
    ] {
        let parent = tempfile::tempdir().unwrap();
        new_ai(parent.path(), &["ai-mine", "--lang", language]).data();
        let made = Command::new("make")
            .arg(format!("{variable}=no-such-compiler -m64"))
            .current_dir(parent.path().join("ai-mine"))
            .output()
            .unwrap();
        let reported = String::from_utf8(made.stderr).unwrap();
        assert!(!made.status.success());
        assert_has(
            &reported,
            &[format!(
                "cannot find the {name} compiler 'no-such-compiler -m64'"
            )],
        );
        assert_has(&reported, &remedies);
    }
}

#[test]
fn the_readme_explains_how_to_serve_the_ai() {
    for (language, target, check) in [
        (
            "rust",
            "./target/release/libai_mine.so",
            "check-ai ./target/release/libai_mine.so",
        ),
        ("c", "./libai_mine.so", "check-ai ./libai_mine.so"),
        ("cpp", "./libai_mine.so", "check-ai ./libai_mine.so"),
        ("python", "./engine.py", "check-ai -- python3 engine.py"),
    ] {
        let parent = tempfile::tempdir().unwrap();
        new_ai(parent.path(), &["ai-mine", "--lang", language]).data();
        let readme = fs::read_to_string(parent.path().join("ai-mine/README.md")).unwrap();
        let parts = [
            format!("rookery {check}"),
            format!("rookery add {target} --id mine"),
            "rookery best-move --ai mine".into(),
            "rookery match mine basic1 --games 20".into(),
            "rookery match mine --gauntlet".into(),
        ];
        assert_has(&readme, &parts);
        assert!(
            !readme.contains('{') && readme.lines().count() <= 30,
            "{readme}"
        );
    }
}

#[test]
fn rejects_bad_names_and_folders() {
    let parent = tempfile::tempdir().unwrap();
    for name in ["", "Mine", "1st", "a/b", "my ai", "é", &"x".repeat(65)] {
        let part = format!("'{name}' is not a valid AI name: expected a letter");
        new_ai(parent.path(), &["--", name]).fails_with(2, &[part]);
    }
    for name in ["match", "ai-api", "ai-search", "rules", "rookery-rules"] {
        let part = format!("'{name}' is not a valid AI name: it is a Rust keyword or a crate");
        new_ai(parent.path(), &[name]).fails_with(2, &[part]);
    }
    new_ai(parent.path(), &["mine", "--link", "/nowhere"]).fails_with(
        2,
        &["/nowhere does not contain the crates that an AI in Rust needs: expected ai-api"],
    );
    new_ai(parent.path(), &["mine", "--lang", "python", "--evaluator"]).fails_with(
        2,
        &["leave --evaluator out, or choose --lang rust, c or cpp"],
    );
    new_ai(parent.path(), &["mine", "--lang", "c", "--link", "."]).fails_with(
        2,
        &["--link names the crates for an AI in Rust, but --lang names another language"],
    );
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    new_ai(parent.path(), &["mine"]).data();
    new_ai(parent.path(), &["mine"]).fails_with(2, &["mine already exists; choose another name"]);
}

#[test]
fn the_guide_names_existing_commands() {
    let guide = include_str!("../../../../docs/writing-an-ai.md");
    let (_, road) = guide.split_once("## From nothing to a rated AI").unwrap();
    let road = road.split("```").nth(1).unwrap();
    let calls: Vec<_> = road
        .lines()
        .filter_map(|line| line.strip_prefix("$ rookery "))
        .collect();
    assert_eq!(calls.len(), 6, "{road}");
    for call in calls {
        // `--help` parses the words before it and runs nothing.
        let words: Vec<_> = call.split(' ').chain(["--help"]).collect();
        let help = run(&words).data();
        let flags = words.iter().filter(|word| word.starts_with("--"));
        assert!(
            flags.clone().all(|flag| help.contains(flag)),
            "{call}: {help}"
        );
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
    let added = run(&[
        "client",
        "add",
        "me",
        "--ai",
        "mine",
        "--config",
        path.to_str().unwrap(),
    ]);
    assert_eq!(added.status, Some(0), "{}", added.stderr);
    let keyed = fs::read_to_string(&path).unwrap() + &added.stdout;
    let key = added
        .stderr
        .split_whitespace()
        .max_by_key(|word| word.len())
        .unwrap();
    let app = Application::of(&ConfigFile::verbatim(&keyed));
    app.post_with_key(key, "/v1/best-move", &json!({"game": {}}))
        .await
        .ok();
}
