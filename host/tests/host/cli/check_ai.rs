//! `rookery check-ai`: good AIs pass, and each check can fail.

mod engines;
mod examples;
mod faults;
mod foreign;
mod in_c;
mod requests;
mod resources;

use std::{
    fs,
    io::Read as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use serde_json::Value;

use super::{Outcome, command, outcome, run, terminal};
use crate::{
    plugins::c_abi::{compile, contract, source_of},
    sandbox::{LANDLOCK_AND_USERS, hide},
    support::{assert_has, built, rookery},
};

fn examine(library: &str, arguments: &[&str]) -> Outcome {
    let file = built(library);
    run(&[
        &["check-ai", file.to_str().unwrap(), "--seed", "1"],
        arguments,
    ]
    .concat())
}

/// Returns the name and the verdict of each check.
fn verdicts(outcome: &Outcome) -> Vec<(String, String)> {
    let reported: Value = serde_json::from_str(&outcome.stdout)
        .unwrap_or_else(|error| panic!("{error}: {outcome:?}"));
    let text = |check: &Value, key: &str| check[key].as_str().unwrap().to_owned();
    let checks = reported["checks"].as_array().unwrap().iter();
    checks
        .map(|check| (text(check, "name"), text(check, "verdict")))
        .collect()
}

fn every_check() -> Vec<String> {
    run(&["check-ai", "--list", "--json"])
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Checks that none of these AIs fails a check. All run at once, because the checks mostly wait.
pub(crate) fn check_each_passes(files: &[PathBuf], most_skipped: usize) {
    thread::scope(|scope| {
        for file in files {
            scope.spawn(move || check_passes(file, &[], most_skipped));
        }
    });
}

/// Checks that a good AI fails no check. Warnings depend on the machine.
fn check_passes(file: &Path, settings: &[&str], most_skipped: usize) {
    let arguments = ["check-ai", file.to_str().unwrap(), "--seed", "1", "--json"];
    let outcome = run(&[&arguments, settings].concat());
    assert_eq!(outcome.status, Some(0), "{}", outcome.stdout);
    let verdicts = verdicts(&outcome);
    assert_eq!(verdicts.len(), every_check().len());
    let skipped = verdicts
        .iter()
        .filter(|(_, verdict)| verdict == "skipped")
        .count();
    assert!(skipped <= most_skipped, "{}", outcome.stdout);
}

/// The libraries that `make build` builds for the packages.
fn shipped() -> Vec<String> {
    let makefile = include_str!("../../../../Makefile");
    let (_, build) = makefile.split_once("\nbuild:").unwrap();
    let (recipe, _) = build.split_once("\n\n").unwrap();
    let packages = recipe.split(' ').filter(|word| word.starts_with("ai-"));
    packages.map(|package| package.replace('-', "_")).collect()
}

#[test]
fn every_shipped_library_passes_every_check() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let engine = folder.path().join("engine");
    let compiled = Command::new("cc")
        .args(["-O1", "-o"])
        .arg(&engine)
        .arg(contract().join("../tools/engines/own/peculiar.c"))
        .args(["-lpthread", "-lrt"])
        .status();
    assert!(compiled.unwrap().success());
    let engine = engine.to_str().unwrap();
    let command = format!("command={engine}");
    let with_engine = ["--option", &command, "--allow-exec", engine];
    let libraries = shipped();
    assert!(libraries.len() >= 4, "{libraries:?}");
    thread::scope(|scope| {
        for library in &libraries {
            // The engine does not evaluate, trace or ponder.
            let (settings, most_skipped) = match library.as_str() {
                "ai_uci" => (&with_engine[..], 15),
                _ => (&[][..], 5),
            };
            scope.spawn(move || check_passes(&built(library), settings, most_skipped));
        }
    });
}

#[test]
fn nnue1_searches_positions_in_its_book() {
    let book = concat!(
        "book=",
        env!("CARGO_MANIFEST_DIR"),
        "/../data/book/rookery.bin"
    );
    let outcome = examine(
        "ai_nnue1",
        &["--only", "analysis.searches", "--option", book],
    );
    assert_eq!(outcome.status, Some(0), "{}", outcome.stdout);
    assert!(
        outcome
            .stdout
            .contains("it plays 19 of 19 openings from its book"),
        "{}",
        outcome.stdout
    );
    let without = examine("ai_nnue1", &["--only", "analysis.searches"]);
    assert!(
        without.stdout.contains("--option book=FILE"),
        "{}",
        without.stdout
    );
}

#[test]
fn the_faulty_ai_passes_without_a_fault() {
    check_passes(&built("faulty"), &[], 0);
}

#[test]
fn warns_of_ais_that_score_a_second_occurrence_as_a_draw() {
    let verdict = |library: PathBuf| {
        let examined = run(&[
            "check-ai",
            library.to_str().unwrap(),
            "--only",
            "scores.repetition",
            "--seed",
            "1",
            "--json",
        ]);
        verdicts(&examined)[0].1.clone()
    };
    for good in ["ai_basic1", "ai_huo1", "ai_nnue1", "faulty"] {
        assert_eq!(verdict(built(good)), "pass", "{good}");
    }
    // The example in release 1.0.0 has this fault.
    assert_eq!(
        verdict(contract().join("frozen/1.0.0/libminimax.so")),
        "warning"
    );
}

#[test]
fn an_evaluator_fails_only_because_of_a_control_character() {
    let outcome = examine("counts_pawns", &["--json"]);
    let wrong = verdicts(&outcome)
        .into_iter()
        .filter(|(_, verdict)| verdict == "fail" || verdict == "crashed");
    let wrong: Vec<_> = wrong.map(|(check, _)| check).collect();
    assert_eq!(wrong, ["manifest.name"], "{}", outcome.stdout);
}

#[test]
fn grants_the_file_of_an_option() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my weights"), "100").unwrap();
    let file = built("dependent_options");
    let arguments = [
        "check-ai",
        file.to_str().unwrap(),
        "--only",
        "load.starts",
        "--option",
        "weights=my weights",
    ];
    let outcome = outcome(command(&arguments).current_dir(folder.path()));
    assert_eq!(outcome.status, Some(0), "{}", outcome.stdout);
    let missing = run(&arguments);
    assert_eq!(missing.status, Some(1), "{}", missing.stdout);
    assert!(
        missing.stdout.contains("--option 'weights=my weights'"),
        "{}",
        missing.stdout
    );
}

