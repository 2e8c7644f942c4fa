//! Streamed replies.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{
    errors::check_problem,
    pool::workers::crash_three_times,
    support::{
        Application, ConfigFile, basic1_and, configuration, game_service, records, shown, stable,
        with_ais,
    },
};

const EVENTS: [(&str, &str); 1] = [("Accept", "text/event-stream")];

/// A configuration with a `deepening` AI for each of these values of its option `end`, which is
/// also its id. The default client uses the first AI.
fn deepening_to(ends: &[&str]) -> ConfigFile {
    // AIs that finish by themselves get a long timeout, so that a slow machine does not time them
    // out.
    let timeout = |end| {
        if ["stops", "hangs"].contains(&end) {
            3000
        } else {
            60_000
        }
    };
    let settings = ends.iter().map(|&end| {
        format!(
            "move_timeout_ms = {}\noptions.end = \"{end}\"",
            timeout(end)
        )
    });
    let settings: Vec<_> = settings.collect();
    let ais: Vec<_> = ends
        .iter()
        .zip(&settings)
        .map(|(&end, settings)| (end, "deepening", &**settings))
        .collect();
    with_ais(&ais, "")
}

fn of_type<'a>(records: &'a [Value], kind: &str) -> Vec<&'a Value> {
    records
        .iter()
        .filter(|record| record["type"] == kind)
        .collect()
}

#[actix_web::test]
async fn streams_start_progress_and_result() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let body = json!({"game": {"moves": ["e2e4"]}, "limit": {"depth": 3}});
    let records = app.stream("/v1/best-move", &body).await;
    assert_snapshot!(shown(&records[0]), @r#"
    {
      "type": "start",
      "ai": {"id":"ai_basic1","name":"Basic1","version":"1.0.0"},
      "limit": {"depth":3},
      "game": {
        "fen": "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "start_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "moves": ["e2e4"],
        "status": {"state":"in_progress","winner":null,"reason":null,"turn":"black","check":false,"claims":[]},
        "opening": {"eco":"B00","name":"King's Pawn Game"}
      }
    }
    "#);
    let mut result = records.last().unwrap().clone();
    assert_eq!(
        result.as_object_mut().unwrap().remove("type"),
        Some(json!("result"))
    );
    assert_eq!(
        stable(&result),
        app.post("/v1/best-move", &body).await.stable()
    );
}

#[actix_web::test]
async fn sends_the_latest_progress_ten_times_a_second() {
    let app = Application::of(&deepening_to(&["stops"]));
    let body = json!({"game": {}, "limit": {"movetime_ms": 1200}});
    let records = app.stream("/v1/best-move", &body).await;
    let progress = of_type(&records, "info");
    let last = records.last().unwrap();
    let time_ms = last["search"]["time_ms"].as_u64().unwrap() as usize;
    assert!(
        (2..=time_ms / 100 + 1).contains(&progress.len()),
        "{} in {time_ms} ms",
        progress.len()
    );
    // The AI sends far more reports.
    assert!(
        last["search"]["depth"].as_u64().unwrap() as usize > 5 * progress.len(),
        "{last}"
    );
    for pair in progress.windows(2) {
        for figure in ["depth", "nodes", "time_ms"] {
            assert!(
                pair[0][figure].as_u64() < pair[1][figure].as_u64(),
                "{figure}: {pair:?}"
            );
        }
    }
    let second = progress[1];
    let keys: Vec<_> = second
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "type", "depth", "nodes", "nps", "time_ms", "score", "pv", "san"
        ]
    );
    assert_eq!(
        (&second["pv"][0], &second["san"][0]),
        (&last["move"]["uci"], &last["move"]["san"])
    );
    assert_eq!(second["score"]["cp"], second["depth"]);
    let reports_per_second = second["nps"].as_u64().unwrap();
    assert!((1..=1000).contains(&reports_per_second), "{second}");
}

