//! Bodies that are not of the right form.

use actix_web::test::TestRequest;
use serde_json::json;

use super::{app, check_problem, refused, refused_text};
use crate::support::{Application, ConfigFile};

/// Bodies that are refused with a pointer to what is wrong and a part of what is said about it.
async fn check(path: &str, cases: &[(&str, &str, &str)]) {
    let app = app();
    for (body, pointer, part) in cases {
        let reply = refused_text(&app, path, *body).await;
        assert_eq!(reply.body["pointer"], *pointer, "{body}: {}", reply.body);
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.contains(part), "{body}: {detail}");
    }
}

#[actix_web::test]
async fn what_is_no_json_is_refused() {
    check(
        "/v1/best-move",
        &[
            ("", "", "EOF while parsing"),
            ("   ", "", "EOF while parsing"),
            ("{", "", "EOF while parsing"),
            (r#"{"game": {}"#, "", "EOF while parsing"),
            (r#"{"game": {"moves": ["e2e4"}}"#, "/game/moves", "expected `,` or `]`"),
            ("{'game': {}}", "", "key must be a string"),
            (r#"{"game": {},}"#, "", "trailing comma"),
            (r#"{"game": {}} {}"#, "", "trailing characters"),
            (r#"{"game": {}}x"#, "", "trailing characters"),
            (r#"{"game": NaN}"#, "/game", "expected value"),
            ("// nothing\n{}", "", "expected value"),
            ("\u{feff}{}", "", "expected value"),
            ("game=%7B%7D", "", "expected value"),
            (r#"{"game": {"fen": "\ud800"}}"#, "/game/fen", "hex escape"),
        ],
    )
    .await;
}

#[actix_web::test]
async fn bytes_that_are_no_text_are_refused() {
    let app = app();
    for body in [
        b"\0".to_vec(),
        b"{\"game\": {\"fen\": \"\xff\xfe\"}}".to_vec(),
        b"{\"game\": {\"fen\": \"a\0b\"}}".to_vec(),
        b"\xff\xfe{\0}\0".to_vec(),
        b"\x1f\x8b\x08\0\0\0\0\0".to_vec(),
    ] {
        refused_text(&app, "/v1/validate", body).await;
    }
}

#[actix_web::test]
async fn values_of_a_wrong_type_are_pointed_at() {
    check(
        "/v1/best-move",
        &[
            ("null", "", "expected an object"),
            ("5", "", "expected an object"),
            (r#""e2e4""#, "", "expected an object"),
            ("true", "", "expected an object"),
            ("[]", "", "expected an object"),
            ("[{}]", "", "expected an object"),
            (r#"[{}, "basic1", {"depth": 1}]"#, "", "expected an object"),
            ("{}", "", "missing field `game`"),
            (r#"{"game": null}"#, "/game", "expected an object"),
            (r#"{"game": []}"#, "/game", "expected an object"),
            (r#"{"game": "startpos"}"#, "/game", "expected an object"),
            (r#"{"game": [null, ["e2e4"]]}"#, "/game", "expected an object"),
            (r#"{"game": {"fen": 5}}"#, "/game/fen", "expected a string"),
            (r#"{"game": {"fen": ["x"]}}"#, "/game/fen", "expected a string"),
            (r#"{"game": {"moves": "e2e4"}}"#, "/game/moves", "expected a sequence"),
            (r#"{"game": {"moves": {"0": "e2e4"}}}"#, "/game/moves", "expected a sequence"),
            (r#"{"game": {"moves": ["e2e4", null]}}"#, "/game/moves/1", "expected a string"),
            (r#"{"game": {"moves": [["e2e4"]]}}"#, "/game/moves/0", "expected a string"),
            (r#"{"game": {"boards": 1}}"#, "/game/boards", "expected a sequence"),
            (r#"{"game": {"boards": [[0]]}}"#, "/game/boards/0/0", "expected a sequence"),
            (r#"{"game": {"boards": [[["4"]]]}}"#, "/game/boards/0/0/0", "expected i64"),
            (r#"{"game": {"boards": [[[4.0]]]}}"#, "/game/boards/0/0/0", "expected i64"),
            (r#"{"game": {"boards": [[[4], [1e3]]]}}"#, "/game/boards/0/1/0", "expected i64"),
            (r#"{"game": {"boards": [[[99999999999999999999]]]}}"#, "/game/boards/0/0/0", "expected i64"),
            (r#"{"game": {"boards": [[[1e999]]]}}"#, "/game/boards/0/0/0", "number out of range"),
            (r#"{"game": {"boards": [[[null]]]}}"#, "/game/boards/0/0/0", "expected i64"),
            (r#"{"game": {"boards": [], "turn": "w"}}"#, "/game/turn", "expected `white` or `black`"),
            (r#"{"game": {"boards": [], "turn": "White"}}"#, "/game/turn", "expected `white` or `black`"),
            (r#"{"game": {"boards": [], "turn": 1}}"#, "/game/turn", "expected"),
            (r#"{"game": {}, "ai": 5}"#, "/ai", "expected a string"),
            (r#"{"game": {}, "ai": ["basic1"]}"#, "/ai", "expected a string"),
            (r#"{"game": {}, "limit": 5}"#, "/limit", "expected an object"),
            (r#"{"game": {}, "limit": [5]}"#, "/limit", "expected an object"),
            (r#"{"game": {}, "limit": {"depth": "5"}}"#, "/limit/depth", "expected u64"),
            (r#"{"game": {}, "limit": {"depth": 1.5}}"#, "/limit/depth", "expected u64"),
            (r#"{"game": {}, "limit": {"nodes": -1}}"#, "/limit/nodes", "expected u64"),
            (r#"{"game": {}, "limit": {"nodes": 1e30}}"#, "/limit/nodes", "expected u64"),
            (r#"{"game": {}, "limit": {"movetime_ms": true}}"#, "/limit/movetime_ms", "expected u64"),
        ],
    )
    .await;
}

#[actix_web::test]
async fn unknown_and_repeated_keys_are_named() {
    check(
        "/v1/best-move",
        &[
            (
                r#"{"game": {}, "depth": 5}"#,
                "/depth",
                "unknown field `depth`, expected one of `game`, `ai`, `limit`",
            ),
            (r#"{"game": {"pgn": "1. e4"}}"#, "/game/pgn", "unknown field `pgn`"),
            (r#"{"game": {"Moves": []}}"#, "/game/Moves", "unknown field `Moves`"),
            (r#"{"game": {}, "limit": {"dept": 5}}"#, "/limit/dept", "unknown field `dept`"),
            (r#"{"game": {}, "a/b~c\n": 5}"#, "/a~1b~0c", "unknown field `a/b~c `"),
            (r#"{"game": {}, "game": {}}"#, "", "duplicate field `game`"),
            (r#"{"game": {"fen": null, "fen": null}}"#, "/game", "duplicate field `fen`"),
            (r#"{"game": {}, "limit": {"depth": 1, "depth": 1}}"#, "/limit", "duplicate field `depth`"),
        ],
    )
    .await;
    check("/v1/validate", &[(r#"{"game": {}, "ai": "basic1"}"#, "/ai", "unknown field `ai`")]).await;
    check("/v1/legal-moves", &[(r#"{"game": {}, "limit": {}}"#, "/limit", "unknown field `limit`")]).await;
    check("/v1/evaluate", &[(r#"{"game": {}, "limit": {}}"#, "/limit", "unknown field `limit`")]).await;
}

#[actix_web::test]
async fn forms_that_contradict_themselves_are_refused() {
    let board = "[[-6,0,0,0,0,0,0,0],[],[],[],[],[],[],[]]";
    let both = format!(r#"{{"game": {{"fen": "x", "boards": [{board}], "turn": "white"}}}}"#);
    let moves = format!(r#"{{"game": {{"moves": [], "boards": [{board}], "turn": "white"}}}}"#);
    let no_turn = format!(r#"{{"game": {{"boards": [{board}]}}}}"#);
    check(
        "/v1/validate",
        &[
            (&both, "/game", "not both"),
            (&moves, "/game", "not both"),
            (&no_turn, "/game/turn", "does not tell who moves"),
            (r#"{"game": {"turn": "white"}}"#, "/game/turn", "goes with 'boards'"),
            (r#"{"game": {"fen": "x", "turn": "black"}}"#, "/game/turn", "goes with 'boards'"),
        ],
    )
    .await;
    check(
        "/v1/best-move",
        &[
            (r#"{"game": {}, "limit": {}}"#, "/limit", "exactly one of"),
            (r#"{"game": {}, "limit": {"depth": 1, "nodes": 1}}"#, "/limit", "exactly one of"),
            (r#"{"game": {}, "limit": {"depth": 0}}"#, "/limit/depth", "depth is 0; it is at least 1"),
            (r#"{"game": {}, "limit": {"depth": 5000000000}}"#, "/limit/depth", "at most 1000"),
            (r#"{"game": {}, "limit": {"nodes": 0}}"#, "/limit/nodes", "at least 1"),
            (r#"{"game": {}, "limit": {"movetime_ms": 0}}"#, "/limit/movetime_ms", "at least 1"),
            (r#"{"game": {}, "limit": {"movetime_ms": 3600001}}"#, "/limit/movetime_ms", "at most 3600000"),
        ],
    )
    .await;
}

#[actix_web::test]
async fn a_square_that_is_none_is_refused() {
    let app = app();
    let long = "e2".repeat(10_000);
    for from in ["", "e", "e9", "i1", "E2", "e2e4", " e2", "é2", "e2\u{1b}[2J", &long] {
        let reply =
            refused(&app, "/v1/legal-moves", &json!({"game": {}, "from": from}), 400, "malformed_request")
                .await;
        assert_eq!(reply.body["pointer"], "/from");
    }
}

#[actix_web::test]
async fn an_ai_that_only_searches_is_not_asked_for_its_judgement() {
    let reply =
        refused(&app(), "/v1/evaluate", &json!({"game": {}, "ai": "boasts"}), 400, "malformed_request").await;
    assert_eq!(reply.body["pointer"], "/ai");
}

#[actix_web::test]
async fn nesting_is_not_followed_into_the_depths() {
    let app = app();
    for (open, depth) in [("[", 100_000), ("{\"game\":", 100_000), ("[", 200)] {
        refused_text(&app, "/v1/validate", open.repeat(depth)).await;
    }
    let boards = format!("{{\"game\": {{\"boards\": {}", "[".repeat(500_000));
    refused_text(&app, "/v1/validate", boards).await;
}

#[actix_web::test]
async fn a_long_name_is_cut_short() {
    let app = app();
    let name = "k".repeat(100_000);
    for body in [format!("{{\"{name}\": 1}}"), format!("{{\"game\": {{\"{name}\": {{}}}}}}")] {
        let reply = refused_text(&app, "/v1/validate", body).await;
        assert!(reply.body.to_string().len() < 2000, "{}", reply.body);
    }
    let turn = format!("{{\"game\": {{\"boards\": [], \"turn\": \"{name}\"}}}}");
    assert!(refused_text(&app, "/v1/validate", turn).await.body.to_string().len() < 2000);
}

#[actix_web::test]
async fn a_body_of_another_media_type_is_refused() {
    let app = app();
    for media_type in [
        None,
        Some(""),
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("application/jsonx"),
        Some("text/json"),
        Some("application/json2; charset=utf-8"),
        Some("multipart/form-data; boundary=x"),
    ] {
        let mut request = TestRequest::post().uri("/v1/validate").set_payload(r#"{"game": {}}"#);
        if let Some(media_type) = media_type {
            request = request.insert_header(("Content-Type", media_type));
        }
        let reply = app.send(request).await;
        check_problem(&format!("{media_type:?}"), &reply, 415, "unsupported_media_type");
        assert!(reply.body["detail"].as_str().unwrap().contains("Content-Type: application/json"));
    }
    for media_type in ["application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"] {
        let request = TestRequest::post().uri("/v1/validate").insert_header(("Content-Type", media_type));
        assert_eq!(app.send(request.set_payload(r#"{"game": {}}"#)).await.status, 200, "{media_type}");
    }
}

#[actix_web::test]
async fn a_compressed_body_is_refused_as_such() {
    let app = app();
    for coding in ["gzip", "br", "deflate, gzip"] {
        let request = TestRequest::post()
            .uri("/v1/validate")
            .insert_header(("Content-Type", "application/json"))
            .insert_header(("Content-Encoding", coding))
            .set_payload(&b"\x1f\x8b\x08\0"[..]);
        check_problem(coding, &app.send(request).await, 415, "unsupported_media_type");
    }
    let plain = TestRequest::post()
        .uri("/v1/validate")
        .insert_header(("Content-Type", "application/json"))
        .insert_header(("Content-Encoding", "identity"))
        .set_payload(r#"{"game": {}}"#);
    assert_eq!(app.send(plain).await.status, 200);
}

#[actix_web::test]
async fn a_body_over_the_limit_is_refused_and_one_of_just_that_size_is_not() {
    let app = Application::of(&ConfigFile::new(
        "[server]\nmax_body_bytes = 1024\n[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic1\"\n",
    ));
    let sized = |size: usize| {
        let start = r#"{"game": {}"#;
        format!("{start}{}}}", " ".repeat(size - start.len() - 1))
    };
    assert_eq!(app.post_text("/v1/validate", sized(1024)).await.status, 200);
    for size in [1025, 5000, 1_000_000] {
        let reply = app.post_text("/v1/validate", sized(size)).await;
        check_problem("too large", &reply, 413, "body_too_large");
        assert!(reply.body["detail"].as_str().unwrap().contains("1024 bytes"));
    }
    // The size is no reason to read what is no JSON.
    let other = TestRequest::post().uri("/v1/validate").set_payload(sized(5000));
    check_problem("no media type", &app.send(other).await, 415, "unsupported_media_type");
}