#[test]
fn an_ai_that_does_not_start_fails_one_check() {
    let broken = ["--option", "fault=does_not_start"];
    let outcome = examine("faulty", &[&broken[..], &["--json"]].concat());
    let mut checks = verdicts(&outcome).into_iter();
    assert_eq!(
        checks.next().unwrap(),
        ("load.starts".to_owned(), "fail".to_owned()),
        "{}",
        outcome.stdout
    );
    let others: Vec<_> = checks.collect();
    assert_eq!(others.len() + 1, every_check().len());
    assert!(
        others.iter().all(|(_, verdict)| verdict == "skipped"),
        "{}",
        outcome.stdout
    );
    let text = examine("faulty", &broken).stdout;
    assert_has(
        &text,
        &[format!(
            "skipped  {} other checks: the AI failed to start",
            others.len()
        )],
    );
    assert!(text.lines().count() < 10, "{text}");
}

#[test]
fn requires_the_sandbox_of_the_server() {
    let file = built("ai_basic1");
    let in_sandbox = |mode: &[&str]| {
        let arguments = [
            "check-ai",
            file.to_str().unwrap(),
            "--only",
            "load.starts",
            "--seed",
            "1",
        ];
        let mut command = Command::new(rookery());
        command.args(arguments).args(mode);
        hide(&LANDLOCK_AND_USERS, &mut command);
        outcome(&mut command.into())
    };
    for required in [&[][..], &["--sandbox", "required"]] {
        let outcome = in_sandbox(required);
        assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
        assert_has(
            &outcome.stdout,
            &[
                "its sandbox is required",
                "threads (",
                "files (",
                "Landlock",
            ],
        );
    }
    for mode in ["best-effort", "off"] {
        let outcome = in_sandbox(&["--sandbox", mode]);
        assert_eq!(outcome.status, Some(0), "{}", outcome.stdout);
    }
    let failed = examine(
        "ai_uci",
        &[
            "--only",
            "load.starts",
            "--sandbox",
            "best-effort",
            "--threads",
            "9",
        ],
    );
    assert!(
        failed
            .stdout
            .contains(" --seed 1 --sandbox best-effort --threads 9\n"),
        "{}",
        failed.stdout
    );
    let help = run(&["check-ai", "--help"]).data();
    assert_has(
        &help,
        &["--sandbox best-effort --threads 100 --memory-mb 2048"],
    );
}

/// Compiles an AI in C with this code.
fn library_of(folder: &Path, code: &str, entry: &str, flags: &[&str]) -> PathBuf {
    let (source, library) = (folder.join("ai.c"), folder.join("libc_ai.so"));
    fs::write(&source, source_of(code, entry)).unwrap();
    let flags: Vec<_> = flags.iter().map(ToString::to_string).collect();
    compile(&contract(), &source, &library, &flags);
    library
}

#[test]
fn list_describes_every_check() {
    let list = run(&["check-ai", "--list"]).data();
    assert!(list.lines().count() >= 40, "{list}");
    let parts = [
        "moves.castling             Plays a legal move where castling is possible",
        "trace.changes_nothing      Finds the same move, score and node count with a trace as \
         without, so the trace shows the search that is played.",
    ];
    assert_has(&list, &parts);
    let some = run(&["check-ai", "--list", "--only", "stop"]).data();
    assert!(some.lines().all(|line| line.starts_with("stop.")), "{some}");
}

