//! Rejected requests: each reply is a problem (RFC 9457) with a code, a pointer and every issue.

mod bodies;
mod clients;
mod games;
mod routes;

use actix_web::test::TestRequest;
use serde_json::Value;

use crate::support::{Application, Reply, with_ais};

/// An application with three AIs: the default client's, an evaluator and a searcher. `alice` may
/// use only the evaluator.
fn app() -> Application {
    let ais = [
        ("basic1", "ai_basic1", ""),
        ("pawns", "counts_pawns", ""),
        ("echo", "echo", ""),
    ];
    Application::of(&with_ais(
        &ais,
        "[client.alice]\nai = \"pawns\"\nallowed_ais = [\"pawns\"]",
    ))
}

/// Checks that a problem is consistent in status, body and headers, and discloses no paths.
#[track_caller]
pub(crate) fn check_problem(request: &str, reply: &Reply, status: u16, code: &str) {
    let body = &reply.body;
    assert_eq!(
        (reply.status, reply.code()),
        (status, code),
        "{request}: {body}"
    );
    assert!(status >= 400);
    assert_eq!(
        reply.header("Content-Type"),
        Some("application/problem+json"),
        "{request}"
    );
    let fields = body.as_object().unwrap();
    let known = [
        "type",
        "title",
        "status",
        "detail",
        "code",
        "request_id",
        "pointer",
        "issues",
    ];
    assert!(
        fields.keys().all(|key| known.contains(&key.as_str())),
        "{request}: {body}"
    );
    assert_eq!(
        body["type"],
        format!("urn:rookery:problem:{code}"),
        "{request}"
    );
    assert_eq!(body["status"], status, "{request}");
    for field in ["title", "detail", "request_id"] {
        let text = body[field].as_str().unwrap();
        assert!(
            !text.is_empty() && !text.contains(char::is_control),
            "{request}: {field} {text:?}"
        );
        assert!(
            text.chars().count() <= 700,
            "{request}: {field} has {} characters",
            text.chars().count()
        );
    }
    // Bad options are reported as issues of a malformed request.
    let is_of_options = body["pointer"]
        .as_str()
        .is_some_and(|pointer| pointer.starts_with("/options/"));
    let has_issues = fields.contains_key("issues");
    assert!(
        has_issues == (code == "illegal_game") || is_of_options,
        "{request}: {body}"
    );
    assert_eq!(
        fields.contains_key("pointer"),
        code == "malformed_request",
        "{request}: {body}"
    );
    for issue in body["issues"].as_array().into_iter().flatten() {
        let message = issue["message"].as_str().unwrap();
        assert!(
            !message.is_empty() && !message.contains(char::is_control),
            "{request}: {message:?}"
        );
        assert!(message.chars().count() <= 400, "{request}: {message}");
        assert!(
            issue["code"].is_string() && issue["pointer"].is_string(),
            "{request}: {issue}"
        );
    }
    let text = body.to_string();
    let folders = [
        env!("CARGO_MANIFEST_DIR"),
        env!("CARGO_BIN_EXE_rookery"),
        "/target/",
        "rookery.toml",
        ".so",
    ];
    assert!(
        !folders.iter().any(|folder| text.contains(folder)),
        "{request}: {text}"
    );
}

async fn rejected_reply(
    app: &Application,
    path: &str,
    body: &Value,
    status: u16,
    code: &str,
) -> Reply {
    let reply = app.post(path, body).await;
    check_problem(&format!("{path} {body}"), &reply, status, code);
    reply
}

async fn refused_text(app: &Application, path: &str, body: impl Into<Vec<u8>>) -> Reply {
    let body = body.into();
    let shown = String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned();
    let request = TestRequest::post()
        .uri(path)
        .insert_header(("Content-Type", "application/json"));
    let reply = app.send(request.set_payload(body)).await;
    check_problem(&shown, &reply, 400, "malformed_request");
    reply
}
