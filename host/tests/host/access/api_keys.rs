//! API keys.

use actix_web::http::header::HeaderValue;
use config::api_key::KeyDigest;
use serde_json::json;

use super::{KEY, application, evaluate, keyed};
use crate::support::{Application, Reply};

async fn with_headers(app: &Application, headers: &[(&str, &str)]) -> Reply {
    app.post_with(headers, "/v1/evaluate", &json!({"game": {}}))
        .await
}

#[track_caller]
fn check_unknown(reply: &Reply) {
    reply.check_error(401, "unknown_client");
    assert_eq!(reply.header("WWW-Authenticate"), Some("Bearer"));
    assert_eq!(
        reply.header("Content-Type"),
        Some("application/problem+json")
    );
}

#[actix_web::test]
async fn a_key_identifies_its_client() {
    let app = keyed();
    for scheme in ["Bearer ", "bearer ", "BEARER  "] {
        let authorization = format!("{scheme}{KEY}");
        let reply = with_headers(&app, &[("Authorization", &authorization)]).await;
        assert_eq!(reply.ok()["ai"]["id"], "pawns");
        let named = [
            ("Authorization", authorization.as_str()),
            ("X-Client-Id", "alice"),
        ];
        assert_eq!(with_headers(&app, &named).await.status, 200);
    }
    let reply = with_headers(&app, &[]).await;
    assert_eq!(reply.ok()["ai"]["id"], "basic1");
}

#[actix_web::test]
async fn both_keys_of_a_client_are_valid_during_a_key_change() {
    let [old, new] = ["old", "new"].map(|key| KeyDigest::of(key.as_bytes()));
    let app = application(&format!(
        "[client.alice]\nai = \"pawns\"\napi_key_sha256 = [\"{old}\", \"{new}\"]\n"
    ));
    for key in ["old", "new"] {
        let reply = with_headers(&app, &[("Authorization", &format!("Bearer {key}"))]).await;
        assert_eq!(reply.ok()["ai"]["id"], "pawns");
    }
    check_unknown(&with_headers(&app, &[("Authorization", "Bearer other")]).await);
}

#[actix_web::test]
async fn only_its_key_reveals_that_a_keyed_client_expired() {
    let sha256 = KeyDigest::of(KEY.as_bytes());
    let expired = "expires = 2020-02-29T18:00:00+01:00\n";
    let app = application(&format!(
        "[client.default]\nai = \"basic1\"\n[client.bob]\nai = \"basic1\"\n{expired}\
         [client.alice]\nai = \"pawns\"\napi_key_sha256 = \"{sha256}\"\n{expired}"
    ));
    for (name, header) in [
        ("alice", ("Authorization", format!("Bearer {KEY}"))),
        ("bob", ("X-Client-Id", "bob".into())),
    ] {
        let reply = with_headers(&app, &[(header.0, &header.1)]).await;
        check_unknown(&reply);
        let expected = format!(
            "the access of the client '{name}' expired at 2020-02-29T17:00:00Z; ask the server's \
             operator to extend it"
        );
        assert_eq!(reply.body["detail"], expected);
    }
    // An unknown name gets the same reply.
    let reply = with_headers(&app, &[("X-Client-Id", "alice")]).await;
    check_unknown(&reply);
    assert!(!reply.body.to_string().contains("expire"), "{}", reply.body);
    assert_eq!(with_headers(&app, &[]).await.status, 200);
}

#[actix_web::test]
async fn rejects_the_id_of_a_keyed_client_as_unknown() {
    let app = keyed();
    let alice = with_headers(&app, &[("X-Client-Id", "alice")]).await;
    check_unknown(&alice);
    let unknown = with_headers(&app, &[("X-Client-Id", "carol")]).await;
    check_unknown(&unknown);
    let of =
        |reply: &Reply, name: &str| reply.body["detail"].as_str().unwrap().replace(name, "NAME");
    assert_eq!(of(&alice, "alice"), of(&unknown, "carol"));
    assert!(
        of(&alice, "alice").contains("Authorization: Bearer KEY"),
        "{}",
        alice.body
    );
}

