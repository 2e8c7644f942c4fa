//! Rejected and nearly rejected bodies: long names, nesting, media types, size, numbers and byte
//! order marks.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use super::{app, check_problem, refused_text};
use crate::mcp::timeless;
use crate::support::{Application, basic1_and, with_ais};

#[actix_web::test]
async fn truncates_long_field_names() {
    let app = app();
    let name = "k".repeat(100_000);
    for body in [
        format!("{{\"{name}\": 1}}"),
        format!("{{\"game\": {{\"{name}\": {{}}}}}}"),
    ] {
        let reply = refused_text(&app, "/v1/validate", body).await;
        assert!(reply.body.to_string().len() < 2000, "{}", reply.body);
    }
    let turn = format!("{{\"game\": {{\"boards\": [], \"turn\": \"{name}\"}}}}");
    assert!(
        refused_text(&app, "/v1/validate", turn)
            .await
            .body
            .to_string()
            .len()
            < 2000
    );
}

#[actix_web::test]
async fn rejects_a_deeply_nested_game_status() {
    let nested = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let body = format!("{{\"Positions\": [], \"GameStatus\": {nested}}}");
    refused_text(&app(), "/api/BlogChess/BestMove", body).await;
}

#[actix_web::test]
async fn accepts_json_with_parameters_and_the_identity_coding() {
    let app = app();
    for (name, value, status) in [
        ("Content-Type", "application/json; charset=utf-8", 200),
        ("Content-Type", "Application/JSON", 200),
        ("Content-Type", "application/json ;x=y", 200),
        ("Content-Type", "", 415),
        ("Content-Encoding", "identity", 200),
    ] {
        let mut request = TestRequest::post()
            .uri("/v1/validate")
            .insert_header((name, value));
        if name != "Content-Type" {
            request = request.insert_header(("Content-Type", "application/json"));
        }
        let reply = app.send(request.set_payload(r#"{"game": {}}"#)).await;
        assert_eq!(reply.status, status, "{name}: {value}");
    }
}

/// Bodies with whole numbers, by the path of their call.
fn numbers() -> [(&'static str, Value); 8] {
    let board = json!([
        [0, 0, 0, 0, -6, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0, 0, 0],
        [4, 0, 0, 0, 6, 0, 0, 2]
    ]);
    let boards = json!({"boards": [board], "turn": "white"});
    [
        (
            "/v1/best-move",
            json!({
                "game": {},
                "limit": {
                    "depth": 2,
                    "nodes": 20000,
                },
                "lines": 2,
                "trace": {"nodes": 3},
                "ai": "basic1",
            }),
        ),
        (
            "/v1/best-move",
            json!({"game": {}, "ai": "moody", "options": {"strength": 2}, "limit": {"depth": 1}}),
        ),
        (
            "/v1/compare",
            json!({"game": boards, "ais": ["basic1"], "limit": {"mate": 1}, "lines": 1}),
        ),
        (
            "/v1/report",
            json!({"game": {"moves": ["e2e4"]}, "ai": "basic1", "limit": {"depth": 1}}),
        ),
        (
            "/v1/batch/best-move",
            json!({"games": [boards], "ai": "basic1", "limit": {"depth": 1}}),
        ),
        (
            "/v1/validate",
            json!({"game": {"any": board.to_string(), "turn": "white"}}),
        ),
        (
            "/api/BlogChess/ValidMoves",
            json!({"GameStatus": 0, "Positions": [{"Board": board}]}),
        ),
        (
            "/api/BlogChess/BestMove?ai=basic1&depth=1",
            json!({"GameStatus": 1, "Positions": [{"Board": board}], "CurrentEvaluation": -2}),
        ),
    ]
}

/// The application for [`numbers`].
fn counting_app() -> Application {
    let moody = "overridable_options = [\"strength\"]\noptions = { mood = \"good\" }";
    let ais = [
        ("basic1", "ai_basic1", ""),
        ("moody", "required_option", moody),
    ];
    Application::of(&with_ais(&ais, "[mcp]\nenabled = true\n"))
}

/// Returns JSON text whose integers, including integers in strings, are written by `write`.
fn with_integers(text: &str, write: impl Fn(&str) -> String) -> String {
    let is_digit = |c: char| c.is_ascii_digit();
    let (mut written, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(is_digit) {
        let end = start
            + rest[start..]
                .find(|c| !is_digit(c))
                .unwrap_or(rest.len() - start);
        // Digits in names and moves stay.
        let is_number = rest[..start].ends_with([' ', ':', '[', ',', '-']);
        written += &rest[..start];
        written += &if is_number {
            write(&rest[start..end])
        } else {
            rest[start..end].to_owned()
        };
        rest = &rest[end..];
    }
    written + rest
}

#[actix_web::test]
async fn whole_numbers_may_have_a_decimal_point_or_an_exponent() {
    let app = counting_app();
    for (path, body) in numbers() {
        let expected = timeless(app.post(path, &body).await.ok());
        for write in [
            (|digits| format!("{digits}.0")) as fn(&str) -> String,
            |digits| format!("{digits}e0"),
            |digits| format!("{digits}.00E+00"),
        ] {
            let text = with_integers(&body.to_string(), write);
            let reply = app.post_text(path, &text).await;
            assert_eq!(reply.status, 200, "{path} {text}: {}", reply.body);
            assert_eq!(timeless(reply.body), expected, "{path} {text}");
        }
        let text = with_integers(&body.to_string(), |digits| format!("{digits}.5"));
        let reply = app.post_text(path, &text).await;
        assert!(
            [400, 422].contains(&reply.status),
            "{path} {text}: {}",
            reply.body
        );
        let detail = reply.body.to_string();
        let names_it = detail.contains(".5") || detail.contains("GameStatus must be WhitesTurn");
        assert!(names_it, "{path} {text}: {detail}");
    }
}

#[actix_web::test]
async fn tools_accept_whole_numbers_with_a_decimal_point() {
    let app = counting_app();
    let (_, arguments) = numbers().into_iter().next().unwrap();
    let text = with_integers(&arguments.to_string(), |digits| format!("{digits}.0"));
    for (mark, arguments) in [
        ("", &text),
        ("\u{feff}", &text),
        ("\u{feff}", &arguments.to_string()),
    ] {
        let message = format!(
            "{mark}{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \
             \"params\": {{\"name\": \"best_move\", \"arguments\": {arguments}}}}}"
        );
        let reply = app.post_text("/mcp", &message).await.ok();
        assert_eq!(reply["result"]["isError"], false, "{reply}");
        assert_eq!(
            reply["result"]["structuredContent"]["search"]["depth"], 2,
            "{reply}"
        );
    }
}

#[actix_web::test]
async fn a_byte_order_mark_before_a_body_is_skipped() {
    let app = counting_app();
    for (path, body) in numbers() {
        let expected = timeless(app.post(path, &body).await.ok());
        let reply = app.post_text(path, &format!("\u{feff}{body}")).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        assert_eq!(timeless(reply.body), expected, "{path}");
    }
}

#[actix_web::test]
async fn rejects_a_repeated_media_type_or_coding() {
    let app = app();
    for (name, values) in [
        ("Content-Type", ["application/json", "application/json"]),
        ("Content-Type", ["application/json", "text/plain"]),
        ("Content-Encoding", ["identity", "gzip"]),
    ] {
        let mut request = TestRequest::post().uri("/v1/validate");
        if name != "Content-Type" {
            request = request.insert_header(("Content-Type", "application/json"));
        }
        request = values.into_iter().fold(request, |request, value| {
            request.append_header((name, value))
        });
        let reply = app.send(request.set_payload(r#"{"game": {}}"#)).await;
        let detail = reply.check_error(415, "unsupported_media_type");
        assert_eq!(reply.header("Accept-Post"), Some("application/json"));
        assert_eq!(
            detail,
            format!("the request has 2 {name} headers; send one")
        );
    }
}

#[actix_web::test]
async fn rejects_bodies_above_max_body_bytes() {
    let app = Application::of(&basic1_and("[server]\nmax_body_bytes = 1024"));
    let sized = |size: usize| {
        let start = r#"{"game": {}"#;
        format!("{start}{}}}", " ".repeat(size - start.len() - 1))
    };
    assert_eq!(app.post_text("/v1/validate", sized(1024)).await.status, 200);
    let reply = app.post_text("/v1/validate", sized(1025)).await;
    check_problem("too large", &reply, 413, "body_too_large");
    assert!(
        reply.body["detail"]
            .as_str()
            .unwrap()
            .contains("1024 bytes")
    );
}
