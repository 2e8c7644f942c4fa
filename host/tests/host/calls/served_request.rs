//! `GET /v1/requests/{request_id}`.

use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::support::{
    ADMIN_KEY, Application, ConfigFile, Reply, administrator, assert_has, configuration,
    game_service, keyed_client, with_ais,
};

fn file(replay_kb: usize) -> ConfigFile {
    let ais = [
        (
            "basic1",
            "ai_basic1",
            "limit.depth = 2\noptions.quiescence = false",
        ),
        ("panic", "panic", ""),
        (
            "secretive",
            "lifecycle",
            "options.token = 'of the server'\noptions.greeting = '/of/the/server'",
        ),
    ];
    let clients = keyed_client("bob", "basic1") + "max_depth = 3\n" + &administrator("basic1");
    with_ais(
        &ais,
        &format!("{clients}[server]\nreplay_kb = {replay_kb}\n"),
    )
}

fn app(replay_kb: usize) -> Application {
    Application::of(&file(replay_kb))
}

async fn kept(app: &Application, id: &str) -> Reply {
    app.get_with_key(ADMIN_KEY, &format!("/v1/requests/{id}"))
        .await
}

/// Returns the kept requests with this id.
async fn requests(app: &Application, id: &str) -> Vec<Value> {
    kept(app, id).await.ok()["requests"]
        .as_array()
        .unwrap()
        .clone()
}

/// Posts a request with an id that the client chose.
async fn named(app: &Application, id: &str, path: &str, body: &Value) -> Reply {
    app.post_with(&[("X-Request-Id", id)], path, body).await
}

#[actix_web::test]
async fn returns_everything_needed_to_repeat_a_request() {
    let app = app(64);
    let body = json!({"game": {"moves": ["e2e4"]}, "limit": {"depth": 5}});
    let headers = [
        ("Authorization", "Bearer bob"),
        ("Accept", "application/json"),
    ];
    let served = app.post_with(&headers, "/v1/best-move", &body).await;
    let found = requests(&app, served.header("X-Request-Id").unwrap()).await;
    assert_eq!(found.len(), 1);
    let found = &found[0];
    assert_eq!(
        (&found["client"], &found["path"], &found["body"]),
        (&json!("bob"), &json!("/v1/best-move"), &body)
    );
    assert_eq!(
        (&found["status"], &found["asked"]["max_limit"]),
        (&json!(200), &json!({"depth": 3}))
    );
    let ai = &found["asked"]["ais"][0];
    assert_eq!(
        (&ai["id"], &ai["limit"]),
        (&json!("basic1"), &json!({"depth": 2}))
    );
    assert_eq!(ai["options"], json!({"quiescence": false}));
    assert_eq!(ai["fingerprint"].as_str().unwrap().len(), 64);
    let mut reply = served.ok();
    reply
        .as_object_mut()
        .unwrap()
        .retain(|key, _| key != "game");
    assert_eq!(found["reply"], reply);
    assert_eq!(reply["search"]["limit"], json!({"depth": 3}));
    let marked = TestRequest::post()
        .uri("/v1/best-move")
        .insert_header(("X-Request-Id", "marked"));
    let marked = marked.insert_header(("Content-Type", "application/json"));
    app.send(marked.set_payload("\u{feff}{\"game\": {}, \"limit\": {\"depth\": 1.0}}"))
        .await
        .ok();
    let found = requests(&app, "marked").await;
    assert_eq!(
        found[0]["body"],
        json!({"game": {}, "limit": {"depth": 1.0}})
    );
}

