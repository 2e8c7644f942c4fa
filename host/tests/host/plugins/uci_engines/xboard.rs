//! Engines for xboard.

use serde_json::json;

use super::engine;
use crate::support::{Application, ConfigFile, assert_has, start_error};

fn xboard(features: &str, behaviour: &str) -> ConfigFile {
    engine(
        "xboard_engine",
        &format!("'{features}' {behaviour}"),
        "",
        "",
    )
}

#[actix_web::test]
async fn an_engine_gets_the_commands_of_xboard() {
    for (features, behaviour, moves) in [
        (
            "ping=1 setboard=1 usermove=1",
            "",
            ["usermove g8f6", "usermove e8e7"],
        ),
        (
            "ping=1 setboard=1 usermove=1 san=1",
            "exits",
            ["usermove Nf6", "usermove Ke7"],
        ),
        ("ping=1 setboard=1", "bare", ["g8f6", "e8e7"]),
        (
            "ping=1 setboard=1 usermove=1",
            "silent",
            ["usermove g8f6", "usermove e8e7"],
        ),
    ] {
        let file = xboard(features, behaviour);
        let app = Application::of(&file);
        let about = app.get("/v1/ais/engine").await.ok();
        assert_eq!(
            (&about["name"], &about["version"]),
            (&json!("Winged"), &json!("1.2")),
            "{features}"
        );
        let capabilities = &about["capabilities"];
        for (name, value) in [
            ("root_moves", json!(false)),
            ("chess960", json!(false)),
            ("lines", json!(1)),
        ] {
            assert_eq!(capabilities[name], value, "{about}");
        }
        let asked = async |game, limit| {
            app.post("/v1/best-move", &json!({"game": game, "limit": limit}))
                .await
        };
        let first = asked(json!({}), json!({"movetime_ms": 1000})).await.ok();
        let search = &first["search"];
        let found = (
            &first["move"]["uci"],
            &first["score"],
            &search["depth"],
            &search["nodes"],
            &search["pv"],
        );
        let pv = json!(["g1f3", "g8f6"]);
        assert_eq!(
            found,
            (
                &json!("g1f3"),
                &json!({"cp": 34}),
                &json!(6),
                &json!(1234),
                &pv
            ),
            "{features}"
        );
        let second = asked(
            json!({"moves": ["g1f3", "g8f6"]}),
            json!({"movetime_ms": 1000}),
        )
        .await
        .ok();
        assert_eq!(
            (&second["move"]["uci"], &second["score"]),
            (&json!("b1c3"), &json!({"mate": -2})),
            "{features}"
        );
        let endgame = json!({"fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "moves": ["e1d1", "e8e7"]});
        asked(endgame, json!({"depth": 4}))
            .await
            .check_error(502, "ai_failed");
        let [known, other] = moves;
        let first = other.replace("e8e7", "e1d1").replace("Ke7", "Kd1");
        let detail = app.last_fault("engine");
        let commands = format!(
            "easy / post / new / force / st 1 / go / force / {known} / st 1 / go / force / new / \
             force / setboard 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 / {first} / {other} / st 3600 / sd 4 \
             / go"
        );
        assert!(detail.ends_with(&commands), "{features}: {detail}");
    }
}

#[actix_web::test]
async fn a_clock_becomes_a_level_command() {
    let app = Application::of(&xboard("ping=1 setboard=1 usermove=1", ""));
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
    let clocks = json!({"white_ms": 61_000, "black_ms": 62_500, "black_increment_ms": 50});
    let body = json!({"game": {"fen": fen}, "clocks": clocks});
    app.post("/v1/best-move", &body)
        .await
        .check_error(502, "ai_failed");
    let detail = app.last_fault("engine");
    assert!(
        detail.ends_with(" / level 0 1:02 0.050 / time 6250 / otim 6100 / go"),
        "{detail}"
    );
}

#[actix_web::test]
async fn an_engine_moves_when_it_is_stopped_and_is_quoted_when_it_does_not_move() {
    let app = Application::of(&xboard("ping=1 setboard=1", "thinks"));
    let body = json!({"game": {}, "limit": {"movetime_ms": 50}});
    let reply = app.post("/v1/best-move", &body).await.ok();
    assert_eq!(
        (&reply["move"]["uci"], &reply["score"]),
        (&json!("e2e4"), &json!({"cp": 5}))
    );

    // The engine claims a repetition after this move, but plays on from the same position in a FEN.
    let app = Application::of(&xboard("ping=1 setboard=1 usermove=1", ""));
    let ended = json!({"game": {"moves": ["e2e4", "e7e6"]}, "limit": {"movetime_ms": 50}});
    assert_eq!(
        app.post("/v1/best-move", &ended).await.ok()["move"]["uci"],
        "g1f3"
    );

    let app = Application::of(&xboard("ping=1 setboard=1", "resigns"));
    app.post("/v1/best-move", &body)
        .await
        .check_error(502, "ai_failed");
    assert_has(
        &app.last_fault("engine"),
        &["wrote 'resign' instead of a move"],
    );

    let app = Application::of(&xboard("ping=1 setboard=1 usermove=1", ""));
    let body = json!({"game": {"moves": ["d2d4", "d7d5"]}, "limit": {"movetime_ms": 50}});
    app.post("/v1/best-move", &body)
        .await
        .check_error(502, "ai_failed");
    assert_has(
        &app.last_fault("engine"),
        &["rejects the position: Illegal move: d7d5"],
    );
}

#[test]
fn names_the_feature_that_is_missing() {
    let errors = start_error(&xboard("ping=1 usermove=1", "exits"));
    assert_has(
        &errors,
        &["speaks xboard's protocol without the feature setboard"],
    );
}