#[actix_web::test]
async fn ends_with_one_record_whatever_the_ai_does() {
    let ends = ["answers", "crashes", "hangs", "fails", "cheats"];
    let app = Application::of(&deepening_to(&ends));
    for (end, status, code) in [
        ("answers", 200, "ok"),
        ("crashes", 502, "ai_crashed"),
        ("hangs", 504, "ai_timeout"),
        ("fails", 502, "ai_failed"),
        ("cheats", 502, "ai_illegal_move"),
    ] {
        let body = json!({"game": {}, "ai": end, "limit": {"depth": 1000}});
        let records = app.stream("/v1/best-move", &body).await;
        assert!(!of_type(&records, "info").is_empty(), "{end}: {records:?}");
        let last = records.last().unwrap();
        if code == "ok" {
            assert_eq!(last["type"], "result", "{last}");
            continue;
        }
        assert_eq!(
            (&last["type"], &last["status"]),
            (&json!("error"), &json!(status)),
            "{last}"
        );
        assert_eq!(last["code"], code, "{last}");
        let detail = last["detail"].as_str().unwrap();
        assert!(detail.starts_with(&format!("AI '{end}': ")), "{detail}");
        let keys: Vec<_> = last
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            keys,
            ["type", "title", "status", "detail", "code", "request_id"]
        );
    }
}

#[actix_web::test]
async fn error_records_have_request_id_and_are_counted() {
    let app = Application::of(&deepening_to(&["fails", "answers"]));
    for (ai, kind) in [("fails", "error"), ("answers", "result")] {
        let headers = [
            ("X-Request-Id", "stream-7"),
            ("Accept", "application/x-ndjson"),
        ];
        let reply = app
            .post_with(&headers, "/v1/best-move", &json!({"game": {}, "ai": ai}))
            .await;
        assert_eq!(reply.header("X-Request-Id"), Some("stream-7"));
        let records = records(reply.body.as_str().unwrap());
        let last = records.last().unwrap();
        assert_eq!(last["type"], kind, "{last}");
        assert_eq!(
            last.get("request_id"),
            (kind == "error").then(|| json!("stream-7")).as_ref()
        );
    }
    let metrics = app.get("/metrics").await.body;
    for (code, count) in [("ok", 1), ("ai_failed", 1)] {
        let line = format!(
            "rookery_http_requests_total{{route=\"/v1/best-move\",status=\"200\",code=\"{code}\"}} \
             {count}\n"
        );
        assert!(metrics.as_str().unwrap().contains(&line), "{metrics}");
    }
    let open = "rookery_http_requests_open 1\n";
    assert!(
        metrics.as_str().unwrap().contains(open),
        "only the request for the metrics: {metrics}"
    );
}

#[actix_web::test]
async fn rejects_bad_requests_without_a_stream() {
    let ais = [("answers", "deepening", ""), ("other", "ai_basic1", "")];
    let app = Application::of(&with_ais(&ais, "allowed_ais = [\"answers\"]"));
    for (body, status, code) in [
        (json!({"game": {"fen": "x"}}), 422, "illegal_game"),
        (
            json!({"game": {}, "limit": {"depth": 0}}),
            400,
            "malformed_request",
        ),
        (json!({"game": {}, "lines": 0}), 400, "malformed_request"),
        (json!({}), 400, "malformed_request"),
        (json!({"game": {}, "ai": "nobody"}), 404, "unknown_ai"),
        (json!({"game": {}, "ai": "other"}), 403, "ai_not_allowed"),
    ] {
        for accept in ["application/x-ndjson", "text/event-stream"] {
            let reply = app
                .post_with(&[("Accept", accept)], "/v1/best-move", &body)
                .await;
            check_problem(&body.to_string(), &reply, status, code);
        }
    }
}

#[actix_web::test]
async fn names_the_fallback_in_the_start_record() {
    let ais = [
        ("alone", "abort_at_clock_50", ""),
        ("backed", "abort_at_clock_50", "fallback = \"basic1\""),
        ("basic1", "ai_basic1", ""),
    ];
    let app = Application::of(&with_ais(&ais, ""));
    for ai in ["alone", "backed"] {
        crash_three_times(&app, ai).await;
    }
    let reply = app
        .post_with(
            &EVENTS,
            "/v1/best-move",
            &json!({"game": {}, "ai": "alone"}),
        )
        .await;
    check_problem("an AI without a fallback", &reply, 503, "ai_unavailable");
    assert!(reply.header("Retry-After").is_some());
    let body = json!({"game": {}, "ai": "backed", "limit": {"depth": 2}});
    let records = app.stream("/v1/best-move", &body).await;
    assert_eq!(records[0]["ai"]["id"], "basic1", "{}", records[0]);
    assert_eq!(records[0]["ai"]["fallback_for"], "backed", "{}", records[0]);
    assert_eq!(records.last().unwrap()["ai"]["fallback_for"], "backed");
}

