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
        {"by":null,"legal":false,"movement":"line","to":"e1","why":"own_piece"},
        {"by":"e8","legal":false,"movement":"line","to":"a2","why":"pinned"},
        {"by":"e8","legal":false,"movement":"line","to":"b2","why":"pinned"},
        {"by":"e8","legal":false,"movement":"line","to":"c2","why":"pinned"},
        {"by":"e8","legal":false,"movement":"line","to":"d2","why":"pinned"},
        {"by":"e8","legal":false,"movement":"line","to":"f2","why":"pinned"},
        {"by":"e8","legal":false,"movement":"line","to":"g2","why":"pinned"},
        {"by":"e8","legal":false,"movement":"line","to":"h2","why":"pinned"},
        {"by":null,"legal":true,"movement":"line","to":"e3","why":null},
        {"by":null,"legal":true,"movement":"line","to":"e4","why":null},
        {"by":null,"legal":true,"movement":"line","to":"e5","why":null},
        {"by":null,"legal":true,"movement":"line","to":"e6","why":null},
        {"by":null,"legal":true,"movement":"line","to":"e7","why":null},
        {"by":null,"legal":true,"movement":"line","to":"e8","why":null}
      ]
    }
    "#);
    let king = answer("4r1k1/8/8/8/8/6n1/4R3/RN2K3 w Q - 0 1", "e1").await;
    assert_snapshot!(king, @r#"
    {
      "piece": {"color":"white","role":"king"},
      "squares": [
        {"by":"b1","legal":false,"movement":"castling","to":"c1","why":"blocked"},
        {"by":null,"legal":true,"movement":"line","to":"d1","why":null},
        {"by":"g3","legal":false,"movement":"line","to":"f1","why":"leaves_king_in_check"},
        {"by":null,"legal":false,"movement":"castling","to":"g1","why":"rights_lost"},
        {"by":null,"legal":true,"movement":"line","to":"d2","why":null},
        {"by":null,"legal":false,"movement":"line","to":"e2","why":"own_piece"},
        {"by":null,"legal":true,"movement":"line","to":"f2","why":null}
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
        {"by":null,"legal":false,"movement":"jump","to":"f2","why":"game_over"},
        {"by":null,"legal":false,"movement":"jump","to":"g3","why":"game_over"}
      ]
    }
    "#);
}
