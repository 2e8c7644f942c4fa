//! `GET /v1/clients`.

use serde_json::json;

use crate::support::{ADMIN_KEY, Application, administrator, basic1_and, keyed_client};

#[actix_web::test]
async fn lists_the_clients_with_their_usage() {
    let bob = keyed_client("bob", "basic1")
        + "rate = \"1/h burst 2\"\nmax_concurrent = 3\nexpires = 2050-01-31\n";
    let app = Application::of(&basic1_and(&(bob + &administrator("basic1"))));
    let body = json!({"game": {}, "limit": {"depth": 1}});
    for status in [200, 200, 429] {
        let reply = app
            .post_with(&[("Authorization", "Bearer bob")], "/v1/best-move", &body)
            .await;
        assert_eq!(reply.status, status);
    }
    let mut clients = app.get_with_key(ADMIN_KEY, "/v1/clients").await.ok()["clients"].clone();
    let seconds = clients[0].as_object_mut().unwrap().remove("ai_seconds");
    assert!(seconds.unwrap().as_f64().unwrap() > 0.0);
    let expected = json!([
        {
            "id": "bob",
            "ai": "basic1",
            "has_key": true,
            "keys": 1,
            "admin": false,
            "rate": "1/h burst 2",
            "max_concurrent": 3,
            "expires": "2050-01-31T00:00:00Z",
            "expiry": "active",
            "finished": 3,
            "rejected": 1,
        },
        {
            "id": "boss",
            "ai": "basic1",
            "has_key": true,
            "keys": 1,
            "admin": true,
            "finished": 0,
            "rejected": 0,
            "ai_seconds": 0.0,
        },
        {
            "id": "default",
            "ai": "basic1",
            "has_key": false,
            "keys": 0,
            "admin": false,
            "finished": 0,
            "rejected": 0,
            "ai_seconds": 0.0,
        },
    ]);
    assert_eq!(clients, expected);
}

#[actix_web::test]
async fn only_admins_may_list_clients() {
    let app = Application::of(&basic1_and(
        &(keyed_client("bob", "basic1") + &administrator("basic1")),
    ));
    app.get("/v1/clients").await.check_error(404, "not_found");
    app.get_with_key("bob", "/v1/clients")
        .await
        .check_error(404, "not_found");
}
