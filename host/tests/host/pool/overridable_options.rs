//! Request options: their scope, and faults that they cause in the AI.

use futures_util::future::{Either, join_all, select};
use serde_json::{Value, json};

use crate::{
    pool::faults::workers_of,
    support::{Application, Reply, ai, assert_has, start_error, with_ais},
};

/// The AI `lifecycle` under a unique id, with one worker and several clients.
fn lifecycle(id: &str, more: &str) -> Application {
    let options = "overridable_options = [\"level\", \"fault\", \"greeting\", \"offset\"]";
    let basic1 = "limit.depth = 1\noverridable_options = [\"quiescence\"]";
    let ais = [
        (id, "lifecycle", &*format!("{options}\n{more}")),
        ("basic1", "ai_basic1", basic1),
    ];
    let clients = format!("[client.one]\nai = \"{id}\"\n[client.other]\nai = \"{id}\"");
    Application::of(&with_ais(&ais, &clients))
}

async fn ask(app: &Application, options: Value) -> Reply {
    let body = json!({"game": {}, "options": options, "fresh": true});
    app.post("/v1/best-move", &body).await
}

/// Returns the AI's level, and the numbers of instances created and alive.
#[track_caller]
fn reported(reply: &Reply) -> (u64, u64, u64) {
    assert_eq!(reply.status, 200, "{}", reply.body);
    let number = |pointer| reply.body.pointer(pointer).and_then(Value::as_u64).unwrap();
    (
        number("/search/depth"),
        number("/search/nodes"),
        number("/score/cp"),
    )
}

#[actix_web::test]
async fn options_apply_to_only_one_request() {
    let app = lifecycle("lifecycle-once", "options.level = 4");
    assert_eq!(
        reported(&app.post("/v1/best-move", &json!({"game": {}})).await),
        (4, 1, 1)
    );
    let set = ask(&app, json!({"level": 7})).await;
    assert_eq!(reported(&set), (7, 2, 1));
    assert_eq!(set.body["ai"]["options"], json!({"level": 7}));
    let without = ask(&app, json!({})).await;
    assert_eq!(reported(&without), (4, 3, 1));
    assert_eq!(without.body["ai"].get("options"), None);
}

#[actix_web::test]
async fn recreates_an_instance_only_when_options_change() {
    let app = lifecycle("lifecycle-seldom", "");
    for _ in 0..3 {
        assert_eq!(
            reported(&ask(&app, json!({"level": 7, "fault": "none"})).await),
            (7, 2, 1)
        );
    }
    // Configured values may be repeated.
    assert_eq!(reported(&ask(&app, json!({"level": 3})).await), (3, 3, 1));
    assert_eq!(
        reported(&ask(&app, json!({"fault": "none", "level": 3})).await),
        (3, 3, 1)
    );
    assert_eq!(reported(&ask(&app, json!({})).await), (3, 3, 1));
}

#[actix_web::test]
async fn never_mixes_options_of_clients() {
    let app = lifecycle("lifecycle-shared", "");
    let asked = (0..60_u64).map(|number| {
        let level = 1 + number * 7 % 9;
        let client = ["one", "other", "default"][number as usize % 3];
        let options = if level == 3 {
            json!({})
        } else {
            json!({"level": level})
        };
        let (app, body) = (&app, json!({"game": {}, "options": options}));
        async move { (level, app.post_as(client, "/v1/best-move", &body).await) }
    });
    for (level, reply) in join_all(asked).await {
        let (found, _, alive) = reported(&reply);
        assert_eq!((found, alive), (level, 1));
    }
}

#[actix_web::test]
async fn options_of_other_requests_change_no_result() {
    let app = lifecycle("lifecycle-beside", "");
    let asked = async |quiescence: bool| {
        let game = json!({"moves": ["e2e4", "d7d5", "b1c3"]});
        let options = json!({"quiescence": quiescence});
        let limit = json!({"depth": 4});
        let body = json!({"game": game, "ai": "basic1", "options": options, "limit": limit});
        let reply = app.post("/v1/best-move", &body).await.ok();
        ["/move/uci", "/score", "/search/nodes"].map(|part| reply.pointer(part).cloned())
    };
    let (with, without) = (asked(true).await, asked(false).await);
    assert_ne!(with[2], without[2], "the option has no effect");
    for _ in 0..3 {
        assert_eq!(asked(true).await, with);
        assert_eq!(asked(false).await, without);
    }
}

