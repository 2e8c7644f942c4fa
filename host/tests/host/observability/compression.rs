//! Compressed replies.

use serde_json::json;

use crate::support::{Application, Reply, configuration, records};

const GZIP: (&str, &str) = ("Accept-Encoding", "gzip");

fn app() -> Application {
    Application::of(&configuration(&["ai_basic1"]))
}

fn coding(reply: &Reply) -> (Option<&str>, Option<&str>) {
    (reply.header("Content-Encoding"), reply.header("Vary"))
}

#[actix_web::test]
async fn a_long_reply_is_compressed_for_clients_that_accept_it() {
    let app = app();
    let start = json!({"game": {}});
    let plain = app.post("/v1/legal-moves", &start).await;
    assert_eq!(
        (plain.status, coding(&plain)),
        (200, (None, Some("Accept-Encoding")))
    );
    for (accepted, is_compressed) in [
        ("gzip", true),
        ("deflate, gzip;q=0.5, br", true),
        ("gzip;q=0", false),
        ("br, identity", false),
        ("", false),
        (";;q=", false),
    ] {
        let reply = app
            .post_with(&[("Accept-Encoding", accepted)], "/v1/legal-moves", &start)
            .await;
        let expected = if is_compressed { Some("gzip") } else { None };
        assert_eq!(
            coding(&reply),
            (expected, Some("Accept-Encoding")),
            "{accepted}"
        );
        assert_eq!(
            (reply.status, &reply.body),
            (200, &plain.body),
            "{accepted}"
        );
    }
    // A long error is compressed.
    let moves = vec!["x"; 50];
    let reply = app
        .post_with(&[GZIP], "/v1/validate", &json!({"game": {"moves": moves}}))
        .await;
    assert_eq!(reply.status, 422);
    assert_eq!(coding(&reply).0, Some("gzip"));
    let reply = app.get_with(&[GZIP], "/metrics").await;
    assert_eq!((reply.status, coding(&reply).0), (200, Some("gzip")));
}

#[actix_web::test]
async fn a_short_reply_is_not_compressed() {
    let app = app();
    let one = json!({"game": {}, "from": "e2"});
    for reply in [
        app.post_with(&[GZIP], "/v1/legal-moves", &one).await,
        app.get_with(&[GZIP], "/healthz").await,
        app.get_with(&[GZIP], "/v1/nothing").await,
    ] {
        assert_eq!(coding(&reply), (None, None), "{}", reply.body);
    }
}

#[actix_web::test]
async fn a_picture_has_a_tag_for_each_coding() {
    let app = app();
    let plain = app.get("/v1/board.svg").await;
    let compressed = app.get_with(&[GZIP], "/v1/board.svg").await;
    assert_eq!(
        (coding(&plain).0, coding(&compressed).0),
        (None, Some("gzip"))
    );
    assert_eq!(plain.body, compressed.body);
    let tags = [plain, compressed].map(|reply| reply.header("ETag").unwrap().to_owned());
    assert_ne!(tags[0], tags[1]);
    let again = app
        .get_with(&[GZIP, ("If-None-Match", &tags[1])], "/v1/board.svg")
        .await;
    assert_eq!((again.status, again.header("ETag")), (304, Some(&*tags[1])));
}

#[actix_web::test]
async fn a_stream_is_not_compressed() {
    let app = app();
    let headers = [GZIP, ("Accept", "application/x-ndjson")];
    let body = json!({"game": {}, "limit": {"depth": 3}, "lines": 8});
    let reply = app.post_with(&headers, "/v1/best-move", &body).await;
    assert_eq!((reply.status, coding(&reply)), (200, (None, None)));
    assert!(reply.body.as_str().unwrap().len() > 1024);
    assert_eq!(
        records(reply.body.as_str().unwrap()).last().unwrap()["type"],
        "result"
    );
}
