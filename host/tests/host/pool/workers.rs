//! Workers: retries, blocked requests, quarantine, fallbacks, timeouts and the queue.

use std::time::{Duration, Instant};

use actix_web::test::TestRequest;
use futures_util::future::{Either, select, select_all};
use serde_json::{Value, json};

use crate::{
    pool::faults::workers_of,
    support::{Application, ConfigFile, ai, assert_has, keyed_client, start_error, with_ais},
};

/// A position in which the fault `abort_at_clock_50` aborts. Each number yields a different
/// position.
fn fatal_game(number: usize) -> Value {
    json!({"fen": format!("4k3/8/8/8/8/8/8/R3K3 w - - 50 {}", 100 + number)})
}

/// An AI with the fault `abort_at_clock_50` under a unique id, another AI, two clients with keys
/// and two without.
fn aborting(id: &str, more: &str) -> ConfigFile {
    let ais = [
        (id, "abort_at_clock_50", more),
        ("basic1", "ai_basic1", "limit.depth = 1"),
    ];
    let ann = format!("[client.ann]\nai = \"{id}\"\n");
    with_ais(
        &ais,
        &[ann, keyed_client("good", id), keyed_client("bad", id)].concat(),
    )
}

/// Makes an AI with the fault `abort_at_clock_50` unavailable.
pub(crate) async fn crash_three_times(app: &Application, ai: &str) {
    for number in 0..3 {
        let body = json!({"game": fatal_game(number), "ai": ai});
        app.post("/v1/best-move", &body)
            .await
            .check_error(502, "ai_crashed");
    }
}

pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !holds().await {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{what}: timeout"
        );
        actix_web::rt::task::yield_now().await;
    }
}

#[actix_web::test]
async fn retries_a_request_whose_worker_died() {
    let folder = tempfile::tempdir().unwrap();
    let once = folder.path().join("died");
    let options = format!(
        "sandbox = \"off\"\noptions.file = {:?}",
        once.to_str().unwrap()
    );
    let app = Application::of(&aborting("aborts-once", &options));
    let worker = workers_of("aborts-once");
    app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    assert!(once.exists());
    assert_ne!(workers_of("aborts-once"), worker);
}

#[actix_web::test]
async fn blocks_a_request_that_killed_two_workers() {
    let app = Application::of(&aborting("aborts-twice", ""));
    let first = app
        .post("/v1/best-move", &json!({"game": fatal_game(0)}))
        .await;
    first.check_error(502, "ai_crashed");
    assert_eq!(first.header("Retry-After"), None);
    until("a worker is ready", async || {
        app.get("/v1/ais/aborts-twice").await.body["state"] == "ready"
    })
    .await;
    let worker = workers_of("aborts-twice");
    for _ in 0..10 {
        let again = app
            .post("/v1/best-move", &json!({"game": fatal_game(0)}))
            .await;
        let detail = again.check_error(502, "ai_crashed");
        assert!(detail.contains("signal 6 (abort)"), "{detail}");
        assert_has(
            &detail,
            &["this request killed 2 workers in a row; blocked for"],
        );
        assert!(again.header("Retry-After").unwrap().parse::<u64>().unwrap() > 500);
    }
    assert_eq!(workers_of("aborts-twice"), worker);
    assert_eq!(
        app.post("/v1/best-move", &json!({"game": {}})).await.status,
        200
    );
    assert_eq!(workers_of("aborts-twice"), worker);
}

#[actix_web::test]
async fn keeps_an_ai_available_when_one_client_crashes_it() {
    let app = Application::of(&aborting("aborts-for-one", ""));
    let ask = async |key, number| {
        app.post_with_key(key, "/v1/best-move", &json!({"game": fatal_game(number)}))
            .await
    };
    let good = async || {
        app.post_with_key("good", "/v1/best-move", &json!({"game": {}}))
            .await
    };
    assert_eq!(good().await.status, 200);
    let mut codes = Vec::new();
    for number in 0..6 {
        codes.push(ask("bad", number).await.code().to_owned());
        assert_eq!(good().await.status, 200);
    }
    let unavailable = "ai_unavailable".to_owned();
    assert!(
        codes.starts_with(&["ai_crashed".to_owned(), "ai_crashed".to_owned()]),
        "{codes:?}"
    );
    assert!(
        codes.ends_with(&[unavailable.clone(), unavailable]),
        "{codes:?}"
    );
    let refused = ask("bad", 100).await;
    let detail = refused.check_error(503, "ai_unavailable");
    assert_has(&detail, &["requests from this client keep making it fail"]);
    assert!((1..=5).contains(&refused.header("Retry-After").unwrap().parse().unwrap()));
    assert_ne!(
        app.get("/v1/ais/aborts-for-one").await.body["state"],
        "quarantined"
    );
    assert_eq!(app.get("/readyz").await.status, 200);
}

