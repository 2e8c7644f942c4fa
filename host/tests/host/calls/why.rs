//! `POST /v1/why`, and why the best move is better than the second.

use serde_json::{Value, json};

use crate::{
    errors::check_problem,
    support::{Application, configuration, shipped, tablebases, with_ais},
};

/// White's pawn on d2 is pinned.
const PINNED: &str = "rnbqk1nr/pppp1ppp/4p3/8/1b6/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1";

async fn why(app: &Application, game: Value, asked: &str) -> Value {
    let body = json!({"game": game, "move": asked, "limit": {"depth": 3}});
    app.post("/v1/why", &body).await.ok()
}

fn kinds(claims: &Value) -> Vec<&str> {
    let claims = claims.as_array().unwrap().iter();
    claims
        .map(|claim| claim["kind"].as_str().unwrap())
        .collect()
}

#[actix_web::test]
async fn a_move_is_judged_as_in_a_report() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let moves = ["e2e4", "e7e5", "d1h5", "g7g6"];
    let limit = json!({"depth": 3});
    let report = app
        .post(
            "/v1/report",
            &json!({"game": {"moves": moves}, "limit": limit}),
        )
        .await
        .ok();
    let expected = &report["moves"][3];
    for text in ["g7g6", "g6", "g7-g6"] {
        let mut reply = why(&app, json!({"moves": moves[..3]}), text).await;
        assert_eq!(reply["legal"], true);
        assert_eq!(reply["ai"], report["ai"]);
        for field in ["legal", "ai"] {
            reply.as_object_mut().unwrap().remove(field);
        }
        assert_eq!(&reply, expected, "{text}");
    }
    assert_eq!(expected["judgement"], "blunder");
    assert_eq!(
        kinds(&expected["claims"])[0],
        "loses_material",
        "{expected}"
    );
}

#[actix_web::test]
async fn the_nearest_meaning_of_an_illegal_move_is_explained() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let pinned = json!({"fen": PINNED});
    for text in ["d3", "d2d3", "d2-d3", "Pd3"] {
        let reply = why(&app, pinned.clone(), text).await;
        assert_eq!(
            reply["reasons"],
            json!([{
                "piece": {"color": "white", "role": "pawn"},
                "from": "d2", "to": "d3", "movement": "pawn_push",
                "why": "pinned", "by": "b4", "through": null
            }]),
            "{text}"
        );
        assert_eq!(
            reply["detail"],
            format!("{text} is illegal: the pawn on d2 is pinned by the bishop on b4")
        );
        assert!(reply.get("claims").is_none() && reply.get("ai").is_none());
    }
    let castling = json!({"fen": "4k3/8/8/8/8/6r1/8/4K2R w K - 0 1"});
    let reply = why(&app, castling, "O-O").await;
    let reason = &reply["reasons"][0];
    assert_eq!(
        (&reason["why"], &reason["by"], &reason["through"]),
        (&json!("castling_through_check"), &json!("g3"), &json!("g1")),
        "{reply}"
    );
    let knights = json!({"fen": "4k3/8/8/8/8/8/8/N3KN2 w - - 0 1"});
    let ambiguous = why(
        &app,
        json!({"fen": "4k3/8/8/8/8/1N6/8/4KN2 w - - 0 1"}),
        "Nd2",
    )
    .await;
    assert_eq!(ambiguous["reasons"], json!([]));
    assert_eq!(ambiguous["alternatives"], json!(["Nfd2", "Nbd2"]));
    let unreachable = why(&app, knights, "Na8").await;
    assert_eq!(unreachable["legal"], false);
    assert_eq!(unreachable["reasons"], json!([]));
}

#[actix_web::test]
async fn no_move_is_legal_after_the_end() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let stalemate = json!({"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"});
    let reply = why(&app, stalemate, "Kg8").await;
    assert_eq!(reply["reasons"][0]["why"], "leaves_king_in_check");
    let bare = json!({"fen": "7k/8/6K1/8/8/8/8/8 b - - 0 1"});
    let drawn = why(&app, bare, "Kg8").await;
    assert_eq!(
        (&drawn["detail"], &drawn["reasons"][0]["why"]),
        (
            &json!("the game is over (insufficient_material)"),
            &json!("game_over")
        )
    );
}

#[actix_web::test]
async fn an_ai_without_scores_leaves_only_claims_from_the_rules() {
    let seeded = ("seeded", "seeded", "options = { book_seed = 0 }");
    let app = Application::of(&with_ais(&[seeded], ""));
    let cornered = json!({"fen": "k7/8/2K5/8/8/8/8/1R6 b - - 0 1"});
    let reply = app
        .post("/v1/why", &json!({"game": cornered, "move": "Ka7"}))
        .await
        .ok();
    assert_eq!(kinds(&reply["claims"]), ["only_move"]);
    assert_eq!(reply["claims"][0]["evidence"], "rules");
}

