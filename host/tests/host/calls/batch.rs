//! `POST /v1/batch/best-move` and `POST /v1/batch/evaluate`.

use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use serde_json::{Value, json};

use crate::support::{Application, configuration, keyed_client, stable, with_ais};

const GAMES: [&str; 3] = ["e2e4", "x", "d2d4"];

fn games() -> Value {
    GAMES
        .iter()
        .map(|first| json!({"moves": [first]}))
        .collect()
}

/// Panics unless each game in a batch gets the same reply as in a single call.
async fn assert_equals_single_calls(app: &Application, batch: &str, single: &str, limit: &Value) {
    let mut body = json!({"games": games()});
    body.as_object_mut()
        .unwrap()
        .extend(limit.as_object().unwrap().clone());
    let reply = app.post(batch, &body).await.ok();
    assert_eq!(
        (&reply["answered"], &reply["failed"]),
        (&json!(2), &json!(1))
    );
    let records = app.stream(batch, &body).await;
    assert_eq!(records[0], json!({"type": "start", "of": 3}));
    assert_eq!(
        records.last().unwrap(),
        &json!({"type": "result", "answered": 2, "failed": 1})
    );
    assert_eq!(records.len(), 5, "{records:?}");
    for (index, game) in reply["games"].as_array().unwrap().iter().enumerate() {
        let mut one = json!({"game": games()[index]});
        one.as_object_mut()
            .unwrap()
            .extend(limit.as_object().unwrap().clone());
        let one = app.post(single, &one).await;
        let record = &records[index + 1];
        assert_eq!(
            (&game["index"], &record["index"]),
            (&json!(index), &json!(index))
        );
        assert_eq!(record["type"], "game");
        if one.status == 200 {
            assert_eq!(stable(&game["reply"]), stable(&one.body));
            assert_eq!(stable(&record["reply"]), stable(&one.body));
        } else {
            for error in [&game["error"], &record["error"]] {
                assert_eq!(
                    (&error["code"], &error["status"]),
                    (&json!("illegal_game"), &json!(422))
                );
                assert_eq!(error["issues"][0]["pointer"], "/games/1/moves/0");
                assert_eq!(
                    error["issues"][0]["message"],
                    one.body["issues"][0]["message"]
                );
            }
        }
    }
}

#[actix_web::test]
async fn each_game_gets_the_reply_of_a_single_call() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let limit = json!({"limit": {"depth": 2}});
    assert_equals_single_calls(&app, "/v1/batch/best-move", "/v1/best-move", &limit).await;
    assert_equals_single_calls(&app, "/v1/batch/evaluate", "/v1/evaluate", &json!({})).await;
}

#[actix_web::test]
async fn a_malformed_form_fails_only_its_game() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let games = json!([{"fen": "x", "pgn": "1. e4"}, {"boards": [], "turn": "white"}, {}]);
    let reply = app
        .post("/v1/batch/evaluate", &json!({"games": games}))
        .await
        .ok();
    assert_eq!(
        (&reply["answered"], &reply["failed"]),
        (&json!(1), &json!(2)),
        "{reply}"
    );
    assert_eq!(reply["games"][0]["error"]["code"], "malformed_request");
    assert_eq!(reply["games"][0]["error"]["pointer"], "/games/0");
    assert_eq!(reply["games"][2]["reply"]["score"], json!({"cp": 0}));
}

#[actix_web::test]
async fn an_ai_that_only_searches_returns_best_moves_but_no_evaluations() {
    let app = Application::of(&with_ais(&[("echo", "echo", "")], ""));
    let body = json!({"games": [{}, {"moves": ["e2e4"]}]});
    let reply = app.post("/v1/batch/best-move", &body).await.ok();
    assert_eq!(
        (&reply["answered"], &reply["failed"]),
        (&json!(2), &json!(0)),
        "{reply}"
    );
    let one = app.post("/v1/evaluate", &json!({"game": {}})).await;
    app.post("/v1/batch/evaluate", &body)
        .await
        .check_error(one.status, one.code());
}

