//! The faulty AI: each check can fail, and says what it found.

use std::{iter, sync::Mutex, thread};

use serde_json::{Value, json};

use super::{every_check, examine, verdicts};
use crate::{
    cli::run,
    support::{assert_has, built},
};

#[test]
fn prints_moves_in_uci() {
    let reason = |check: &str, fault: &str| {
        let option = format!("fault={fault}");
        let outcome = examine("faulty", &["--only", check, "--option", &option, "--json"]);
        let reported: Value = serde_json::from_str(&outcome.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", outcome.stderr));
        reported["checks"][0]["reason"].as_str().unwrap().to_owned()
    };
    let changed = reason("trace.changes_nothing", "trace_changes_the_result");
    let (first, again) = changed
        .split_once(": first ")
        .unwrap()
        .1
        .split_once(", with a trace ")
        .unwrap();
    let uci = |text: &str| text.split(',').next().unwrap().to_owned();
    assert_eq!((uci(first).len(), uci(first)), (4, uci(again)), "{changed}");
    let chosen = reason("moves.some_alone", "ignores_root_moves");
    let (played, some) = chosen
        .split_once(": played ")
        .unwrap()
        .1
        .split_once("; the requested root moves are ")
        .unwrap();
    assert!(
        some.split(' ').chain([played]).all(|uci| uci.len() == 4),
        "{chosen}"
    );
}

/// Each check, the fault that it detects, and its verdict.
const FAULTS: &[(&str, &str, &str)] = &[
    ("load.starts", "does_not_start", "fail"),
    ("load.soon", "starts_slowly", "warning"),
    ("load.same_again", "varies_its_options", "fail"),
    ("load.rests", "computes_while_idle", "fail"),
    ("options.declared", "default_out_of_range", "fail"),
    ("options.help", "omits_help", "warning"),
    ("options.least", "rejects_the_minimum", "fail"),
    ("options.greatest", "rejects_the_maximum", "warning"),
    ("options.wrong_type", "crashes_on_wrong_types", "crashed"),
    (
        "options.out_of_bounds",
        "crashes_on_values_out_of_range",
        "crashed",
    ),
    ("options.unknown", "crashes_on_unknown_options", "crashed"),
    ("options.live", "ignores_live_options", "fail"),
    ("moves.castling", "plays_illegal_moves", "fail"),
    ("moves.en_passant", "plays_illegal_moves", "fail"),
    ("moves.promotion", "plays_illegal_moves", "fail"),
    ("moves.in_check", "plays_illegal_moves", "fail"),
    ("moves.one", "plays_illegal_moves", "fail"),
    ("moves.mate_next", "plays_illegal_moves", "fail"),
    ("moves.stalemate_near", "plays_illegal_moves", "fail"),
    ("moves.218", "plays_illegal_moves", "fail"),
    ("moves.few_men", "plays_illegal_moves", "fail"),
    ("moves.near_a_draw", "plays_illegal_moves", "fail"),
    ("moves.chess960", "plays_illegal_moves", "fail"),
    ("moves.some_alone", "ignores_root_moves", "fail"),
    ("moves.openings", "plays_illegal_moves", "fail"),
    ("moves.middlegames", "plays_illegal_moves", "fail"),
    ("moves.late_games", "plays_illegal_moves", "fail"),
    ("moves.repetition", "plays_illegal_moves", "fail"),
    ("moves.against_itself", "plays_illegal_moves", "fail"),
    ("fuzz.games", "plays_illegal_moves", "fail"),
    ("limits.depth", "exceeds_depth", "fail"),
    ("limits.nodes", "exceeds_nodes", "fail"),
    ("limits.nodes", "checks_nodes_rarely", "warning"),
    ("limits.one_node", "needs_two_nodes", "fail"),
    ("limits.movetime", "exceeds_movetime", "fail"),
    ("limits.clocks", "exceeds_movetime", "fail"),
    ("limits.one_millisecond", "needs_two_milliseconds", "fail"),
    ("limits.extreme", "crashes_at_extremes", "crashed"),
    ("limits.first_ply", "slow_at_depth_1", "warning"),
    ("stop.answers", "ignores_stop", "fail"),
    ("stop.at_once", "no_result_after_stop", "fail"),
    ("stop.deep", "ignores_stop", "fail"),
    ("stop.many_nodes", "ignores_stop", "fail"),
    ("stop.goes_on", "stays_stopped", "fail"),
    ("repeat.nodes", "varies_its_result", "fail"),
    ("repeat.depth", "varies_its_result", "fail"),
    ("repeat.at_once", "depends_on_earlier_requests", "fail"),
    ("repeat.after_others", "depends_on_earlier_requests", "fail"),
    ("repeat.new_game", "depends_on_earlier_requests", "fail"),
    ("repeat.game", "depends_on_earlier_requests", "fail"),
    ("repeat.new_game_time", "forgets_slowly", "warning"),
    ("repeat.judgement", "depends_on_earlier_requests", "fail"),
    ("scores.for_white", "scores_for_the_side_to_move", "fail"),
    ("scores.mirror", "prefers_white", "warning"),
    ("scores.mate", "returns_false_mates", "fail"),
    (
        "scores.repetition",
        "draws_at_the_second_occurrence",
        "warning",
    ),
    ("evaluate.for_white", "scores_for_the_side_to_move", "fail"),
    ("evaluate.mirror", "prefers_white", "fail"),
    ("evaluate.terms", "wrong_sum_of_terms", "fail"),
    ("evaluate.bounds", "evaluates_mates", "fail"),
    (
        "analysis.searches",
        "plays_from_its_book_in_analysis",
        "warning",
    ),
    ("lines.legal", "returns_illegal_lines", "fail"),
    (
        "lines.begin_with_the_move",
        "returns_line_of_another_move",
        "fail",
    ),
    ("lines.several", "repeats_one_line", "fail"),
    ("trace.legal", "traces_illegal_moves", "fail"),
    ("trace.root", "traces_another_score", "fail"),
    ("trace.endings", "traces_false_mates", "fail"),
    ("trace.changes_nothing", "trace_changes_the_result", "fail"),
    ("ponder.thinks_on", "does_not_ponder", "fail"),
    ("ponder.hit", "ignores_ponderhit", "fail"),
    ("reports.legal", "reports_illegal_lines", "fail"),
    ("reports.rise", "reports_decreasing_nodes", "fail"),
    ("reports.few", "floods_reports", "warning"),
    ("memory.thousand_searches", "leaks", "fail"),
    ("memory.hundred_searches", "leaks_much", "warning"),
    ("memory.declared", "exceeds_memory", "fail"),
    ("threads.declared", "leaves_threads", "fail"),
    ("rest.after_a_search", "computes_after_its_result", "fail"),
    ("panics.are_errors", "aborts_without_limits", "crashed"),
];

/// Checks of the labels, which no option changes.
const LABEL_CHECKS: &[(&str, &str)] = &[
    ("manifest.name", "fail"),
    ("manifest.version", "fail"),
    ("manifest.author", "fail"),
    ("manifest.note", "fail"),
];

#[test]
fn every_check_can_fail() {
    let tried: Vec<_> = FAULTS
        .iter()
        .map(|(check, ..)| *check)
        .chain(LABEL_CHECKS.iter().map(|(check, _)| *check))
        .collect();
    let untried: Vec<_> = every_check()
        .into_iter()
        .filter(|check| !tried.contains(&check.as_str()))
        .collect();
    assert!(untried.is_empty(), "{untried:?}");

    let must_fail = |(check, fault, expected): &(&str, &str, &str)| {
        let option = format!("fault={fault}");
        let outcome = examine("faulty", &["--only", check, "--option", &option, "--json"]);
        let expected = [((*check).to_owned(), (*expected).to_owned())];
        assert_eq!(verdicts(&outcome), expected, "{fault}: {}", outcome.stdout);
        assert_eq!(
            outcome.status,
            Some(i32::from(expected[0].1 != "warning")),
            "{check}"
        );
        let reported: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let remedy = reported["checks"][0]["remedy"].as_str().unwrap();
        let is_rust = ["::", "host.", "request.", "()"]
            .iter()
            .any(|part| remedy.contains(part));
        assert!(
            !is_rust,
            "an author who writes C cannot follow the remedy: {remedy}"
        );
    };
    let faults = Mutex::new(FAULTS.iter());
    let next = || faults.lock().unwrap().next();
    // The checks mostly wait, some of them for a long time.
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| iter::from_fn(next).for_each(must_fail));
        }
    });
    for (check, expected) in LABEL_CHECKS {
        let outcome = examine("mislabelled", &["--only", check, "--json"]);
        assert_eq!(
            verdicts(&outcome),
            [((*check).to_owned(), (*expected).to_owned())],
            "{}",
            outcome.stdout
        );
    }
    let author = examine("mislabelled", &["--only", "manifest.author"]).stdout;
    assert_has(
        &author,
        &["authors in Cargo.toml (Rust), author in the manifest (C, C++)"],
    );
}

