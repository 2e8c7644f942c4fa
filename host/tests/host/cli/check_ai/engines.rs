//! `check-ai` for UCI engines given by their commands.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::Value;

use super::{
    super::{add, installed, outcome, run},
    every_check,
};
use crate::support::{assert_has, built, copy_program, rookery};

#[test]
fn an_engine_is_examined_by_its_command_or_its_file() {
    let (_folder, engine) = add::engine();
    let engine = engine.to_str().unwrap();
    let rookery = installed();
    let only = [
        "check-ai",
        "--json",
        "--seed",
        "1",
        "--only",
        "load.starts",
        "--only",
        "moves.one",
    ];
    for words in [&["--", "/bin/sh", engine][..], &["--", engine], &[engine]] {
        let examined = outcome(rookery.command().args(only).args(words));
        let report: Value = serde_json::from_str(&examined.stdout).unwrap();
        assert_eq!(report["id"], "shell", "{report:#}");
        assert_eq!(
            report["checks"][0]["reason"], "Shell 1.5, searcher",
            "{report:#}"
        );
        // The engine knows moves for only a few positions, so `moves.one` fails.
        let again = report["checks"][1]["again"].as_str().unwrap();
        assert_has(
            again,
            &[
                "rookery check-ai ",
                "--only moves.one --seed 1",
                &words.join(" "),
            ],
        );
    }
}

#[test]
fn an_engine_is_examined_quickly_by_default() {
    let (_folder, engine) = add::engine();
    let engine = engine.to_str().unwrap();
    let library = built("ai_basic1");
    let rookery = installed();
    let long = ["options.greatest", "memory.thousand_searches"];
    for (words, form) in [
        (&["--", engine][..], "quick"),
        (&[engine], "quick"),
        (&["--full", engine], "full"),
        (&["--quick", library.to_str().unwrap()], "quick"),
        (&["--only", "load", "--only", "moves.one", engine], "only"),
    ] {
        let examined = outcome(
            rookery
                .command()
                .args(["check-ai", "--json", "--seed", "1"])
                .args(words),
        );
        let report: Value = serde_json::from_str(&examined.stdout).unwrap();
        assert_eq!(report["form"], form, "{report:#}");
        let names = |key: &str| -> Vec<String> {
            let list = report[key].as_array().unwrap().iter();
            list.map(|check| {
                check["name"]
                    .as_str()
                    .or(check.as_str())
                    .unwrap()
                    .to_owned()
            })
            .collect()
        };
        let (ran, left_out) = (names("checks"), names("left_out"));
        assert!(ran.contains(&"moves.one".to_owned()), "{report:#}");
        for name in long.map(str::to_owned) {
            assert_eq!(left_out.contains(&name), form == "quick", "{report:#}");
            assert_eq!(ran.contains(&name), form == "full", "{report:#}");
        }
        let known = every_check();
        let in_order: Vec<_> = known.iter().filter(|check| ran.contains(check)).collect();
        assert_eq!(ran.iter().collect::<Vec<_>>(), in_order);
        if form != "only" {
            assert_eq!(
                ran.len() + left_out.len() + names("unfinished").len(),
                known.len()
            );
        }
    }
    let text = outcome(rookery.command().args(["check-ai", "--quick"]).arg(library)).stdout;
    assert_has(
        &text,
        &[
            "\nthe quick form leaves out load.same_again, ",
            "; --full runs all\n",
        ],
    );
    for words in [
        ["--quick", "--full"],
        ["--quick", "--only=load"],
        ["--full", "--only=load"],
    ] {
        run(&[&["check-ai", engine], &words[..]].concat()).error_output(2);
    }
}

#[test]
fn an_engine_that_ignores_stop_or_searchmoves_fails() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("engine");
    copy_program(
        &rookery().parent().unwrap().join("examples/faulty_engine"),
        &program,
    );
    let program = program.to_str().unwrap();
    for (fault, check, part) in [
        ("stalls", "stop.answers", "stop"),
        (
            "ignores-searchmoves",
            "moves.some_alone",
            "let the engine search only the moves after searchmoves",
        ),
    ] {
        let words = ["check-ai", "--only", check, "--", program, fault];
        let examined = outcome(installed().command().args(words));
        assert_eq!(examined.status, Some(1), "{}", examined.stdout);
        assert_has(&examined.stdout, &[&format!("FAIL     {check}"), part]);
    }
}

#[test]
fn an_engine_without_a_score_gets_a_warning() {
    let (folder, engine) = add::engine();
    let moves = folder.path().join("moves.sh");
    let examine = || {
        let arguments = [
            "check-ai",
            engine.to_str().unwrap(),
            "--only",
            "reports.few",
            "--json",
        ];
        let examined = outcome(installed().command().args(arguments));
        let report: Value = serde_json::from_str(&examined.stdout).unwrap();
        report["checks"][0]["verdict"].as_str().unwrap().to_owned()
    };
    let written = fs::read_to_string(&moves).unwrap();
    assert_eq!(examine(), "pass");
    fs::write(
        &moves,
        written.replace("info depth 1 score cp 12", "info depth 1"),
    )
    .unwrap();
    assert_eq!(examine(), "warning");
}