#[actix_web::test]
async fn options_apply_to_evaluate_report_and_streams() {
    let app = lifecycle("lifecycle-for-all", "");
    let options = json!({"level": 6});
    let judged = app
        .post("/v1/evaluate", &json!({"game": {}, "options": options}))
        .await;
    assert_eq!(
        (judged.status, &judged.body["score"]),
        (200, &json!({"cp": 6})),
        "{}",
        judged.body
    );
    assert_eq!(judged.body["ai"]["options"], options);
    let game = json!({"moves": ["e2e4", "e7e5"]});
    let report = app
        .post("/v1/report", &json!({"game": game, "options": options}))
        .await;
    assert_eq!(report.ok()["ai"]["options"], options);
    let streamed = app
        .stream("/v1/best-move", &json!({"game": game, "options": options}))
        .await;
    assert_eq!(streamed[0]["ai"]["options"], options);
    let last = streamed.last().unwrap();
    // All replies come from one instance.
    assert_eq!(
        (&last["search"]["depth"], &last["search"]["nodes"]),
        (&json!(6), &json!(2)),
        "{last}"
    );
    assert_eq!(reported(&ask(&app, json!({})).await), (3, 3, 1));
}

#[actix_web::test]
async fn a_failed_recreation_keeps_the_worker() {
    let app = lifecycle("lifecycle-failing", "");
    let worker = workers_of("lifecycle-failing");
    for (fault, words) in [
        ("fails", "level 8 is rejected"),
        ("panics", "level 8 is too much"),
    ] {
        for _ in 0..6 {
            let reply = ask(&app, json!({"level": 8, "fault": fault})).await;
            reply.check_error(502, "ai_failed");
            let reported = app.last_fault("lifecycle-failing");
            assert_has(&reported, &[words]);
            assert!(!reply.body.to_string().contains(words), "{}", reply.body);
        }
        let (level, _, alive) = reported(&ask(&app, json!({})).await);
        assert_eq!((level, alive), (3, 1));
    }
    assert_eq!(workers_of("lifecycle-failing"), worker);
    assert_eq!(
        app.get("/v1/ais/lifecycle-failing").await.body["state"],
        "ready"
    );
}

#[actix_web::test]
async fn recreation_is_bounded_by_new_game_timeout_ms() {
    let app = lifecycle(
        "lifecycle-hanging",
        "new_game_timeout_ms = 200\nmove_timeout_ms = 600000",
    );
    let detail = ask(&app, json!({"fault": "hangs"}))
        .await
        .check_error(504, "ai_timeout");
    assert_has(
        &detail,
        &["not ready with its new options within 200 ms (new_game_timeout_ms"],
    );
    // The new worker created one instance.
    assert_eq!(reported(&ask(&app, json!({})).await), (3, 1, 1));
}

#[actix_web::test]
async fn blocks_only_the_options_that_kill_workers() {
    let app = lifecycle("lifecycle-dying", "");
    let fatal_options = json!({"fault": "aborts"});
    ask(&app, fatal_options.clone())
        .await
        .check_error(502, "ai_crashed");
    let reply = ask(&app, fatal_options).await;
    assert_has(
        reply.body["detail"].as_str().unwrap(),
        &["this request killed 2 workers in a row"],
    );
    assert_eq!(reported(&ask(&app, json!({})).await), (3, 1, 1));
    assert_eq!(reported(&ask(&app, json!({"level": 5})).await), (5, 2, 1));
}

#[actix_web::test]
async fn replaces_an_instance_that_panics_on_drop() {
    let app = lifecycle("lifecycle-panicking", "");
    let worker = workers_of("lifecycle-panicking");
    for level in 1..=9 {
        let (found, _, alive) = reported(
            &ask(
                &app,
                json!({"level": level, "fault": "panics_when_dropped"}),
            )
            .await,
        );
        assert_eq!((found, alive), (level, 1));
    }
    assert_eq!(reported(&ask(&app, json!({})).await), (3, 11, 1));
    assert_eq!(workers_of("lifecycle-panicking"), worker);
}

