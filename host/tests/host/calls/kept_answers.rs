//! Searches that run once: kept answers, and requests that share a search.

use std::sync::Arc;

use futures_util::future::{Either, join, select};
use pool::Retry;
use serde_json::{Value, json};

use crate::{
    plugins::uci_engines::faulty_engine,
    pool::workers::until,
    support::{Application, ConfigFile, ais_text, game_service, keyed_client, stable, with_ais},
};

const BEST_MOVE: &str = "/v1/best-move";

/// The AIs in these tests: one that searches, one that sleeps, and one that crashes.
fn kept(server: &str) -> ConfigFile {
    let options = "overridable_options = [\"quiescence\"]";
    let ais = [
        ("basic1", "ai_basic1", options),
        ("sleeper", "sleep", "options.time_ms = 300\nworkers = 2"),
        ("aborting", "abort_at_clock_50", "fallback = \"basic1\""),
    ];
    let ann = keyed_client("ann", "basic1");
    with_ais(&ais, &format!("{ann}[server]\n{server}"))
}

/// Returns the body of a request for the position after these moves, with further fields.
fn asked(moves: &[&str], further: &Value) -> Value {
    let mut body = json!({"game": {"moves": moves}, "limit": {"depth": 3}});
    body.as_object_mut()
        .unwrap()
        .extend(further.as_object().unwrap().clone());
    body
}

fn is_cached(reply: &Value) -> bool {
    reply["search"]["cached"] == true
}

impl Application {
    /// Returns the cache's hits, joined requests and misses.
    async fn cache_counts(&self) -> [u64; 3] {
        let text = self.get("/metrics").await.body;
        ["hit", "joined", "miss"].map(|result| {
            let name = format!("rookery_cache_requests_total{{result=\"{result}\"}} ");
            let mut lines = text.as_str().unwrap().lines();
            let count = lines.find_map(|line| line.strip_prefix(&*name));
            count.unwrap().parse().unwrap()
        })
    }
}

/// Waits until the cache has counted these requests.
async fn counted(app: &Application, counts: [u64; 3]) {
    until("the requests are counted", async || {
        app.cache_counts().await == counts
    })
    .await;
}

#[actix_web::test]
async fn an_equal_request_is_not_searched_again() {
    let app = Application::of(&kept(""));
    let body = asked(&["e2e4"], &json!({"lines": 2}));
    let first = app.post(BEST_MOVE, &body).await.ok();
    let mut second = app.post(BEST_MOVE, &body).await.ok();
    assert!(!is_cached(&first) && is_cached(&second), "{second}");
    // The reply repeats the time of the first search.
    assert_eq!(first["search"]["time_ms"], second["search"]["time_ms"]);
    second["search"].as_object_mut().unwrap().remove("cached");
    assert_eq!(stable(&first), stable(&second));
    assert_eq!(app.cache_counts().await, [1, 0, 1]);
    let fresh = asked(&["e2e4"], &json!({"lines": 2, "fresh": true}));
    assert!(!is_cached(&app.post(BEST_MOVE, &fresh).await.ok()));
    // A stream contains only the start and the result.
    let streamed = app.stream(BEST_MOVE, &body).await;
    let kinds: Vec<_> = streamed.iter().map(|record| &record["type"]).collect();
    assert_eq!(kinds, ["start", "result"]);
    assert!(is_cached(&streamed[1]));
}

