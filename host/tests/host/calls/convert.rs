//! `POST /v1/convert`, and all forms of a game.

use formats::FormatName;
use serde_json::{Value, json};

use crate::support::{Application, Reply, assert_has, configuration};

async fn convert(app: &Application, game: &Value, to: &str) -> Value {
    let reply = app
        .post("/v1/convert", &json!({"game": game, "to": to}))
        .await;
    assert_eq!(reply.status, 200, "{to}: {}", reply.body);
    reply.body
}

fn application() -> Application {
    Application::of(&configuration(&["counts_pawns"]))
}

#[actix_web::test]
async fn every_output_format_is_accepted_as_input() {
    let app = application();
    let game = json!({"moves": ["e2e4", "c7c5", "g1f3"]});
    for to in FormatName::ALL.iter().map(FormatName::into_str) {
        let converted = convert(&app, &game, to).await;
        let written = &converted[to];
        assert!(!written.is_null(), "{converted}");
        let form = match to {
            "boards" | "csharp" => json!({to: written, "turn": converted["turn"]}),
            to => json!({to: written}),
        };
        let again = app.post("/v1/validate", &json!({"game": form})).await;
        assert_eq!(again.status, 200, "{to}: {}", again.body);
        let fen = again.body["game"]["fen"].as_str().unwrap();
        assert!(
            fen.starts_with("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - "),
            "{to}: {fen}"
        );
        let has_moves = ["pgn", "uci", "san", "boards", "html", "csharp"].contains(&to);
        assert_eq!(
            again.body["game"]["moves"].as_array().unwrap().len(),
            if has_moves { 3 } else { 0 },
            "{to}"
        );
        let dropped = if has_moves {
            Value::Null
        } else {
            json!(["moves"])
        };
        assert_eq!(converted["dropped"], dropped, "{to}");
    }
}

/// Returns a converted game as the text of a file in this format.
fn text_of(converted: &Value, to: &str) -> String {
    let words = |moves: &Vec<Value>| {
        moves
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" ")
    };
    match to {
        "boards" => converted.to_string(),
        to => converted[to]
            .as_array()
            .map_or_else(|| converted[to].as_str().unwrap().to_owned(), words),
    }
}

#[actix_web::test]
async fn detects_the_format_of_a_text() {
    let app = application();
    let game = json!({"moves": ["e2e4", "c7c5", "g1f3"]});
    for to in FormatName::ALL.iter().map(FormatName::into_str) {
        let text = text_of(&convert(&app, &game, to).await, to);
        let any = json!({"any": text, "turn": "black"});
        let reply = app.post("/v1/validate", &json!({"game": any})).await;
        assert_eq!(reply.status, 200, "{to}: {}", reply.body);
        // An X-FEN or an EPD without operations may be detected as a FEN.
        let found = if to == "xfen" { "fen" } else { to };
        assert_eq!(reply.body["game"]["format"], found, "{text}");
        let again = convert(&app, &any, "fen").await;
        assert_eq!(
            (&again["fen"], &again["format"]),
            (&reply.body["game"]["fen"], &json!(found))
        );
    }
    let reply = app
        .post("/v1/validate", &json!({"game": {"pgn": "1. e4 *"}}))
        .await;
    assert_eq!(reply.body["game"]["format"], Value::Null);
}

#[actix_web::test]
async fn returns_the_start_position_with_moves() {
    let app = application();
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let game = json!({"fen": fen, "moves": ["e2e4"]});
    assert_eq!(
        convert(&app, &game, "uci").await,
        json!({"uci": ["e2e4"], "fen": fen})
    );
    let san = convert(&app, &game, "san").await;
    assert_eq!(san, json!({"san": ["e4"], "fen": fen}));
    let again = app.post("/v1/validate", &json!({"game": san})).await;
    assert_eq!(
        again.body["game"]["moves"],
        json!(["e2e4"]),
        "{}",
        again.body
    );
}

