//! Rejected bodies: long names, nesting, media types and size.

use actix_web::test::TestRequest;

use super::{app, check_problem, refused_text};
use crate::support::{Application, basic1_and};

#[actix_web::test]
async fn truncates_long_field_names() {
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
        let mut request = TestRequest::post().uri("/v1/validate").insert_header((name, value));
        if name != "Content-Type" {
            request = request.insert_header(("Content-Type", "application/json"));
        }
        let reply = app.send(request.set_payload(r#"{"game": {}}"#)).await;
        assert_eq!(reply.status, status, "{name}: {value}");
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
        request = values.into_iter().fold(request, |request, value| request.append_header((name, value)));
        let reply = app.send(request.set_payload(r#"{"game": {}}"#)).await;
        let detail = reply.check_error(415, "unsupported_media_type");
        assert_eq!(reply.header("Accept-Post"), Some("application/json"));
        assert_eq!(detail, format!("the request has 2 {name} headers; send one"));
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
    assert!(reply.body["detail"].as_str().unwrap().contains("1024 bytes"));
}