#[actix_web::test]
async fn keeps_every_call_that_asks_an_ai_and_its_failures() {
    let app = app(64);
    let (game, limit) = (json!({"moves": ["e2e4"]}), json!({"depth": 1}));
    let row = || {
        let mut row = vec![0; 8];
        row[4] = 6;
        json!(row)
    };
    let empty = || json!([0, 0, 0, 0, 0, 0, 0, 0]);
    let black = json!([0, 0, 0, 0, -6, 0, 0, 0]);
    let board = json!([
        black,
        empty(),
        empty(),
        empty(),
        empty(),
        empty(),
        empty(),
        row()
    ]);
    let of_2014 = json!({"GameStatus": "WhitesTurn", "Positions": [{"Board": board}]});
    for (path, body, status) in [
        ("/v1/best-move", json!({"game": game, "limit": limit}), 200),
        ("/v1/best-move", json!({"game": game, "ai": "panic"}), 502),
        ("/v1/best-move", json!({"game": {"moves": ["e2e5"]}}), 422),
        ("/v1/best-move", json!({"game": game, "ai": "nobody"}), 404),
        (
            "/v1/compare",
            json!({"game": game, "ais": ["panic", "basic1"], "limit": limit}),
            200,
        ),
        ("/v1/report", json!({"game": game, "limit": limit}), 200),
        (
            "/v1/why",
            json!({"game": game, "move": "a6", "limit": limit}),
            200,
        ),
        ("/v1/evaluate", json!({"game": game}), 200),
        ("/api/BlogChess/BestMove?ai=basic1&depth=1", of_2014, 200),
    ] {
        let reply = app.post(path, &body).await;
        assert_eq!(reply.status, status, "{path}: {}", reply.body);
        let found = requests(&app, reply.header("X-Request-Id").unwrap()).await;
        assert_eq!(
            (&found[0]["status"], &found[0]["body"]),
            (&json!(status), &body),
            "{path}"
        );
        let kept = &found[0]["reply"];
        assert_eq!(kept.get("code"), reply.body.get("code"), "{path}");
        assert!(kept.get("game").is_none() && kept.is_object(), "{kept}");
        assert!(
            kept["Positions"]
                .as_array()
                .is_none_or(|boards| boards.len() == 1),
            "{kept}"
        );
        let ais = found[0]["asked"]["ais"].as_array().unwrap().len();
        let expected = match path {
            "/v1/compare" => 2,
            _ => usize::from(status != 404),
        };
        assert_eq!(ais, expected, "{path}");
    }
    // Neither a call without an AI nor a malformed body is kept.
    for (path, body) in [
        ("/v1/validate", json!({"game": {}})),
        ("/v1/best-move", json!({"gaem": {}})),
    ] {
        let reply = app.post(path, &body).await;
        kept(&app, reply.header("X-Request-Id").unwrap())
            .await
            .check_error(404, "not_found");
    }
}

#[actix_web::test]
async fn keeps_the_result_of_a_stream() {
    let app = app(64);
    for (body, status) in [
        (json!({"game": {}}), 200),
        (json!({"game": {}, "ai": "panic"}), 502),
    ] {
        let id = format!("stream-{status}");
        let headers = [
            ("Accept", "application/x-ndjson"),
            ("X-Request-Id", id.as_str()),
        ];
        app.post_with(&headers, "/v1/best-move", &body).await;
        let found = requests(&app, &id).await;
        assert_eq!(found[0]["status"], json!(status), "{found:?}");
        let key = if status == 200 { "/move/uci" } else { "/code" };
        assert!(
            found[0]["reply"].pointer(key).is_some_and(Value::is_string),
            "{found:?}"
        );
    }
}

#[actix_web::test]
async fn equal_ids_of_different_clients_stay_apart() {
    let app = app(64);
    let body = |depth: u64| json!({"game": {}, "limit": {"depth": depth}});
    named(&app, "same", "/v1/best-move", &body(1)).await.ok();
    let headers = [("Authorization", "Bearer bob"), ("X-Request-Id", "same")];
    app.post_with(&headers, "/v1/best-move", &body(2))
        .await
        .ok();
    let found = requests(&app, "same").await;
    let of = |index: usize| {
        (
            found[index]["client"].as_str().unwrap(),
            &found[index]["body"],
        )
    };
    assert_eq!((of(0), of(1)), (("default", &body(1)), ("bob", &body(2))));
    assert_eq!(found[1]["reply"]["search"]["depth"], 2);
}

