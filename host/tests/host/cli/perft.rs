//! `rookery perft`.

use std::fs;

use serde_json::json;

use super::{Outcome, command, outcome, run};
use crate::support::assert_has;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[track_caller]
fn count(arguments: &[&str]) -> String {
    let text = run(&[&["perft"], arguments].concat()).data();
    let (count, rate) = text.split_once("  in ").unwrap();
    assert!(rate.ends_with(" million per second\n"), "{rate}");
    count.to_owned()
}

#[test]
fn counts_the_paths_of_each_depth() {
    for (depth, expected) in [("0", "1"), ("1", "20"), ("3", "8902"), ("4", "197281")] {
        assert_eq!(
            count(&["--depth", depth]),
            format!("perft({depth}) = {expected}")
        );
    }
    assert_eq!(
        count(&["--depth", "3", "--fen", KIWIPETE]),
        "perft(3) = 97862"
    );
    let chess960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    assert_eq!(
        count(&["--depth", "3", "--fen", chess960]),
        "perft(3) = 12189"
    );
}

#[test]
fn divide_adds_up_to_the_total() {
    let text = run(&["perft", "--depth", "3", "--divide", "--fen", KIWIPETE]).data();
    let lines: Vec<_> = text.lines().collect();
    let (summary, moves) = lines.split_last().unwrap();
    assert!(summary.starts_with("perft(3) = 97862  in "), "{summary}");
    assert_eq!(moves.len(), 48);
    assert!(moves.contains(&"e1g1: 2059"), "{moves:?}");
    let sum: u64 = moves
        .iter()
        .map(|line| line.split_once(": ").unwrap().1.parse::<u64>().unwrap())
        .sum();
    assert_eq!(sum, 97862);
    assert!(
        run(&["perft", "--depth", "0", "--divide"])
            .data()
            .starts_with("perft(0) = 1  in ")
    );
}

#[test]
fn prints_json() {
    let mut reply = run(&[
        "perft",
        "--depth",
        "1",
        "--divide",
        "--json",
        "--fen",
        "8/8/8/8/8/5k2/7p/7K w - - 0 1",
    ])
    .json();
    assert!(
        reply
            .as_object_mut()
            .unwrap()
            .remove("time_ms")
            .unwrap()
            .is_u64()
    );
    let expected = json!({
        "fen": "8/8/8/8/8/5k2/7p/7K w - - 0 1",
        "depth": 1,
        "count": 1,
        "moves": {"h1h2": 1},
    });
    assert_eq!(reply, expected);
    assert_eq!(
        run(&["perft", "--depth", "3", "--json"]).json()["count"],
        8902
    );
}

#[test]
fn rejects_an_illegal_position_with_every_cause() {
    let error_output = run(&[
        "perft",
        "--depth",
        "1",
        "--fen",
        "P3k3/8/8/8/8/8/8/8 w K - 0 1",
    ])
    .error_output(2);
    let lines: Vec<_> = error_output.lines().collect();
    assert_eq!(lines[0], "error: the position is not legal:");
    let codes: Vec<_> = lines[1..]
        .iter()
        .map(|line| line.rsplit_once(" (").unwrap().1)
        .collect();
    assert_eq!(
        codes,
        [
            "missing_king)",
            "pawn_on_back_rank)",
            "bad_castling_rights)"
        ]
    );
    let error_output = run(&["perft", "--depth", "1", "--fen", "8\u{1b}[2J w"]).error_output(2);
    assert!(!error_output.contains('\u{1b}'), "{error_output:?}");
}

fn suite(text: &str, arguments: &str) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("suite.epd"), text).unwrap();
    let mut perft = command(&["perft", "--suite", "suite.epd"]);
    outcome(
        perft
            .args(arguments.split_whitespace())
            .current_dir(folder.path()),
    )
}

const SUITE: &str = "# mine\n4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66 ;D3 1197\nepd \
    4k3/8/8/8/8/8/8/R3K3 w Q -\nperft 1 16\n";

