//! Limits set by the operator: `bind = true` and an AI's level.

use ai_api::Limits;
use game::job;
use pool::RequestContext;
use protocol::{Response, Task};
use rules::{Game, start_position};
use serde_json::{Value, json};

use crate::support::{Application, ai, options, started, with_ais};

/// Returns an application whose AI searches one ply, whatever a client asks for.
fn bound() -> Application {
    let settings = "limit = { depth = 1, bind = true }";
    Application::of(&ai("basic1", "ai_basic1", settings))
}

#[actix_web::test]
async fn no_request_changes_a_bound_limit() {
    let app = bound();
    for limit in [
        json!({"depth": 6}),
        json!({"nodes": 1_000_000}),
        json!({"depth": 6, "nodes": 1}),
        json!({"mate": 2}),
    ] {
        let reply = app
            .post("/v1/best-move", &json!({"game": {}, "limit": limit}))
            .await
            .ok();
        assert_eq!(reply["search"]["depth"], 1, "{limit}: {reply}");
        assert_eq!(reply["search"]["limit"], json!({"depth": 1}), "{limit}");
    }
    let own = app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    assert_eq!(own["search"]["depth"], 1);
    assert_eq!(own["search"].get("limit"), None);
    let body = json!({"game": {}, "ais": ["basic1"], "limit": {"depth": 6}});
    let compared = app.post("/v1/compare", &body).await.ok();
    assert_eq!(compared["answers"][0]["search"]["depth"], 1, "{compared}");
    let clocks = json!({"white_ms": 60_000, "black_ms": 60_000});
    let timed = json!({"game": {}, "clocks": clocks, "limit": {"depth": 9}});
    let reply = app.post("/v1/best-move", &timed).await.ok();
    assert_eq!(reply["search"]["depth"], 1, "{reply}");
}

#[actix_web::test]
async fn a_time_limit_of_the_client_still_ends_a_search() {
    let settings = "limit = { depth = 500, bind = true }";
    let app = Application::of(&ai("thinker", "deepening", settings));
    let body = json!({"game": {}, "limit": {"movetime_ms": 50}});
    let reply = app.post("/v1/best-move", &body).await.ok();
    assert_eq!(reply["search"]["stopped_by"], "movetime", "{reply}");
    assert_eq!(
        reply["search"]["limit"],
        json!({"depth": 500, "movetime_ms": 50})
    );
}

/// Matches, the arena and `rookery uci` send their requests this way.
#[actix_web::test]
async fn the_limit_binds_every_client() {
    let file = ai("basic1", "ai_basic1", "limit = { depth = 1, bind = true }");
    let ais = started(&file);
    let asked = Limits {
        depth: Some(6),
        ..Limits::nodes(1_000_000)
    };
    let job = job(&Game::new(start_position()), Task::Search(asked));
    let basic1 = ais.get("basic1").unwrap();
    let response = basic1.ask(RequestContext::default(), job, None).await;
    let Ok(Response::Searched(result)) = response else {
        panic!("{response:?}")
    };
    assert_eq!(result.depth, 1);
}

/// Returns the search depth of a request to `ai_huo1` with these settings.
async fn depth_of_huo1(settings: &str, body: &Value) -> Value {
    let app = Application::of(&with_ais(&[("huo1", "ai_huo1", settings)], ""));
    app.post("/v1/best-move", body).await.ok()["search"]["depth"].clone()
}

#[actix_web::test]
async fn a_level_is_not_overruled_by_the_default_limit() {
    let body = json!({"game": {"fen": "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"}});
    let requested = json!({"game": body["game"], "options": {"level": 1}});
    let overridable = "overridable_options = [\"level\"]\n";
    for (settings, body, depth) in [
        ("", &body, 5),
        ("options = { level = 2 }", &body, 2),
        (overridable, &requested, 1),
        ("options = { level = 2 }\nlimit = { depth = 3 }", &body, 3),
    ] {
        assert_eq!(depth_of_huo1(settings, body).await, depth, "{settings}");
    }
    let limited = json!({"game": body["game"], "limit": {"depth": 4}});
    assert_eq!(depth_of_huo1("options = { level = 2 }", &limited).await, 4);
}

#[test]
fn only_an_ai_can_have_a_bound_limit() {
    let level = "[level.club]\nname = \"Club\"\nai = \"basic1\"\nelo = 1500\n";
    let limit = "limit = { depth = 1, bind = true }\n";
    let file = with_ais(&[("basic1", "ai_basic1", "")], &format!("{level}{limit}"));
    let error = config::load(&file.path(), &options())
        .unwrap_err()
        .to_string();
    assert!(error.contains("`level.club.limit.bind` is true"), "{error}");
}
