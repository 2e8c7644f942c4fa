//! Games that are not legal: each cause with its code, its place and its ply, all of them at once.

use serde_json::{Value, json};

use super::{app, refused};

/// Each issue as `code pointer`, with ` ply N` where it is of one.
fn issues(body: &Value) -> Vec<String> {
    let issue = |issue: &Value| {
        let text = |field: &str| issue[field].as_str().unwrap().to_owned();
        let ply = issue.get("ply").map_or(String::new(), |ply| format!(" ply {ply}"));
        format!("{} {}{ply}", text("code"), text("pointer"))
    };
    body["issues"].as_array().unwrap().iter().map(issue).collect()
}

async fn check(cases: &[(&str, Value, &[&str])]) {
    let app = app();
    for (name, game, expected) in cases {
        let reply = refused(&app, "/v1/validate", &json!({"game": game}), 422, "illegal_game").await;
        assert_eq!(issues(&reply.body), *expected, "{name}: {}", reply.body);
    }
}

fn fen(text: &str) -> Value {
    json!({"fen": text})
}

#[actix_web::test]
async fn a_first_position_is_refused_with_every_cause() {
    check(&[
        ("no white king", fen("4k3/8/8/8/8/8/8/8 w - - 0 1"), &["missing_king /game/fen"]),
        ("no king at all", fen("8/8/8/8/8/8/8/8 w - - 0 1"), &["missing_king /game/fen"; 2]),
        ("two white kings", fen("4k3/8/8/8/8/8/8/2K1K3 w - - 0 1"), &["too_many_kings /game/fen"]),
        ("pawn on rank 8", fen("P3k3/8/8/8/8/8/8/4K3 w - - 0 1"), &["pawn_on_back_rank /game/fen"]),
        ("pawn on rank 1", fen("4k3/8/8/8/8/8/8/p3K3 w - - 0 1"), &["pawn_on_back_rank /game/fen"]),
        ("nine pawns", fen("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1"), &["too_much_material /game/fen"]),
        (
            "17 pieces",
            fen("4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1"),
            &["too_much_material /game/fen", "too_much_material /game/fen"],
        ),
        ("opponent in check", fen("4k3/8/8/8/8/8/8/4RK2 w - - 0 1"), &["opponent_in_check /game/fen"]),
        ("kings side by side", fen("8/8/8/3kK3/8/8/8/8 w - - 0 1"), &["opponent_in_check /game/fen"]),
        ("three checkers", fen("4k3/8/3N4/8/B7/8/8/4RK2 b - - 0 1"), &["impossible_check /game/fen"]),
        ("castling without a rook", fen("4k3/8/8/8/8/8/8/4K3 w K - 0 1"), &["bad_castling_rights /game/fen"]),
        ("castling from g2", fen("4k3/8/8/8/8/8/6K1/7R w K - 0 1"), &["bad_castling_rights /game/fen"]),
        ("a right twice", fen("4k3/8/8/8/8/8/8/4K2R w KK - 0 1"), &["bad_castling_rights /game/fen"]),
        (
            "en passant, wrong rank",
            fen("4k3/8/8/8/3pP3/8/8/4K3 b - e6 0 1"),
            &["bad_en_passant_square /game/fen"],
        ),
        (
            "en passant, no pawn",
            fen("4k3/8/8/8/3p4/8/8/4K3 b - e3 0 1"),
            &["bad_en_passant_square /game/fen"],
        ),
        (
            "many causes",
            fen("P3k3/8/8/8/8/8/8/8 w K e3 0 1"),
            &[
                "missing_king /game/fen",
                "pawn_on_back_rank /game/fen",
                "bad_castling_rights /game/fen",
                "bad_en_passant_square /game/fen",
            ],
        ),
    ])
    .await;
}