#[actix_web::test]
async fn restarts_the_worker_when_recreation_fails() {
    let app = lifecycle("lifecycle-once-only", "options.fault = \"fails_to_return\"");
    let worker = workers_of("lifecycle-once-only");
    assert_eq!(reported(&ask(&app, json!({"level": 5})).await), (5, 2, 1));
    assert_eq!(workers_of("lifecycle-once-only"), worker);
    assert_eq!(reported(&ask(&app, json!({})).await), (3, 1, 1));
    assert_ne!(workers_of("lifecycle-once-only"), worker);
}

#[actix_web::test]
async fn a_disconnect_during_recreation_costs_no_worker() {
    // The creation takes longer than the grace period for a disconnected client.
    let app = lifecycle("lifecycle-left", "new_game_timeout_ms = 60000");
    let worker = workers_of("lifecycle-left");
    let pending = Box::pin(ask(&app, json!({"fault": "sleeps"})));
    let busy = async {
        while app.get("/v1/ais/lifecycle-left").await.body["state"] != "busy" {
            actix_web::rt::task::yield_now().await;
        }
    };
    let Either::Right(((), pending)) = select(pending, Box::pin(busy)).await else {
        panic!("the reply arrived before the disconnect")
    };
    drop(pending);
    assert_eq!(reported(&ask(&app, json!({})).await).0, 3);
    assert_eq!(workers_of("lifecycle-left"), worker);
}

#[actix_web::test]
async fn the_fallback_rejects_options_of_another_ai() {
    let app = lifecycle("lifecycle-resting", "fallback = \"basic1\"");
    for level in 1..=3 {
        ask(&app, json!({"level": level, "fault": "aborts"}))
            .await
            .check_error(502, "ai_crashed");
    }
    let instead = ask(&app, json!({})).await;
    assert_eq!(instead.ok()["ai"]["id"], "basic1");
    for path in ["/v1/best-move", "/v1/evaluate"] {
        let reply = app
            .post(path, &json!({"game": {}, "options": {"level": 5}}))
            .await;
        let detail = reply.check_error(503, "ai_unavailable");
        assert_has(
            &detail,
            &["its fallback 'basic1' does not have the requested options"],
        );
        assert!(reply.header("Retry-After").is_some());
    }
}

#[actix_web::test]
async fn the_schema_marks_overridable_options() {
    let app = Application::of(&with_ais(
        &[(
            "lifecycle",
            "lifecycle",
            "overridable_options = [\"level\"]\nlimit.nodes = 700\nmove_timeout_ms = 2000\noptions \
             = { level = 5, greeting = \"a secret\" }",
        )],
        "[client.guest]\nai = \"lifecycle\"\nmax_depth = 4\nmax_movetime_ms = 500",
    ));
    let about = app.get("/v1/ais/lifecycle").await.body;
    let properties = &about["options"]["properties"];
    assert_eq!(
        (
            &properties["level"]["default"],
            properties["level"].get("readOnly")
        ),
        (&json!(5), None)
    );
    let fault = &properties["fault"];
    assert_eq!(
        (&fault["default"], &fault["readOnly"]),
        (&json!("none"), &json!(true))
    );
    // A text option's default may contain a path on the server, so it is not shown.
    assert_eq!(properties["greeting"].get("default"), None);
    assert!(!about.to_string().contains("a secret"), "{about}");
    let most = |about: &Value, limit: &str| about["limit"]["properties"][limit]["maximum"].clone();
    assert_eq!(about["limit"]["default"], json!({"nodes": 700}));
    assert_eq!(
        (most(&about, "depth"), most(&about, "movetime_ms")),
        (json!(1000), json!(1750))
    );
    let listed = app
        .get_with(&[("X-Client-Id", "guest")], "/v1/ais")
        .await
        .body;
    assert_eq!(
        (most(&listed[0], "depth"), most(&listed[0], "movetime_ms")),
        (json!(4), json!(500))
    );
}