#[actix_web::test]
async fn only_admins_read_requests() {
    let app = app(64);
    named(&app, "mine", "/v1/best-move", &json!({"game": {}}))
        .await
        .ok();
    let path = "/v1/requests/mine";
    let own = [("X-Request-Id", "mine")];
    for reply in [
        app.get(path).await,
        app.get_with(&own, path).await,
        app.get_with_key("bob", path).await,
    ] {
        let detail = reply.check_error(404, "not_found");
        assert!(detail.contains("`admin = true`"), "{detail}");
    }
    app.get_with(&[("X-Client-Id", "boss")], path)
        .await
        .check_error(401, "unknown_client");
    assert_eq!(requests(&app, "mine").await.len(), 1);
}

#[actix_web::test]
async fn says_why_a_request_is_not_kept() {
    let not_kept =
        async |app: &Application, id: &str| kept(app, id).await.check_error(404, "not_found");
    let off = not_kept(&app(0), "a").await;
    assert!(
        off.starts_with("requests are not kept; set `replay_kb`"),
        "{off}"
    );

    let app = app(4);
    let unknown = not_kept(&app, "a").await;
    assert!(
        unknown.starts_with("no request with the id 'a' has used an AI since"),
        "{unknown}"
    );

    for id in ["a", "b", "c", "d", "e", "f"] {
        named(&app, id, "/v1/best-move", &json!({"game": {}}))
            .await
            .ok();
    }
    let forgotten = not_kept(&app, "a").await;
    assert!(
        forgotten.contains("'a' is kept;") && forgotten.contains("0 have been too large"),
        "{forgotten}"
    );
    assert_eq!(requests(&app, "f").await.len(), 1);

    // A request that is too large is not kept, and does not replace any kept request.
    let comment = "x".repeat(5000);
    let body = json!({"game": {"pgn": format!("1. e4 {{{comment}}}")}});
    named(&app, "huge", "/v1/best-move", &body).await.ok();
    let huge = not_kept(&app, "huge").await;
    assert_has(&huge, &[" 1 have been too large for `replay_kb = 4`"]);
    assert_eq!(requests(&app, "f").await.len(), 1);
}

#[actix_web::test]
async fn a_reload_that_sets_replay_kb_to_0_forgets_the_requests() {
    let app = app(64);
    named(&app, "a", "/v1/best-move", &json!({"game": {}}))
        .await
        .ok();
    app.swap(game_service(&file(64)));
    assert_eq!(requests(&app, "a").await.len(), 1);
    app.swap(game_service(&file(0)));
    let detail = kept(&app, "a").await.check_error(404, "not_found");
    assert!(detail.starts_with("requests are not kept"), "{detail}");
    app.swap(game_service(&file(64)));
    assert!(
        kept(&app, "a")
            .await
            .check_error(404, "not_found")
            .contains("1 older requests have been forgotten")
    );
}

#[actix_web::test]
async fn keeps_no_keys_or_secrets() {
    let app = app(64);
    let key = config::api_key::generate().unwrap();
    let secret = &key["rookery-key-".len()..];
    let body = json!({
        "game": {"pgn": format!("[White \"{key}\"]\n\n1. e4")}, "ai": "secretive",
        "options": {"token": "of the client", "level": 1}
    });
    // Escaping a character does not hide the key.
    let text = body
        .to_string()
        .replace("rookery-key-", "rookery\\u002dkey-");
    let request = actix_web::test::TestRequest::post()
        .uri("/v1/best-move")
        .set_payload(text);
    let headers = [
        ("Content-Type", "application/json"),
        ("Authorization", "Bearer bob"),
        ("X-Request-Id", "keys"),
    ];
    app.send(
        headers
            .into_iter()
            .fold(request, actix_web::test::TestRequest::insert_header),
    )
    .await;
    let found = kept(&app, "keys").await.ok().to_string();
    assert!(
        found.contains("\"keys\"") && found.contains("rookery-key-*"),
        "{found}"
    );
    for hidden in [
        secret,
        "Bearer",
        "of the client",
        "of the server",
        "/of/the/server",
    ] {
        assert!(!found.contains(hidden), "{hidden}: {found}");
    }
}

#[actix_web::test]
async fn is_off_by_default() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    named(&app, "a", "/v1/best-move", &json!({"game": {}}))
        .await
        .ok();
    app.get("/v1/requests/a")
        .await
        .check_error(404, "not_found");
}