#[actix_web::test]
async fn counts_clients_without_keys_as_one_for_failures() {
    let app = Application::of(&aborting("aborts-for-nameless", ""));
    let good = async || {
        app.post_with_key("good", "/v1/best-move", &json!({"game": {}}))
            .await
    };
    assert_eq!(good().await.status, 200);
    let mut refused = Vec::new();
    for number in 0..12 {
        // All clients without a key count as one, whatever their address.
        let request = TestRequest::post()
            .uri("/v1/best-move")
            .set_json(json!({"game": fatal_game(number)}));
        let request = request.peer_addr(format!("192.0.2.{number}:9").parse().unwrap());
        let request = if number % 2 == 0 {
            request
        } else {
            request.insert_header(("X-Client-Id", "ann"))
        };
        let reply = app.send(request).await;
        match reply.code() {
            "ai_unavailable" => refused.push(reply.body["detail"].as_str().unwrap().to_owned()),
            code => assert_eq!(code, "ai_crashed", "{number}"),
        }
        assert_eq!(good().await.status, 200, "after {number}");
    }
    let is_expected = |detail: &String| detail.contains("clients without a key");
    assert!(
        !refused.is_empty() && refused.iter().all(is_expected),
        "{refused:?}"
    );
    assert_ne!(
        app.get("/v1/ais/aborts-for-nameless").await.body["state"],
        "quarantined"
    );
}

/// The confinements. Each handles a SIGKILL by the AI differently.
const CONFINEMENTS: [(&str, &str); 3] = [
    ("confined", ""),
    ("with-programs", "allow_exec = [\"/bin/true\"]"),
    ("free", "sandbox = \"off\""),
];

#[actix_web::test]
async fn quarantines_an_ai_that_sends_sigkill_to_itself() {
    for (confinement, settings) in CONFINEMENTS {
        // Ten workers leave a spare worker for every death.
        let app = Application::of(&ai("exits", "kill", &format!("workers = 10\n{settings}")));
        let ended = if confinement == "free" {
            "killed by signal 9"
        } else {
            "called exit(0)"
        };
        let mut codes = Vec::new();
        for first in ["a2a3", "b2b3", "c2c3", "d2d3"] {
            let reply = app
                .post("/v1/best-move", &json!({"game": {"moves": [first]}}))
                .await;
            let detail = reply.body["detail"].as_str().unwrap();
            assert!(
                reply.code() != "ai_crashed" || detail.contains(ended),
                "{confinement}: {detail}"
            );
            codes.push(reply.code().to_owned());
        }
        assert_eq!(
            codes,
            ["ai_crashed", "ai_crashed", "ai_crashed", "ai_unavailable"],
            "{confinement}"
        );
        assert_eq!(app.get("/v1/ais/exits").await.body["state"], "quarantined");
    }
}

#[actix_web::test]
async fn quarantines_an_ai_that_dies_after_its_answers() {
    for (confinement, settings) in CONFINEMENTS {
        let id = &format!("dies-after-answers-{confinement}");
        let app = Application::of(&ai(id, "kill_after_reply", settings));
        let (mut answers, started) = (0, Instant::now());
        loop {
            assert!(
                started.elapsed() < Duration::from_secs(30),
                "{answers} answers without a quarantine"
            );
            let before = workers_of(id);
            let body = json!({"game": {}, "fresh": true});
            let reply = app.post("/v1/best-move", &body).await;
            match reply.status {
                200 => answers += 1,
                503 if reply.code() == "ai_unavailable" => break,
                // The AI's last worker died with this request.
                502 => assert_eq!(reply.code(), "ai_crashed", "{}", reply.body),
                status => panic!("{status}: {}", reply.body),
            }
            let is_gone = || workers_of(id).iter().all(|worker| !before.contains(worker));
            while !is_gone() && started.elapsed() < Duration::from_secs(30) {
                actix_web::rt::task::yield_now().await;
            }
        }
        assert_eq!(
            app.get(&format!("/v1/ais/{id}")).await.body["state"],
            "quarantined"
        );
        assert!(answers <= 20, "{answers} answers");
    }
}

