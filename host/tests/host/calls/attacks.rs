//! `POST /v1/attacks`.

use serde_json::{Value, json};

use crate::support::{Application, configuration};

async fn attacks(fen: &str) -> Value {
    let app = Application::of(&configuration(&["counts_pawns"]));
    app.post("/v1/attacks", &json!({"game": {"fen": fen}})).await.ok()
}

#[actix_web::test]
async fn lists_the_attackers_of_each_square() {
    let reply = attacks("4k3/8/8/8/4n3/3B4/8/4K3 w - - 0 1").await;
    let of = |square: &str| reply["squares"][square]["attackers"].clone();
    assert_eq!(of("e4"), json!({"white": ["d3"], "black": []}));
    assert_eq!(of("f2"), json!({"white": ["e1"], "black": ["e4"]}));
    assert_eq!(of("d8"), json!({"white": [], "black": ["e8"]}));
    assert_eq!(of("a8"), Value::Null, "nobody attacks it");
    assert_eq!(reply["hanging"], json!(["e4"]), "the bishop attacks the knight, which nobody defends");
    assert_eq!(reply["pinned"], json!([]));
}

#[actix_web::test]
async fn names_pins_with_their_line_and_what_hangs() {
    let reply = attacks("4r1k1/8/8/8/8/3p4/4B3/4K3 w - - 0 1").await;
    let pin = json!({"square": "e2", "by": "e8", "line": ["e2", "e3", "e4", "e5", "e6", "e7", "e8"]});
    assert_eq!(reply["pinned"], json!([pin]));
    assert_eq!(
        reply["hanging"],
        json!(["e2", "d3"]),
        "a pawn attacks the bishop, the bishop an undefended pawn"
    );
    let of_both = attacks("4k3/4r3/8/8/8/8/4R3/4K3 b - - 0 1").await;
    let pinned: Vec<_> =
        of_both["pinned"].as_array().unwrap().iter().map(|pin| (&pin["square"], &pin["by"])).collect();
    assert_eq!(pinned, [(&json!("e2"), &json!("e7")), (&json!("e7"), &json!("e2"))]);
    let behind_two = attacks("4k3/4r3/4p3/8/8/8/4R3/4K3 b - - 0 1").await;
    assert_eq!(behind_two["pinned"], json!([]));
}

#[actix_web::test]
async fn dangerous_squares_are_those_where_any_piece_would_be_lost() {
    let reply = attacks("4k3/8/8/2p5/8/8/8/1N2K3 w - - 0 1").await;
    assert_eq!(reply["dangerous"], json!([]), "{reply}");
    let guarded = attacks("4k3/8/2p5/8/8/2N5/8/4K3 w - - 0 1").await;
    assert_eq!(guarded["dangerous"], json!(["b5", "d5"]), "{guarded}");
}

#[actix_web::test]
async fn a_game_that_is_not_legal_has_no_attacks() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let reply = app.post("/v1/attacks", &json!({"game": {"fen": "8/8/8/8/8/8/8/K7 w - - 0 1"}})).await;
    assert_eq!((reply.status, reply.code()), (422, "illegal_game"));
}
