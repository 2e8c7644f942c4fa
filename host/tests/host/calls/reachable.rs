//! `POST /v1/reachable`.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Application, configuration, shown};

async fn answer(fen: &str, square: &str) -> String {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let reply = app.post("/v1/reachable", &json!({"game": {"fen": fen}, "square": square})).await.ok();
    shown(&reply)
}

#[actix_web::test]
async fn returns_squares_with_the_reason_against_each() {
    let pinned = answer("4r1k1/8/8/8/8/6n1/4R3/RN2K3 w Q - 0 1", "e2").await;
    assert_snapshot!(pinned, @r#"
    {
      "piece": {"color":"white","role":"rook"},
      "squares": [
        {"to":"e1","movement":"line","legal":false,"why":"own_piece","by":null},
        {"to":"a2","movement":"line","legal":false,"why":"pinned","by":"e8"},
        {"to":"b2","movement":"line","legal":false,"why":"pinned","by":"e8"},
        {"to":"c2","movement":"line","legal":false,"why":"pinned","by":"e8"},
        {"to":"d2","movement":"line","legal":false,"why":"pinned","by":"e8"},
        {"to":"f2","movement":"line","legal":false,"why":"pinned","by":"e8"},
        {"to":"g2","movement":"line","legal":false,"why":"pinned","by":"e8"},
        {"to":"h2","movement":"line","legal":false,"why":"pinned","by":"e8"},
        {"to":"e3","movement":"line","legal":true,"why":null,"by":null},
        {"to":"e4","movement":"line","legal":true,"why":null,"by":null},
        {"to":"e5","movement":"line","legal":true,"why":null,"by":null},
        {"to":"e6","movement":"line","legal":true,"why":null,"by":null},
        {"to":"e7","movement":"line","legal":true,"why":null,"by":null},
        {"to":"e8","movement":"line","legal":true,"why":null,"by":null}
      ]
    }
    "#);
    let king = answer("4r1k1/8/8/8/8/6n1/4R3/RN2K3 w Q - 0 1", "e1").await;
    assert_snapshot!(king, @r#"
    {
      "piece": {"color":"white","role":"king"},
      "squares": [
        {"to":"c1","movement":"castling","legal":false,"why":"blocked","by":"b1"},
        {"to":"d1","movement":"line","legal":true,"why":null,"by":null},
        {"to":"f1","movement":"line","legal":false,"why":"leaves_king_in_check","by":"g3"},
        {"to":"g1","movement":"castling","legal":false,"why":"rights_lost","by":null},
        {"to":"d2","movement":"line","legal":true,"why":null,"by":null},
        {"to":"e2","movement":"line","legal":false,"why":"own_piece","by":null},
        {"to":"f2","movement":"line","legal":true,"why":null,"by":null}
      ]
    }
    "#);
}

#[actix_web::test]
async fn returns_no_squares_for_an_empty_square() {
    let empty = answer("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "a1").await;
    assert_snapshot!(empty, @r#"{"piece":null,"squares":[]}"#);
}

#[actix_web::test]
async fn no_square_is_legal_after_the_game() {
    let over = answer("4k3/8/8/8/8/8/8/4K2N w - - 0 1", "h1").await;
    assert_snapshot!(over, @r#"
    {
      "piece": {"color":"white","role":"knight"},
      "squares": [
        {"to":"f2","movement":"jump","legal":false,"why":"game_over","by":null},
        {"to":"g3","movement":"jump","legal":false,"why":"game_over","by":null}
      ]
    }
    "#);
}
