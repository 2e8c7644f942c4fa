//! `POST /v1/best-move`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Application, Reply, configuration, shown};

/// White's pawn takes an unguarded queen.
const FREE_QUEEN: &str = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1";
/// Only castling mates, because the king then guards g2.
const CASTLING_MATES: &str = "4R3/8/8/8/8/5k1P/7P/4K2R w K - 0 1";

async fn answer(body: Value) -> Reply {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let reply = app.post("/v1/best-move", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.header("Content-Type"), Some("application/json"));
    reply
}

#[actix_web::test]
async fn returns_a_move_and_the_game_after_it() {
    let reply = answer(json!({"game": {"fen": FREE_QUEEN}, "limit": {"depth": 1}})).await;
    assert_snapshot!(shown(&reply.stable()), @r#"
    {
      "move": {"uci":"e4d5","san":"exd5","from":"e4","to":"d5","promotion":null,"capture":true,"check":false},
      "score": {"cp":105},
      "game": {
        "fen": "4k3/8/8/3P4/8/8/8/4K3 b - - 0 1",
        "start_fen": "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1",
        "moves": ["e4d5"],
        "status": {"state":"in_progress","winner":null,"reason":null,"turn":"black","check":false,"claims":[]}
      },
      "search": {"depth":1,"nodes":"[nodes]","time_ms":"[time]","pv":["e4d5"],"san":["exd5"],"stopped_by":"depth"},
      "ai": {"id":"ai_basic1","name":"Basic1","version":"1.0.0"}
    }
    "#);
}

#[actix_web::test]
async fn continues_a_game_given_as_moves() {
    let moves = json!(["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6"]);
    let reply = answer(json!({"game": {"moves": moves}, "limit": {"depth": 2}})).await;
    assert_snapshot!(shown(&reply.stable()), @r#"
    {
      "move": {"uci":"h5f7","san":"Qxf7#","from":"h5","to":"f7","promotion":null,"capture":true,"check":true},
      "score": {"mate":1},
      "game": {
        "fen": "r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4",
        "start_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "moves": ["e2e4","e7e5","f1c4","b8c6","d1h5","g8f6","h5f7"],
        "status": {"state":"win","winner":"white","reason":"checkmate","turn":"black","check":true,"claims":[]},
        "opening": {"eco":"C23","name":"Bishop's Opening"}
      },
      "search": {"depth":2,"nodes":"[nodes]","time_ms":"[time]","pv":["h5f7"],"san":["Qxf7#"],"stopped_by":"depth"},
      "ai": {"id":"ai_basic1","name":"Basic1","version":"1.0.0"}
    }
    "#);
}

#[actix_web::test]
async fn reports_assumptions_about_boards() {
    let board = json!([
        [0, 0, 0, 0, -6, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, -5, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 6, 0, 0, 4]
    ]);
    let reply =
        answer(json!({"game": {"boards": [board], "turn": "white"}, "limit": {"depth": 1}})).await;
    assert_snapshot!(shown(&reply.stable()), @r#"
    {
      "move": {"uci":"e4d5","san":"exd5","from":"e4","to":"d5","promotion":null,"capture":true,"check":false},
      "score": {"cp":730},
      "game": {
        "fen": "4k3/8/8/3P4/8/8/7P/4K2R b K - 0 1",
        "start_fen": "4k3/8/8/3q4/4P3/8/7P/4K2R w K - 0 1",
        "moves": ["e4d5"],
        "status": {"state":"in_progress","winner":null,"reason":null,"turn":"black","check":false,"claims":[]},
        "assumed": {"castling":"K","en_passant":"-","halfmove_clock":0,"fullmove_number":1}
      },
      "search": {"depth":1,"nodes":"[nodes]","time_ms":"[time]","pv":["e4d5"],"san":["exd5"],"stopped_by":"depth"},
      "ai": {"id":"ai_basic1","name":"Basic1","version":"1.0.0"}
    }
    "#);
}

#[actix_web::test]
async fn accepts_its_reply_as_the_next_request() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let mut game = json!({"fen": FREE_QUEEN});
    for plies in 1..=6 {
        let reply = app
            .post(
                "/v1/best-move",
                &json!({"game": game, "limit": {"depth": 2}}),
            )
            .await
            .ok();
        let after = &reply["game"];
        assert_eq!(after["moves"].as_array().unwrap().len(), plies);
        assert_eq!(after["moves"][plies - 1], reply["move"]["uci"]);
        game = json!({"fen": after["start_fen"], "moves": after["moves"]});
        let again = app.post("/v1/validate", &json!({"game": game})).await;
        assert_eq!(&again.body["game"], after);
    }
}

#[actix_web::test]
async fn reaches_the_depth_limit_exactly() {
    for depth in [1, 3, 4] {
        let reply = answer(json!({"game": {}, "limit": {"depth": depth}})).await;
        assert_eq!(reply.body["search"]["depth"], depth);
        assert_eq!(reply.body["search"]["stopped_by"], "depth");
        assert_eq!(reply.body["search"]["pv"].as_array().unwrap().len(), depth);
    }
}

#[actix_web::test]
async fn keeps_the_node_limit_within_one_percent() {
    let reply = answer(json!({"game": {}, "limit": {"nodes": 20_000}})).await;
    let nodes = reply.body["search"]["nodes"].as_u64().unwrap();
    assert!((20_000..=20_200).contains(&nodes), "{nodes}");
    assert_eq!(reply.body["search"]["stopped_by"], "nodes");
}

#[actix_web::test]
async fn uses_and_keeps_the_movetime_limit() {
    let reply = answer(json!({"game": {}, "limit": {"movetime_ms": 200}})).await;
    let time = reply.body["search"]["time_ms"].as_u64().unwrap();
    // The upper bound is far above what an idle machine needs, but below the time at which the host
    // sends the stop signal.
    assert!((180..900).contains(&time), "{time}");
    assert_eq!(reply.body["search"]["stopped_by"], "movetime");
}

#[actix_web::test]
async fn answers_before_the_move_timeout() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    // The maximum is `move_timeout_ms` minus `stop_grace_ms`.
    let most =
        &app.get("/v1/ais/ai_basic1").await.body["limit"]["properties"]["movetime_ms"]["maximum"];
    assert_eq!(most, 750);
    for (limit, lowered) in [
        (json!({"movetime_ms": 60_000}), json!({"movetime_ms": 750})),
        (
            json!({"depth": 60}),
            json!({"depth": 60, "movetime_ms": 750}),
        ),
        (json!({"movetime_ms": 750}), Value::Null),
    ] {
        let reply = app
            .post("/v1/best-move", &json!({"game": {}, "limit": limit}))
            .await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        let search = &reply.body["search"];
        let time = search["time_ms"].as_u64().unwrap();
        assert!(time >= 700, "{time}");
        assert_eq!(
            (&search["stopped_by"], &search["limit"]),
            (&json!("movetime"), &lowered),
            "{limit}"
        );
        assert_eq!(reply.body["game"]["moves"].as_array().unwrap().len(), 1);
    }
}

#[actix_web::test]
async fn uses_the_limit_of_the_ai_by_default() {
    let reply = answer(json!({"game": {}})).await;
    assert_eq!(reply.body["search"]["depth"], 5);
    assert_eq!(reply.body["search"]["stopped_by"], "depth");
}

#[actix_web::test]
async fn divides_the_time_of_the_clock() {
    let clocks = json!({"white_ms": 600_000, "black_ms": 7_500, "moves_to_go": 30});
    let game = json!({"moves": ["e2e4"]});
    let reply = answer(json!({"game": game, "clocks": clocks})).await;
    let time = reply.body["search"]["time_ms"].as_u64().unwrap();
    // The search uses a thirtieth of Black's time. The AI's depth limit does not apply.
    assert!((180..900).contains(&time), "{}", reply.body["search"]);
    assert_eq!(reply.body["search"]["stopped_by"], "clock");
    let reply = answer(json!({"game": game, "clocks": clocks, "limit": {"depth": 2}})).await;
    assert_eq!(
        (
            &reply.body["search"]["depth"],
            &reply.body["search"]["stopped_by"]
        ),
        (&json!(2), &json!("depth"))
    );
    let expired =
        json!({"white_ms": 0, "black_ms": 0, "white_increment_ms": 0, "black_increment_ms": 0});
    assert!(answer(json!({"game": game, "clocks": expired})).await.body["move"].is_object());
}

#[actix_web::test]
async fn rejects_clocks_out_of_bounds() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    for (clocks, pointer) in [
        (
            json!({"white_ms": 86_400_001, "black_ms": 1}),
            "/clocks/white_ms",
        ),
        (
            json!({"white_ms": 1, "black_ms": u64::MAX}),
            "/clocks/black_ms",
        ),
        (
            json!({"white_ms": 1, "black_ms": 1, "black_increment_ms": 86_400_001}),
            "/clocks/black_increment_ms",
        ),
        (
            json!({"white_ms": 1, "black_ms": 1, "moves_to_go": 0}),
            "/clocks/moves_to_go",
        ),
        (json!({"white_ms": 1}), "/clocks/black_ms"),
        (json!({"white_ms": -1, "black_ms": 1}), "/clocks/white_ms"),
        (
            json!({"white_ms": 1, "black_ms": 1, "seconds": 1}),
            "/clocks/seconds",
        ),
        (json!([1, 1]), "/clocks"),
    ] {
        let reply = app
            .post("/v1/best-move", &json!({"game": {}, "clocks": clocks}))
            .await;
        assert_eq!(
            (reply.status, &reply.body["code"]),
            (400, &json!("malformed_request")),
            "{clocks}"
        );
        assert_eq!(reply.body["pointer"], pointer, "{}", reply.body);
    }
}

