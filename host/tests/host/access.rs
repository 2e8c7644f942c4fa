//! Access: API keys, allowed hosts, origins, and client limits.

mod allowed_hosts;
mod api_keys;
mod cors;
mod limits;

use actix_web::test::TestRequest;
use config::{ClientSettings, api_key::KeyDigest};
use serde_json::{Value, json};

use crate::support::{Application, ConfigFile, Reply};

const KEY: &str = "rookery-key-0123456789abcdef";

/// An application with two AIs and these clients.
fn application(clients: &str) -> Application {
    application_with("", clients)
}

/// Like [`application`], with keys in `[server]`.
fn application_with(server: &str, clients: &str) -> Application {
    Application::of(&ConfigFile::new(&format!(
        "[server]\n{server}\n[ai.basic1]\nlibrary = \"ai_basic1\"\nlimit = {{ depth = 3 }}\n\
         [ai.pawns]\nlibrary = \"counts_pawns\"\n{clients}"
    )))
}

/// An application whose default client and `bob` have no key, while `alice` has one.
fn keyed() -> Application {
    let sha256 = KeyDigest::of(KEY.as_bytes());
    application(&format!(
        "[client.default]\nai = \"basic1\"\n[client.bob]\nai = \"basic1\"\n\
         [client.alice]\nai = \"pawns\"\napi_key_sha256 = \"{sha256}\"\n"
    ))
}

/// A request for an evaluation, the fastest call whose reply names the AI.
fn evaluate() -> TestRequest {
    TestRequest::post()
        .uri("/v1/evaluate")
        .set_json(json!({"game": {}}))
}

fn best_move(limit: &Value) -> Value {
    json!({"game": {}, "limit": limit})
}

#[track_caller]
fn check_limited(reply: &Reply) -> u64 {
    reply.check_error(429, "rate_limited");
    assert_eq!(
        reply.header("Content-Type"),
        Some("application/problem+json")
    );
    reply.header("Retry-After").unwrap().parse().unwrap()
}

#[test]
fn a_client_section_with_only_an_ai_sets_no_limits() {
    let file =
        ConfigFile::new("[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.bob]\nai = \"basic1\"\n");
    let unbounded = ClientSettings::unbounded("bob".into(), "basic1".into());
    assert_eq!(file.load().clients["bob"], unbounded);
}