#[actix_web::test]
async fn rejects_chess960_without_a_stream() {
    let app = Application::of(&configuration(&["ai_basic1", "counts_pawns", "deepening"]));
    let ais = app.get("/v1/ais").await.body;
    let supports = |ai: &&Value| ai["capabilities"]["chess960"] == true;
    let without_chess960 = ais
        .as_array()
        .unwrap()
        .iter()
        .find(|ai| !supports(ai))
        .unwrap()["id"]
        .clone();
    let game = json!({
        "fen": "nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - 0 1",
        "moves": ["e2e4"],
    });
    for (path, body) in [
        (
            "/v1/best-move",
            json!({"game": game, "ai": without_chess960}),
        ),
        ("/v1/report", json!({"game": game, "ai": without_chess960})),
        (
            "/v1/compare",
            json!({"game": game, "ais": [without_chess960]}),
        ),
    ] {
        let reply = app
            .post_with(&[("Accept", "application/x-ndjson")], path, &body)
            .await;
        check_problem(path, &reply, 400, "malformed_request");
        assert!(
            reply.body["detail"]
                .as_str()
                .unwrap()
                .contains("the game is Chess960"),
            "{}",
            reply.body
        );
    }
}

#[actix_web::test]
async fn names_events_after_their_record_type() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let body = json!({"game": {}, "limit": {"depth": 2}});
    let reply = app.post_with(&EVENTS, "/v1/best-move", &body).await;
    assert_eq!(reply.header("Content-Type"), Some("text/event-stream"));
    assert_eq!(reply.header("Cache-Control"), Some("no-store"));
    let text = reply.body.as_str().unwrap();
    let events: Vec<_> = text.split_terminator("\n\n").collect();
    for event in &events {
        let (name, data) = event.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(name, format!("event: {}", data["type"].as_str().unwrap()));
    }
    assert!(events[0].starts_with("event: start\n"), "{text}");
    assert!(
        events.last().unwrap().starts_with("event: result\n"),
        "{text}"
    );
}

#[actix_web::test]
async fn streams_start_and_result_of_a_finished_game() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let moves = json!(["f2f3", "e7e5", "g2g4", "d8h4"]);
    let records = app
        .stream(
            "/v1/best-move",
            &json!({"game": {"moves": moves}, "lines": 3}),
        )
        .await;
    assert_eq!(records.len(), 2, "{records:?}");
    assert_eq!(records[1]["move"], Value::Null);
    assert_eq!(records[1]["score"], json!({"mate": 0}));
}

#[actix_web::test]
async fn returns_several_lines_best_first() {
    let app = Application::of(&configuration(&["ai_basic1", "counts_pawns"]));
    let fen = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1";
    for ai in ["ai_basic1", "counts_pawns"] {
        let body = json!({"game": {"fen": fen}, "ai": ai, "limit": {"depth": 2}, "lines": 3});
        let records = app.stream("/v1/best-move", &body).await;
        let result = records.last().unwrap();
        let lines = result["search"]["lines"].as_array().unwrap();
        assert_eq!(lines.len(), 3, "{result}");
        assert_eq!(
            (&lines[0]["pv"], &lines[0]["san"]),
            (&result["search"]["pv"], &result["search"]["san"])
        );
        assert_eq!(
            (&lines[0]["score"], &lines[0]["san"][0]),
            (&result["score"], &json!("exd5"))
        );
        let scores: Vec<_> = lines
            .iter()
            .map(|line| line["score"]["cp"].as_i64().unwrap())
            .collect();
        assert!(
            scores.is_sorted_by(|better, worse| better >= worse),
            "{scores:?}"
        );
        assert_eq!(
            result["search"].get("limit"),
            None,
            "no limit was lowered: {result}"
        );
        for info in of_type(&records, "info") {
            let lines = info["lines"].as_array().unwrap();
            assert_eq!(
                (&lines[0]["pv"], &lines[0]["score"]),
                (&info["pv"], &info["score"]),
                "{info}"
            );
        }
    }
    // One legal move yields one line.
    let body = json!({
        "game": {"fen": "k7/8/1K6/8/8/8/8/1R6 b - - 0 1"},
        "lines": 64,
        "limit": {"depth": 1},
    });
    let only = app.post("/v1/best-move", &body).await;
    assert_eq!(
        only.body["search"]["lines"].as_array().unwrap().len(),
        1,
        "{}",
        only.body
    );
}

