//! `POST /v1/compare`.

use serde_json::{Value, json};

use crate::{
    errors::check_problem,
    support::{Application, assert_has, configuration, records, stable, with_ais},
};

/// White's pawn takes an unguarded queen.
const FREE_QUEEN: &str = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1";
const CHESS960: &str = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";

/// The answers without the fields that vary.
fn stable_answers(body: &Value) -> Vec<Value> {
    body["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(stable)
        .collect()
}

#[actix_web::test]
async fn returns_the_answer_of_each_ai_and_the_agreement() {
    let ais = ["ai_basic1", "echo", "counts_pawns"];
    let app = Application::of(&configuration(&ais));
    let (game, limit) = (json!({"fen": FREE_QUEEN}), json!({"depth": 2}));
    let reply = app
        .post(
            "/v1/compare",
            &json!({"game": game, "ais": ais, "limit": limit}),
        )
        .await
        .ok();
    assert_eq!(reply["game"]["fen"], FREE_QUEEN, "the game is unchanged");
    let answers = stable_answers(&reply);
    for (ai, answer) in ais.into_iter().zip(&answers) {
        let alone = app
            .post(
                "/v1/best-move",
                &json!({"game": game, "ai": ai, "limit": limit}),
            )
            .await;
        let mut alone = alone.stable();
        alone.as_object_mut().unwrap().remove("game");
        assert_eq!(answer, &alone, "{ai}");
    }
    let takes = &answers[0]["move"];
    assert_eq!(takes["san"], "exd5");
    assert_eq!(
        reply["agreement"],
        json!([
            {
                "move": takes,
                "ais": ["ai_basic1", "counts_pawns"],
            },
            {
                "move": answers[1]["move"],
                "ais": ["echo"],
            },
        ])
    );
}

#[actix_web::test]
async fn keeps_the_other_answers_when_one_ai_fails() {
    let app = Application::of(&configuration(&[
        "ai_basic1",
        "segfault",
        "no_move",
        "counts_pawns",
    ]));
    let ais = ["segfault", "ai_basic1", "no_move", "counts_pawns"];
    let body = json!({"game": {"fen": FREE_QUEEN}, "ais": ais, "limit": {"depth": 2}});
    let reply = app.post("/v1/compare", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let answers = reply.body["answers"].as_array().unwrap();
    for (index, code) in [(0, "ai_crashed"), (2, "ai_illegal_move")] {
        let answer = &answers[index];
        assert_eq!(answer["ai"]["id"], ais[index]);
        assert!(
            answer.get("move").is_none() && answer.get("search").is_none(),
            "{answer}"
        );
        let error = &answer["error"];
        assert_eq!(
            (&error["code"], &error["status"]),
            (&json!(code), &json!(502)),
            "{error}"
        );
        assert_eq!(error["type"], format!("urn:rookery:problem:{code}"));
        assert_eq!(error["request_id"], reply.header("X-Request-Id").unwrap());
    }
    assert_eq!(reply.body["agreement"].as_array().unwrap().len(), 1);
    assert_eq!(
        reply.body["agreement"][0]["ais"],
        json!(["ai_basic1", "counts_pawns"])
    );
}

#[actix_web::test]
async fn returns_an_error_when_every_ai_fails() {
    let app = Application::of(&configuration(&["segfault", "no_move"]));
    let body = json!({"game": {}, "ais": ["no_move", "segfault"]});
    check_problem(
        "every AI fails",
        &app.post("/v1/compare", &body).await,
        502,
        "ai_illegal_move",
    );
    // A stream starts once one AI is available.
    let ais = [
        ("fails", "deepening", "options.end = \"fails\""),
        ("segfault", "segfault", ""),
    ];
    let app = Application::of(&with_ais(&ais, ""));
    let reported = app
        .stream(
            "/v1/compare",
            &json!({"game": {}, "ais": ["fails", "segfault"]}),
        )
        .await;
    let kinds = reported
        .iter()
        .map(|record| record["type"].as_str().unwrap());
    let kinds: Vec<_> = kinds.filter(|kind| *kind != "info").collect();
    assert_eq!(
        kinds,
        ["start", "answer", "answer", "error"],
        "{reported:?}"
    );
    assert_eq!(reported.last().unwrap()["code"], "ai_failed");
}

#[actix_web::test]
async fn points_at_an_ai_that_does_not_play_chess960() {
    let app = Application::of(&configuration(&["ai_basic1", "echo"]));
    let body =
        json!({"game": {"fen": CHESS960}, "ais": ["ai_basic1", "echo"], "limit": {"depth": 1}});
    let reply = app.post("/v1/compare", &body).await;
    let answers = &reply.body["answers"];
    assert!(answers[0]["move"].is_object(), "{}", reply.body);
    assert_eq!(
        answers[1]["error"]["code"], "malformed_request",
        "{}",
        reply.body
    );
    assert_eq!(answers[1]["error"]["pointer"], "/ais/1");
}

#[actix_web::test]
async fn returns_no_agreement_for_a_finished_game() {
    let app = Application::of(&configuration(&["ai_basic1", "counts_pawns"]));
    let game = json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]});
    let reply = app
        .post(
            "/v1/compare",
            &json!({"game": game, "ais": ["ai_basic1", "counts_pawns"]}),
        )
        .await
        .ok();
    for answer in reply["answers"].as_array().unwrap() {
        assert_eq!(
            (&answer["move"], &answer["score"]),
            (&Value::Null, &json!({"mate": 0})),
            "{answer}"
        );
    }
    assert_eq!(reply["agreement"], json!([]));
}