#[actix_web::test]
async fn a_text_that_is_no_fen_is_refused_by_its_field() {
    let app = app();
    for (text, fields) in [
        ("", &["FEN text"][..]),
        ("startpos", &["FEN text", "FEN field 1 (pieces)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0", &["FEN text"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", &["FEN text"]),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", &["FEN field 1 (pieces)"]),
        ("4k3/8/8/8/8/8/7/4K3 w - - 0 1", &["FEN field 1 (pieces)"]),
        ("4k3/8/8/8/8/8/9/4K3 w - - 0 1", &["FEN field 1 (pieces)"]),
        ("4k3/8/8/8/8/8/8/4K2X w - - 0 1", &["FEN field 1 (pieces)"]),
        ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", &["FEN field 2 (side to move)"]),
        ("4k3/8/8/8/8/8/8/4K3 w x - 0 1", &["FEN field 3 (castling)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", &["FEN field 4 (en passant)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", &["FEN field 5 (half-move clock)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - 151 1", &["FEN field 5 (half-move clock)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", &["FEN field 6 (move number)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1e3", &["FEN field 6 (move number)"]),
        (
            "4k3/8/8/8/8/8/8/4K3 x x x x x",
            &[
                "FEN field 2 (side to move)",
                "FEN field 3 (castling)",
                "FEN field 4 (en passant)",
                "FEN field 5 (half-move clock)",
                "FEN field 6 (move number)",
            ],
        ),
    ] {
        let reply = refused(&app, "/v1/validate", &json!({"game": {"fen": text}}), 422, "illegal_game").await;
        let mut found: Vec<_> = reply.body["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|issue| {
                assert_eq!((&issue["code"], &issue["pointer"]), (&json!("bad_fen"), &json!("/game/fen")));
                issue["message"].as_str().unwrap().split(':').next().unwrap()
            })
            .collect();
        found.dedup();
        assert_eq!(found, fields, "{text}: {}", reply.body);
    }
}

#[actix_web::test]
async fn a_fen_gives_no_room_for_commands_of_engines() {
    let app = app();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for rest in ["\nsetoption name Hash value 1", "\r\nquit", "\0", "\u{85}", " moves e2e4", "\t"] {
        let text = format!("{start}{rest}");
        let body = json!({"game": {"fen": text}});
        for path in ["/v1/best-move", "/v1/evaluate", "/v1/legal-moves", "/v1/validate"] {
            let reply = refused(&app, path, &body, 422, "illegal_game").await;
            assert!(issues(&reply.body).iter().all(|issue| issue == "bad_fen /game/fen"), "{}", reply.body);
        }
    }
    let long = format!("{start}{}", " ".repeat(900_000));
    refused(&app, "/v1/validate", &json!({"game": {"fen": long}}), 422, "illegal_game").await;
}

#[actix_web::test]
async fn every_bad_ply_of_a_game_of_moves_is_named() {
    let moves = |moves: &[&str]| json!({"moves": moves});
    check(&[
        ("no such move", moves(&["e2e5"]), &["illegal_move /game/moves/0 ply 1"]),
        ("the other side's piece", moves(&["e7e5"]), &["illegal_move /game/moves/0 ply 1"]),
        ("an empty square", moves(&["e4e5"]), &["illegal_move /game/moves/0 ply 1"]),
        ("no UCI", moves(&["Nf3"]), &["illegal_move /game/moves/0 ply 1"]),
        ("a null move", moves(&["0000"]), &["illegal_move /game/moves/0 ply 1"]),
        ("nothing", moves(&[""]), &["illegal_move /game/moves/0 ply 1"]),
        ("no promotion here", moves(&["e2e4q"]), &["illegal_move /game/moves/0 ply 1"]),
        ("a later one", moves(&["e2e4", "e7e5", "e4e5"]), &["illegal_move /game/moves/2 ply 3"]),
        (
            "two of five",
            moves(&["e2e4", "e7e4", "g1f3", "xx", "f1c4"]),
            &["illegal_move /game/moves/1 ply 2", "illegal_move /game/moves/3 ply 4"],
        ),
        (
            "after the end",
            moves(&["f2f3", "e7e5", "g2g4", "d8h4", "e1f2", "a7a6"]),
            &["moves_after_end /game/moves/4 ply 5"],
        ),
        (
            "after a draw, illegal as well",
            json!({"fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "moves": ["e1e2", "e8e6"]}),
            &["moves_after_end /game/moves/0 ply 1", "illegal_move /game/moves/1 ply 2"],
        ),
        (
            "no promotion where there must be one",
            json!({"fen": "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "moves": ["e7e8"]}),
            &["illegal_move /game/moves/0 ply 1"],
        ),
        (
            "castling through check",
            json!({"fen": "4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "moves": ["e1g1"]}),
            &["illegal_move /game/moves/0 ply 1"],
        ),
        (
            "a bad start and a text that is no move",
            json!({"fen": "8/8/8/8/8/8/8/4K3 w - - 0 1", "moves": ["e1e2", "check"]}),
            &["missing_king /game/fen", "illegal_move /game/moves/1 ply 2"],
        ),
    ])
    .await;
}

fn start() -> Value {
    json!([
        [-4, -2, -3, -5, -6, -3, -2, -4],
        [-1, -1, -1, -1, -1, -1, -1, -1],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 1, 1, 1],
        [4, 2, 3, 5, 6, 3, 2, 4]
    ])
}

/// The board with some squares changed: row, column, piece.
fn changed(board: &Value, changes: &[(usize, usize, i64)]) -> Value {
    let mut board = board.clone();
    for &(row, column, piece) in changes {
        board[row][column] = piece.into();
    }
    board
}

#[actix_web::test]
async fn arrays_that_are_no_boards_are_refused_by_their_place() {
    let single = |board: Value| json!({"boards": [board], "turn": "white"});
    let mut short = start();
    short[3] = json!([0, 0, 0]);
    check(&[
        ("no board", json!({"boards": []}), &["bad_board /game/boards"]),
        ("no rows", single(json!([])), &["bad_board /game/boards/0"]),
        ("seven rows", single(json!(start().as_array().unwrap()[..7])), &["bad_board /game/boards/0"]),
        ("a short row", single(short), &["bad_board /game/boards/0/3"]),
        (
            "two codes that are none",
            single(changed(&start(), &[(3, 4, 7), (5, 0, -7)])),
            &["bad_board /game/boards/0/3/4", "bad_board /game/boards/0/5/0"],
        ),
        ("a huge code", single(changed(&start(), &[(0, 0, i64::MIN)])), &["bad_board /game/boards/0/0/0"]),
        (
            "a later board",
            json!({"boards": [start(), changed(&start(), &[(4, 4, 66)])]}),
            &["bad_board /game/boards/1/4/4 ply 1"],
        ),
        ("no king", single(changed(&start(), &[(0, 4, 0)])), &["missing_king /game/boards/0"]),
        (
            "a pawn on rank 8",
            single(changed(&start(), &[(0, 0, 1), (6, 0, 0)])),
            &["pawn_on_back_rank /game/boards/0"],
        ),
        (
            "nine pawns",
            single(changed(&start(), &[(5, 0, 1), (7, 0, 0)])),
            &["too_much_material /game/boards/0"],
        ),
    ])
    .await;
}

#[actix_web::test]
async fn boards_that_no_move_joins_are_refused_by_their_ply() {
    let e4 = changed(&start(), &[(6, 4, 0), (4, 4, 1)]);
    let e5 = changed(&e4, &[(1, 4, 0), (3, 4, -1)]);
    let jumped = changed(&start(), &[(6, 4, 0), (2, 4, 1)]);
    check(&[
        ("the same board", json!({"boards": [start(), start()]}), &["not_one_move /game/boards/1 ply 1"]),
        ("two moves at once", json!({"boards": [start(), e5]}), &["not_one_move /game/boards/1 ply 1"]),
        ("no such move", json!({"boards": [start(), jumped]}), &["not_one_move /game/boards/1 ply 1"]),
        ("a later ply", json!({"boards": [start(), e4, e4]}), &["not_one_move /game/boards/2 ply 2"]),
        (
            "two bad plies",
            json!({"boards": [start(), start(), e4, e4]}),
            &["not_one_move /game/boards/1 ply 1", "not_one_move /game/boards/3 ply 3"],
        ),
        ("the wrong turn", json!({"boards": [start(), e4], "turn": "white"}), &["wrong_turn /game/turn"]),
    ])
    .await;
}

#[actix_web::test]
async fn a_game_that_is_not_legal_is_refused_by_every_call() {
    let app = app();
    let moves = json!({"game": {"moves": ["e2e5"]}});
    for path in ["/v1/best-move", "/v1/legal-moves", "/v1/validate", "/v1/evaluate"] {
        let reply = refused(&app, path, &moves, 422, "illegal_game").await;
        assert_eq!(issues(&reply.body), ["illegal_move /game/moves/0 ply 1"]);
        assert_eq!(
            reply.body["detail"],
            format!("the game is not legal: {}", reply.body["issues"][0]["message"].as_str().unwrap())
        );
    }
    let several = json!({"game": {"moves": ["e2e5", "x", "y"]}});
    let reply = refused(&app, "/v1/validate", &several, 422, "illegal_game").await;
    assert!(
        reply.body["detail"].as_str().unwrap().starts_with("the game is not legal: 3 issues, the first: ")
    );
}

#[actix_web::test]
async fn a_flood_of_issues_is_cut() {
    let app = app();
    let long = "m".repeat(200);
    let moves = vec![long.as_str(); 2000];
    let reply = refused(&app, "/v1/validate", &json!({"game": {"moves": moves}}), 422, "illegal_game").await;
    assert_eq!(reply.body["issues"].as_array().unwrap().len(), 1000);
}
