//! `POST /v1/attacks`.

use serde_json::{Value, json};

use crate::support::{Application, configuration};

async fn attacks(fen: &str) -> Value {
    let app = Application::of(&configuration(&["counts_pawns"]));
    app.post("/v1/attacks", &json!({"game": {"fen": fen}}))
        .await
        .ok()
}

#[actix_web::test]
async fn lists_the_attackers_of_each_square() {
    let reply = attacks("4k3/8/8/8/4n3/3B4/8/4K3 w - - 0 1").await;
    let of = |square: &str| reply["squares"][square]["attackers"].clone();
    assert_eq!(of("e4"), json!({"white": ["d3"], "black": []}));
    assert_eq!(of("f2"), json!({"white": ["e1"], "black": ["e4"]}));
    assert_eq!(of("d8"), json!({"white": [], "black": ["e8"]}));
    assert_eq!(of("a8"), Value::Null, "nothing attacks a8");
    assert_eq!(
        reply["hanging"],
        json!(["e4"]),
        "the bishop attacks the undefended knight"
    );
    assert_eq!(reply["pinned"], json!([]));
}

#[actix_web::test]
async fn lists_pins_with_their_lines_and_hanging_pieces() {
    let reply = attacks("4r1k1/8/8/8/8/3p4/4B3/4K3 w - - 0 1").await;
    let pin =
        json!({"square": "e2", "by": "e8", "line": ["e2", "e3", "e4", "e5", "e6", "e7", "e8"]});
    assert_eq!(reply["pinned"], json!([pin]));
    assert_eq!(
        reply["hanging"],
        json!(["e2", "d3"]),
        "a pawn attacks the bishop, and the bishop attacks an undefended pawn"
    );
    let of_both = attacks("4k3/4r3/8/8/8/8/4R3/4K3 b - - 0 1").await;
    let pinned: Vec<_> = of_both["pinned"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pin| (&pin["square"], &pin["by"]))
        .collect();
    assert_eq!(
        pinned,
        [(&json!("e2"), &json!("e7")), (&json!("e7"), &json!("e2"))]
    );
    let behind_two = attacks("4k3/4r3/4p3/8/8/8/4R3/4K3 b - - 0 1").await;
    assert_eq!(behind_two["pinned"], json!([]));
}

#[actix_web::test]
async fn a_square_is_dangerous_if_any_piece_on_it_would_be_lost() {
    let reply = attacks("4k3/8/8/2p5/8/8/8/1N2K3 w - - 0 1").await;
    assert_eq!(reply["dangerous"], json!([]), "{reply}");
    let guarded = attacks("4k3/8/2p5/8/8/2N5/8/4K3 w - - 0 1").await;
    assert_eq!(guarded["dangerous"], json!(["b5", "d5"]), "{guarded}");
}

#[actix_web::test]
async fn an_illegal_game_has_no_attacks() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let reply = app
        .post(
            "/v1/attacks",
            &json!({"game": {"fen": "8/8/8/8/8/8/8/K7 w - - 0 1"}}),
        )
        .await;
    reply.check_error(422, "illegal_game");
}

#[actix_web::test]
async fn unreachable_positions_can_be_inspected_but_not_played() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let check = "4k3/8/3N1N2/8/8/8/8/5K2 b - - 0 1";
    let double = "bqnnrbkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhe - 0 1";
    for (fen, code, note) in [
        (check, "impossible_check", "impossible_check"),
        (double, "bad_castling_rights", "double_fischer_random"),
    ] {
        for game in [
            json!({"fen": fen}),
            json!({"epd": fen}),
            json!({"any": fen}),
            json!({"fen": fen, "san": []}),
        ] {
            let attacks = app.post("/v1/attacks", &json!({"game": game})).await.ok();
            assert_eq!(attacks["notes"], json!([note]), "{game}");
            let legal = app
                .post("/v1/legal-moves", &json!({"game": game}))
                .await
                .ok();
            assert_eq!(legal["game"]["notes"], json!([note]), "{game}");
            let converted = app
                .post("/v1/convert", &json!({"game": game, "to": "fen"}))
                .await
                .ok();
            assert_eq!(
                (&converted["fen"], &converted["notes"]),
                (&json!(fen), &json!([note])),
                "{game}"
            );
            for (path, body) in [
                ("/v1/validate", json!({"game": game})),
                (
                    "/v1/best-move",
                    json!({"game": game, "limit": {"depth": 1}}),
                ),
                ("/v1/evaluate", json!({"game": game})),
                ("/v1/report", json!({"game": game, "limit": {"depth": 1}})),
            ] {
                let refused = app.post(path, &body).await;
                assert_eq!(
                    (refused.status, refused.code()),
                    (422, "illegal_game"),
                    "{path} {game}"
                );
                assert_eq!(
                    refused.body["issues"][0]["code"],
                    json!(code),
                    "{path} {game}"
                );
            }
        }
        let picture = app
            .get(&format!("/v1/board.svg?fen={}", fen.replace(' ', "%20")))
            .await;
        assert_eq!(picture.status, 200, "{fen}");
    }
    let plain = app.post("/v1/attacks", &json!({"game": {}})).await.ok();
    assert_eq!(plain["notes"], Value::Null);
}

#[actix_web::test]
async fn move_number_0_is_read_as_1_and_noted() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let reply = app
        .post(
            "/v1/validate",
            &json!({"game": {"fen": "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 1 0"}}),
        )
        .await
        .ok();
    assert_eq!(
        reply["game"]["fen"],
        json!("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 1 1")
    );
    assert_eq!(reply["game"]["notes"], json!(["move_number_zero"]));
}