/// Two AIs that use all of their time.
fn two_ais(client: &str) -> Application {
    let ais = ["one", "two"].map(|id| (id, "deepening", "move_timeout_ms = 5000"));
    Application::of(&with_ais(&ais, client))
}

fn is_of(record: &Value, ai: &str) -> bool {
    record["ai"] == ai || record["ai"]["id"] == ai
}

#[actix_web::test]
async fn streams_progress_and_answers_of_all_ais() {
    let app = two_ais("");
    let body =
        json!({"game": {}, "ais": ["one", "two"], "limit": {"movetime_ms": 400}, "lines": 2});
    let reported = app.stream("/v1/compare", &body).await;
    let start = &reported[0];
    assert_eq!(
        (start.get("ai"), start.get("limit")),
        (None, None),
        "{start}"
    );
    let started: Vec<_> = start["ais"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ai| (&ai["id"], &ai["limit"]))
        .collect();
    let limit = json!({"movetime_ms": 400});
    assert_eq!(started, [(&json!("one"), &limit), (&json!("two"), &limit)]);
    for ai in ["one", "two"] {
        let kinds: Vec<_> = reported
            .iter()
            .filter(|record| is_of(record, ai))
            .map(|record| record["type"].as_str().unwrap())
            .collect();
        let (last, progress) = kinds.split_last().unwrap();
        assert_eq!(*last, "answer", "no progress after the answer: {kinds:?}");
        assert!(
            !progress.is_empty() && progress.iter().all(|kind| *kind == "info"),
            "{kinds:?}"
        );
    }
    let progress_record = reported
        .iter()
        .rfind(|record| record["type"] == "info")
        .unwrap();
    assert_eq!(
        progress_record["lines"].as_array().map(Vec::len),
        Some(2),
        "{progress_record}"
    );
    let result = reported.last().unwrap();
    let answers = result["answers"].as_array().unwrap();
    for answer in answers {
        let mut record = answer.clone();
        record
            .as_object_mut()
            .unwrap()
            .insert("type".into(), json!("answer"));
        assert!(reported.contains(&record), "{record} of {reported:?}");
    }
    assert_eq!(result["agreement"].as_array().unwrap().len(), 1, "{result}");
}