#[actix_web::test]
async fn rejects_long_and_multiline_texts() {
    let app = lifecycle("lifecycle-greeting", "");
    for text in ["", "hello", "♞", &"x".repeat(256)] {
        assert_eq!(reported(&ask(&app, json!({"greeting": text})).await).0, 3);
    }
    for text in ["a\nb", "a\0b", "\u{1b}[2J", "\u{202e}x", &"x".repeat(257)] {
        let detail = ask(&app, json!({"greeting": text}))
            .await
            .check_error(400, "malformed_request");
        assert!(
            detail.ends_with("it must be one line of at most 256 characters"),
            "{detail}"
        );
    }
}

#[actix_web::test]
async fn reports_at_most_50_wrong_options() {
    let app = lifecycle("lifecycle-flooded", "");
    let many: serde_json::Map<_, _> = (0..10_000)
        .map(|number| (format!("n{number}"), json!(1)))
        .collect();
    let reply = ask(&app, Value::Object(many)).await;
    reply.check_error(400, "malformed_request");
    assert!(
        reply.body["detail"]
            .as_str()
            .unwrap()
            .starts_with("10000 options are wrong"),
        "{}",
        reply.body
    );
    assert_eq!(reply.body["issues"].as_array().unwrap().len(), 50);
}

#[test]
fn rejects_overridable_files_and_unknown_options() {
    for (option, part) in [
        ("weights", "which names a file"),
        ("layer_1", "which the AI does not declare"),
    ] {
        let settings = format!("overridable_options = [\"{option}\"]");
        let errors = start_error(&ai("dependent_options", "dependent_options", &settings));
        assert_has(&errors, &[format!("lets requests set `{option}`, {part}")]);
    }
}

#[actix_web::test]
async fn dependent_options_keep_their_defaults() {
    let app = Application::of(&ai(
        "dependent_options",
        "dependent_options",
        "overridable_options = [\"layers\"]\noptions = { layers = 1, layer_1 = 40 }",
    ));
    let terms = async |options: Value| {
        app.post("/v1/evaluate", &json!({"game": {}, "options": options}))
            .await
            .ok()["terms"]
            .clone()
    };
    let layer = |number: usize, weight: i32| {
        json!({
            "name": format!("layer_{number}"),
            "score": {"cp": weight},
        })
    };
    assert_eq!(terms(json!({})).await, json!([layer(1, 40)]));
    assert_eq!(
        terms(json!({"layers": 2})).await,
        json!([layer(1, 40), layer(2, 2)])
    );
    assert_eq!(terms(json!({})).await, json!([layer(1, 40)]));
}

#[actix_web::test]
async fn live_options_keep_the_instance_and_are_reset() {
    let app = lifecycle("lifecycle-live", "");
    assert_eq!(
        reported(&ask(&app, json!({"offset": 0.5})).await),
        (3, 1, 51)
    );
    assert_eq!(
        reported(&ask(&app, json!({"offset": 2})).await),
        (3, 1, 201)
    );
    assert_eq!(reported(&ask(&app, json!({})).await), (3, 1, 1));
    // An option that is not live needs a new instance.
    assert_eq!(
        reported(&ask(&app, json!({"offset": 0.5, "level": 7})).await),
        (7, 2, 51)
    );
    assert_eq!(reported(&ask(&app, json!({"level": 7})).await), (7, 2, 1));
    // So does a live option that the AI rejects.
    let faulty = json!({"fault": "rejects_offset"});
    assert_eq!(reported(&ask(&app, faulty).await), (3, 3, 1));
    let rejected_offset = json!({"fault": "rejects_offset", "offset": 1});
    assert_eq!(reported(&ask(&app, rejected_offset).await), (3, 4, 101));

    for wrong in [
        json!({"offset": 9.5}),
        json!({"offset": "1"}),
        json!({"offset": true}),
    ] {
        let reply = ask(&app, wrong).await;
        assert_eq!(
            (reply.status, &reply.body["issues"][0]["code"]),
            (400, &json!("bad_option_value"))
        );
        assert!(
            reply.body.to_string().contains("a number from -9 to 9"),
            "{}",
            reply.body
        );
    }
    let closed = ask(&app, json!({"token": "x"})).await;
    assert_eq!(
        (closed.status, &closed.body["issues"][0]["code"]),
        (400, &json!("option_not_overridable"))
    );
}
