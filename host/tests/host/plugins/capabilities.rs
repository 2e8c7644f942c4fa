//! Capabilities of an AI, and the requests that they allow.

use ai_api::{Clocks, Limits, Move, SearchResult, Square};
use pool::RequestContext;
use protocol::{Job, Response, SearchParams, Task};
use serde_json::json;

use crate::support::{Application, assert_has, configuration, started, with_ais};

const CHESS960: &str = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";

#[actix_web::test]
async fn rejects_chess960_without_the_capability() {
    let ais = [
        ("basic1", "ai_basic1", ""),
        ("echo", "echo", ""),
        ("pawns", "counts_pawns", ""),
    ];
    let app = Application::of(&with_ais(&ais, ""));
    let game = json!({"fen": CHESS960});
    let limit = json!({"depth": 1});
    app.post("/v1/best-move", &json!({"game": game, "limit": limit}))
        .await
        .ok();
    for (path, ai) in [
        ("/v1/best-move", "echo"),
        ("/v1/evaluate", "pawns"),
        ("/v1/best-move", "pawns"),
    ] {
        let detail = app
            .post(path, &json!({"game": game, "ai": ai}))
            .await
            .check_error(400, "malformed_request");
        assert_has(
            &detail,
            &[format!("Chess960, which the AI '{ai}' does not play")],
        );
    }
    app.post("/v1/best-move", &json!({"game": {}, "ai": "echo"}))
        .await
        .ok();
}

async fn answer(params: SearchParams) -> SearchResult {
    let ais = started(&configuration(&["echo"]));
    let square = |name: &str| name.parse::<Square>().unwrap();
    let job = Job {
        fresh: false,
        fen: rules::format_fen(&rules::start_position()),
        moves: vec![Move::new(square("e2"), square("e4"))],
        task: Task::Search(Limits::depth(1)),
        params,
        options: Vec::new(),
    };
    match ais
        .get("echo")
        .unwrap()
        .ask(RequestContext::default(), job, None)
        .await
    {
        Ok(Response::Searched(answer)) => answer,
        other => panic!("{other:?}"),
    }
}

#[actix_web::test]
async fn passes_search_parameters_and_truncates_the_result() {
    let square = |name: &str| name.parse::<Square>().unwrap();
    let root_moves = vec![
        Move::new(square("g8"), square("f6")),
        Move::new(square("e7"), square("e5")),
    ];
    let clocks = Clocks {
        remaining_ms: [4321, 1234],
        increment_ms: [10, 20],
        moves_to_go: 7,
        ..Clocks::default()
    };
    let params = SearchParams {
        lines: 3,
        trace_nodes: 20,
        root_moves: root_moves.clone(),
        clocks: Some(clocks),
        ..SearchParams::default()
    };
    let reported = answer(params).await;
    assert_eq!(reported.pv.as_slice(), root_moves);
    assert_eq!((reported.score.value(), reported.depth), (4321, 1));
    assert_eq!((reported.multipv.len(), reported.trace.len()), (2, 20));
}

#[actix_web::test]
async fn drops_lines_and_trace_that_were_not_requested() {
    let reported = answer(SearchParams::default()).await;
    assert_eq!((reported.pv.len(), reported.score.value()), (20, 0));
    assert_eq!((reported.multipv.len(), reported.trace.len()), (0, 0));
}