#[actix_web::test]
async fn anything_that_may_change_the_answer_makes_a_different_request() {
    let app = Application::of(&kept(""));
    let ask = async |body: Value| is_cached(&app.post(BEST_MOVE, &body).await.ok());
    let transposed = ["d2d4", "g8f6", "c2c4"];
    let moves = ["c2c4", "g8f6", "d2d4"];
    assert!(!ask(asked(&moves, &json!({}))).await);
    for other in [
        asked(&transposed, &json!({})),
        asked(&moves[..2], &json!({})),
        asked(&moves, &json!({"limit": {"depth": 2}})),
        asked(&moves, &json!({"limit": {"nodes": 3000}})),
        asked(&moves, &json!({"lines": 2})),
        asked(&moves, &json!({"root_moves": ["e7e6"]})),
        asked(&moves, &json!({"analysis": true})),
        asked(&moves, &json!({"options": {"quiescence": false}})),
        asked(&moves, &json!({"ai": "aborting"})),
    ] {
        assert!(!ask(other.clone()).await, "{other}");
        assert!(ask(other.clone()).await, "{other}");
    }
    // The options and limits are equivalent but written differently.
    let long = json!({"depth": 3, "movetime_ms": 60_000});
    assert!(
        ask(asked(
            &moves,
            &json!({"limit": long, "options": {"quiescence": true}})
        ))
        .await
    );
}

#[actix_web::test]
async fn answers_that_depend_on_time_are_not_kept() {
    let app = Application::of(&kept(""));
    let clocks = json!({"white_ms": 60_000, "black_ms": 60_000});
    for body in [
        json!({"game": {}, "limit": {"movetime_ms": 20}}),
        json!({"game": {}, "limit": {"depth": 900, "movetime_ms": 20}}),
        json!({"game": {}, "limit": {"depth": 2}, "clocks": clocks}),
    ] {
        for _ in 0..2 {
            let reply = app.post(BEST_MOVE, &body).await.ok();
            assert!(!is_cached(&reply), "{body}: {reply}");
        }
    }
}

#[actix_web::test]
async fn a_client_finds_only_its_own_answers() {
    let body = asked(&["a2a3"], &json!({}));
    for (server, finds) in [("", false), ("cache = \"shared\"\n", true)] {
        let app = Application::of(&kept(server));
        app.post(BEST_MOVE, &body).await.ok();
        let ann = app.post_with_key("ann", BEST_MOVE, &body).await.ok();
        assert_eq!(is_cached(&ann), finds, "{server}");
        assert!(is_cached(&app.post(BEST_MOVE, &body).await.ok()));
    }
}

#[actix_web::test]
async fn keeps_nothing_with_the_cache_off() {
    let body = asked(&["a2a3"], &json!({}));
    for server in ["cache_mb = 0\n", "cache = \"off\"\n"] {
        let app = Application::of(&kept(server));
        for _ in 0..2 {
            assert!(!is_cached(&app.post(BEST_MOVE, &body).await.ok()));
        }
        let metrics = app.get("/metrics").await.body;
        assert!(!metrics.as_str().unwrap().contains("rookery_cache"));
    }
}

#[actix_web::test]
async fn equal_requests_share_one_search() {
    let app = Application::of(&kept(""));
    let body = asked(&["b2b3"], &json!({"ai": "sleeper"}));
    let (one, other) = join(app.post(BEST_MOVE, &body), app.post(BEST_MOVE, &body)).await;
    assert_eq!(stable(&one.ok()), stable(&other.ok()));
    assert_eq!(app.cache_counts().await, [0, 1, 1]);
    // If the request that started the search is dropped, the second one still gets the result.
    let body = asked(&["b2b4"], &json!({"ai": "sleeper"}));
    let first = Box::pin(app.post(BEST_MOVE, &body));
    let Either::Right(((), first)) = select(first, Box::pin(counted(&app, [0, 1, 2]))).await else {
        panic!("the search ended before it was counted")
    };
    let second = Box::pin(app.post(BEST_MOVE, &body));
    let Either::Right(((), second)) = select(second, Box::pin(counted(&app, [0, 2, 2]))).await
    else {
        panic!("the search ended before the second request joined it")
    };
    drop(first);
    second.await.ok();
    assert_eq!(app.cache_counts().await, [0, 2, 2]);
}