#[test]
fn the_list_fits_the_width_of_the_terminal() {
    let (mut terminal, screen) = terminal();
    let mut size = Command::new("stty");
    size.args(["rows", "24", "cols", "60"])
        .stdin(screen.try_clone().unwrap());
    assert!(size.status().unwrap().success());
    drop(size);
    let mut list = test_kit::command();
    list.args(["check-ai", "--list", "--only", "trace"]);
    assert!(list.stdout(screen).status().unwrap().success());
    drop(list);
    let mut shown = Vec::new();
    // Reading fails once the last writer has closed the terminal.
    let _ = terminal.read_to_end(&mut shown);
    let shown = String::from_utf8(shown).unwrap().replace("\r\n", "\n");
    let longest = shown.lines().map(|line| line.chars().count()).max();
    assert!(
        longest.is_some_and(|longest| (50..=60).contains(&longest)),
        "{shown}"
    );
    let first = "trace.changes_nothing      Finds the same move, score and\n";
    assert_has(&shown, &[format!("{first}{:27}node count", "")]);
}

#[test]
fn rejects_files_that_are_not_ais() {
    let missing = ["the folder /nowhere does not exist either; build the AI first"];
    let error_output = run(&["check-ai", "/nowhere/libmine.so"]).fails_with(1, &missing);
    let beginning = "error: /nowhere/libmine.so: the library can't be read";
    assert!(error_output.starts_with(beginning), "{error_output}");
    let no_ai = built("no_ai");
    run(&["check-ai", no_ai.to_str().unwrap()]).fails_with(
        1,
        &[
            "is not an AI for Rookery",
            "export_ai! (in C, ROOKERY_NOTE)",
        ],
    );
    let misspelt = no_ai.with_file_name("libno_aii.so");
    let suggested = format!("did you mean {}?", no_ai.display());
    run(&["check-ai", misspelt.to_str().unwrap()]).fails_with(1, &[suggested]);
    run(&["check-ai", no_ai.parent().unwrap().to_str().unwrap()])
        .fails_with(1, &["this is a folder", "; found /"]);
    run(&[
        "check-ai",
        no_ai.to_str().unwrap(),
        "--only",
        "moves.castlin",
    ])
    .fails_with(
        2,
        &["there is no check 'moves.castlin'; did you mean 'moves.castling'?"],
    );
    run(&["check-ai", "/nowhere/engine"])
        .fails_with(1, &["/nowhere/engine can't be read: there is no such file"]);
    run(&["check-ai", "/etc/passwd"]).fails_with(1, &["is text, not a program for Linux"]);
    run(&["check-ai"]).error_output(2);
    run(&["check-ai", "x.so", "--option", "fault"]).error_output(2);
}

#[test]
fn rejects_bad_options_and_lists_the_allowed_ones() {
    for (option, part) in [
        (
            "strenght=3",
            "declares no option 'strenght'; did you mean 'strength'?",
        ),
        (
            "colour=3",
            "declares no option 'colour'; it declares fault, strength",
        ),
        (
            "strength=10",
            "does not allow this value of its option 'strength'; allowed: a whole number from 1 to \
             9",
        ),
    ] {
        let outcome = examine("faulty", &["--only", "load.starts", "--option", option]);
        assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
        assert_has(&outcome.stdout, &[part]);
    }
}

#[test]
fn the_guide_names_existing_checks() {
    let guide = include_str!("../../../../docs/ai-cookbook.md");
    let (_, table) = guide.split_once("| checks |\n").unwrap();
    let rows: Vec<_> = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert!(rows.len() >= 20, "{rows:?}");
    let column = |row: &&str| {
        row.strip_suffix(" |")
            .unwrap()
            .rsplit_once('|')
            .unwrap()
            .1
            .to_owned()
    };
    let named: Vec<_> = rows.iter().map(column).collect();
    let named: Vec<_> = named
        .iter()
        .flat_map(|names| names.split('`').skip(1).step_by(2))
        .collect();
    assert!(named.len() >= 20, "{named:?}");
    let every = every_check();
    let belongs =
        |check: &String, name: &str| check == name || check.starts_with(&format!("{name}."));
    for name in &named {
        assert!(every.iter().any(|check| belongs(check, name)), "{name}");
    }
    for check in &every {
        assert!(
            named.iter().any(|name| belongs(check, name)),
            "no row of the guide names {check}"
        );
    }
    let of_traces = rows
        .iter()
        .find(|row| row.contains("`trace.changes_nothing`"))
        .unwrap();
    assert_has(of_traces, &["the same with and without a trace"]);
}

#[test]
fn omits_secret_options_from_the_printed_command() {
    let secret = [
        "--option",
        "token=swordfish",
        "--option",
        "fault=fails",
        "--only",
        "load.starts",
    ];
    let outcome = examine("lifecycle", &secret);
    assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
    assert_has(&outcome.stdout, &["token=(secret)"]);
    assert!(!outcome.stdout.contains("swordfish"), "{}", outcome.stdout);
}