#[actix_web::test]
async fn lowers_lines_to_the_capability_of_the_ai() {
    let app = Application::of(&configuration(&["deepening", "echo", "implausible_info"]));
    for (ai, requested, reported) in [
        ("deepening", 9, 3),
        ("deepening", 3, 3),
        ("implausible_info", 4, 1),
    ] {
        let body = json!({"game": {}, "ai": ai, "limit": {"depth": 2}, "lines": requested});
        let records = app.stream("/v1/best-move", &body).await;
        let result = records.last().unwrap();
        assert_eq!(
            result["search"]["lines"].as_array().map(Vec::len),
            Some(reported),
            "{result}"
        );
        let lowered = (reported < requested).then(|| json!({"depth": 2, "lines": reported}));
        assert_eq!(result["search"].get("limit"), lowered.as_ref(), "{result}");
        assert_eq!(
            records[0]["limit"].get("lines").is_some(),
            reported < requested
        );
        let progress = of_type(&records, "info");
        let is_lowered = |info: &&Value| info["lines"].as_array().unwrap().len() <= reported;
        assert!(progress.iter().all(is_lowered), "{progress:?}");
    }
    // The AI returns the same move eight times, which yields one line.
    let body = json!({"game": {}, "ai": "echo", "lines": 8});
    let echoed = app.post("/v1/best-move", &body).await.body;
    assert_eq!(
        echoed["search"]["lines"].as_array().map(Vec::len),
        Some(1),
        "{echoed}"
    );
    // Without `lines`, the reply contains no list.
    let plain = app
        .post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 2}}))
        .await
        .body;
    assert_eq!(plain["search"].get("lines"), None, "{plain}");
}

#[actix_web::test]
async fn samples_progress_and_drops_illegal_moves() {
    let app = Application::of(&configuration(&["implausible_info"]));
    let records = app.stream("/v1/best-move", &json!({"game": {}})).await;
    let progress = of_type(&records, "info");
    let time_ms = records.last().unwrap()["search"]["time_ms"]
        .as_u64()
        .unwrap();
    assert!(
        progress.len() as u64 <= time_ms / 100 + 1,
        "{} in {time_ms} ms",
        progress.len()
    );
    for info in progress {
        assert_eq!(info["pv"].as_array().unwrap().len(), 2, "{info}");
        assert_eq!(
            info["nodes"],
            (1_u64 << 53) - 1,
            "the most that JSON holds exactly: {info}"
        );
    }
}

#[actix_web::test]
async fn a_stream_keeps_its_ai_during_a_reload() {
    let file = deepening_to(&["stops"]);
    let app = Application::of(&file);
    let body = json!({"game": {}, "limit": {"movetime_ms": 700}});
    let streaming = app.stream("/v1/best-move", &body);
    let taking_over = async {
        let next = game_service(&configuration(&["ai_basic1"]));
        app.swap(next);
        app.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 1}}))
            .await
    };
    let (records, plain) = tokio::join!(streaming, taking_over);
    assert_eq!(plain.body["ai"]["id"], "ai_basic1", "{}", plain.body);
    let last = records.last().unwrap();
    assert_eq!(
        (&last["type"], &last["ai"]["id"]),
        (&json!("result"), &json!("stops")),
        "{last}"
    );
    assert_eq!(last["search"]["stopped_by"], "movetime");
}

#[actix_web::test]
async fn sends_cors_headers_with_a_stream() {
    let app = Application::of(&basic1_and(
        "[server]\ncors_origins = [\"https://chess.example\"]",
    ));
    let headers = [EVENTS[0], ("Origin", "https://chess.example")];
    let body = json!({"game": {}, "limit": {"depth": 1}});
    let reply = app.post_with(&headers, "/v1/best-move", &body).await;
    assert_eq!(
        reply.header("Access-Control-Allow-Origin"),
        Some("https://chess.example")
    );
    assert!(
        reply.body.as_str().unwrap().contains("event: result\n"),
        "{}",
        reply.body
    );
}