#[test]
fn prints_the_reason_and_remedy_of_a_failure() {
    let outcome = examine(
        "faulty",
        &[
            "--only",
            "moves.one",
            "--only",
            "load.starts",
            "--option",
            "fault=plays_illegal_moves",
        ],
    );
    assert_eq!(outcome.status, Some(1));
    assert!(
        outcome.stderr.ends_with("error: 1 of 2 checks failed\n"),
        "{}",
        outcome.stderr
    );
    let parts = [
        "pass     load.starts                Faulty 1.0.0, searcher and evaluator\n",
        "FAIL     moves.one                  rnbqkbnr/ppppp1pp/8/5p1Q/8/4P3/PPPP1PPP/RNB1KBNR b \
         KQkq - 1 2: played a1h2; the legal moves are g7g6\n",
        "-> choose one of the legal_moves of the position\n",
        "again: rookery check-ai ",
        " --only moves.one --seed 1 --option 'fault=plays_illegal_moves'\n",
        "\n2 checks: 1 passed, 1 failed, 0 crashed, 0 warnings, 0 skipped; seed 1\n",
    ];
    assert_has(&outcome.stdout, &parts);
}

#[test]
fn uses_the_singular_for_a_count_of_one() {
    let checked = |library: &str, check: &str, fault: &[&str]| {
        examine(library, &[&["--only", check], fault].concat()).stdout
    };
    let fault = ["--option", "fault=forgets_slowly"];
    let part = "\n1 check: 0 passed, 0 failed, 0 crashed, 1 warning, 0 skipped; seed 1\n";
    assert_has(&checked("faulty", "repeat.new_game_time", &fault), &[part]);
    assert_has(
        &checked("newer", "options.declared", &[]),
        &["1 option\n", "\n1 check: 1 passed, "],
    );
    assert_has(
        &checked("faulty", "options.declared", &[]),
        &["3 options\n"],
    );
}

