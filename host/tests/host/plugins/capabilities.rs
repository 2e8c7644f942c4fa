//! Capabilities of an AI, and the requests that they allow.

use ai_api::{Clocks, Limits, Move, SearchResult, Square};
use pool::{Ais, RequestContext, WorkerProgram};
use protocol::{Job, Response, SearchParams, Task};
use serde_json::json;

use crate::support::{Application, ConfigFile, rookery};

const CHESS960: &str = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";

#[actix_web::test]
async fn rejects_chess960_without_the_capability() {
    let app = Application::of(&ConfigFile::new(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\n[ai.echo]\nlibrary = \"echo\"\n[ai.pawns]\nlibrary = \"counts_pawns\"\n\
         [client.default]\nai = \"basic1\"\n",
    ));
    let game = json!({"fen": CHESS960});
    let limit = json!({"depth": 1});
    let played = app.post("/v1/best-move", &json!({"game": game, "limit": limit})).await;
    assert_eq!(played.status, 200, "{}", played.body);
    for (path, ai) in [("/v1/best-move", "echo"), ("/v1/evaluate", "pawns"), ("/v1/best-move", "pawns")] {
        let rejected = app.post(path, &json!({"game": game, "ai": ai})).await;
        assert_eq!((rejected.status, rejected.code()), (400, "malformed_request"), "{}", rejected.body);
        let detail = rejected.body["detail"].as_str().unwrap();
        assert!(detail.contains(&format!("Chess960, which the AI '{ai}' does not play")), "{detail}");
    }
    let orthodox = app.post("/v1/best-move", &json!({"game": {}, "ai": "echo"})).await;
    assert_eq!(orthodox.status, 200, "{}", orthodox.body);
}

async fn answer(params: SearchParams) -> SearchResult {
    let config = ConfigFile::new("[ai.echo]\nlibrary = \"echo\"\n").load();
    let ais = Ais::start(&config, WorkerProgram::at(rookery())).unwrap_or_else(|errors| panic!("{errors}"));
    let square = |name: &str| name.parse::<Square>().unwrap();
    let job = Job {
        fen: rules::format_fen(&rules::start_position()),
        moves: vec![Move::new(square("e2"), square("e4"))],
        task: Task::Search(Limits::depth(1)),
        params,
        options: Vec::new(),
    };
    match ais.get("echo").unwrap().ask(RequestContext::default(), job, None).await {
        Ok(Response::Searched(answer)) => answer,
        other => panic!("{other:?}"),
    }
}

#[actix_web::test]
async fn passes_search_parameters_and_truncates_the_result() {
    let square = |name: &str| name.parse::<Square>().unwrap();
    let root_moves = vec![Move::new(square("g8"), square("f6")), Move::new(square("e7"), square("e5"))];
    let clocks = Clocks { remaining_ms: [4321, 1234], increment_ms: [10, 20], moves_to_go: 7 };
    let params = SearchParams {
        lines: 3,
        trace_nodes: 20,
        root_moves: root_moves.clone(),
        clocks: Some(clocks),
        ponder: false,
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
