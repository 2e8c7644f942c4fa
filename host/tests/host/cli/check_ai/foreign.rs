//! Stockfish and the examples in Go and Zig, built as in the cookbook, pass the checks.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use super::{examine, verdicts};
use crate::{
    cli::run,
    plugins::c_abi::contract,
    support::{assert_has, python_with_tools},
};

const COOKBOOK: &str = include_str!("../../../../../docs/ai-cookbook.md");

/// Runs a command that the cookbook contains word for word, possibly with a different program.
fn run_documented(folder: &Path, words: &str, program: &[&str]) -> Output {
    assert_has(COOKBOOK, &[format!("$ {words}")]);
    let (_, arguments) = words.split_once(' ').unwrap();
    let mut command = Command::new(program[0]);
    command
        .args(&program[1..])
        .args(arguments.split(' '))
        .current_dir(folder);
    let ran = command.output().unwrap_or_else(|error| {
        panic!("{program:?} is needed for {words}; `make test-all` installs it: {error}")
    });
    assert!(
        ran.status.success(),
        "{words}: {}",
        String::from_utf8_lossy(&ran.stderr)
    );
    ran
}

/// Returns a folder with the files of an example and the header.
fn copied_example(language: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut files = vec![contract().join("include/rookery_ai.h")];
    for file in fs::read_dir(contract().join("examples").join(language)).unwrap() {
        files.push(file.unwrap().path());
    }
    for file in files {
        fs::copy(&file, folder.path().join(file.file_name().unwrap())).unwrap();
    }
    folder
}

#[test]
fn the_ai_in_go_passes() {
    let folder = copied_example("go");
    run_documented(
        folder.path(),
        "go build -buildmode=c-shared -o libgopher.so .",
        &["go"],
    );
    let check = "check-ai ./libgopher.so --memory-mb 2048";
    assert_has(COOKBOOK, &[format!("$ rookery {check}\n")]);
    let library = folder.path().join("libgopher.so");
    let check = check.replace("./libgopher.so", library.to_str().unwrap());
    let examined = run(&check.split(' ').chain(["--seed", "1"]).collect::<Vec<_>>());
    assert_eq!(examined.status, Some(0), "{}", examined.stdout);
}

#[test]
fn the_ai_in_zig_passes() {
    let folder = copied_example("zig");
    let python = python_with_tools();
    let zig = [&python, "-m", "ziglang"];
    let translated = run_documented(folder.path(), "zig translate-c -lc rookery_ai.h", &zig);
    fs::write(folder.path().join("c.zig"), translated.stdout).unwrap();
    run_documented(
        folder.path(),
        "zig build-lib -dynamic -fPIC -lc -O ReleaseFast -I. dice.zig note.c",
        &zig,
    );
    let library = folder.path().join("libdice.so");
    let examined = run(&["check-ai", library.to_str().unwrap(), "--seed", "1"]);
    assert_eq!(examined.status, Some(0), "{}", examined.stdout);
}

#[test]
fn a_uci_engine_passes_with_allow_exec() {
    let groups =
        "load manifest options.declared moves.castling limits stop.answers threads rest".split(' ');
    let only: Vec<_> = groups.flat_map(|group| ["--only", group]).collect();
    let engine = ["--option", "command=/usr/games/stockfish"];
    let granted = examine(
        "ai_uci",
        &[
            &only[..],
            &engine,
            &["--allow-exec", "/usr/games/stockfish", "--json"],
        ]
        .concat(),
    );
    assert_eq!(granted.status, Some(0), "{}", granted.stdout);
    let skipped: Vec<_> = verdicts(&granted)
        .into_iter()
        .filter(|(_, verdict)| verdict == "skipped")
        .map(|(name, _)| name)
        .collect();
    assert_eq!(skipped, ["manifest.note"], "{}", granted.stdout);

    let rejected = examine(
        "ai_uci",
        &[&["--only", "load.starts"][..], &engine].concat(),
    );
    assert_eq!(rejected.status, Some(1), "{}", rejected.stdout);
    assert!(
        rejected.stdout.contains("grant it with allow_exec ="),
        "{}",
        rejected.stdout
    );
    let nowhere = examine("ai_uci", &["--allow-exec", "/nowhere"]).error_output(2);
    assert!(
        nowhere.starts_with("error: cannot grant /nowhere: can't be read"),
        "{nowhere}"
    );
}