#[actix_web::test]
async fn returns_no_move_for_a_finished_game() {
    let moves = json!(["f2f3", "e7e5", "g2g4", "d8h4"]);
    let mated = answer(json!({"game": {"moves": moves}})).await;
    assert_snapshot!(shown(&mated.stable()), @r#"
    {
      "move": null,
      "score": {"mate":0},
      "game": {
        "fen": "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "start_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "moves": ["f2f3","e7e5","g2g4","d8h4"],
        "status": {"state":"win","winner":"black","reason":"checkmate","turn":"white","check":true,"claims":[]},
        "opening": {"eco":"A00","name":"Barnes Opening: Fool's Mate"}
      },
      "search": {"depth":0,"nodes":"[nodes]","time_ms":"[time]","pv":[],"san":[],"stopped_by":"ai"},
      "ai": {"id":"ai_basic1","name":"Basic1","version":"1.0.0"}
    }
    "#);
    let stalemate = answer(json!({"game": {"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}})).await;
    assert_snapshot!(shown(&stalemate.stable()), @r#"
    {
      "move": null,
      "score": {"cp":0},
      "game": {
        "fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "start_fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "moves": [],
        "status": {"state":"draw","winner":null,"reason":"stalemate","turn":"black","check":false,"claims":[]}
      },
      "search": {"depth":0,"nodes":"[nodes]","time_ms":"[time]","pv":[],"san":[],"stopped_by":"ai"},
      "ai": {"id":"ai_basic1","name":"Basic1","version":"1.0.0"}
    }
    "#);
}

#[actix_web::test]
async fn counts_mates_in_moves_from_whites_view() {
    for (fen, depth, mate) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 2, 1),
        ("r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", 2, -1),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 4, 2),
        ("1r4k1/r7/8/8/8/8/8/7K b - - 0 1", 4, -2),
    ] {
        let reply = answer(json!({"game": {"fen": fen}, "limit": {"depth": depth}})).await;
        assert_eq!(
            reply.body["score"],
            json!({"mate": mate}),
            "{fen}: {}",
            reply.body
        );
    }
}

#[actix_web::test]
async fn names_the_promoted_piece() {
    let fen = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1";
    let reply = answer(json!({"game": {"fen": fen}, "limit": {"depth": 1}})).await;
    assert_eq!(
        reply.stable()["move"],
        json!({
            "uci": "e7e8q",
            "san": "e8=Q",
            "from": "e7",
            "to": "e8",
            "promotion": "queen",
            "capture": false,
            "check": false,
        })
    );
}

#[actix_web::test]
async fn writes_castling_as_a_king_move_of_two_squares() {
    let reply = answer(json!({"game": {"fen": CASTLING_MATES}, "limit": {"depth": 2}})).await;
    assert_snapshot!(shown(&reply.stable()), @r#"
    {
      "move": {"uci":"e1g1","san":"O-O#","from":"e1","to":"g1","promotion":null,"capture":false,"check":true},
      "score": {"mate":1},
      "game": {
        "fen": "4R3/8/8/8/8/5k1P/7P/5RK1 b - - 1 1",
        "start_fen": "4R3/8/8/8/8/5k1P/7P/4K2R w K - 0 1",
        "moves": ["e1g1"],
        "status": {"state":"win","winner":"white","reason":"checkmate","turn":"black","check":true,"claims":[]}
      },
      "search": {"depth":2,"nodes":"[nodes]","time_ms":"[time]","pv":["e1g1"],"san":["O-O#"],"stopped_by":"depth"},
      "ai": {"id":"ai_basic1","name":"Basic1","version":"1.0.0"}
    }
    "#);
}

#[actix_web::test]
async fn writes_chess960_castling_as_king_takes_rook() {
    let fen = "4R3/8/8/8/8/5k1P/7P/3K3R w H - 0 1";
    let reply = answer(json!({"game": {"fen": fen}, "limit": {"depth": 2}})).await;
    assert_snapshot!(shown(&reply.stable()), @r#"
    {
      "move": {"uci":"d1h1","san":"O-O#","from":"d1","to":"h1","promotion":null,"capture":false,"check":true},
      "score": {"mate":1},
      "game": {
        "fen": "4R3/8/8/8/8/5k1P/7P/5RK1 b - - 1 1",
        "start_fen": "4R3/8/8/8/8/5k1P/7P/3K3R w H - 0 1",
        "moves": ["d1h1"],
        "status": {"state":"win","winner":"white","reason":"checkmate","turn":"black","check":true,"claims":[]}
      },
      "search": {"depth":2,"nodes":"[nodes]","time_ms":"[time]","pv":["d1h1"],"san":["O-O#"],"stopped_by":"depth"},
      "ai": {"id":"ai_basic1","name":"Basic1","version":"1.0.0"}
    }
    "#);
}

#[actix_web::test]
async fn repeats_its_answer_to_the_same_request() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let game = json!({"moves": ["e2e4", "c7c5"]});
    let body = json!({"game": game, "limit": {"depth": 4}, "fresh": true});
    let without_time = |mut reply: Reply| {
        reply.body["search"]["time_ms"] = Value::Null;
        reply.body
    };
    let first = without_time(app.post("/v1/best-move", &body).await);
    app.post(
        "/v1/best-move",
        &json!({"game": {}, "limit": {"nodes": 5000}}),
    )
    .await;
    assert_eq!(without_time(app.post("/v1/best-move", &body).await), first);
}
