//! Matches between library files.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use tempfile::TempDir;

use crate::{
    cli::{Outcome, add::engine, command, outcome, terminal},
    support::{assert_has, built, configuration, with_ais},
};

const RULES: &str = "--games 2 --nodes 100 --max-moves 6 --draw off --resign off --pgn games.pgn";

/// A folder with two versions of a library and without a configuration.
fn versions(paths: [&str; 2]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for path in paths {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::copy(built("ai_basic1"), &file).unwrap();
        change(&file);
    }
    folder
}

/// Changes the bytes of a library but not its code.
fn change(file: &Path) {
    let mut file = fs::File::options().append(true).open(file).unwrap();
    file.write_all(b"another version").unwrap();
}

/// Writes a configuration that commands find in this folder.
fn configure(folder: &TempDir, ais: &[&str]) {
    let config = folder.path().join("config");
    fs::create_dir(&config).unwrap();
    fs::copy(configuration(ais).path(), config.join("rookery.toml")).unwrap();
}

fn play(folder: &TempDir, arguments: &str) -> Outcome {
    let words = shlex::split(arguments).unwrap();
    outcome(command(&["match"]).args(words).current_dir(folder.path()))
}

#[test]
fn two_files_play_without_a_configuration() {
    let folder = versions(["new.so", "old.so"]);
    let outcome = play(
        &folder,
        &format!("./new.so old.so,quiescence=false {RULES} --concurrency 2"),
    );
    assert!(
        outcome
            .last_line()
            .starts_with("new.so - old.so,quiescence=false: "),
        "{}",
        outcome.stdout
    );
    let pgn = fs::read_to_string(folder.path().join("games.pgn")).unwrap();
    assert_has(
        &pgn,
        &["[White \"new.so\"]", "[Black \"old.so,quiescence=false\"]"],
    );
    // An id refers to the configuration.
    configure(&folder, &["ai_basic1"]);
    let unknown = play(&folder, &format!("new.so nobody {RULES} --resume"));
    unknown.fails_with(2, &["there is no AI 'nobody'"]);
}

#[test]
fn a_script_gets_the_modules_that_it_imports_from_its_folder() {
    let (folder, _engine) = engine();
    fs::copy(built("ai_basic1"), folder.path().join("other.so")).unwrap();
    // The configuration names the library that drives engines, because tests and programs are built
    // into different folders.
    configure(&folder, &["ai_uci"]);
    let outcome = play(&folder, &format!("./shell.sh,hash_mb=8 ./other.so {RULES}"));
    assert!(
        outcome
            .last_line()
            .starts_with("shell.sh,hash_mb=8 - other.so: "),
        "{}",
        outcome.stdout
    );
    let module = fs::canonicalize(folder.path().join("moves.sh")).unwrap();
    assert_has(&outcome.stderr, &[format!("it reads {}", module.display())]);
    fs::remove_file(module).unwrap();
    let failed = play(&folder, &format!("./shell.sh ./other.so {RULES} --resume"));
    assert_eq!(failed.status, Some(2), "{}", failed.stderr);
    assert_has(
        &failed.stderr,
        &[
            "error: './shell.sh': it does not play: ",
            "moves.sh: No such file",
        ],
    );
}

#[test]
fn an_engine_given_by_path_gets_the_same_hints_as_with_add() {
    let (folder, engine) = engine();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::set_permissions(elsewhere.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let moves = elsewhere.path().canonicalize().unwrap().join("moves.sh");
    fs::rename(folder.path().join("moves.sh"), &moves).unwrap();
    let text = fs::read_to_string(&engine).unwrap();
    fs::write(
        &engine,
        text.replace("${0%/*}/moves.sh", moves.to_str().unwrap()),
    )
    .unwrap();
    let file = with_ais(&[("basic1", "ai_basic1", "")], "");
    let hint = format!(
        "it looked for {0}: --allow-read {0} grants it",
        moves.display()
    );
    let run = |words: &[&str]| {
        outcome(
            command(words)
                .arg(&engine)
                .arg("--config")
                .arg(file.path())
                .current_dir(folder.path()),
        )
    };
    let added = run(&["add", "--dry-run"]);
    assert_has(&added.stderr, &[&hint]);
    let played = run(&["match", "--games", "2", "basic1"]);
    let path = engine.display();
    let expected = [
        &format!("error: '{path}': it does not play: "),
        &hint,
        &format!("rookery add FLAGS {path}"),
    ];
    assert_has(&played.stderr, &expected);
    for wrong in ["engine-0", "rookery.toml"] {
        assert!(!played.stderr.contains(wrong), "{}", played.stderr);
    }
}

#[test]
fn files_with_equal_names_are_told_apart_by_their_paths() {
    let folder = versions(["a/libmine.so", "b/libmine.so"]);
    let outcome = play(&folder, &format!("a/libmine.so b/libmine.so {RULES}"));
    assert!(
        outcome
            .last_line()
            .starts_with("a/libmine.so - b/libmine.so: "),
        "{}",
        outcome.stdout
    );
}

#[test]
fn a_match_is_not_resumed_with_another_version() {
    let folder = versions(["new.so", "old.so"]);
    let whole = play(&folder, &format!("new.so old.so {RULES}"));
    let resume = || play(&folder, &format!("new.so old.so {RULES} --resume"));
    assert_eq!(resume().last_line(), whole.last_line());
    change(&folder.path().join("old.so"));
    resume().fails_with(2, &["from a different match", "versions"]);
}

#[test]
fn a_terminal_shows_a_table() {
    let folder = versions(["new.so", "old.so"]);
    let (mut terminal, screen) = terminal();
    let mut run = std::process::Command::new(crate::support::rookery());
    let words = shlex::split(&format!("match new.so old.so {RULES} --sprt 0,10")).unwrap();
    run.args(words)
        .env("TERM", "xterm")
        .current_dir(folder.path())
        .stderr(screen)
        .stdout(std::process::Stdio::null());
    let mut child = run.spawn().unwrap();
    // Now only the child holds the other end of the terminal open.
    drop(run);
    let mut shown = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = terminal.read(&mut piece) {
        shown.extend_from_slice(&piece[..count]);
    }
    // The test is undecided.
    assert_eq!(child.wait().unwrap().code(), Some(4));
    let shown = String::from_utf8_lossy(&shown);
    assert_has(
        &shown,
        &[
            "players",
            "score",
            "LOS",
            "new.so - old.so",
            "LLR ",
            " games/min, at most ",
            "/2 games",
        ],
    );
}