#[test]
fn names_the_option_with_a_wrong_default_and_its_value() {
    let outcome = examine(
        "faulty",
        &[
            "--only",
            "load.starts",
            "--option",
            "fault=default_out_of_range",
        ],
    );
    let part = "the option 'strength': its default '10' is not a whole number from 1 to 9";
    assert_has(&outcome.stdout, &[part]);
}

#[test]
fn kills_a_hanging_ai_and_runs_the_next_check() {
    let outcome = examine(
        "hangs",
        &[
            "--only",
            "limits.one_node",
            "--only",
            "manifest.name",
            "--json",
        ],
    );
    assert_eq!(outcome.status, Some(1), "{}", outcome.stdout);
    let expected = [("manifest.name", "pass"), ("limits.one_node", "fail")];
    assert_eq!(
        verdicts(&outcome),
        expected.map(|(name, verdict)| (name.to_owned(), verdict.to_owned()))
    );
}

#[test]
fn the_printed_command_reproduces_a_fuzz_failure() {
    let file = built("faulty");
    let fuzz = |seed: &[&str]| {
        let fault = ["--option", "fault=plays_some_illegal_moves", "--json"];
        let outcome = run(&[
            &["check-ai", file.to_str().unwrap(), "--only", "fuzz"][..],
            seed,
            &fault,
        ]
        .concat());
        let reported: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(
            (outcome.status, &reported["counts"]["failed"]),
            (Some(1), &json!(1)),
            "{reported:#}"
        );
        reported
    };
    let by_chance = fuzz(&[]);
    let reason = |reported: &Value| reported["checks"][0]["reason"].as_str().unwrap().to_owned();
    let again = by_chance["checks"][0]["again"].as_str().unwrap();
    assert!(
        reason(&by_chance).starts_with(&format!("seed {}, ", by_chance["seed"])),
        "{by_chance:#}"
    );

    let words = shlex::split(again).unwrap();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    assert_eq!(words[0], "rookery");
    let repeated = run(&[&words[1..], &["--json"]].concat());
    let repeated: Value = serde_json::from_str(&repeated.stdout).unwrap();
    assert_eq!(reason(&repeated), reason(&by_chance));
    assert_ne!(
        reason(&fuzz(&["--seed", "7"])),
        reason(&fuzz(&["--seed", "8"]))
    );
}
