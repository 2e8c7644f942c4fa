//! `GET /v1/levels`.

use serde_json::{Value, json};

use crate::support::{Application, ConfigFile, Reply, game_service, with_ais};

const LEVELS: &str = "
[client.quick]
ai = 'quick'
allowed_ais = ['quick']
[client.shallow]
ai = 'basic1'
max_depth = 2
[client.few]
ai = 'basic1'
max_nodes = 499
max_movetime_ms = 100
[client.short]
ai = 'basic1'
max_movetime_ms = 299

[level.strongest]
name = 'Strongest'
ai = 'basic1'
elo = 1900
elo_error = 80
scale = 'CCRL Blitz'
limit = { movetime_ms = 300, depth = 9 }
[level.first]
name = 'Level 1'
ai = 'basic1'
elo = 800
limit = { depth = 1 }
options = { quiescence = false }
[level.b]
name = 'Level 3'
ai = 'basic1'
elo = 1200
limit.nodes = 500
[level.a]
name = 'Level 2'
ai = 'quick'
elo = 1200
";

fn file(levels: &str) -> ConfigFile {
    let basic1 = (
        "basic1",
        "ai_basic1",
        "limit.depth = 3\noverridable_options = ['quiescence']",
    );
    let quick = ("quick", "ai_basic1", "limit.depth = 2");
    with_ais(&[basic1, quick], levels)
}

fn ids(reply: Reply) -> Vec<String> {
    let levels = reply.ok()["levels"].take();
    levels
        .as_array()
        .unwrap()
        .iter()
        .map(|level| level["id"].as_str().unwrap().to_owned())
        .collect()
}

#[actix_web::test]
async fn lists_the_levels_by_strength() {
    let app = Application::of(&file(LEVELS));
    let level = |id, name, elo, ai, options, limit| {
        json!({
            "id": id,
            "name": name,
            "elo": elo,
            "ai": ai,
            "options": options,
            "limit": limit,
        })
    };
    let without_quiescence = json!({"quiescence": false});
    let strongest_limit = json!({"depth": 9, "movetime_ms": 300});
    let mut strongest = level(
        "strongest",
        "Strongest",
        1900,
        "basic1",
        json!({}),
        strongest_limit,
    );
    strongest["elo_error"] = 80.into();
    strongest["scale"] = "CCRL Blitz".into();
    let expected = json!({
        "levels": [
            level("first", "Level 1", 800, "basic1", without_quiescence, json!({"depth": 1})),
            level("a", "Level 2", 1200, "quick", json!({}), json!({"depth": 2})),
            level("b", "Level 3", 1200, "basic1", json!({}), json!({"nodes": 500})),
            strongest,
        ],
    });
    let levels = app.get("/v1/levels").await.ok();
    assert_eq!(levels, expected);
    for level in levels["levels"].as_array().unwrap() {
        let request = json!({
            "game": {},
            "ai": level["ai"],
            "options": level["options"],
            "limit": level["limit"],
        });
        let answered = app.post("/v1/best-move", &request).await.ok();
        assert_eq!(
            (&answered["ai"]["id"], &answered["search"]["limit"]),
            (&level["ai"], &Value::Null)
        );
    }
    assert_eq!(
        Application::of(&file("")).get("/v1/levels").await.ok(),
        json!({"levels": []})
    );
}

#[actix_web::test]
async fn lists_what_the_client_may_request() {
    let app = Application::of(&file(LEVELS));
    for (client, expected) in [
        ("quick", &["a"][..]),
        ("shallow", &["first", "a"]),
        ("few", &[]),
        ("short", &["first", "a", "b"]),
    ] {
        assert_eq!(
            ids(app.get_with(&[("X-Client-Id", client)], "/v1/levels").await),
            expected,
            "{client}"
        );
    }
    app.get_with(&[("X-Client-Id", "nobody")], "/v1/levels")
        .await
        .check_error(401, "unknown_client");
}

#[actix_web::test]
async fn rejects_unknown_parameters() {
    let app = Application::of(&file(LEVELS));
    let detail = app
        .get("/v1/levels?elo=1300")
        .await
        .check_error(400, "malformed_request");
    assert!(detail.contains("'elo'"), "{detail}");
}

#[actix_web::test]
async fn a_new_generation_has_its_own_levels() {
    let app = Application::of(&file(LEVELS));
    assert_eq!(ids(app.get("/v1/levels").await).len(), 4);
    let only = "[level.only]\nname = 'Only'\nai = 'quick'\nelo = 900\n";
    app.swap(game_service(&file(only)));
    assert_eq!(ids(app.get("/v1/levels").await), ["only"]);
}
