//! `check-ai --request`.

use serde_json::{Value, json};

use super::{examine, library_of};
use crate::{
    cli::{Outcome, run},
    plugins::{c_abi::WHOLE, promises::searcher},
};

fn ask(library: &str, request: &Value) -> Outcome {
    ask_with(library, request, &[])
}

fn ask_with(library: &str, request: &Value, arguments: &[&str]) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("request.json");
    std::fs::write(&file, request.to_string()).unwrap();
    examine(
        library,
        &[arguments, &["--request", file.to_str().unwrap()]].concat(),
    )
}

#[test]
fn accepts_and_prints_every_field_of_a_request() {
    let request = json!({
        "moves": ["e2e4", "e7e5"],
        "limits": {
            "depth": 2,
            "nodes": 5000,
            "soft_ms": 2000,
        },
        "lines": 2,
        "trace_nodes": 40,
        "root_moves": ["g1f3", "d2d4"],
        "clocks": {"remaining_ms": [60000, 60000]},
    });
    let reported_of = ask("ai_basic1", &request).json();
    let result = &reported_of["result"];
    assert!(
        ["g1f3", "d2d4"].contains(&result["best_move"].as_str().unwrap()),
        "{reported_of}"
    );
    assert_eq!(
        (&result["is_legal"], &result["depth"], &result["bound"]),
        (&json!(true), &json!(2), &json!("exact"))
    );
    assert_eq!(
        result["multipv"].as_array().unwrap().len(),
        1,
        "{reported_of}"
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("request.json");
    let marked = request
        .to_string()
        .replace("5000", "5e3")
        .replace("\"depth\":2", "\"depth\":2.0");
    std::fs::write(&file, format!("\u{feff}{marked}")).unwrap();
    let again = examine("ai_basic1", &["--request", file.to_str().unwrap()]).json();
    assert_eq!(
        (&again["limits"], &again["result"]),
        (&reported_of["limits"], result)
    );
    let trace = result["trace"].as_array().unwrap();
    assert!(
        (1..=40).contains(&trace.len()) && trace[0]["parent"].is_null() && trace[1]["parent"] == 0,
        "{reported_of}"
    );
    let request = json!({"limits": {"soft_ms": 40}, "ponder_hit_ms": 60});
    // The time limit counts from the ponder hit.
    assert!(
        ask("ai_basic1", &request).json()["elapsed_ms"]
            .as_u64()
            .unwrap()
            >= 90
    );
    assert_eq!(reported_of["infos"][0]["depth"], 1, "{reported_of}");
    let mate = json!({"limits": {"mate_plies": 1}, "fen": "7k/6pp/8/8/8/8/8/R5K1 w - - 0 1"});
    assert_eq!(
        ask("ai_basic1", &mate).json()["result"]["score"],
        json!({"mate": 1})
    );
    assert_eq!(
        ask("plays_illegal_move", &json!({})).json()["result"]["is_legal"],
        false
    );

    for (wrong, part) in [
        (json!({"depth": 3}), "unknown field `depth`"),
        (json!({"limits": {"depth": -1}}), "expected u32"),
        (json!({"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}), "fen: "),
        (json!({"moves": ["e2e5"]}), "moves: "),
        (
            json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]}),
            "moves: the game is over",
        ),
        (json!({"root_moves": ["e7e5"]}), "root_moves: "),
        (json!({"lines": 0}), "lines: 0; expected 1 to "),
        (
            json!({"trace_nodes": 1_000_000}),
            "trace_nodes: 1000000; expected 0 to ",
        ),
        (json!([]), "all optional"),
        (json!({"limits": []}), "all optional"),
        (json!({"clocks": []}), "all optional"),
    ] {
        ask("ai_basic1", &wrong).fails_with(2, &[part, "request.json: "]);
    }
    let failed =
        ask_with("fault_injector", &json!({}), &["--option", "fault=panic"]).error_output(1);
    assert!(failed.starts_with("error: the AI: "), "{failed}");
    let part = "/nowhere.json: cannot read the file";
    examine("ai_basic1", &["--request", "/nowhere.json"]).fails_with(2, &[part]);
}

#[test]
fn rejects_more_lines_and_trace_nodes_than_the_ai_declares() {
    // The AI declares at most 8 lines and 100 trace nodes.
    let result = ask("echo", &json!({"lines": 8, "trace_nodes": 100})).json()["result"].clone();
    assert_eq!(result["multipv"].as_array().unwrap().len(), 7, "{result}");
    for (library, request, expected) in [
        (
            "echo",
            json!({"lines": 9}),
            "lines: 9; the AI declares max_lines 8, so a host requests no more",
        ),
        (
            "echo",
            json!({"trace_nodes": 101}),
            "trace_nodes: 101; the AI declares max_trace_nodes 100, so a host requests no more",
        ),
        // This AI declares neither.
        (
            "plays_illegal_move",
            json!({"lines": 2}),
            "lines: 2; the AI declares max_lines 1, ",
        ),
        (
            "plays_illegal_move",
            json!({"trace_nodes": 1}),
            "the AI declares max_trace_nodes 0, ",
        ),
        (
            "echo",
            json!({"fen": "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"}),
            "fen: the AI does not declare Chess960",
        ),
    ] {
        ask(library, &request).fails_with(2, &[expected]);
    }
}

#[test]
fn notes_what_the_ai_does_not_declare_and_the_default_limits() {
    let notes = |library: &str, request: &Value| {
        let reported = ask(library, request).json();
        (reported["notes"].clone(), reported["limits"].clone())
    };
    let undeclared = |name: &str| {
        format!(
            "the AI does not declare {name}, so a host does not request it, and the AI may ignore \
             it"
        )
    };
    let limits = |depth: Option<u32>, ms: [Option<u32>; 2]| {
        json!({
            "depth": depth,
            "nodes": null,
            "mate_plies": null,
            "soft_ms": ms[0],
            "hard_ms": ms[1],
        })
    };
    let depth = json!({"depth": 2});
    assert_eq!(
        notes("echo", &json!({"limits": depth})),
        (json!([]), limits(Some(2), [None; 2]))
    );
    let request = json!({"limits": depth, "root_moves": ["e2e4"], "ponder_hit_ms": 1});
    let expected = json!([undeclared("root_moves"), undeclared("ponder")]);
    assert_eq!(notes("plays_illegal_move", &request).0, expected);
    let uneven = notes(
        "echo",
        &json!({"limits": {"soft_ms": 900, "hard_ms": 2000}}),
    );
    let reason = "hard_ms differs from soft_ms only if the AI declares manages_time and the \
         request has clocks";
    assert_eq!(
        uneven,
        (json!([reason]), limits(None, [Some(900), Some(2000)]))
    );
    let default = "the request has no limits, so a server's default applies";
    assert_eq!(
        notes("echo", &json!({})),
        (json!([default]), limits(Some(5), [None; 2]))
    );
    let clocks = notes("echo", &json!({"clocks": {"remaining_ms": [60000, 60000]}}));
    let derived = format!("{default}; a server derives soft_ms and hard_ms from clocks");
    assert_eq!(clocks, (json!([derived]), limits(Some(5), [None; 2])));
}

#[test]
fn the_host_copies_the_line_of_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let code = searcher(
        "rookery_move pv[2] = {ROOKERY_MOVE(12, 28), ROOKERY_MOVE(52, 36)};
        char text[] = \"news\";
        rookery_search_info info = {.size = sizeof info, .pv = pv, .pv_length = 2, .pv_number = 1,
                                    .depth = 2, .text = text};
        h->report(h->context, &info);
        pv[0] = pv[1] = 0, text[0] = 0, info.depth = 9;
        h->report(h->context, &info);",
    );
    let library = library_of(
        folder.path(),
        &code,
        &format!("{WHOLE}, .search = search"),
        &[],
    );
    let request = folder.path().join("request.json");
    std::fs::write(&request, "{}").unwrap();
    let reported = run(&[
        "check-ai",
        library.to_str().unwrap(),
        "--request",
        request.to_str().unwrap(),
    ])
    .json();
    let first = &reported["infos"][0];
    assert_eq!(
        (&first["pv"], &first["depth"]),
        (&json!(["e2e4", "e7e5"]), &json!(2)),
        "{reported}"
    );
}

#[test]
fn a_request_may_be_an_analysis() {
    let folder = tempfile::tempdir().unwrap();
    let entry = format!("{WHOLE}, .search = search");
    let library = library_of(
        folder.path(),
        &searcher("r->score = 100 * q->analysis;"),
        &entry,
        &[],
    );
    let request = folder.path().join("request.json");
    for (content, score) in [
        (json!({}), 0),
        (json!({"analysis": false}), 0),
        (json!({"analysis": true}), 100),
    ] {
        std::fs::write(&request, content.to_string()).unwrap();
        let arguments = [
            "check-ai",
            library.to_str().unwrap(),
            "--request",
            request.to_str().unwrap(),
        ];
        assert_eq!(
            run(&arguments).json()["result"]["score"],
            json!({"cp": score}),
            "{content}"
        );
    }
}