#[actix_web::test]
async fn the_fallback_answers_for_an_unavailable_ai() {
    let app = Application::of(&aborting("aborts-replaced", "fallback = \"basic1\""));
    let ask = async |path, game: Value| app.post(path, &json!({"game": game})).await;
    crash_three_times(&app, "aborts-replaced").await;
    for path in ["/v1/best-move", "/v1/evaluate"] {
        let reply = ask(path, json!({})).await.ok();
        assert_eq!(reply["ai"]["id"], "basic1");
        assert_eq!(reply["ai"]["fallback_for"], "aborts-replaced");
    }
    // The fallback's limit applies.
    assert_eq!(
        ask("/v1/best-move", json!({})).await.body["search"]["depth"],
        1
    );
    ask("/v1/best-move", json!({"moves": ["e2e5"]}))
        .await
        .check_error(422, "illegal_game");
    let direct = app
        .post("/v1/best-move", &json!({"game": {}, "ai": "basic1"}))
        .await;
    assert_eq!(
        (direct.status, &direct.body["ai"]["fallback_for"]),
        (200, &Value::Null),
        "{}",
        direct.body
    );
}

#[actix_web::test]
async fn calls_new_game_when_the_game_changes() {
    let app = Application::of(&ai("remembers", "count_games", ""));
    let ask = async |moves: &[&str]| {
        // With a depth or node limit, each request would get a new game.
        let body = json!({"game": {"moves": moves}, "limit": {"movetime_ms": 1000}});
        app.post("/v1/best-move", &body).await
    };
    let games = async |moves: &[&str]| ask(moves).await.ok()["search"]["nodes"].as_u64().unwrap();
    assert_eq!(games(&[]).await, 1);
    assert_eq!(games(&["e2e4", "e7e5"]).await, 1);
    assert_eq!(games(&["e2e4", "e7e5"]).await, 1);
    assert_eq!(games(&["e2e4", "e7e5", "g1f3", "b8c6"]).await, 1);
    assert_eq!(games(&["e2e4"]).await, 2);
    assert_eq!(games(&["d2d4"]).await, 3);
    for _ in 0..3 {
        assert_eq!(games(&["d2d4", "d7d5"]).await, 3);
    }
    for (first, number) in [("a2a3", 4), ("b2b3", 5), ("c2c3", 6)] {
        assert_eq!(games(&[first]).await, number);
    }
    ask(&["d2d3"]).await.check_error(502, "ai_failed");
    let reported = app.last_fault("remembers");
    assert!(reported.contains("too many new games"), "{reported}");
}

#[actix_web::test]
async fn applies_new_game_timeout_ms() {
    let app = Application::of(&ai(
        "remembers",
        "hang_in_new_game",
        "new_game_timeout_ms = 200",
    ));
    let started = Instant::now();
    let timed = |moves: &[&str]| json!({"game": {"moves": moves}, "limit": {"movetime_ms": 1000}});
    app.post("/v1/best-move", &timed(&[])).await.ok();
    app.post("/v1/best-move", &timed(&["e2e4"])).await.ok();
    let detail = app
        .post("/v1/best-move", &timed(&["d2d4"]))
        .await
        .check_error(504, "ai_timeout");
    assert_has(
        &detail,
        &["not ready for a new game within 200 ms (new_game_timeout_ms"],
    );
    assert!(
        started.elapsed() < Duration::from_secs(9),
        "the move timeout applied instead"
    );
    // The new worker has no game yet.
    app.post("/v1/best-move", &timed(&["d2d4"])).await.ok();
}

#[test]
fn applies_start_timeout_ms() {
    let errors = start_error(&ai("slow", "hang_in_create", "start_timeout_ms = 300"));
    assert_has(
        &errors,
        &["was not ready within 300 ms (start_timeout_ms in its [ai.ID])"],
    );
}

#[actix_web::test]
async fn a_disconnected_client_frees_its_slot() {
    for (id, name) in [("left-by-one", "ai_basic1"), ("left-by-another", "hang")] {
        let app = Application::of(&ai(
            id,
            name,
            "move_timeout_ms = 600000\nqueue_capacity = 1",
        ));
        let worker = workers_of(id);
        let path = format!("/v1/ais/{id}");
        let body = json!({"game": {}, "limit": {"movetime_ms": 500_000}});
        let state = async |state: &str| app.get(&path).await.body["state"] == state;
        let pending = Box::pin(app.post("/v1/best-move", &body));
        let busy = Box::pin(until("the AI is busy", async || state("busy").await));
        let Either::Right(((), pending)) = select(pending, busy).await else {
            panic!("the search ended early")
        };
        // A second request waits, and then leaves the queue.
        let waiting = Box::pin(app.post("/v1/best-move", &body));
        let Either::Right(((), waiting)) =
            select(waiting, Box::pin(actix_web::rt::task::yield_now())).await
        else {
            panic!("the search ended early")
        };
        drop(waiting);
        drop(pending);
        until("the slot is free", async || state("ready").await).await;
        if name == "ai_basic1" {
            assert_eq!(workers_of(id), worker);
            let quick = json!({"game": {}, "limit": {"depth": 1}});
            assert_eq!(app.post("/v1/best-move", &quick).await.status, 200);
        }
    }
}