#[test]
fn prints_a_suite_as_a_table_of_expected_and_found_counts() {
    let table = suite(SUITE, "").data();
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines.len(), 6, "{table}");
    assert_eq!(
        lines[0].split_whitespace().collect::<Vec<_>>(),
        ["position", "depth", "expected", "found", "time"]
    );
    for (line, row) in lines[1..].iter().zip([
        ["1", "15", "15"],
        ["2", "66", "66"],
        ["3", "1197", "1197"],
        ["1", "16", "16"],
    ]) {
        let words: Vec<_> = line.split_whitespace().skip(6).take(3).collect();
        assert_eq!(words, row, "{table}");
    }
    assert!(
        lines[5].starts_with("4 of 4 counts in 2 positions as expected, in "),
        "{table}"
    );
    let shallow = suite(SUITE, "--depth 1").data();
    assert_has(&shallow, &["2 of 2 counts in 2 positions as expected"]);
}

#[test]
fn a_wrong_count_fails_the_command() {
    let wrong = SUITE.replace("D2 66", "D2 67");
    let found = suite(&wrong, "");
    assert_eq!(found.status, Some(1));
    assert!(
        found.stdout.lines().nth(2).unwrap().ends_with(" s  wrong"),
        "{}",
        found.stdout
    );
    assert!(
        found.stdout.contains("3 of 4 counts in 2 positions"),
        "{}",
        found.stdout
    );
    assert_has(&found.stderr, &["error: suite.epd: 1 count wrong"]);
    assert_eq!(suite(&wrong, "--depth 1").status, Some(0));
    let found = suite(&wrong, "--json");
    assert_eq!(found.status, Some(1));
    let mut reply: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(
        (&reply["correct"], &reply["positions"]),
        (&json!(false), &json!(2))
    );
    let row = reply["counts"][1].as_object_mut().unwrap();
    assert!(row.remove("time_ms").unwrap().is_u64());
    let expected = json!({
        "line": 2,
        "fen": "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "depth": 2,
        "expected": 67,
        "found": 66,
        "correct": false,
    });
    assert_eq!(reply["counts"][1], expected);
    assert_eq!(suite(SUITE, "--json").json()["correct"], true);
}

#[test]
fn a_bad_suite_is_rejected_with_line_and_cause() {
    let bad = "4k3/8/8/8/8/8/8/4K2R w K - ;D1 15\n8/8/8/8/8/8/8/4K2R w K - ;D1 \
        15\n4k3/8/8/8/8/8/8/4K3 w - - ;D1 x\n";
    suite(bad, "").fails_with(
        2,
        &[
            "suite.epd is not a perft suite:\n  line 2: Black has no king",
            "\n  line 3: found \"D1 x;\", expected a depth",
        ],
    );
    suite("# nothing\n", "").fails_with(
        2,
        &["suite.epd: found no position with counts, such as ;D1 20"],
    );
    suite(SUITE, "--depth 0").fails_with(2, &["found no position with counts of depth 0 or less"]);
    suite(SUITE, "--divide").fails_with(2, &["cannot be used with"]);
    run(&["perft", "--suite", "no such file"]).fails_with(2, &["no such file: "]);
    run(&["perft"]).fails_with(2, &["--depth"]);
}

#[test]
fn counts_moves_of_unreachable_positions_with_a_note() {
    for (fen, expected, note) in [
        (
            "4k3/8/3N1N2/8/8/8/8/5K2 b - - 0 1",
            "perft(1) = 3  in ",
            "note: first position with a check",
        ),
        (
            "bqnnrbkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhe - 0 1",
            "perft(1) = 20  in ",
            "double Fischer Random",
        ),
        (
            "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 1 0",
            "perft(1) = 20  in ",
            "note: move number 0",
        ),
    ] {
        let found = run(&["perft", "--depth", "1", "--fen", fen]);
        assert!(found.stdout.starts_with(expected), "{}", found.stdout);
        assert_has(&found.stderr, &[note]);
        let reply = run(&["perft", "--depth", "1", "--json", "--fen", fen]);
        let reply: serde_json::Value = serde_json::from_str(&reply.stdout).unwrap();
        assert_eq!(reply["notes"].as_array().unwrap().len(), 1, "{reply}");
    }
    let found = suite("4k3/8/3N1N2/8/8/8/8/5K2 b - - ;D1 3\n", "");
    assert_eq!(found.status, Some(0));
    assert_has(
        &found.stderr,
        &["note: line 1: first position with a check"],
    );
}
