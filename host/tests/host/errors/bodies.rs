//! Bodies that are not of the right form.

use actix_web::test::TestRequest;

use super::{app, check_problem, refused_text};
use crate::support::{Application, ConfigFile};

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
async fn rejects_other_media_types() {
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
async fn rejects_compressed_bodies() {
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
async fn rejects_bodies_above_max_body_bytes() {
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