#[actix_web::test]
async fn pgn_has_the_opening_unless_the_game_has_one() {
    let app = application();
    let written = convert(&app, &json!({"moves": ["e2e4", "c7c5"]}), "pgn").await;
    let pgn = written["pgn"].as_str().unwrap();
    assert_has(pgn, &["[ECO \"B20\"]\n[Opening \"Sicilian Defense\"]\n"]);
    let written = convert(
        &app,
        &json!({"pgn": "[Opening \"Mine\"]\n\n1. e4 c5 *"}),
        "pgn",
    )
    .await;
    let pgn = written["pgn"].as_str().unwrap();
    assert!(pgn.contains("[Opening \"Mine\"]\n[ECO \"B20\"]\n"), "{pgn}");
}

#[actix_web::test]
async fn keeps_or_skips_pgn_variations() {
    let app = application();
    let pgn = "[White \"A\"]\n\n1. e4 {[%clk 0:01:00]} (1. d4 $1) e5 *";
    let written = convert(&app, &json!({"pgn": pgn}), "pgn").await;
    assert!(
        written["pgn"]
            .as_str()
            .unwrap()
            .contains("1. e4 {[%clk 0:01:00]} (1. d4 $1) 1... e5 *"),
        "{written}"
    );
    let body = json!({"game": {"pgn": pgn}, "to": "pgn", "variations": "skip"});
    let skipped = app.post("/v1/convert", &body).await.body;
    assert!(
        skipped["pgn"]
            .as_str()
            .unwrap()
            .contains("1. e4 {[%clk 0:01:00]} 1... e5 *"),
        "{skipped}"
    );
    assert_eq!(
        convert(&app, &json!({"pgn": pgn}), "fen").await["dropped"],
        json!(["moves", "tags", "comments", "variations"])
    );
}

