//! `rookery replay`.

use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};

use super::{Outcome, command, outcome};
use crate::support::{ADMIN_KEY, Application, ConfigFile, administrator, assert_has, with_ais};

/// Settings that keep requests. There are no tablebases, because the test process and the command
/// look for them in different places.
const SERVER: &str = "[server]\nreplay_kb = 1024\n[tablebases]\ndirectories = []\n";

/// A configuration that keeps requests, with these AIs.
fn keeping(ais: &[(&str, &str, &str)]) -> ConfigFile {
    let further = format!("max_depth = 2\n{}{SERVER}", administrator(ais[0].0));
    with_ais(ais, &further)
}

const BASIC1: (&str, &str, &str) = (
    "basic1",
    "ai_basic1",
    "overridable_options = ['quiescence']",
);

/// Sends requests with the same id, and returns their records from the server.
async fn served(file: &ConfigFile, requests: &[(&str, Value)]) -> Value {
    let app = Application::of(file);
    for (path, body) in requests {
        app.post_with(&[("X-Request-Id", "served")], path, body)
            .await;
    }
    app.get_with_key(ADMIN_KEY, "/v1/requests/served")
        .await
        .ok()
}

fn replay(file: &ConfigFile, input: impl Into<Vec<u8>>, arguments: &[&str]) -> Outcome {
    let mut command = command(&["replay", "-"]);
    outcome(
        command
            .args(arguments)
            .arg("--config")
            .arg(file.path())
            .write_stdin(input),
    )
}

