//! `POST /v1/matches` and the calls below it.

mod kept;

use actix_web::test::TestRequest;
use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{
    ADMIN_KEY, Application, ConfigFile, Reply, administrator, assert_has, with_ais,
};

const STREAM: (&str, &str) = ("Accept", "application/x-ndjson");
const QUIET: &str = "basic1,quiescence=false";

fn file(further: &str) -> ConfigFile {
    let basic1 = (
        "basic1",
        "ai_basic1",
        "overridable_options = ['quiescence']",
    );
    let further = format!(
        "[client.other]
ai = 'basic1'
allowed_ais = ['basic1']
max_match_games = 2
max_nodes = 50
[client.none]
ai = 'basic1'
{}{further}",
        administrator("basic1")
    );
    with_ais(&[basic1, ("echo", "echo", "")], &further)
}

fn app() -> Application {
    Application::of(&file("")).with_matches()
}

/// A match of quick games.
fn quick(games: u32) -> Value {
    json!({"players": ["basic1", QUIET], "games": games, "limit": {"nodes": 200}})
}

/// A match that lasts until it is stopped.
fn endless() -> Value {
    json!({"players": ["basic1", QUIET], "games": 100, "time_control": "3600"})
}

fn id(reply: &Value) -> String {
    reply["id"].as_str().unwrap().to_owned()
}

async fn start(app: &Application, body: &Value) -> Value {
    let reply = app.post("/v1/matches", body).await;
    assert_eq!(reply.status, 201, "{}", reply.body);
    reply.body
}

async fn stop(app: &Application, id: &str) -> Reply {
    app.send(TestRequest::delete().uri(&format!("/v1/matches/{id}")))
        .await
}