#[actix_web::test]
async fn reports_assumptions_about_a_board() {
    let app = application();
    let page = "<p data-row=0 data-col=4>♚</p><p data-row=7 data-col=4>♔</p><p data-row=7 \
        data-col=7>♖</p>";
    let cell = |square: usize| format!("<p data-row={} data-col={}></p>", square / 8, square % 8);
    let empty: String = (0..64)
        .filter(|square| ![4, 60, 63].contains(square))
        .map(cell)
        .collect();
    let html = page.to_owned() + &empty;
    let converted = convert(&app, &json!({"html": html, "turn": "white"}), "fen").await;
    assert_eq!(converted["fen"], "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert_eq!(converted["assumed"]["castling"], "K");
}

#[actix_web::test]
async fn points_at_errors_in_a_text() {
    let app = application();
    let validate =
        async |game: Value| -> Reply { app.post("/v1/validate", &json!({"game": game})).await };
    let reply = validate(json!({"pgn": "[White \"A\"]\n\n1. e4 e5\n2. Ke3 zz *"})).await;
    reply.check_error(422, "illegal_game");
    let issues = reply.body["issues"].as_array().unwrap();
    assert_eq!(issues.len(), 2, "{}", reply.body);
    assert_eq!(issues[0]["pointer"], "/game/pgn");
    assert_eq!(
        [&issues[0]["line"], &issues[0]["column"], &issues[0]["ply"]],
        [4, 4, 3]
    );
    let reply = validate(json!({"pgn": "1. e4 *\n1. d4 *"})).await;
    assert_eq!(
        (reply.status, &reply.body["pointer"]),
        (400, &json!("/game/pgn")),
        "{}",
        reply.body
    );
    assert!(
        reply.body["detail"]
            .as_str()
            .unwrap()
            .contains("more than one game"),
        "{}",
        reply.body
    );
    let reply = validate(json!({"pgn": " "})).await;
    assert!(
        reply.body["detail"].as_str().unwrap().contains("no game"),
        "{}",
        reply.body
    );
    let reply = validate(json!({"san": ["e4", "Ke5"]})).await;
    assert_eq!(
        reply.body["issues"][0]["pointer"], "/game/san/1",
        "{}",
        reply.body
    );
}

#[actix_web::test]
async fn best_move_accepts_any_format() {
    let app = application();
    let pgn = json!({"game": {"pgn": "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#"}});
    let reply = app.post("/v1/best-move", &pgn).await;
    assert_eq!(
        reply.body["game"]["status"]["reason"], "checkmate",
        "{}",
        reply.body
    );
    let san = app
        .post(
            "/v1/best-move",
            &json!({"game": {"san": ["e4"]}, "limit": {"depth": 1}}),
        )
        .await;
    assert_eq!(
        san.body["game"]["moves"].as_array().unwrap().len(),
        2,
        "{}",
        san.body
    );
}

#[actix_web::test]
async fn tags_name_the_players_of_a_pgn() {
    let app = application();
    let body = |game: Value, tags: Value| json!({"game": game, "to": "pgn", "tags": tags});
    let pgn = async |body: &Value| {
        let reply = app.post("/v1/convert", body).await.ok();
        reply["pgn"].as_str().unwrap().to_owned()
    };
    let tags = json!({
        "White": "Anna \"A\" M\u{fc}ller",
        "Black": "Ben",
        "WhiteElo": "1500",
        "Result": "1-0",
    });
    let written = pgn(&body(json!({"moves": ["e2e4"]}), tags)).await;
    assert_has(
        &written,
        &[
            "[White \"Anna \\\"A\\\" M\u{fc}ller\"]\n[Black \"Ben\"]\n[Result \"1-0\"]\n[WhiteElo \
             \"1500\"]\n",
            "1. e4 1-0",
        ],
    );
    // The tags in the request replace those in the text, but a finished game keeps its result.
    let text = "[White \"A\"]\n[Black \"B\"]\n\n1. f3 e5 2. g4 Qh4# 0-1";
    let written = pgn(&body(
        json!({"pgn": text}),
        json!({"White": "C", "Result": "0-1"}),
    ))
    .await;
    assert_has(
        &written,
        &["[White \"C\"]\n[Black \"B\"]\n[Result \"0-1\"]"],
    );
    assert!(!written.contains("\"A\""), "{written}");
    let null = json!({"game": {"pgn": text}, "to": "pgn", "tags": null});
    assert_has(&pgn(&null).await, &["[White \"A\"]"]);
}

#[actix_web::test]
async fn a_text_of_several_games_is_converted_game_by_game() {
    let app = application();
    let text = "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. d4 1-0\n";
    let convert = async |game: Value, to: &str| {
        app.post("/v1/convert", &json!({"game": game, "to": to}))
            .await
            .ok()
    };
    let games = convert(json!({"pgn": text}), "uci").await;
    assert_eq!(
        games,
        json!({"games": [
            {"uci": ["e2e4", "e7e5"], "dropped": ["tags"]},
            {"uci": ["d2d4"], "dropped": ["tags", "result"]}
        ]})
    );
    let games = convert(
        json!({"any": "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n4k3/8/8/8/8/8/8/4K2R b K - 0 1"}),
        "pgn",
    )
    .await;
    let games = games["games"].as_array().unwrap();
    assert_eq!((games.len(), &games[1]["format"]), (2, &json!("fen")));
    assert!(
        games[1]["pgn"]
            .as_str()
            .unwrap()
            .contains("[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 0 1\"]")
    );
    // The issues of all games are reported at once, with their places.
    let wrong = app
        .post(
            "/v1/convert",
            &json!({"game": {"pgn": "1. e5 *\n1. d4 *\n1. d4 d4 *"}, "to": "uci"}),
        )
        .await;
    wrong.check_error(422, "illegal_game");
    let issues = wrong.body["issues"].as_array().unwrap();
    let places: Vec<_> = issues
        .iter()
        .map(|issue| (issue["game"].clone(), issue["line"].clone()))
        .collect();
    assert_eq!(places, [(json!(1), json!(1)), (json!(3), json!(3))]);
}
