//! The arena's games: lists, pages, access and the live stream.

use std::time::Duration;

use ::arena::LiveEvent;
use ai_api::Color;
use pool::Activity;
use serde_json::{Value, json};
use tokio::join;
use tournament::GameResult::{Draw, Loss, Win};

use super::{app, file};
use crate::support::{
    ADMIN_KEY,
    arena::{self, ArenaFile, fault},
    keyed_client,
};

#[actix_web::test]
async fn filters_games_by_their_properties() {
    let file = file("");
    let games = ArenaFile::new(&file);
    games.add_pair([0, 1], [Win, Draw], None);
    games.add_pair([1, 0], [Loss, Loss], Some(fault(Color::White)));
    drop(games);
    let arena = arena::start(&file, &Activity::default()).await;
    arena.pause();
    let app = app(&file, arena);
    let listed = async |query: &str| -> Vec<u64> {
        let list = app
            .get(&format!("/v1/arena/games?before=5&{query}"))
            .await
            .ok();
        list["games"]
            .as_array()
            .unwrap()
            .iter()
            .map(|game| game["id"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(listed("").await, [4, 3, 2, 1]);
    assert_eq!(listed("player=1&result=win").await, [3, 1]);
    assert_eq!(listed("player=1&opponent=2&result=loss").await, [4]);
    assert_eq!(listed("result=draw").await, [2]);
    assert_eq!(listed("fault=true").await, [4]);
    assert_eq!(listed("opening=17&limit=2").await, [4, 3]);
    assert_eq!(listed("opening=18").await, [0; 0]);
    assert_eq!(listed("match=none").await, [0; 0]);
    assert_eq!(listed("player=9").await, [0; 0]);
    let list = app.get("/v1/arena/games?before=5").await.ok();
    assert_eq!(
        list["games"][0]["opening_name"],
        "Sicilian Defense: Nyezhmetdinov-Rossolimo Attack, Fianchetto Variation"
    );
    for (query, part) in [
        ("player=x", "player is 'x'; it must be a whole number"),
        (
            "before=99999999999999999999",
            "before is '99999999999999999999'; it must be a whole number",
        ),
        ("result=lost", "expected one of 'loss', 'draw', 'win'"),
        ("limit=-1", "limit is '-1'; it must be a whole number"),
        ("colour=white", "this call takes player, opponent"),
    ] {
        let detail = app
            .get(&format!("/v1/arena/games?{query}"))
            .await
            .check_error(400, "malformed_request");
        assert!(detail.contains(part), "{query}: {detail}");
    }
    for id in ["0", "5", "x", "99999999999999999999"] {
        app.get(&format!("/v1/arena/games/{id}"))
            .await
            .check_error(404, "not_found");
    }
    let pgn = app
        .get_with(
            &[("Accept", "application/vnd.chess-pgn")],
            "/v1/arena/games/1",
        )
        .await;
    assert_eq!(
        pgn.header("Content-Type"),
        Some("application/vnd.chess-pgn")
    );
    assert!(
        pgn.body
            .as_str()
            .unwrap()
            .starts_with("[Event \"rookery arena\"]"),
        "{}",
        pgn.body
    );
}

#[actix_web::test]
async fn a_page_of_games_is_one_pgn() {
    let file = file("");
    let games = ArenaFile::new(&file);
    games.add_pair([0, 1], [Win, Draw], None);
    games.add_pair([1, 0], [Loss, Loss], None);
    drop(games);
    let arena = arena::start(&file, &Activity::default()).await;
    arena.pause();
    let app = app(&file, arena);
    let page = async |query: &str| {
        let path = format!("/v1/arena/games?{query}");
        app.get_with(&[("Accept", "application/vnd.chess-pgn")], &path)
            .await
    };
    let games_of = |pgn: &Value| pgn.as_str().unwrap().matches("[Event ").count();
    let first = page("player=1&before=5&limit=3").await;
    assert_eq!(first.status, 200);
    assert_eq!(
        first.header("Content-Type"),
        Some("application/vnd.chess-pgn")
    );
    assert_eq!(games_of(&first.body), 3, "{}", first.body);
    assert_eq!(
        first.header("Link"),
        Some("<?player=1&limit=3&before=2>; rel=\"next\"")
    );
    let last = page("player=1&limit=3&before=2").await;
    assert_eq!((games_of(&last.body), last.header("Link")), (1, None));
    page("player=x").await.check_error(400, "malformed_request");
}

#[actix_web::test]
async fn only_admins_see_the_details_of_faults() {
    let file = file("");
    let games = ArenaFile::new(&file);
    games.add_pair([0, 1], [Win, Loss], Some(fault(Color::White)));
    drop(games);
    let arena = arena::start(&file, &Activity::default()).await;
    arena.pause();
    let app = app(&file, arena);
    let seen = app.get("/v1/arena/players/2").await.ok();
    let fault = json!({"game": 2, "ply": 3, "code": "ai_crashed", "color": "white",
                       "opponent": {"id": 1, "player": "basic1,nodes=20", "version": 1}});
    assert_eq!(seen["faults"], json!([fault]));
    let by_admin = app
        .get_with_key(ADMIN_KEY, "/v1/arena/players/2")
        .await
        .ok();
    assert_eq!(by_admin["faults"][0]["details"], "signal 11");
}

#[actix_web::test]
async fn only_its_client_and_admins_see_the_games_of_a_match() {
    let file = file(&keyed_client("bob", "basic1"));
    let games = ArenaFile::new(&file);
    games.add_pair([0, 1], [Win, Draw], None);
    games.add_match("s-1", "bob");
    drop(games);
    let arena = arena::start(&file, &Activity::default()).await;
    arena.pause();
    let app = app(&file, arena);
    let get = async |key: Option<&str>, path: &str| match key {
        Some(key) => app.get_with_key(key, path).await,
        None => app.get(path).await,
    };
    for (key, seen) in [
        (None, Value::Null),
        (Some("bob"), json!("s-1")),
        (Some(ADMIN_KEY), json!("s-1")),
    ] {
        let listed = async |query: &str| -> Vec<(u64, Value)> {
            let list = get(key, &format!("/v1/arena/games?before=7&{query}"))
                .await
                .ok();
            let games = list["games"].as_array().unwrap();
            games
                .iter()
                .map(|game| (game["id"].as_u64().unwrap(), game["match"].clone()))
                .collect()
        };
        let rated = [
            (6, seen.clone()),
            (5, seen.clone()),
            (2, Value::Null),
            (1, Value::Null),
        ];
        assert_eq!(listed("").await, rated, "{key:?}");
        assert_eq!(listed("fault=true").await, [], "{key:?}");
        let of_match: Vec<_> = [6, 5, 4, 3]
            .map(|id| (id, seen.clone()))
            .into_iter()
            .collect();
        assert_eq!(
            listed("match=s-1").await,
            if key.is_some() { of_match } else { Vec::new() },
            "{key:?}"
        );
        assert_eq!(get(key, "/v1/arena/games/5").await.ok()["match"], seen);
        let game = get(key, "/v1/arena/games/4").await;
        if key.is_some() {
            assert_eq!(game.ok()["match"], seen);
        } else {
            let detail = game.check_error(404, "not_found");
            assert_eq!(
                detail,
                "the arena has no game '4'; GET /v1/arena/games lists them"
            );
        }
        assert_eq!(
            get(key, "/v1/arena/players/2").await.ok()["faults"],
            json!([]),
            "{key:?}"
        );
    }
}

#[actix_web::test]
async fn streams_the_running_games() {
    let file = file("");
    let arena = arena::start(&file, &Activity::default()).await;
    let (_, mut events) = arena.watch();
    let app = app(&file, arena);
    let stop = async {
        // The first games may end before the stream starts.
        let mut ends = 0;
        while ends < 20 {
            ends += usize::from(matches!(events.recv().await, Ok(LiveEvent::End { .. })));
        }
        app.state().shutdown.set_deadline(Duration::ZERO);
    };
    let stream = app.get_with(&[("Accept", "application/x-ndjson")], "/v1/arena/live");
    let (reply, ()) = join!(stream, stop);
    let lines = reply.body.as_str().unwrap().lines();
    let records: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(records[0]["type"], "state");
    let of = |kind: &str| {
        records
            .iter()
            .filter(|record| record["type"] == kind)
            .collect::<Vec<_>>()
    };
    let (game, moves) = (of("game")[0], of("move"));
    assert_eq!(
        game["fen"],
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    );
    assert!(
        moves.iter().any(|played| played["game"] == game["game"]),
        "{records:?}"
    );
    assert!(
        of("end").iter().all(|end| end["result"].is_string()),
        "{records:?}"
    );
    assert_eq!(records.last().unwrap()["code"], "ai_unavailable");
}
