//! `POST /v1/reachable`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Application, configuration, shown};

async fn reply(fen: &str, square: &str) -> Value {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let body = json!({"game": {"fen": fen}, "square": square});
    app.post("/v1/reachable", &body).await.ok()
}

async fn answer(fen: &str, square: &str) -> String {
    shown(&reply(fen, square).await)
}

/// Returns all fields of each square.
async fn rows(fen: &str, square: &str) -> Vec<String> {
    let reply = reply(fen, square).await;
    let squares = reply["squares"].as_array().unwrap().iter();
    let row = |fields: &Value| -> Vec<String> {
        let fields = fields.as_object().unwrap().values();
        fields
            .map(|field| {
                field
                    .as_str()
                    .map_or_else(|| field.to_string(), str::to_owned)
            })
            .collect()
    };
    squares.map(|fields| row(fields).join(" ")).collect()
}

#[actix_web::test]
async fn says_why_a_square_is_not_a_legal_target() {
    let pinned = answer("4r1k1/8/8/8/8/6n1/4R3/RN2K3 w Q - 0 1", "e2").await;
    assert_snapshot!(pinned, @r#"
    {
      "piece": {"color":"white","role":"rook"},
      "squares": [
        {"to":"e1","movement":"line","legal":false,"why":"own_piece","by":null,"through":null},
        {"to":"a2","movement":"line","legal":false,"why":"pinned","by":"e8","through":null},
        {"to":"b2","movement":"line","legal":false,"why":"pinned","by":"e8","through":null},
        {"to":"c2","movement":"line","legal":false,"why":"pinned","by":"e8","through":null},
        {"to":"d2","movement":"line","legal":false,"why":"pinned","by":"e8","through":null},
        {"to":"f2","movement":"line","legal":false,"why":"pinned","by":"e8","through":null},
        {"to":"g2","movement":"line","legal":false,"why":"pinned","by":"e8","through":null},
        {"to":"h2","movement":"line","legal":false,"why":"pinned","by":"e8","through":null},
        {"to":"e3","movement":"line","legal":true,"why":null,"by":null,"through":null},
        {"to":"e4","movement":"line","legal":true,"why":null,"by":null,"through":null},
        {"to":"e5","movement":"line","legal":true,"why":null,"by":null,"through":null},
        {"to":"e6","movement":"line","legal":true,"why":null,"by":null,"through":null},
        {"to":"e7","movement":"line","legal":true,"why":null,"by":null,"through":null},
        {"to":"e8","movement":"line","legal":true,"why":null,"by":null,"through":null}
      ]
    }
    "#);
    let king = rows("4r1k1/8/8/8/8/6n1/4R3/RN2K3 w Q - 0 1", "e1").await;
    assert_eq!(
        king,
        [
            "c1 castling false blocked b1 null",
            "d1 line true null null null",
            "f1 line false leaves_king_in_check g3 null",
            "g1 castling false rights_lost null null",
            "d2 line true null null null",
            "e2 line false own_piece null null",
            "f2 line true null null null",
        ]
    );
}

#[actix_web::test]
async fn names_the_attacked_square_of_castling() {
    let king = rows("3rkr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1").await;
    assert_eq!(
        king,
        [
            "c1 castling false castling_through_check d8 d1",
            "d1 line false leaves_king_in_check d8 null",
            "f1 line false leaves_king_in_check f8 null",
            "g1 castling false castling_through_check f8 f1",
            "d2 line false leaves_king_in_check d8 null",
            "e2 line true null null null",
            "f2 line false leaves_king_in_check f8 null",
        ]
    );
}

#[actix_web::test]
async fn returns_no_squares_for_an_empty_square() {
    let empty = answer("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "a1").await;
    assert_snapshot!(empty, @r#"{"piece":null,"squares":[]}"#);
}

#[actix_web::test]
async fn explains_pieces_in_a_drawn_position() {
    let over = answer("4k3/8/8/8/8/8/8/4K2N w - - 0 1", "h1").await;
    assert_snapshot!(over, @r#"
    {
      "piece": {"color":"white","role":"knight"},
      "squares": [
        {"to":"f2","movement":"jump","legal":true,"why":null,"by":null,"through":null},
        {"to":"g3","movement":"jump","legal":true,"why":null,"by":null,"through":null}
      ]
    }
    "#);
}

/// Checks the legal targets in the five tests of the Java analyser that this call is based on.
#[actix_web::test]
async fn analyses_any_arrangement_of_pieces() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    for (fen, square, expected) in [
        ("2K5/8/8/Q7/8/8/8/R1N5 w - - 0 1", "a1", "b1 a2 a3 a4"),
        ("2K5/8/8/q7/8/8/8/R1N5 w - - 0 1", "a1", "b1 a2 a3 a4 a5"),
        ("8/8/8/8/q7/8/2R5/2NK4 w - - 0 1", "c2", ""),
        ("8/p7/8/8/3k4/8/8/8 b - - 0 1", "a7", "a5 a6"),
        ("8/8/8/2pP4/3K4/8/8/8 w - c6 0 1", "d5", "c6"),
    ] {
        let form = json!({"game": {"fen": fen}, "square": square});
        let reply = app.post("/v1/reachable", &form).await.ok();
        let squares = reply["squares"].as_array().unwrap();
        let legal = squares
            .iter()
            .filter(|square| square["legal"] == true)
            .map(|square| square["to"].as_str().unwrap());
        assert_eq!(
            legal.collect::<Vec<_>>().join(" "),
            expected,
            "{fen} {square}: {reply}"
        );
        let picture = app
            .get(&format!("/v1/board.svg?fen={}", fen.replace(' ', "%20")))
            .await;
        assert_eq!(picture.status, 200, "{fen}: {}", picture.body);
    }
    let form = json!({"game": {"fen": "8/8/8/8/q7/8/2R5/2NK4 w - - 0 1"}, "square": "c2"});
    let pinned = app.post("/v1/reachable", &form).await.ok();
    let why = |square: &Value| [square["why"].clone(), square["by"].clone()];
    assert!(
        pinned["squares"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|square| square["to"] != "c1")
            .all(|square| why(square) == ["pinned", "a4"]),
        "{pinned}"
    );
}

#[actix_web::test]
async fn a_single_board_may_be_any_arrangement() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let mut board = vec![vec![0; 8]; 8];
    board[7][0] = 4;
    let game = json!({"boards": [board], "turn": "white"});
    let reply = app
        .post("/v1/reachable", &json!({"game": game, "square": "a1"}))
        .await
        .ok();
    let squares = reply["squares"].as_array().unwrap();
    assert_eq!(
        (
            squares.len(),
            squares.iter().all(|square| square["legal"] == true)
        ),
        (14, true),
        "{reply}"
    );
    for (game, code, pointer) in [
        (
            json!({"fen": "8/8/8/8/8/8/8/R7 w - - 0 1", "moves": ["a1b2"]}),
            "illegal_move",
            "/game/moves/0",
        ),
        (
            json!({"fen": "8/8/8/8/8/8/8/R7 w - - 0 1", "uci": ["a1a2", "a2a3"]}),
            "illegal_move",
            "/game/uci/1",
        ),
        (
            json!({"fen": "8/8/8/8/8/8/8/R7 w - - 0 1", "san": ["Ra2"]}),
            "missing_king",
            "/game/fen",
        ),
        (
            json!({"boards": [board, board], "turn": "white"}),
            "not_one_move",
            "/game/boards/1",
        ),
        (
            json!({"fen": "8/8/8/8/8/8/8/R6x w - - 0 1"}),
            "bad_fen",
            "/game/fen",
        ),
        (
            json!({"epd": "8/8/8/8/8/8/8/R7 w - - 9"}),
            "missing_king",
            "/game/epd",
        ),
    ] {
        let reply = app
            .post("/v1/reachable", &json!({"game": game, "square": "a1"}))
            .await;
        assert_eq!(reply.code(), "illegal_game", "{game}: {}", reply.body);
        let issue = &reply.body["issues"][0];
        assert_eq!(
            (&issue["code"], &issue["pointer"]),
            (&json!(code), &json!(pointer)),
            "{game}: {}",
            reply.body
        );
    }
    assert_eq!(
        app.post("/v1/legal-moves", &json!({"game": game}))
            .await
            .code(),
        "illegal_game",
        "other calls need kings"
    );
}

#[actix_web::test]
async fn every_form_of_a_single_position_may_be_any_arrangement() {
    const FEN: &str = "8/8/8/8/8/8/8/R1N5 w - - 0 1";
    let app = Application::of(&configuration(&["counts_pawns"]));
    let mut board = vec![vec![0; 8]; 8];
    (board[7][0], board[7][2]) = (4, 2);
    let json = json!(board).to_string();
    let arrays = json.replace('[', "{").replace(']', "}");
    let text = "........\n".repeat(7) + "R.N.....";
    let svg = app
        .get(&format!("/v1/board.svg?fen={}", FEN.replace(' ', "%20")))
        .await
        .body;
    let mut html = String::new();
    for (rank, file) in (1..=8)
        .rev()
        .flat_map(|rank| ('a'..='h').map(move |file| (rank, file)))
    {
        let figure = match (rank, file) {
            (1, 'a') => "♖",
            (1, 'c') => "♘",
            _ => "",
        };
        let cell = format!("<td data-row={rank} data-col={file}>{figure}</td>");
        html.push_str(&cell);
    }
    let turn = "white";
    let mut games = vec![
        json!({"fen": FEN}),
        json!({"fen": FEN, "moves": []}),
        json!({"fen": FEN, "uci": []}),
        json!({"fen": FEN, "san": []}),
        json!({"xfen": FEN}),
        json!({"epd": "8/8/8/8/8/8/8/R1N5 w - - id \"rook\";"}),
        json!({"boards": [board], "turn": turn}),
        json!({"html": html, "turn": turn}),
        json!({"text": text, "turn": turn}),
        json!({"svg": svg}),
        json!({"csharp": arrays, "turn": turn}),
    ];
    games.extend(
        [FEN, "8/8/8/8/8/8/8/R1N5 w - - id 1;", svg.as_str().unwrap()]
            .map(|any| json!({"any": any})),
    );
    games.extend([&json, &html, &text, &arrays].map(|any| json!({"any": any, "turn": turn})));
    for game in games {
        let reply = app
            .post("/v1/reachable", &json!({"game": game, "square": "a1"}))
            .await
            .ok();
        let legal = reply["squares"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|square| square["legal"] == true);
        let legal: Vec<_> = legal.map(|square| square["to"].as_str().unwrap()).collect();
        assert_eq!(
            legal,
            ["b1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"],
            "{game}: {reply}"
        );
        assert_eq!(
            app.post("/v1/legal-moves", &json!({"game": game}))
                .await
                .status,
            422,
            "{game}"
        );
    }
}

#[actix_web::test]
async fn en_passant_follows_an_earlier_move_without_kings() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let rows = |fen: &str| {
        let setup = rules::parse_setup(fen).unwrap();
        let code = |row: u8, column: u8| {
            let piece = setup.piece_at(ai_api::Square::new(column, 7 - row));
            piece.map_or(0, |(color, role)| {
                [1, -1][color.index()] * (role.index() as i64 + 1)
            })
        };
        (0..8)
            .map(|row| (0..8).map(|column| code(row, column)).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    for (fen, chosen, after, from, to, legal) in [
        (
            "8/2p5/8/3P4/3K4/8/8/8 b - - 0 1",
            "c7c5",
            "8/8/8/2pP4/3K4/8/8/8 w - - 0 1",
            "d5",
            "c6",
            true,
        ),
        // Neither side has a king.
        (
            "8/8/8/8/3p4/8/4P3/8 w - - 0 1",
            "e2e4",
            "8/8/8/8/3pP3/8/8/8 b - - 0 1",
            "d4",
            "e3",
            true,
        ),
        // A single step on another file.
        (
            "8/4p3/8/1p1P4/3K4/8/8/8 b - - 0 1",
            "e7e6",
            "8/8/4p3/1p1P4/3K4/8/8/8 w - - 0 1",
            "d5",
            "c6",
            false,
        ),
        // The pawn is pinned.
        (
            "8/2p5/8/r2P1K2/8/8/8/8 b - - 0 1",
            "c7c5",
            "8/8/8/r1pP1K2/8/8/8/8 w - - 0 1",
            "d5",
            "c6",
            false,
        ),
    ] {
        let boards = json!({"boards": [rows(fen), rows(after)]});
        let any = format!("position fen {fen} moves {chosen}");
        for game in [
            json!({"fen": fen, "moves": [chosen]}),
            json!({"fen": fen, "uci": [chosen]}),
            boards,
            json!({"any": any}),
        ] {
            let reply = app
                .post("/v1/reachable", &json!({"game": game, "square": from}))
                .await
                .ok();
            let target = reply["squares"]
                .as_array()
                .unwrap()
                .iter()
                .find(|square| square["to"] == to)
                .unwrap();
            assert_eq!(target["legal"], legal, "{game}: {reply}");
        }
    }
}

type Steps = &'static [(i32, i32)];
const ROOK: Steps = &[(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: Steps = &[(1, 1), (1, -1), (-1, 1), (-1, -1)];
const ALL: Steps = &[
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
    (1, 1),
    (1, -1),
    (-1, 1),
    (-1, -1),
];
const KNIGHT: Steps = &[
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// Checks the moves of a lone piece from every square, like the original's unit tests.
#[actix_web::test]
async fn a_lone_piece_moves_by_its_rules_from_every_square() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let name = |file: i32, rank: i32| format!("{}{}", char::from(b'a' + file as u8), rank + 1);
    for (letter, steps, most) in [
        ('R', ROOK, 7),
        ('B', BISHOP, 7),
        ('Q', ALL, 7),
        ('N', KNIGHT, 1),
        ('K', ALL, 1),
    ] {
        for (file, rank) in (0..8).flat_map(|rank| (0..8).map(move |file| (file, rank))) {
            let mut expected: Vec<_> = steps
                .iter()
                .flat_map(|(x, y)| (1..=most).map(move |n| (file + x * n, rank + y * n)))
                .filter(|(file, rank)| (0..8).contains(file) && (0..8).contains(rank))
                .map(|(file, rank)| name(file, rank))
                .collect();
            expected.sort();
            let row = format!(
                "{}{letter}{}",
                if file > 0 {
                    file.to_string()
                } else {
                    String::new()
                },
                if file < 7 {
                    (7 - file).to_string()
                } else {
                    String::new()
                }
            );
            let rows: Vec<_> = (0..8)
                .rev()
                .map(|at| if at == rank { row.clone() } else { "8".into() })
                .collect();
            let fen = format!("{} w - - 0 1", rows.join("/"));
            let reply = app
                .post(
                    "/v1/reachable",
                    &json!({"game": {"fen": fen}, "square": name(file, rank)}),
                )
                .await
                .ok();
            let legal = reply["squares"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|square| square["legal"] == true);
            let mut legal: Vec<_> = legal
                .map(|square| square["to"].as_str().unwrap().to_owned())
                .collect();
            legal.sort();
            assert_eq!(legal, expected, "{fen}: {reply}");
        }
    }
}
