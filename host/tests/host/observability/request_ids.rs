//! Request ids.

use std::collections::BTreeSet;

use config::api_key::generate;
use serde_json::json;

use crate::support::{Application, Reply, configuration};

async fn named(app: &Application, names: &[&str]) -> Reply {
    let headers: Vec<_> = names.iter().map(|&name| ("X-Request-Id", name)).collect();
    app.post_with(
        &headers,
        "/v1/best-move",
        &json!({"game": {}, "ai": "nobody"}),
    )
    .await
}

#[actix_web::test]
async fn every_reply_has_a_request_id() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let mut names = BTreeSet::new();
    for _ in 0..3 {
        let reply = named(&app, &[]).await;
        assert_eq!(
            reply.body["request_id"],
            json!(reply.header("X-Request-Id").unwrap())
        );
        names.insert(reply.header("X-Request-Id").unwrap().to_owned());
    }
    for path in ["/healthz", "/metrics", "/v1/ais", "/nowhere"] {
        let reply = app.get(path).await;
        names.insert(
            reply
                .header("X-Request-Id")
                .unwrap_or_else(|| panic!("{path}"))
                .to_owned(),
        );
    }
    assert_eq!(names.len(), 7, "{names:?}");
    assert!(names.iter().all(|name| name.len() == 36), "{names:?}");
}

#[actix_web::test]
async fn accepts_only_a_valid_request_id() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let good = named(&app, &["trace-1.b_2"]).await;
    assert_eq!(good.header("X-Request-Id"), Some("trace-1.b_2"));
    assert_eq!(good.body["request_id"], json!("trace-1.b_2"));
    let key = generate().unwrap();
    for bad in [
        &["two words"][..],
        &["<script>"],
        &[""],
        &[&"x".repeat(129)],
        &[&key],
        &[&format!("x-{key}")],
        &["one", "two"],
    ] {
        let reply = named(&app, bad).await;
        let name = reply.header("X-Request-Id").unwrap();
        assert!(
            name.len() == 36 && bad.iter().all(|bad| bad.is_empty() || !name.contains(bad)),
            "{bad:?}: {name}"
        );
    }
}