#[actix_web::test]
async fn a_fault_of_the_ai_does_not_end_the_batch() {
    let app = Application::of(&configuration(&["abort_at_clock_50"]));
    let at = |clock: u8| json!({"fen": format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} 60")});
    let body = json!({"games": [at(0), at(50), at(1)], "limit": {"depth": 1}});
    let records = app.stream("/v1/batch/best-move", &body).await;
    assert_eq!(records[2]["error"]["code"], "ai_crashed", "{records:?}");
    assert!(
        records[1]["reply"].is_object() && records[3]["reply"].is_object(),
        "{records:?}"
    );
    assert_eq!(
        records[4],
        json!({"type": "result", "answered": 2, "failed": 1})
    );
}

#[actix_web::test]
async fn a_batch_queues_one_job_at_a_time() {
    // The queue has room for one job of the batch and one job of the other client. It would reject
    // a third job.
    let settings = "queue_capacity = 2\nworkers = 1";
    let clients = keyed_client("alice", "basic1");
    let app = Application::of(&with_ais(&[("basic1", "ai_basic1", settings)], &clients));
    let games = vec![json!({"moves": ["e2e4"]}); 40];
    let body = json!({"games": games, "limit": {"depth": 1}, "fresh": true});
    let one = json!({"game": {}, "limit": {"depth": 1}});
    let batch = Box::pin(app.post("/v1/batch/best-move", &body));
    let single = Box::pin(app.post_with_key("alice", "/v1/best-move", &one));
    // The other client does not wait for the batch to end.
    let Either::Right((single, batch)) = select(batch, single).await else {
        panic!("the batch ended first")
    };
    single.ok();
    let reply = batch.await.ok();
    assert_eq!(
        (&reply["answered"], &reply["failed"]),
        (&json!(40), &json!(0)),
        "{reply}"
    );
}

#[actix_web::test]
async fn each_game_counts_against_the_rate() {
    let app = Application::of(&with_ais(
        &[("basic1", "ai_basic1", "")],
        "rate = \"1/h burst 3\"",
    ));
    let body = |games: usize| json!({"games": vec![json!({}); games]});
    let reply = app.post("/v1/batch/evaluate", &body(3)).await;
    let left = reply.header("RateLimit").unwrap().to_owned();
    assert_eq!(
        (reply.status, left.as_str()),
        (200, "\"requests\";r=0;t=10800")
    );
    app.post("/v1/batch/evaluate", &body(1))
        .await
        .check_error(429, "rate_limited");
    // If the rate is slow, a game does not wait for it.
    let app = Application::of(&with_ais(
        &[("basic1", "ai_basic1", "")],
        "rate = \"1/h burst 3\"",
    ));
    let reply = app.post("/v1/batch/evaluate", &body(5)).await.ok();
    assert_eq!(
        (&reply["answered"], &reply["failed"]),
        (&json!(3), &json!(2)),
        "{reply}"
    );
    let error = &reply["games"][4]["error"];
    assert_eq!(
        (&error["code"], &error["status"]),
        (&json!("rate_limited"), &json!(429))
    );
    assert!(error["retry_after_s"].as_u64().unwrap() > 3500, "{error}");
}

#[actix_web::test]
async fn games_wait_for_the_rate() {
    let app = Application::of(&with_ais(
        &[("basic1", "ai_basic1", "")],
        "rate = \"20/s burst 1\"",
    ));
    let began = Instant::now();
    let reply = app
        .post("/v1/batch/evaluate", &json!({"games": vec![json!({}); 8]}))
        .await
        .ok();
    assert_eq!(reply["answered"], 8);
    assert!(
        began.elapsed() >= Duration::from_millis(7 * 50 - 10),
        "{:?}",
        began.elapsed()
    );
}

#[actix_web::test]
async fn a_batch_ends_when_its_client_disconnects() {
    let app = Application::of(&with_ais(
        &[("hangs", "hang", "move_timeout_ms = 60000")],
        "max_concurrent = 1\n[client.alice]\nai = \"hangs\"",
    ));
    let body = json!({"games": [{}, {}, {}]});
    let batch = Box::pin(app.post("/v1/batch/best-move", &body));
    let other = Box::pin(app.get("/v1/ais"));
    let Either::Right((other, batch)) = select(batch, other).await else {
        panic!("the batch ended although its AI hangs")
    };
    other.check_error(429, "rate_limited");
    drop(batch);
    assert_eq!(app.get("/v1/ais").await.status, 200);
}

#[actix_web::test]
async fn every_worker_answers_games_up_to_max_concurrent() {
    let settings = "workers = 4\noptions.time_ms = 100";
    let body = json!({"games": vec![json!({}); 8], "fresh": true});
    let time = async |clients: &str| {
        let app = Application::of(&with_ais(&[("sleeper", "sleep", settings)], clients));
        let began = Instant::now();
        let records = app.stream("/v1/batch/best-move", &body).await;
        let games = records.iter().filter_map(|record| record["index"].as_u64());
        assert_eq!(games.collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
        began.elapsed()
    };
    let (four, one) = (time("").await, time("max_concurrent = 1\n").await);
    assert!(
        four < one / 2,
        "{four:?} with four at once, {one:?} with one"
    );
}
