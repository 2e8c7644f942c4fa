//! `POST /v1/legal-moves`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Application, Reply, configuration, shown};

/// Every kind of move: a double step, a capture, en passant, castling on both sides.
const MIXED: &str = "4k3/8/8/3pP3/8/7n/7P/R3K2R w KQ d6 0 1";

async fn answer(body: Value) -> Reply {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let reply = app.post("/v1/legal-moves", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply
}

fn ucis(reply: &Reply) -> Vec<&str> {
    let mut ucis: Vec<_> = reply.body["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(uci)
        .collect();
    ucis.sort_unstable();
    ucis
}

fn uci(chosen: &Value) -> &str {
    chosen["uci"].as_str().unwrap()
}

#[actix_web::test]
async fn lists_every_legal_move_once() {
    let start = answer(json!({"game": {}})).await;
    let mut ucis = ucis(&start);
    assert_eq!(ucis.len(), 20);
    ucis.dedup();
    assert_eq!(ucis.len(), 20);
    assert_eq!(start.body["dests"].as_object().unwrap().len(), 10);
    assert_eq!(start.body["dests"]["b1"], json!(["a3", "c3"]));

    // The known position with the most legal moves.
    let most = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    let most = answer(json!({"game": {"fen": most}})).await;
    assert_eq!(most.body["moves"].as_array().unwrap().len(), 218);
}

#[actix_web::test]
async fn returns_the_moves_of_one_square() {
    let pawn = answer(json!({"game": {"fen": MIXED}, "from": "e5"})).await;
    assert_snapshot!(shown(&pawn.body), @r#"
    {
      "moves": [
        {"uci":"e5e6","san":"e6","from":"e5","to":"e6","promotion":null,"capture":false,"check":false},
        {"uci":"e5d6","san":"exd6","from":"e5","to":"d6","promotion":null,"capture":true,"check":false}
      ],
      "dests": {"e5":["d6","e6"]},
      "game": {
        "fen": "4k3/8/8/3pP3/8/7n/7P/R3K2R w KQ d6 0 1",
        "start_fen": "4k3/8/8/3pP3/8/7n/7P/R3K2R w KQ d6 0 1",
        "moves": [],
        "status": {"state":"in_progress","winner":null,"reason":null,"turn":"white","check":false,"claims":[]}
      }
    }
    "#);
    let king = answer(json!({"game": {"fen": MIXED}, "from": "e1"})).await;
    assert_snapshot!(shown(&king.body["moves"]), @r#"
    [
      {"uci":"e1c1","san":"O-O-O","from":"e1","to":"c1","promotion":null,"capture":false,"check":false},
      {"uci":"e1d1","san":"Kd1","from":"e1","to":"d1","promotion":null,"capture":false,"check":false},
      {"uci":"e1f1","san":"Kf1","from":"e1","to":"f1","promotion":null,"capture":false,"check":false},
      {"uci":"e1d2","san":"Kd2","from":"e1","to":"d2","promotion":null,"capture":false,"check":false},
      {"uci":"e1e2","san":"Ke2","from":"e1","to":"e2","promotion":null,"capture":false,"check":false}
    ]
    "#);
    assert_snapshot!(shown(&king.body["dests"]), @r#"{"e1":["c1","d1","d2","e2","f1"]}"#);
}

#[actix_web::test]
async fn the_full_list_is_the_union_of_all_squares() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let all = app
        .post("/v1/legal-moves", &json!({"game": {"fen": MIXED}}))
        .await;
    let mut together = Vec::new();
    for (square, dests) in all.body["dests"].as_object().unwrap() {
        let one = app
            .post(
                "/v1/legal-moves",
                &json!({"game": {"fen": MIXED}, "from": square}),
            )
            .await;
        assert_eq!(one.body["dests"], json!({ square: dests }));
        together.extend(one.body["moves"].as_array().unwrap().clone());
    }
    let mut listed = all.body["moves"].as_array().unwrap().clone();
    listed.sort_by(|a, b| uci(a).cmp(uci(b)));
    together.sort_by(|a, b| uci(a).cmp(uci(b)));
    assert_eq!(listed, together);
}

#[actix_web::test]
async fn returns_an_empty_list_for_a_square_without_moves() {
    // An empty square, a piece of the other side, and a blocked piece.
    for square in ["e4", "e7", "a1"] {
        let reply = answer(json!({"game": {}, "from": square})).await;
        assert_eq!(
            (&reply.body["moves"], &reply.body["dests"]),
            (&json!([]), &json!({})),
            "{square}"
        );
    }
}

#[actix_web::test]
async fn lists_four_promotions_per_target_square() {
    let reply =
        answer(json!({"game": {"fen": "3n4/4P1k1/8/8/8/8/8/4K3 w - - 0 1"}, "from": "e7"})).await;
    assert_eq!(
        ucis(&reply),
        [
            "e7d8b", "e7d8n", "e7d8q", "e7d8r", "e7e8b", "e7e8n", "e7e8q", "e7e8r"
        ]
    );
    assert_eq!(reply.body["dests"], json!({"e7": ["d8", "e8"]}));
    let promotions: Vec<_> = reply.body["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|chosen| &chosen["promotion"])
        .collect();
    for role in ["queen", "rook", "bishop", "knight"] {
        assert_eq!(
            promotions
                .iter()
                .filter(|promotion| **promotion == role)
                .count(),
            2,
            "{role}"
        );
    }
}

#[actix_web::test]
async fn chess960_castling_targets_the_rook() {
    let reply =
        answer(json!({"game": {"fen": "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1"}, "from": "e1"})).await;
    assert_eq!(
        ucis(&reply),
        ["e1b1", "e1d1", "e1d2", "e1e2", "e1f1", "e1f2", "e1g1"]
    );
    let castlings = reply.body["moves"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|chosen| chosen["san"].as_str().unwrap().starts_with('O'));
    assert_eq!(castlings.map(uci).collect::<Vec<_>>().len(), 2);
    assert!(
        reply.body["moves"]
            .as_array()
            .unwrap()
            .iter()
            .all(|chosen| chosen["capture"] == false)
    );
}

#[actix_web::test]
async fn returns_no_moves_for_a_finished_game() {
    for (name, game) in [
        (
            "checkmate",
            json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]}),
        ),
        (
            "stalemate",
            json!({"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}),
        ),
        (
            "insufficient_material",
            json!({"fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1"}),
        ),
        (
            "seventyfive_moves",
            json!({"fen": "4k3/8/8/8/8/8/8/3RK3 w - - 150 100"}),
        ),
    ] {
        let reply = answer(json!({"game": game})).await;
        assert_eq!(reply.body["game"]["status"]["reason"], name);
        assert_eq!(
            (&reply.body["moves"], &reply.body["dests"]),
            (&json!([]), &json!({})),
            "{name}"
        );
    }
}
