//! Requests to play take priority over requests for analysis, and a running analysis yields to
//! them.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use futures_util::future::{Either, join, join_all, select};
use serde_json::{Value, json};

use crate::{
    pool::{faults::workers_of, workers::until},
    support::{Application, ai, with_ais},
};

/// An AI with one worker, whose iterations take 5 ms each.
fn deepening(id: &str, move_timeout_ms: u64) -> Application {
    let settings = format!("options.interval_ms = 5\nmove_timeout_ms = {move_timeout_ms}");
    Application::of(&ai(id, "deepening", &settings))
}

fn analysis(movetime_ms: u64) -> Value {
    json!({"game": {}, "limit": {"movetime_ms": movetime_ms}, "analysis": true})
}

/// A request to play that searches for this time.
fn play(movetime_ms: u64) -> Value {
    json!({"game": {"moves": ["e2e4"]}, "limit": {"movetime_ms": movetime_ms}})
}

async fn until_state(app: &Application, id: &str, state: &str) {
    until(state, async || {
        app.get(&format!("/v1/ais/{id}")).await.body["state"] == state
    })
    .await;
}

/// Waits until the AI has an analysis and a request to play, and one of them waits.
async fn until_one_waits(app: &Application, id: &str) {
    let service = app.state().service();
    let ai = service.ais().get(id).unwrap();
    until("a request waits", async || ai.queue_length() == 1).await;
    // A waiting request to play starts within 100 ms. Then the analysis waits.
    let deadline = Instant::now() + Duration::from_millis(300);
    while Instant::now() < deadline {
        actix_web::rt::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(ai.queue_length(), 1);
}

fn number(record: &Value, name: &str) -> u64 {
    record[name].as_u64().unwrap_or_else(|| panic!("{record}"))
}

#[actix_web::test]
async fn an_analysis_yields_to_requests_to_play_and_continues() {
    const MOVETIME_MS: u64 = 3000;
    let app = deepening("yields", 20_000);
    let service = app.state().service();
    let ai = service.ais().get("yields").unwrap();
    let began = Instant::now();
    let analysed = async {
        let records = app.stream("/v1/best-move", &analysis(MOVETIME_MS)).await;
        (records, began.elapsed())
    };
    let played = async {
        until_state(&app, "yields", "busy").await;
        let mut waits = Vec::new();
        for _ in 0..9 {
            until("the analysis continues", async || ai.queue_length() == 0).await;
            let asked = Instant::now();
            app.post("/v1/best-move", &play(1)).await.ok();
            waits.push(asked.elapsed());
        }
        waits.sort_unstable();
        (waits, began.elapsed())
    };
    let ((records, analysed), (waits, played)) = join(analysed, played).await;
    assert!(played < analysed, "{played:?}, {analysed:?}");
    // A busy machine delays some of the requests.
    assert!(waits[4] < Duration::from_millis(100), "{waits:?}");

    let (result, infos) = records.split_last().unwrap();
    let found = &result["search"];
    let shown: Vec<_> = infos[1..].iter().chain([found]).collect();
    assert!(shown.len() > 3, "{records:?}");
    for name in ["depth", "nodes", "time_ms"] {
        let figures = shown.iter().map(|record| number(record, name));
        assert!(figures.is_sorted(), "{name}: {shown:?}");
    }
    assert_eq!(found["stopped_by"], "movetime", "{found}");
    assert!(number(found, "time_ms") >= MOVETIME_MS * 9 / 10, "{found}");
    // Each iteration counts as a node, and each part of the analysis starts at depth 1.
    assert!(
        number(found, "nodes") > number(found, "depth") + 20,
        "{found}"
    );
}

#[actix_web::test]
async fn an_analysis_that_waits_until_its_deadline_returns_its_latest_result() {
    let app = deepening("waits", 3000);
    let began = Instant::now();
    let analysed = async {
        let reply = app.post("/v1/best-move", &analysis(2500)).await.ok();
        (reply, began.elapsed())
    };
    let played = async {
        until_state(&app, "waits", "busy").await;
        let reply = app.post("/v1/best-move", &play(2700)).await.ok();
        (reply, began.elapsed())
    };
    let ((found, analysed), (_, played)) = join(analysed, played).await;
    let at_once = Duration::from_millis(2700 + 1500);
    assert!(
        analysed < played && played < at_once,
        "{analysed:?}, {played:?}"
    );
    assert!(number(&found["search"], "depth") > 0, "{found}");
    assert!(analysed < Duration::from_secs(3), "{analysed:?}");
}

#[actix_web::test]
async fn a_shutdown_ends_a_waiting_analysis_with_its_latest_result() {
    let app = deepening("drains", 60_000);
    let service = app.state().service();
    let stopped = async {
        until_state(&app, "drains", "busy").await;
        let play = play(2000);
        let playing = app.post("/v1/best-move", &play);
        let stop = async {
            until_one_waits(&app, "drains").await;
            std::thread::spawn(move || service.stop(Duration::from_secs(30)));
        };
        join(playing, stop).await.0.ok();
    };
    let analysis = analysis(50_000);
    let (found, ()) = join(app.post("/v1/best-move", &analysis), stopped).await;
    assert!(number(&found.ok()["search"], "depth") > 0);
}

#[actix_web::test]
async fn a_disconnect_removes_an_analysis_that_waits() {
    let app = deepening("leaves", 60_000);
    let service = app.state().service();
    let ai = service.ais().get("leaves").unwrap();
    let analysis = analysis(50_000);
    let analysing = app.post("/v1/best-move", &analysis);
    let leave = Box::pin(async {
        until_state(&app, "leaves", "busy").await;
        let play = play(2000);
        let waits = until_one_waits(&app, "leaves");
        let playing = Box::pin(app.post("/v1/best-move", &play));
        match select(Box::pin(waits), playing).await {
            Either::Left(((), _)) => {}
            Either::Right((reply, _)) => panic!("{reply:?}"),
        }
    });
    // Dropping a request disconnects its client.
    drop(select(Box::pin(analysing), leave).await);
    assert_eq!(ai.queue_length(), 0);
    until_state(&app, "leaves", "ready").await;
    app.post("/v1/best-move", &play(1)).await.ok();
}

#[actix_web::test]
async fn requests_to_play_do_not_starve_an_analysis() {
    let app = deepening("shares", 60_000);
    let (analysis, play) = (analysis(500), play(20));
    let analysed = Box::pin(app.post("/v1/best-move", &analysis));
    let plays = join_all((0..3).map(async |_| {
        loop {
            app.post("/v1/best-move", &play).await.ok();
        }
    }));
    let Either::Left((found, _)) = select(analysed, Box::pin(plays)).await else {
        panic!("the plays ended");
    };
    let found = found.ok();
    assert_eq!(found["search"]["stopped_by"], "movetime", "{found}");
    assert!(number(&found["search"], "time_ms") < 20_000, "{found}");
}

#[actix_web::test]
async fn an_ai_that_ignores_the_stop_keeps_its_worker() {
    let settings = "options.fault = \"ignores_stop\"\nmove_timeout_ms = 120000";
    let app = Application::of(&ai("deaf", "faulty", settings));
    let workers = workers_of("deaf");
    // The AI ignores the stop only in searches of at least 60 s. More than that remains when the
    // analysis continues.
    let analysis = analysis(90_000);
    let analysed = Box::pin(app.post("/v1/best-move", &analysis));
    let played = Box::pin(async {
        until_state(&app, "deaf", "busy").await;
        app.post("/v1/best-move", &play(1)).await.ok();
    });
    let Either::Right(((), _)) = select(analysed, played).await else {
        panic!("the analysis ended first");
    };
    assert_eq!(workers_of("deaf"), workers);
}

#[actix_web::test]
async fn a_repeated_analysis_continues_in_the_worker_with_its_table() {
    let app = Application::of(&with_ais(&[("nnue1", "ai_nnue1", "workers = 2")], ""));
    let request = json!({
        "game": {"fen": "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 10"},
        "limit": {"movetime_ms": 2000},
        "analysis": true,
    });
    // With an empty table the search takes the same number of nodes each time. A stream may leave
    // out iterations, so the test compares the deepest iteration that both streams contain.
    let mut nodes = Vec::new();
    for _ in 0..2 {
        let records = app.stream("/v1/best-move", &request).await;
        let (_, infos) = records.split_last().unwrap();
        let reached = |info| (number(info, "depth"), number(info, "nodes"));
        nodes.push(infos[1..].iter().map(reached).collect::<BTreeMap<_, _>>());
    }
    let depth = nodes[0].keys().rfind(|depth| nodes[1].contains_key(depth));
    let depth = depth.unwrap();
    assert!(nodes[1][depth] < nodes[0][depth], "nodes {nodes:?}");
}
