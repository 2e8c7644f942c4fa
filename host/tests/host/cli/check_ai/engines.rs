//! `check-ai` of UCI engines, by their commands.

use std::fs;

use serde_json::Value;

use super::super::{add, installed, outcome};
use crate::support::assert_has;

#[test]
fn an_engine_is_examined_by_its_command_or_its_file() {
    let (_folder, engine) = add::engine();
    let engine = engine.to_str().unwrap();
    let rookery = installed();
    let only = ["check-ai", "--json", "--seed", "1", "--only", "load.starts", "--only", "moves.one"];
    for words in [&["--", "/bin/sh", engine][..], &["--", engine], &[engine]] {
        let examined = outcome(rookery.command().args(only).args(words));
        let report: Value = serde_json::from_str(&examined.stdout).unwrap();
        assert_eq!(report["id"], "shell", "{report:#}");
        assert_eq!(report["checks"][0]["reason"], "Shell 1.5, searcher", "{report:#}");
        // It knows the moves of few positions.
        let again = report["checks"][1]["again"].as_str().unwrap();
        assert_has(again, &["rookery check-ai ", "--only moves.one --seed 1", &words.join(" ")]);
    }
}

#[test]
fn an_engine_without_a_score_gets_a_warning() {
    let (folder, engine) = add::engine();
    let moves = folder.path().join("moves.sh");
    let examine = || {
        let arguments = ["check-ai", engine.to_str().unwrap(), "--only", "reports.few", "--json"];
        let examined = outcome(installed().command().args(arguments));
        let report: Value = serde_json::from_str(&examined.stdout).unwrap();
        report["checks"][0]["verdict"].as_str().unwrap().to_owned()
    };
    let written = fs::read_to_string(&moves).unwrap();
    assert_eq!(examine(), "pass");
    fs::write(&moves, written.replace("info depth 1 score cp 12", "info depth 1")).unwrap();
    assert_eq!(examine(), "warning");
}