const SHORT_QUEUE: [(&str, &str, &str); 1] = [(
    "basic1",
    "ai_basic1",
    "queue_capacity = 2\nlimit.movetime_ms = 300",
)];

#[actix_web::test]
async fn a_busy_client_yields_to_an_idle_one() {
    let clients = keyed_client("flood", "basic1") + &keyed_client("polite", "basic1");
    let app = Application::of(&with_ais(&SHORT_QUEUE, &clients));
    let body = json!({"game": {}});
    let keys = ["flood", "flood", "flood", "polite"];
    let pending: Vec<_> = keys
        .iter()
        .map(|key| Box::pin(app.post_with_key(key, "/v1/best-move", &body)))
        .collect();
    let (first, index, rest) = select_all(pending).await;
    first.check_error(503, "queue_full");
    assert!(index < 3, "the polite client yielded");
    rest.into_iter().next_back().unwrap().await.ok();
}

#[actix_web::test]
async fn a_busy_address_yields_to_an_idle_one() {
    let clients = "[client.flood]\nai = \"basic1\"\n[client.polite]\nai = \"basic1\"";
    let app = Application::of(&with_ais(&SHORT_QUEUE, clients));
    // Without keys, addresses take turns, not ids.
    let clients = [("flood", 1), ("polite", 1), ("flood", 1), ("polite", 2)];
    let pending: Vec<_> = clients
        .iter()
        .map(|(client, last_byte)| {
            let request = TestRequest::post()
                .uri("/v1/best-move")
                .set_json(json!({"game": {}}));
            let request = request.peer_addr(format!("192.0.2.{last_byte}:9").parse().unwrap());
            Box::pin(app.send(request.insert_header(("X-Client-Id", *client))))
        })
        .collect();
    let (first, index, rest) = select_all(pending).await;
    first.check_error(503, "queue_full");
    assert!(index < 3, "the polite client yielded");
    assert!(first.header("Retry-After").unwrap().parse::<u64>().unwrap() >= 1);
    rest.into_iter().next_back().unwrap().await.ok();
}

#[actix_web::test]
async fn by_default_workers_start_when_requests_wait() {
    let sleeper = |threads: usize, further: &str| {
        ConfigFile::new(&format!(
            "[ai.sleeper]\nlibrary = \"fault_injector\"\noptions.fault = \"sleep\"\n\
             options.threads = {threads}\n{further}[client.default]\nai = \"sleeper\"\n"
        ))
    };
    let counts = async |app: &Application| {
        let text = app.get("/metrics").await.body;
        let count = |state: &str| {
            let name = format!("rookery_ai_workers{{ai=\"sleeper\",state=\"{state}\"}} ");
            let lines = text.as_str().unwrap().lines();
            lines
                .filter_map(|line| line.strip_prefix(&*name)?.parse::<usize>().ok())
                .sum::<usize>()
        };
        [count("ready"), count("busy"), count("reserve")]
    };
    let processors = std::thread::available_parallelism().unwrap().get();
    let app = Application::of(&sleeper(1, ""));
    assert_eq!(counts(&app).await, [1, 0, processors - 1]);
    // Sequential requests need no second worker.
    let body = json!({"game": {}, "limit": {"movetime_ms": 100}});
    for _ in 0..3 {
        app.post("/v1/best-move", &body).await.ok();
    }
    assert_eq!(counts(&app).await, [1, 0, processors - 1]);
    let requests = (0..=processors).map(|_| Box::pin(app.post("/v1/best-move", &body)));
    for reply in futures_util::future::join_all(requests).await {
        reply.ok();
    }
    until("every worker is ready", async || {
        counts(&app).await == [processors, 0, 0]
    })
    .await;
    // An AI with a thread for each processor has one worker.
    let threaded = Application::of(&sleeper(processors, ""));
    assert_eq!(counts(&threaded).await, [1, 0, 0]);
    // A configured number of workers applies from the start.
    let fixed = Application::of(&sleeper(1, "workers = 3\n"));
    until("every worker is ready", async || {
        counts(&fixed).await == [3, 0, 0]
    })
    .await;
}