#[actix_web::test]
async fn a_joining_stream_gets_iterations_and_the_result() {
    let app = Application::of(&kept(""));
    let body = json!({"game": {}, "limit": {"nodes": 600_000}});
    let first = app.post(BEST_MOVE, &body);
    let second = async {
        counted(&app, [0, 0, 1]).await;
        app.stream(BEST_MOVE, &body).await
    };
    let (first, second) = join(first, second).await;
    let kinds: Vec<_> = second
        .iter()
        .map(|record| record["type"].as_str().unwrap())
        .collect();
    assert_eq!((kinds[0], kinds[kinds.len() - 1]), ("start", "result"));
    assert!(kinds[1..kinds.len() - 1].contains(&"info"), "{kinds:?}");
    assert_eq!(first.ok()["move"], second[kinds.len() - 1]["move"]);
}

#[actix_web::test]
async fn faults_and_answers_of_a_fallback_are_not_kept() {
    let app = Application::of(&kept(""));
    let fatal = |number: usize| {
        let fen = format!("4k3/8/8/8/8/8/8/R3K3 w - - 50 {}", 100 + number);
        json!({"game": {"fen": fen}, "ai": "aborting", "limit": {"depth": 1}})
    };
    for number in 0..3 {
        app.post(BEST_MOVE, &fatal(number))
            .await
            .check_error(502, "ai_crashed");
    }
    let body = asked(&[], &json!({"ai": "aborting"}));
    for _ in 0..2 {
        let reply = app.post(BEST_MOVE, &body).await.ok();
        assert_eq!(reply["ai"]["fallback_for"], "aborting");
        assert!(!is_cached(&reply), "{reply}");
    }
    // The answer is kept if the fallback is asked directly.
    let own = asked(&[], &json!({}));
    assert!(!is_cached(&app.post(BEST_MOVE, &own).await.ok()));
    assert!(is_cached(&app.post(BEST_MOVE, &own).await.ok()));
}

#[actix_web::test]
async fn a_report_is_repeated_without_a_search() {
    let app = Application::of(&kept(""));
    let body = json!({"game": {"moves": ["e2e4", "e7e5", "g1f3"]}, "limit": {"depth": 2}});
    let first = app.post("/v1/report", &body).await.ok();
    assert_eq!(app.cache_counts().await, [0, 0, 4]);
    assert_eq!(app.post("/v1/report", &body).await.ok(), first);
    assert_eq!(app.cache_counts().await, [4, 0, 4]);
}

#[actix_web::test]
async fn an_ai_that_varies_searches_each_time() {
    for (options, finds) in [("", true), ("threads = 2", false)] {
        let app = Application::of(&faulty_engine("standard", options, ""));
        app.post(BEST_MOVE, &asked(&[], &json!({}))).await.ok();
        let again = app.post(BEST_MOVE, &asked(&[], &json!({}))).await.ok();
        assert_eq!(is_cached(&again), finds, "{options}: {again}");
    }
}

#[actix_web::test]
async fn a_reload_keeps_the_answers_of_an_unchanged_ai() {
    let text = |settings: &str| format!("{}{settings}", ais_text(&[("basic1", "ai_basic1", "")]));
    let file = ConfigFile::new(&text(""));
    let mut service = game_service(&file);
    let app = Application::new(Arc::clone(&service));
    let body = asked(&[], &json!({}));
    app.post(BEST_MOVE, &body).await.ok();
    for (settings, finds) in [
        ("max_depth = 50\n", true),
        ("[ai.basic1.options]\nquiescence = false\n", false),
        ("[server]\ncache_mb = 64\n", true),
        ("[server]\ncache_mb = 9\n", false),
    ] {
        file.write(&text(settings));
        let (next, _) = service.reload_with(file.load(), Retry::All).unwrap();
        service = Arc::new(next);
        app.swap(Arc::clone(&service));
        let reply = app.post(BEST_MOVE, &body).await.ok();
        assert_eq!(is_cached(&reply), finds, "{settings}");
    }
}