#[actix_web::test]
async fn tablebases_show_what_a_move_throws_away() {
    let app = Application::of(&with_ais(&[("basic1", "ai_basic1", "")], &tablebases()));
    let worse = why(
        &app,
        json!({"fen": "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"}),
        "Kd5",
    )
    .await;
    assert_eq!(
        kinds(&worse["claims"]).last(),
        Some(&"tablebase_result"),
        "{worse}"
    );
    let claim = worse["claims"].as_array().unwrap().last().unwrap();
    assert_eq!(claim["result"], json!({"before": "win", "after": "draw"}));
    assert_eq!(claim["text"], "turns a win into a draw");
    let only = why(
        &app,
        json!({"fen": "8/2K5/8/8/5P2/5k2/8/8 w - - 0 1"}),
        "f5",
    )
    .await;
    let claims = only["claims"].as_array().unwrap();
    assert!(
        claims.iter().any(|claim| claim["evidence"] == "tablebase"),
        "{only}"
    );
}

#[actix_web::test]
async fn claims_evaluation_terms_if_there_is_no_other_claim() {
    let app = Application::of(&shipped());
    let body = |ai: &str| {
        json!({
            "game": {"moves": ["e2e4", "e7e5"]}, "move": "Ke2",
            "ai": ai, "limit": {"depth": 6}
        })
    };
    let reply = app.post("/v1/why", &body("nnue1")).await.ok();
    assert_ne!(reply["judgement"], Value::Null, "{reply}");
    let claims = reply["claims"].as_array().unwrap();
    let terms: Vec<_> = claims
        .iter()
        .filter(|claim| claim["kind"] == "evaluation_term")
        .collect();
    assert!(!terms.is_empty() && terms.len() <= 2, "{reply}");
    for claim in terms {
        let end = |moves: Vec<&str>| json!({"game": {"moves": moves}, "ai": "nnue1"});
        let line = |claim: &Value, played: Option<&'static str>| -> Vec<String> {
            let rest = claim["line"].as_array().unwrap().iter();
            let rest = rest.map(|uci| uci.as_str().unwrap().to_owned());
            ["e2e4", "e7e5"]
                .into_iter()
                .chain(played)
                .map(str::to_owned)
                .chain(rest)
                .collect()
        };
        let mut scores = Vec::new();
        for moves in [line(claim, Some("e1e2")), line(&claim["instead"], None)] {
            let moves = moves.iter().map(String::as_str).collect();
            let evaluated = app.post("/v1/evaluate", &end(moves)).await.ok();
            let found = evaluated["terms"].as_array().unwrap().iter();
            let term = found.clone().find(|term| term["name"] == claim["term"]);
            scores.push(term.unwrap()["score"]["cp"].as_i64().unwrap());
        }
        assert_eq!(claim["change"], scores[0] - scores[1], "{claim}");
    }
}

#[actix_web::test]
async fn the_best_move_is_compared_with_the_second() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let body = json!({
        "game": {"moves": ["e2e4", "e7e5", "d1h5", "g7g6"]},
        "lines": 2, "why": true, "limit": {"depth": 3}
    });
    let reply = app.post("/v1/best-move", &body).await.ok();
    assert_eq!(reply["move"]["san"], "Qxe5+");
    assert_eq!(kinds(&reply["claims"])[0], "wins_material", "{reply}");
    assert!(kinds(&reply["claims"]).contains(&"only_move"));
    let second = &reply["second"];
    assert_eq!(second["move"]["uci"], reply["search"]["lines"][1]["pv"][0]);
    assert_eq!(second["judgement"], "blunder");
    assert_eq!(kinds(&second["claims"])[0], "misses_material", "{second}");
    let quiet = json!({"game": {}, "lines": 2, "why": true, "limit": {"depth": 2}});
    let reply = app.post("/v1/best-move", &quiet).await.ok();
    assert_eq!(reply["claims"], json!([]), "both moves are equally good");
    let one_line = json!({"game": {}, "why": true});
    let problem = app.post("/v1/best-move", &one_line).await;
    check_problem("one line", &problem, 400, "malformed_request");
    let over = json!({
        "game": {"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]}, "lines": 2, "why": true
    });
    let reply = app.post("/v1/best-move", &over).await.ok();
    assert!(reply.get("claims").is_none() && reply.get("second").is_none());
}

#[actix_web::test]
async fn a_fault_of_the_ai_is_an_error() {
    let app = Application::of(&with_ais(&[("panic", "panic", "")], ""));
    let body = json!({"game": {}, "move": "e4", "ai": "panic"});
    let problem = app.post("/v1/why", &body).await;
    check_problem("a panic", &problem, 502, "ai_failed");
    // No AI is asked about an illegal move.
    let body = json!({"game": {}, "move": "e5", "ai": "panic"});
    assert_eq!(app.post("/v1/why", &body).await.ok()["legal"], false);
}