/// Follows a match to its end. Returns the records.
async fn watch(app: &Application, id: &str) -> Vec<Value> {
    let reply = app
        .get_with(&[STREAM], &format!("/v1/matches/{id}"))
        .await
        .ok();
    reply
        .as_str()
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[actix_web::test]
async fn plays_a_match_and_shows_its_games() {
    let app = app();
    let started = start(&app, &quick(3)).await;
    let id = id(&started);
    let records = watch(&app, &id).await;
    let mut expected = json!({
        "id": id,
        "players": ["basic1", QUIET],
        "games": 3,
        "state": "finished",
        "reason": null,
        "played": 3,
        "tally": {
            "wins": 2,
            "draws": 0,
            "losses": 1,
            "pairs": [0, 0, 1, 0, 0],
        },
        "elo": {
            "elo": 0.0,
            "error": null,
            "bound": "exact",
            "superiority": 0.5,
        },
        "limit": {"nodes": 200},
        "results": [
            {
                "game": 1,
                "white": "basic1",
                "result": "0-1",
                "termination": "White loses by adjudication",
            },
            {
                "game": 2,
                "white": QUIET,
                "result": "0-1",
                "termination": "White loses by adjudication",
            },
            {
                "game": 3,
                "white": "basic1",
                "result": "1-0",
                "termination": "Black loses by adjudication",
            },
        ],
    });
    assert_eq!(app.get(&format!("/v1/matches/{id}")).await.ok(), expected);
    let games: Vec<_> = records
        .iter()
        .filter(|record| record["type"] == "game")
        .cloned()
        .collect();
    let results = expected["results"].as_array().unwrap();
    assert_eq!(games.len(), results.len());
    for (record, result) in games.iter().zip(results) {
        let mut result = result.clone();
        result["type"] = "game".into();
        assert_eq!(*record, result);
    }
    expected["type"] = "result".into();
    assert_eq!(records.last(), Some(&expected));
    let pgn = app.get(&format!("/v1/matches/{id}/games")).await;
    assert_eq!(
        pgn.header("Content-Type"),
        Some("application/vnd.chess-pgn")
    );
    let games = rules::parse_pgn(pgn.body.as_str().unwrap()).unwrap();
    let tags: Vec<_> = games
        .iter()
        .map(|game| (game.tag("White").unwrap(), game.result.text()))
        .collect();
    assert_eq!(tags, [("basic1", "0-1"), (QUIET, "0-1"), ("basic1", "1-0")]);
    assert!(
        games
            .iter()
            .all(|game| game.tag("Event") == Some(&format!("rookery match {id}")))
    );
}

#[actix_web::test]
async fn begins_with_the_openings_of_the_request() {
    let app = app();
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let mut body = quick(5);
    body["openings"] = json!([{"moves": ["d2d4"]}, {"fen": fen, "san": ["Nf3"]}]);
    let id = id(&start(&app, &body).await);
    watch(&app, &id).await;
    let pgn = app.get(&format!("/v1/matches/{id}/games")).await.body;
    let games = rules::parse_pgn(pgn.as_str().unwrap()).unwrap();
    let firsts = games.iter().map(|game| {
        (
            rules::format_fen(game.game.start()),
            game.game.uci_moves()[0].clone(),
        )
    });
    let standard = rules::format_fen(&rules::start_position());
    let [one, other] =
        [(standard, "d2d4"), (fen.to_owned(), "g1f3")].map(|(fen, first)| (fen, first.to_owned()));
    assert_eq!(
        firsts.collect::<Vec<_>>(),
        [one.clone(), one.clone(), other.clone(), other, one]
    );
}

#[actix_web::test]
async fn rejects_matches_that_cannot_be_played() {
    let app = app();
    let players = |first: &str, second: &str| json!({"players": [first, second], "games": 2});
    let with = |key: &str, value: Value| {
        let mut body = players("basic1", QUIET);
        body[key] = value;
        body
    };
    let long = "x".repeat(501);
    for (body, pointer, part) in [
        (
            players("basic1", "./libecho.so"),
            "/players/1",
            "found the path './libecho.so', expected the id of an AI",
        ),
        (players("/bin/sh", "basic1"), "/players/0", "found the path"),
        (
            players("basic1", "basic1,depth"),
            "/players/1",
            "'depth' is not an option; expected name=value",
        ),
        (
            players("basic1", "basic1,depth=0"),
            "/players/1",
            "'depth=0' is not a valid limit",
        ),
        (
            players("basic1,depth=1,depth=2", "basic1"),
            "/players/0",
            "'depth' is set twice",
        ),
        (
            players("basic1", "basic1,quiescence=maybe"),
            "/players/1",
            "it must be true or false",
        ),
        (
            players("basic1", "basic1,book=/etc/passwd"),
            "/players/1",
            "there is no option 'book'",
        ),
        (
            players("basic1", &long),
            "/players/1",
            "more than 500 characters",
        ),
        (
            with("players", json!(["basic1"])),
            "/players",
            "found 1 players, expected 2",
        ),
        (
            with("games", json!(0)),
            "/games",
            "games is 0; it must be at least 1 and at most 100 (max_match_games)",
        ),
        (with("games", json!(101)), "/games", "games is 101"),
        (with("games", json!(u64::MAX)), "/games", "at most 100"),
        (
            with("limit", json!({})),
            "/limit",
            "the limit is empty; set 'depth'",
        ),
        (
            with("time_control", json!("1:30")),
            "/time_control",
            "time_control is '1:30'; expected [MOVES/]SECONDS",
        ),
        (
            with("openings", json!([])),
            "/openings",
            "found 0 openings, expected 1 to 500",
        ),
        (
            with("openings", json!(vec![json!({}); 501])),
            "/openings",
            "found 501 openings",
        ),
        (
            with(
                "openings",
                json!([{}, {"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]}]),
            ),
            "/openings/1",
            "the game is over",
        ),
        (
            with("openings", json!([{"fen": "x", "boards": []}])),
            "/openings/0",
            "cannot be combined",
        ),
        (
            with("openings", json!([["x"]])),
            "/openings/0",
            "expected an object",
        ),
        (with("file", json!("x")), "/file", "file"),
    ] {
        let reply = app.post("/v1/matches", &body).await;
        let detail = reply.check_error(400, "malformed_request");
        assert!(
            reply.body["pointer"] == pointer && detail.contains(part),
            "{body}: {}",
            reply.body
        );
    }
    let body = json!({
        "players": ["basic1", QUIET],
        "games": 0,
        "limit": {"depth": 1},
        "time_control": "1",
        "openings": [],
    });
    let detail = app
        .post("/v1/matches", &body)
        .await
        .check_error(400, "malformed_request");
    for part in [
        "games is 0",
        "'limit' and 'time_control' cannot be combined",
        "found 0 openings",
    ] {
        assert!(detail.contains(part), "{detail}");
    }
    let issues = app
        .post("/v1/matches", &players("basic1,foo=1", "echo,bar=2"))
        .await;
    assert_eq!(
        issues.check_error(400, "malformed_request")[..22],
        *"2 options are wrong, t"
    );
    let pointers: Vec<_> = issues.body["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| &issue["pointer"])
        .collect();
    assert_eq!(pointers, ["/players/0", "/players/1"]);
    let illegal = app
        .post(
            "/v1/matches",
            &with("openings", json!([{}, {"moves": ["e2e5"]}])),
        )
        .await;
    illegal.check_error(422, "illegal_game");
    assert_eq!(illegal.body["issues"][0]["pointer"], "/openings/1/moves/0");
    app.post("/v1/matches", &players("basic1", "nobody"))
        .await
        .check_error(404, "unknown_ai");
    app.post_as("other", "/v1/matches", &players("basic1", "echo"))
        .await
        .check_error(403, "ai_not_allowed");
    let detail = app
        .post_as("none", "/v1/matches", &quick(1))
        .await
        .check_error(400, "malformed_request");
    assert_has(&detail, &["this client may not start matches"]);
    let chess960 =
        json!([{"fen": "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"}]);
    let body = json!({"players": ["basic1", "echo"], "games": 2, "openings": chess960});
    let detail = app
        .post("/v1/matches", &body)
        .await
        .check_error(400, "malformed_request");
    assert_has(&detail, &["the AI 'echo' does not play Chess960"]);
}

#[actix_web::test]
async fn a_player_may_play_against_itself() {
    let app = app();
    let body = json!({"players": ["basic1", "basic1"], "games": 2, "limit": {"nodes": 200}});
    let id = id(&start(&app, &body).await);
    assert_eq!(watch(&app, &id).await.last().unwrap()["state"], "finished");
    let pgn = app.get(&format!("/v1/matches/{id}/games")).await.body;
    let names = [
        "[White \"basic1\"]\n[Black \"basic1 (2)\"]",
        "[White \"basic1 (2)\"]\n[Black \"basic1\"]",
    ];
    assert_has(pgn.as_str().unwrap(), &names);
}

#[actix_web::test]
async fn the_maxima_of_a_client_lower_the_limit() {
    let app = app();
    let reply = app.post_as("other", "/v1/matches", &quick(1)).await;
    assert_eq!(
        (reply.status, &reply.body["limit"]),
        (201, &json!({"nodes": 50}))
    );
    let mut unlimited = quick(1);
    unlimited.as_object_mut().unwrap().remove("limit");
    assert_eq!(
        start(&app, &unlimited).await["limit"],
        json!({"movetime_ms": 100})
    );
}

#[actix_web::test]
async fn a_client_has_one_match_at_a_time() {
    let app = app();
    let first = id(&start(&app, &endless()).await);
    let detail = app
        .post("/v1/matches", &quick(1))
        .await
        .check_error(409, "match_running");
    assert_has(
        &detail,
        &[format!("this client's match '{first}' has not ended")],
    );
    let other = app.post_as("other", "/v1/matches", &quick(1)).await;
    assert_eq!(
        (other.status, &other.body["state"]),
        (201, &json!("waiting"))
    );
    let stopped = stop(&app, &first).await.ok();
    assert_eq!(stopped["state"], "stopped");
    assert_eq!(
        stop(&app, &first).await.ok(),
        stopped,
        "a repeated call changes nothing"
    );
    let second = id(&start(&app, &quick(1)).await);
    assert_eq!(
        watch(&app, &second).await.last().unwrap()["state"],
        "finished"
    );
    assert_eq!(
        stop(&app, &second).await.ok()["state"],
        "finished",
        "a match that has ended keeps its state"
    );
}

#[actix_web::test]
async fn a_match_stream_contains_the_moves_of_its_games() {
    let app = app();
    let mut body = quick(2);
    body["limit"] = json!({"nodes": 3000});
    let records = watch(&app, &id(&start(&app, &body).await)).await;
    let (mut start, mut moves, mut followed) = (String::new(), Vec::new(), 0);
    for record in &records {
        let text = |key: &str| record[key].as_str().unwrap().to_owned();
        match &*text("type") {
            "playing" => {
                let players = [text("white"), text("black")];
                let white = if record["game"] == 1 { "basic1" } else { QUIET };
                assert!(players[0] == white && players[0] != players[1], "{record}");
                let played = record["moves"].as_array().unwrap().iter();
                start = text("fen");
                moves = played.map(|uci| uci.as_str().unwrap().to_owned()).collect();
            }
            "move" => {
                moves.push(text("uci"));
                assert!(
                    !["O-O", "O-O-O"].contains(&&*text("san"))
                        || ["g", "c"].contains(&&text("uci")[2..3]),
                    "{record}"
                );
                let game = rules::Game::from_moves(Some(&start), &moves).unwrap();
                assert_eq!(text("fen"), rules::format_fen(game.position()));
                followed += 1;
            }
            _ => {}
        }
    }
    assert!(followed > 0, "{records:?}");
}

#[actix_web::test]
async fn moves_without_a_score_get_none_in_the_stream_or_in_pgn() {
    let ais = [
        ("basic1", "ai_basic1", ""),
        ("seeded", "seeded", "options = { book_seed = 0 }"),
    ];
    let app = Application::of(&with_ais(&ais, "")).with_matches();
    let body = json!({"players": ["basic1", "seeded"], "games": 2, "limit": {"nodes": 3000}});
    let id = id(&start(&app, &body).await);
    let (mut is_white, mut scores) = (true, 0);
    for record in watch(&app, &id).await {
        match record["type"].as_str().unwrap() {
            "playing" => is_white = record["white"] == "basic1",
            "move" => {
                let is_basic1 = record["fen"].as_str().unwrap().contains(" b ") == is_white;
                assert_eq!(record["score"].is_object(), is_basic1, "{record}");
                scores += 1;
            }
            _ => {}
        }
    }
    assert!(scores > 0);
    let games = app.get(&format!("/v1/matches/{id}/games")).await.ok();
    let pgn = games.as_str().unwrap();
    let (scored, all) = (pgn.matches("[%eval").count(), pgn.matches("[%emt").count());
    assert!(
        scored > 0 && scored.abs_diff(all - scored) <= 2,
        "{scored} of {all} moves have a score: {pgn}"
    );
}

#[actix_web::test]
async fn a_stopped_match_ends_its_streams() {
    let app = app();
    let id = id(&start(&app, &endless()).await);
    let (records, stopped) = join(watch(&app, &id), stop(&app, &id)).await;
    let (last, stopped) = (records.last().unwrap(), stopped.ok());
    assert_eq!(
        (&last["type"], &last["state"]),
        (&json!("result"), &json!("stopped"))
    );
    assert_eq!(
        (&stopped["state"], &stopped["results"]),
        (&json!("stopped"), &json!([]))
    );
}

#[actix_web::test]
async fn a_repeated_key_returns_the_first_match() {
    let app = app();
    let post = async |key: &str, client: &str, body: &Value| {
        let headers = [("Idempotency-Key", key), ("X-Client-Id", client)];
        app.post_with(&headers, "/v1/matches", body).await
    };
    let first = post("k", "default", &quick(2)).await;
    let again = post("k", "default", &quick(2)).await;
    assert_eq!((first.status, again.status), (201, 201));
    assert_eq!(id(&first.body), id(&again.body));
    let records = watch(&app, &id(&first.body)).await;
    let again = post("k", "default", &quick(2)).await;
    assert_eq!(
        (again.status, &again.body["results"]),
        (201, &records.last().unwrap()["results"])
    );
    let detail = post("k", "default", &quick(3))
        .await
        .check_error(422, "idempotency_key_reused");
    assert!(detail.contains(&id(&first.body)), "{detail}");
    let other = post("k", "other", &quick(2)).await;
    assert_ne!(
        id(&other.body),
        id(&first.body),
        "each client has its own keys"
    );
    for key in ["", &"k".repeat(129), "k\tk"] {
        let detail = post(key, "default", &quick(2))
            .await
            .check_error(400, "malformed_request");
        assert_has(
            &detail,
            &["must be sent once, with 1 to 128 printable ASCII characters"],
        );
    }
}

#[actix_web::test]
async fn only_its_client_and_admins_see_a_match() {
    let app = app();
    let id = id(&start(&app, &endless()).await);
    let path = format!("/v1/matches/{id}");
    for path in [path.clone(), format!("{path}/games")] {
        let detail = app
            .get_with(&[("X-Client-Id", "other")], &path)
            .await
            .check_error(404, "not_found");
        assert_has(&detail, &[format!("this client has no match '{id}'")]);
    }
    let delete = TestRequest::delete()
        .uri(&path)
        .insert_header(("X-Client-Id", "other"));
    app.send(delete).await.check_error(404, "not_found");
    let unknown = format!("{}-x", id.split('-').next().unwrap());
    app.get(&format!("/v1/matches/{unknown}"))
        .await
        .check_error(404, "not_found");
    let detail = app
        .get("/v1/matches/a1b2c3d4-1")
        .await
        .check_error(404, "not_found");
    assert_has(
        &detail,
        &["belongs to another server; ids of this server begin with"],
    );
    assert_eq!(app.get_with_key(ADMIN_KEY, &path).await.ok()["id"], *id);
    let delete = TestRequest::delete()
        .uri(&path)
        .insert_header(("Authorization", format!("Bearer {ADMIN_KEY}")));
    assert_eq!(app.send(delete).await.ok()["state"], "stopped");
}

#[actix_web::test]
async fn a_player_that_crashes_loses() {
    let ais = [("basic1", "ai_basic1", ""), ("segfault", "segfault", "")];
    let app = Application::of(&with_ais(&ais, "max_match_games = 2\n")).with_matches();
    let body = json!({"players": ["basic1", "segfault"], "games": 2, "limit": {"nodes": 50}});
    let records = watch(&app, &id(&start(&app, &body).await)).await;
    let result = records.last().unwrap();
    assert_eq!(result["state"], "finished");
    let games = result["results"].as_array().unwrap();
    let ends: Vec<_> = games
        .iter()
        .map(|game| (&game["result"], &game["termination"]))
        .collect();
    let [black, white] = ["Black loses: ai_crashed", "White loses: ai_crashed"].map(Value::from);
    assert_eq!(ends, [(&json!("1-0"), &black), (&json!("0-1"), &white)]);
}

#[actix_web::test]
async fn a_path_with_two_methods_names_both() {
    let reply = app().send(TestRequest::put().uri("/v1/matches/x")).await;
    reply.check_error(405, "method_not_allowed");
    assert_eq!(reply.header("Allow"), Some("GET, HEAD, DELETE, OPTIONS"));
}
