//! `GET /v1/version`.

use serde_json::json;

use crate::support::{Application, ConfigFile, configuration, tablebases, with_ais};

#[actix_web::test]
async fn names_the_versions_and_features() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let reply = app.get("/v1/version").await;
    assert_eq!(reply.header("Cache-Control"), Some("no-store"));
    let contract = ai_api::note::API_VERSION;
    let expected = json!({
        "name": "rookery",
        "version": env!("CARGO_PKG_VERSION"),
        "contract": contract,
        "features": [],
    });
    assert_eq!(reply.ok(), expected);
    let app =
        Application::of(&with_ais(&[("basic1", "ai_basic1", "")], &tablebases())).with_matches();
    assert_eq!(
        app.get("/v1/version").await.ok()["features"],
        json!(["matches", "tablebases"])
    );
}

#[actix_web::test]
async fn needs_no_client() {
    let app = Application::of(&ConfigFile::new(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.alice]\nai = \"basic1\"\nrate = \"1/h\"\n",
    ));
    assert_eq!(app.get("/v1/ais").await.status, 401);
    for headers in [
        &[][..],
        &[("X-Client-Id", "nobody")],
        &[("X-Client-Id", "alice")],
        &[("X-Client-Id", "alice")],
    ] {
        let reply = app.get_with(headers, "/v1/version").await;
        assert_eq!(
            (reply.status, reply.header("RateLimit")),
            (200, None),
            "{headers:?}"
        );
    }
    app.get("/v1/version?x=1")
        .await
        .check_error(400, "malformed_request");
    app.post("/v1/version", &json!({}))
        .await
        .check_error(405, "method_not_allowed");
}
