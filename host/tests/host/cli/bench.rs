//! `rookery bench`.

use serde_json::Value;

use super::run_with;
use crate::support::{ConfigFile, configuration};

fn report(file: &ConfigFile, arguments: &[&str]) -> Value {
    serde_json::from_str(&run_with(file, &[&["bench", "--json"], arguments].concat()).data())
        .unwrap()
}

#[test]
fn node_counts_are_a_signature() {
    let file = configuration(&["ai_basic1", "ai_huo1"]);
    // This number may change only when the search changes.
    for (ai, depth, signature) in [("ai_basic1", 4, 380_920), ("ai_huo1", 2, 5_567)] {
        let report = report(&file, &["--ai", ai, "--depth", &depth.to_string()]);
        assert_eq!(report["nodes"], signature, "{ai}");
        let positions = report["positions"].as_array().unwrap();
        assert_eq!(positions.len(), 50);
        let sum: u64 = positions
            .iter()
            .map(|position| position["nodes"].as_u64().unwrap())
            .sum();
        assert_eq!(sum, signature, "{ai}");
        assert!(
            positions.iter().all(|position| position["depth"] == depth),
            "{ai}"
        );
    }
}

#[test]
fn options_follow_the_id_after_commas() {
    let file = configuration(&["ai_basic1"]);
    let nodes = |ai| {
        report(&file, &["--ai", ai, "--depth", "4"])["nodes"]
            .as_u64()
            .unwrap()
    };
    assert!(nodes("ai_basic1") < nodes("ai_basic1,null_move=false,late_move_reductions=false"));
    let error = run_with(&file, &["bench", "--ai", "ai_basic1,null_moves=false"]).error_output(2);
    assert!(error.contains("'null_move'"), "{error}");
}

#[test]
fn prints_speed_and_machine_below_the_positions() {
    let file = configuration(&["ai_basic1"]);
    let text = run_with(&file, &["bench", "--nodes", "200"]).data();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 50 + 3, "{text}");
    assert!(
        lines[..50]
            .iter()
            .all(|line| line.contains("  200 nodes  ")),
        "{text}"
    );
    assert!(
        lines[51].starts_with("10000 nodes  ") && lines[51].ends_with(" nodes per second"),
        "{text}"
    );
    assert!(
        lines[52].starts_with("ai_basic1: Basic1 1.0.0, rookery ")
            && lines[52].contains(" cores, linux "),
        "{text}"
    );
}

#[test]
fn rejects_a_depth_with_nodes_and_an_unknown_ai() {
    let file = configuration(&["ai_basic1"]);
    let error = run_with(&file, &["bench", "--depth", "3", "--nodes", "9"]).error_output(2);
    assert!(error.contains("cannot be used with"), "{error}");
    let error = run_with(&file, &["bench", "--ai", "stockfisch"]).error_output(2);
    assert!(error.contains("stockfisch"), "{error}");
}