#[actix_web::test]
async fn rejects_wrong_keys_without_repeating_them() {
    let app = keyed();
    let off_by_one = &KEY[..KEY.len() - 1];
    let hash = KeyDigest::of(KEY.as_bytes()).to_string();
    for authorization in [
        format!("Bearer {off_by_one}"),
        format!("Bearer {KEY}0"),
        format!("Bearer {}", KEY.to_uppercase()),
        format!("Bearer {hash}"),
        format!("Bearer {KEY}, Bearer {KEY}"),
        KEY.to_owned(),
        format!("Basic {KEY}"),
        format!("Bearer{KEY}"),
        "Bearer ".to_owned(),
        "Bearer".to_owned(),
        String::new(),
    ] {
        for name in [
            None,
            Some(("X-Client-Id", "bob")),
            Some(("X-Client-Id", "alice")),
        ] {
            let headers = [Some(("Authorization", authorization.as_str())), name];
            let headers: Vec<_> = headers.into_iter().flatten().collect();
            let reply = with_headers(&app, &headers).await;
            check_unknown(&reply);
            let body = reply.body.to_string();
            assert!(
                !body.contains("0123456789") && !body.contains(&hash[..8]),
                "{authorization}: {body}"
            );
        }
    }
    let bytes = HeaderValue::from_bytes(b"Bearer \xff\xfe").unwrap();
    check_unknown(
        &app.send(evaluate().insert_header(("Authorization", bytes)))
            .await,
    );
}

#[actix_web::test]
async fn rejects_a_repeated_key() {
    let authorization = format!("Bearer {KEY}");
    let twice = [("Authorization", authorization.as_str()); 2];
    check_unknown(&with_headers(&keyed(), &twice).await);
}

#[actix_web::test]
async fn rejects_a_key_with_another_client_id() {
    let app = keyed();
    let authorization = format!("Bearer {KEY}");
    for name in ["bob", "default", "carol", "", "alice, alice"] {
        let reply = with_headers(
            &app,
            &[("Authorization", &authorization), ("X-Client-Id", name)],
        )
        .await;
        check_unknown(&reply);
        let others = reply.body.to_string().replace("alice, alice", "");
        assert!(!others.contains("alice"), "{others}");
    }
}

#[actix_web::test]
async fn does_not_repeat_a_key_in_the_wrong_header() {
    let reply = with_headers(&keyed(), &[("X-Client-Id", KEY)]).await;
    check_unknown(&reply);
    assert!(!reply.body.to_string().contains("0123"), "{}", reply.body);
}

#[actix_web::test]
async fn requires_a_key_without_a_default_client() {
    let sha256 = KeyDigest::of(KEY.as_bytes());
    let app = application(&format!(
        "[client.alice]\nai = \"pawns\"\napi_key_sha256 = \"{sha256}\"\n"
    ));
    for headers in [
        &[][..],
        &[("X-Client-Id", "default")],
        &[("X-Client-Id", "alice")],
    ] {
        check_unknown(&with_headers(&app, headers).await);
    }
    for path in [
        "/v1/ais",
        "/v1/ais/pawns",
        "/v1/nothing",
        "/api/BlogChess/nothing",
    ] {
        check_unknown(&app.get(path).await);
    }
    assert_eq!(app.get("/healthz").await.status, 200);
    assert_eq!(
        with_headers(&app, &[("Authorization", &format!("Bearer {KEY}"))])
            .await
            .status,
        200
    );
}

#[actix_web::test]
async fn requires_the_key_of_a_keyed_default_client() {
    let sha256 = KeyDigest::of(KEY.as_bytes());
    let app = application(&format!(
        "[client.default]\nai = \"pawns\"\napi_key_sha256 = \"{sha256}\"\n"
    ));
    check_unknown(&with_headers(&app, &[]).await);
    check_unknown(&with_headers(&app, &[("X-Client-Id", "default")]).await);
    assert_eq!(
        with_headers(&app, &[("Authorization", &format!("Bearer {KEY}"))])
            .await
            .status,
        200
    );
}
