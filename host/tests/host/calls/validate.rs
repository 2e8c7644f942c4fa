//! `POST /v1/validate`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Application, Reply, configuration, shown};

const SHUFFLE: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];

async fn answer(app: &Application, game: Value) -> Reply {
    let reply = app.post("/v1/validate", &json!({"game": game})).await;
    assert_eq!(reply.status, 200, "{game}: {}", reply.body);
    reply
}

fn app() -> Application {
    Application::of(&configuration(&["counts_pawns"]))
}

#[actix_web::test]
async fn an_empty_game_is_the_standard_start() {
    let app = app();
    let reply = answer(&app, json!({})).await;
    assert_snapshot!(shown(&reply.body), @r#"
    {
      "game": {
        "fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "start_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "moves": [],
        "status": {"state":"in_progress","winner":null,"reason":null,"turn":"white","check":false,"claims":[]}
      }
    }
    "#);
    let fen = reply.body["game"]["fen"].clone();
    for game in [
        json!({"moves": []}),
        json!({"fen": fen}),
        json!({"fen": null, "moves": null}),
        json!({"uci": []}),
    ] {
        assert_eq!(answer(&app, game).await.body, reply.body);
    }
}

#[actix_web::test]
async fn accepts_a_game_as_uci_or_xfen() {
    let app = app();
    let fen = "r3k3/8/8/8/8/8/3P4/R3K2R w KQq - 0 1";
    for (form, same) in [
        (
            json!({"uci": ["e2e4", "e7e5"]}),
            json!({"moves": ["e2e4", "e7e5"]}),
        ),
        (
            json!({"uci": ["d2d4"], "fen": fen}),
            json!({"moves": ["d2d4"], "fen": fen}),
        ),
        (json!({"xfen": fen}), json!({"fen": fen})),
        // In Chess960, X-FEN names the side of the outermost rook.
        (
            json!({"xfen": "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1"}),
            json!({"fen": "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"}),
        ),
    ] {
        assert_eq!(answer(&app, form).await.body, answer(&app, same).await.body);
    }
}

#[actix_web::test]
async fn returns_the_first_and_last_position_of_a_game() {
    let game =
        json!({"fen": "r3k3/8/8/8/8/8/3P4/R3K2R w KQq -", "moves": ["d2d4", "a8a1", "e1e2"]});
    assert_snapshot!(shown(&answer(&app(), game).await.body), @r#"
    {
      "game": {
        "fen": "4k3/8/8/8/3P4/8/4K3/r6R b - - 1 2",
        "start_fen": "r3k3/8/8/8/8/8/3P4/R3K2R w KQq - 0 1",
        "moves": ["d2d4","a8a1","e1e2"],
        "status": {"state":"in_progress","winner":null,"reason":null,"turn":"black","check":false,"claims":[]}
      }
    }
    "#);
}

#[actix_web::test]
async fn names_the_opening_by_position() {
    let app = app();
    for (moves, opening) in [
        (
            json!(["d2d4", "d7d5", "c2c4", "e7e6"]),
            json!({"eco": "D30", "name": "Queen's Gambit Declined"}),
        ),
        // The name remains after a transposition, and after moves that the list does not contain.
        (
            json!(["c2c4", "e7e6", "d2d4", "d7d5", "h2h4", "h7h5", "h1h3"]),
            json!({"eco": "D30", "name": "Queen's Gambit Declined"}),
        ),
    ] {
        assert_eq!(
            answer(&app, json!({"moves": moves})).await.body["game"]["opening"],
            opening,
            "{moves}"
        );
    }
    let endgame = answer(
        &app,
        json!({"fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "moves": ["e2e4"]}),
    )
    .await;
    assert_eq!(endgame.body["game"].get("opening"), None);
}

#[actix_web::test]
async fn accepts_both_castling_notations() {
    let app = app();
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let steps = answer(&app, json!({"fen": fen, "moves": ["e1g1"]})).await;
    let takes = answer(&app, json!({"fen": fen, "moves": ["e1h1"]})).await;
    assert_eq!(steps.body, takes.body);
    assert_eq!(steps.body["game"]["moves"], json!(["e1g1"]));
}

#[actix_web::test]
async fn reports_assumptions_about_boards() {
    let before = json!([
        [-4, 0, 0, 0, -6, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, -1, 1, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [4, 0, 0, 0, 6, 0, 0, 0]
    ]);
    // En passant: only this move implies the double step of the black pawn.
    let mut after = before.clone();
    (after[3][3], after[3][4], after[2][3]) = (json!(0), json!(0), json!(1));
    let app = app();
    let reply = answer(&app, json!({"boards": [before, after], "turn": "black"})).await;
    assert_snapshot!(shown(&reply.body), @r#"
    {
      "game": {
        "fen": "r3k3/8/3P4/8/8/8/8/R3K3 b Qq - 0 1",
        "start_fen": "r3k3/8/8/3pP3/8/8/8/R3K3 w Qq d6 0 1",
        "moves": ["e5d6"],
        "status": {"state":"in_progress","winner":null,"reason":null,"turn":"black","check":false,"claims":[]},
        "assumed": {"castling":"Qq","en_passant":"d6","halfmove_clock":0,"fullmove_number":1}
      }
    }
    "#);
    let pending = answer(&app, json!({"boards": [before, after]})).await;
    assert_eq!(pending.body["game"]["fen"], reply.body["game"]["fen"]);
    // The same game as FEN and moves needs no assumptions.
    let start = &reply.body["game"]["start_fen"];
    let reported = answer(&app, json!({"fen": start, "moves": ["e5d6"]})).await;
    assert_eq!(reported.body["game"]["fen"], reply.body["game"]["fen"]);
    assert_eq!(reported.body["game"].get("assumed"), None);
}

#[actix_web::test]
async fn returns_an_en_passant_square_only_if_the_capture_is_legal() {
    let app = app();
    for (moves, square) in [
        (json!(["e2e4"]), "-"),
        (json!(["e2e4", "a7a6", "e4e5", "d7d5"]), "d6"),
        (json!(["e2e4", "a7a6", "e4e5", "b7b5"]), "-"),
    ] {
        let reply = answer(&app, json!({"moves": moves})).await;
        let fen = reply.body["game"]["fen"].as_str().unwrap();
        assert_eq!(fen.split(' ').nth(3), Some(square), "{fen}");
    }
    // The pawn is pinned along the rank, since both pawns would disappear.
    let pinned = answer(&app, json!({"fen": "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1"})).await;
    assert_eq!(
        pinned.body["game"]["fen"],
        "8/8/8/8/k2Pp2Q/8/8/3K4 b - - 0 1"
    );
}

fn in_progress(turn: &str, check: bool, claims: &[&str]) -> Value {
    json!({
        "state": "in_progress",
        "winner": null,
        "reason": null,
        "turn": turn,
        "check": check,
        "claims": claims,
    })
}

fn draw(reason: &str, turn: &str) -> Value {
    json!({
        "state": "draw",
        "winner": null,
        "reason": reason,
        "turn": turn,
        "check": false,
        "claims": [],
    })
}

fn win(winner: &str, turn: &str) -> Value {
    json!({
        "state": "win",
        "winner": winner,
        "reason": "checkmate",
        "turn": turn,
        "check": true,
        "claims": [],
    })
}

#[actix_web::test]
async fn returns_check_claims_and_every_result() {
    let app = app();
    let rook = |clock: u32| format!("4k3/8/8/8/8/8/8/3RK3 w - - {clock} 100");
    let shuffled = |times: usize| json!({"moves": SHUFFLE.repeat(times)});
    for (name, game, expected) in [
        ("start", json!({}), in_progress("white", false, &[])),
        (
            "check",
            json!({"moves": ["e2e4", "f7f6", "d1h5"]}),
            in_progress("black", true, &[]),
        ),
        ("second time", shuffled(1), in_progress("white", false, &[])),
        (
            "third time",
            shuffled(2),
            in_progress("white", false, &["threefold_repetition"]),
        ),
        (
            "fourth time",
            shuffled(3),
            in_progress("white", false, &["threefold_repetition"]),
        ),
        (
            "fifth time",
            shuffled(4),
            draw("fivefold_repetition", "white"),
        ),
        (
            "99 plies",
            json!({"fen": rook(99)}),
            in_progress("white", false, &[]),
        ),
        (
            "100 plies",
            json!({"fen": rook(99), "moves": ["d1d2"]}),
            in_progress("black", false, &["fifty_moves"]),
        ),
        (
            "149 plies",
            json!({"fen": rook(149)}),
            in_progress("white", false, &["fifty_moves"]),
        ),
        (
            "150 plies",
            json!({"fen": rook(149), "moves": ["d1d2"]}),
            draw("seventyfive_moves", "black"),
        ),
        (
            "both claims",
            json!({
                "fen": "4k2r/8/8/8/8/8/8/4K2R b - - 92 80",
                "moves": (["h8h7", "h1h2", "h7h8", "h2h1"].repeat(2)),
            }),
            in_progress("black", false, &["threefold_repetition", "fifty_moves"]),
        ),
        (
            "stalemate",
            json!({"fen": "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "moves": ["f1f7"]}),
            draw("stalemate", "black"),
        ),
        (
            "bare kings",
            json!({"fen": "4k3/8/8/8/8/8/8/4K3 b - - 0 1"}),
            draw("insufficient_material", "black"),
        ),
        (
            "king and knight",
            json!({"fen": "4k3/8/8/8/8/8/8/4KN2 w - - 0 1"}),
            draw("insufficient_material", "white"),
        ),
        (
            "white mates",
            json!({"moves": ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5", "g8f6", "h5f7"]}),
            win("white", "black"),
        ),
        (
            "black mates",
            json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]}),
            win("black", "white"),
        ),
        (
            "a mate on the 75th move",
            json!({"fen": "6k1/5ppp/8/8/8/8/8/R5K1 w - - 149 100", "moves": ["a1a8"]}),
            win("white", "black"),
        ),
    ] {
        assert_eq!(
            answer(&app, game).await.body["game"]["status"],
            expected,
            "{name}"
        );
    }
}

#[actix_web::test]
async fn games_continue_after_a_draw_by_todays_rules() {
    let app = app();
    let drawn_at = json!({"ply": 16, "reason": "fivefold_repetition"});
    let moves = [SHUFFLE; 4].concat();
    let at_the_draw = answer(&app, json!({"moves": moves})).await.body;
    assert_eq!(
        at_the_draw["game"].get("drawn_at"),
        None,
        "the game ended there"
    );
    let on = [&moves[..], &["e2e4", "e7e5"]].concat();
    let reply = answer(&app, json!({"moves": on})).await.body;
    assert_eq!(
        (
            &reply["game"]["drawn_at"],
            &reply["game"]["status"]["state"]
        ),
        (&drawn_at, &"in_progress".into())
    );
    let pgn = "Nf3 Nf6 Ng1 Ng8 ".repeat(4) + "e4 e5";
    let reply = answer(&app, json!({"pgn": pgn})).await.body;
    assert_eq!(reply["game"]["drawn_at"], drawn_at);
    assert_eq!(reply["game"]["notes"], json!(["went_on_after_draw"]));
    // AIs do not play moves in such a game, but judge its moves.
    let asked = app
        .post("/v1/best-move", &json!({"game": {"moves": on}}))
        .await;
    assert_eq!(
        (asked.status, asked.body["issues"][0]["code"].as_str()),
        (422, Some("moves_after_end"))
    );
    let asked = app
        .post(
            "/v1/best-move",
            &json!({"game": {"moves": on}, "analysis": true}),
        )
        .await;
    assert_eq!(
        (asked.status, &asked.body["game"]["drawn_at"]),
        (200, &drawn_at)
    );
    let report = app
        .post("/v1/report", &json!({"game": {"moves": on}}))
        .await;
    assert_eq!(
        (report.status, report.body["moves"].as_array().map(Vec::len)),
        (200, Some(18))
    );
}

#[actix_web::test]
async fn reads_the_piece_letters_of_a_language() {
    let app = app();
    for form in ["pgn", "any"] {
        let game = json!({form: "1. e4 e5 2. Cf3 Cc6 3. Fb5 a6", "language": "fr"});
        let reply = answer(&app, game).await.body;
        assert_eq!(reply["game"]["moves"][2], "g1f3");
    }
}