#[actix_web::test]
async fn asks_one_ai_at_a_time_with_max_concurrent_1() {
    let app = two_ais("max_concurrent = 1\n");
    let body = json!({"game": {}, "ais": ["one", "two"], "limit": {"movetime_ms": 300}});
    let reported = app.stream("/v1/compare", &body).await;
    let place = |ai: &str, kind: &str| {
        let is_it = |record: &Value| record["type"] == kind && is_of(record, ai);
        reported.iter().position(is_it).unwrap()
    };
    assert!(
        place("one", "answer") < place("two", "info"),
        "{reported:?}"
    );
    assert_eq!(reported.last().unwrap()["type"], "result");
    assert_eq!(
        app.get("/v1/ais").await.status,
        200,
        "its slot is free again"
    );
}

#[actix_web::test]
async fn counts_each_ai_against_the_rate() {
    let app = two_ais("rate = \"1/h burst 3\"\n");
    let body = json!({"game": {}, "ais": ["one", "two"], "limit": {"depth": 1}});
    assert_eq!(app.post("/v1/compare", &body).await.status, 200);
    let early = app.post("/v1/compare", &body).await;
    check_problem("two requests with one left", &early, 429, "rate_limited");
    assert!(early.header("Retry-After").is_some());
    let app = two_ais("rate = \"1/h burst 1\"\n");
    let never = app.post("/v1/compare", &body).await;
    check_problem("more than the burst", &never, 400, "malformed_request");
    assert_eq!(never.body["pointer"], "/ais", "{}", never.body);
}

#[actix_web::test]
async fn applies_client_maxima_to_each_ai() {
    let app = two_ais("max_depth = 3\n");
    let body = json!({"game": {}, "ais": ["one", "two"], "limit": {"depth": 50}});
    for answer in app.post("/v1/compare", &body).await.body["answers"]
        .as_array()
        .unwrap()
    {
        let search = &answer["search"];
        assert_eq!(
            (&search["depth"], &search["limit"]),
            (&json!(3), &json!({"depth": 3})),
            "{answer}"
        );
    }
}

#[actix_web::test]
async fn rejects_bad_lists_before_any_search() {
    let ais = [("basic1", "ai_basic1", ""), ("pawns", "counts_pawns", "")];
    let app = Application::of(&with_ais(&ais, "allowed_ais = [\"basic1\"]"));
    for (ais, status, code) in [
        (json!(["basic1", "pawns"]), 403, "ai_not_allowed"),
        (json!(["basic1", "nobody"]), 404, "unknown_ai"),
        (json!(["basic1", "basic1"]), 400, "malformed_request"),
        (json!([]), 400, "malformed_request"),
    ] {
        let body = json!({"game": {}, "ais": ais});
        for headers in [&[][..], &[("Accept", "text/event-stream")]] {
            let reply = app.post_with(headers, "/v1/compare", &body).await;
            check_problem(&body.to_string(), &reply, status, code);
        }
    }
    let metrics = app.get("/metrics").await.body;
    assert_has(
        metrics.as_str().unwrap(),
        &["rookery_ai_searches_total{ai=\"basic1\"} 0\n"],
    );
}

#[actix_web::test]
async fn names_the_events_of_a_comparison() {
    let app = two_ais("");
    let body = json!({"game": {}, "ais": ["one"], "limit": {"depth": 1}});
    let reply = app
        .post_with(&[("Accept", "text/event-stream")], "/v1/compare", &body)
        .await;
    let text = reply.body.as_str().unwrap();
    assert_has(
        text,
        &["\n\nevent: answer\ndata: {\"type\":\"answer\",\"ai\":{\"id\":\"one\","],
    );
    let lines = app.stream("/v1/compare", &body).await;
    let events: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .collect();
    let events = events.join("\n") + "\n";
    assert_eq!(
        records(&events).last().unwrap()["agreement"],
        lines.last().unwrap()["agreement"]
    );
}