#[actix_web::test]
async fn the_same_ai_gives_the_same_answer() {
    let file = keeping(&[
        BASIC1,
        ("pawns", "counts_pawns", ""),
        ("panic", "panic", ""),
    ]);
    let game = json!({"moves": ["e2e4"]});
    let king = |column: usize, piece: i64| {
        let mut row = vec![0; 8];
        row[column] = piece;
        row
    };
    let mut board = vec![vec![0; 8]; 8];
    (board[0], board[7]) = (king(4, -6), king(4, 6));
    let requests = [
        // The client's maximum lowers its limit.
        (
            "/v1/best-move",
            json!({"game": game, "limit": {"depth": 9}, "options": {"quiescence": false}}),
        ),
        (
            "/v1/best-move",
            json!({"game": game, "lines": 3, "trace": {"nodes": 9}}),
        ),
        ("/v1/best-move", json!({"game": game, "ai": "panic"})),
        ("/v1/best-move", json!({"game": {"moves": ["e2e5"]}})),
        ("/v1/best-move", json!({"game": game, "ai": "nobody"})),
        (
            "/v1/compare",
            json!({"game": game, "ais": ["pawns", "basic1"]}),
        ),
        ("/v1/report", json!({"game": game, "limit": {"depth": 1}})),
        (
            "/v1/why",
            json!({"game": game, "move": "e5", "limit": {"depth": 1}}),
        ),
        ("/v1/evaluate", json!({"game": game, "ai": "pawns"})),
        (
            "/api/BlogChess/BestMove?depth=1&ai=pawns",
            json!({"GameStatus": 0, "Positions": [{"Board": board}]}),
        ),
        (
            "/api/blogchess/bestmove/?Depth=0&AI=pawns&Legacy=true",
            json!({"GameStatus": 0, "Positions": [{"Board": board}], "Id": 1}),
        ),
    ];
    let saved = served(&file, &requests).await;
    // Some programs write a byte order mark.
    let text = replay(&file, format!("\u{feff}{saved}"), &[]).data();
    assert_eq!(
        text.matches("\nthe same answer\n").count(),
        requests.len(),
        "{text}"
    );
    assert_has(
        &text,
        &[
            "request served of default at 2",
            " to /v1/best-move\n",
            "\n  then  200  basic1  ",
            "\n  now   200  basic1  ",
        ],
    );
    assert_has(
        &text,
        &["  then  502  ai_failed  ", "  now   422  illegal_game  "],
    );
    assert!(
        !text.contains("fingerprint") && !text.contains("may vary"),
        "{text}"
    );
    let json = replay(&file, saved.to_string(), &["--json"]).json();
    let same: Vec<_> = json["requests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|request| &request["same"])
        .collect();
    assert_eq!(same, vec![&json!(true); requests.len()]);
    assert_eq!(json["requests"][0]["now"]["reply"]["search"]["depth"], 2);
}

#[actix_web::test]
async fn shows_what_has_changed() {
    let seeded = |seed: u64, depth: u64| format!("options.seed = {seed}\nlimit.depth = {depth}");
    let then = keeping(&[("mine", "seeded", &seeded(3, 1))]);
    let saved = served(&then, &[("/v1/best-move", json!({"game": {}}))]).await;
    let now = keeping(&[("mine", "seeded", &seeded(4, 2))]);
    let replayed = replay(&now, saved.to_string(), &[]);
    assert_eq!(replayed.status, Some(1));
    assert_eq!(
        replayed.stderr,
        "error: the answer differs from the original one\n"
    );
    assert_has(
        &replayed.stdout,
        &[
            "  AI mine: fingerprint ",
            "  AI mine: option seed: 3 then, 4 now\n",
            "a different answer: ",
        ],
    );
    assert_has(
        &replayed.stdout,
        &["  /search/nodes: 3 then, 4 now\n", "  /move/uci: \""],
    );
    // A flag selects a different AI.
    let basic1 = keeping(&[BASIC1]);
    replay(&basic1, saved.to_string(), &[]).fails_with(2, &["there is no AI 'mine'"]);
    let other = replay(&basic1, saved.to_string(), &["--ai", "basic1", "--json"]);
    let other: Value = serde_json::from_str(&other.stdout).unwrap();
    assert_eq!(
        other["requests"][0]["now"]["reply"]["search"]["depth"], 1,
        "{other}"
    );
}

#[actix_web::test]
async fn shows_the_search_and_why_results_may_vary() {
    let file = keeping(&[BASIC1]);
    let body = json!({"game": {}, "limit": {"movetime_ms": 30, "depth": 60}});
    let further = administrator("basic1") + SERVER;
    let saved = served(&with_ais(&[BASIC1], &further), &[("/v1/best-move", body)]).await;
    let replayed = replay(&file, saved.to_string(), &["--trace", "5"]);
    let lines: Vec<_> = replayed.stdout.lines().collect();
    assert!(
        lines[1].starts_with("* root ") && lines[6].contains("--trace N"),
        "{}",
        replayed.stdout
    );
    assert_has(
        &replayed.stdout,
        &["  the results may vary: a time limit ended a search\n"],
    );
    let json = replay(&file, saved.to_string(), &["--trace", "5", "--json"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        json["requests"][0]["now"]["trace"]["nodes"]
            .as_array()
            .unwrap()
            .len(),
        5
    );

    let saved = served(&file, &[("/v1/evaluate", json!({"game": {}}))]).await;
    replay(&file, saved.to_string(), &["--trace"])
        .fails_with(2, &["a trace requires a request to /v1/best-move"]);

    let file = keeping(&[BASIC1, ("seeded", "seeded", "")]);
    let saved = served(
        &file,
        &[("/v1/best-move", json!({"game": {}, "ai": "seeded"}))],
    )
    .await;
    replay(&file, saved.to_string(), &["--trace"]).fails_with(2, &["the AI 'seeded' ", "trace"]);
    replay(&file, saved.to_string(), &["--trace", "0"])
        .fails_with(2, &["nodes is 0; it must be at least 1"]);
}

#[actix_web::test]
async fn a_request_without_an_answer_has_nothing_to_compare_with() {
    let file = keeping(&[BASIC1]);
    let mut saved = served(&file, &[("/v1/best-move", json!({"game": {}}))]).await;
    let request = &mut saved["requests"][0];
    (request["status"], request["reply"]) = (Value::Null, Value::Null);
    let text = replay(&file, saved.to_string(), &[]).data();
    assert!(
        text.ends_with("there is no original answer\n") && text.contains("  then  no answer"),
        "{text}"
    );
}

#[actix_web::test]
async fn rejects_files_that_are_not_replies() {
    let file = keeping(&[BASIC1]);
    let no_reply = "this is not a reply of GET /v1/requests/{request_id}: ";
    for (input, parts) in [
        (" \n", &["standard input: the file is empty"][..]),
        ("{", &[no_reply, "line 1"]),
        ("[]", &[no_reply]),
        (
            r#"{"code": "not_found"}"#,
            &[no_reply, "missing field `requests`"],
        ),
        (r#"{"requests": [{}]}"#, &[no_reply, "missing field"]),
        (r#"{"requests": []}"#, &["the reply has no requests"]),
        ("\u{1b}", &[no_reply]),
    ] {
        let message = replay(&file, input, &[]).fails_with(2, parts);
        assert!(!message.contains('\u{1b}'), "{message:?}");
    }
    replay(&file, " ".repeat((64 << 20) + 1), &[])
        .fails_with(2, &["the file is larger than 64 MiB"]);
    let saved = served(&file, &[("/v1/best-move", json!({"game": {}}))]).await;
    for (pointer, value, part) in [
        (
            "/path",
            json!("/etc/passwd"),
            "'/etc/passwd' does not ask an AI",
        ),
        ("/body", json!({"gaem": {}}), "there is no field 'gaem'"),
        ("/asked/ais/0/limit", json!({}), "the limit is empty; set"),
        ("/asked/ais/0/limit", json!({"depth": 0}), "depth is 0"),
        ("/body", json!([]), no_reply),
    ] {
        let mut other = saved.clone();
        *other["requests"][0].pointer_mut(pointer).unwrap() = value;
        replay(&file, other.to_string(), &[]).fails_with(2, &[part]);
    }
    let nowhere = outcome(command(&["replay", "/nowhere.json", "--config"]).arg(file.path()));
    nowhere.fails_with(2, &["/nowhere.json: No such file"]);
    let pipe = file.folder().join("pipe");
    mkfifoat(CWD, &pipe, Mode::from_raw_mode(0o600)).unwrap();
    let piped = outcome(
        command(&["replay"])
            .arg(&pipe)
            .arg("--config")
            .arg(file.path()),
    );
    piped.fails_with(2, &["this is a named pipe; - reads standard input"]);
}
