//! The arena's calls, and when a server's arena plays.

mod games;

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use ::arena::{Arena, ArenaState, GameFilter, GameSummary, ImportReport, Ladder, LiveEvent};
use game::Extra;
use pool::Activity;
use serde_json::{Value, json};
use tournament::GameResult::{Draw, Loss, Win};

use crate::support::{
    ADMIN_KEY, Application, ConfigFile, administrator,
    arena::{self, ArenaFile},
    basic1_and, keyed_client, own_library, with_ais,
};

/// Players that play the same moves on every machine, and clocks that never run out.
const PLAYERS: &str =
    "players = [\"basic1,nodes=20\", \"basic1,depth=1\"]\ntime_control = \"600\"\nidle_s = 1\n";

fn file(further: &str) -> ConfigFile {
    basic1_and(&format!(
        "{}[arena]\n{PLAYERS}{further}",
        administrator("basic1")
    ))
}

fn app(file: &ConfigFile, arena: Arena) -> Application {
    Application::of(file).with_arena(arena)
}

async fn admin(app: &Application, path: &str) -> Value {
    app.post_with_key(ADMIN_KEY, path, &Value::Null).await.ok()
}

#[actix_web::test]
async fn a_server_without_an_arena_says_how_to_start_one() {
    let app = Application::of(&basic1_and(""));
    for path in [
        "/v1/arena",
        "/v1/arena/players/1",
        "/v1/arena/games",
        "/v1/arena/games/1",
        "/v1/arena/live",
    ] {
        let detail = app.get(path).await.check_error(404, "not_found");
        assert_eq!(
            detail,
            "this server has no arena; set `file` in [arena], or start it with --arena FILE"
        );
    }
}

#[actix_web::test]
async fn plays_pairs_while_no_client_asks_an_ai() {
    let file = file("");
    let activity = Activity::default();
    let arena = arena::start(&file, &activity).await;
    arena.pairs_played(2).await;
    let running = activity.begin();
    let (_, mut events) = arena.watch();
    let app = app(&file, arena);
    let ladder = app.get("/v1/arena").await.ok();
    assert_eq!(
        (&ladder["state"], &ladder["reason"]),
        (&json!("waiting"), &json!("a client is using an AI"))
    );
    let (pairs, games) = (
        ladder["pairs"].as_u64().unwrap(),
        ladder["games"].as_u64().unwrap(),
    );
    assert!(pairs >= 2 && games == 2 * pairs, "{ladder}");
    assert_eq!(ladder["players"].as_array().unwrap().len(), 2);
    let list = app.get("/v1/arena/games?limit=1").await.ok();
    let game = &list["games"][0];
    assert_eq!((&game["id"], &list["next"]), (&json!(games), &json!(games)));
    let whole = app.get(&format!("/v1/arena/games/{games}")).await.ok();
    let pgn = rules::parse_pgn(whole["pgn"].as_str().unwrap()).unwrap();
    assert_eq!(pgn[0].result.text(), game["result"]);
    assert_eq!(
        pgn[0].game.moves().len() as u64,
        game["plies"].as_u64().unwrap()
    );
    assert!(
        pgn[0].notes.comments.last().unwrap().contains("[%clk 0:"),
        "{whole}"
    );
    // The games of the pair have the same opening and swapped colours.
    let pair = app.get("/v1/arena/games?limit=2").await.ok();
    let [second, first] = &pair["games"].as_array().unwrap()[..] else {
        panic!("{pair}")
    };
    assert_eq!(
        (&first["white"], &first["black"]),
        (&second["black"], &second["white"])
    );
    assert_eq!(
        (&first["pair"], &first["opening"]),
        (&second["pair"], &second["opening"])
    );
    while let Ok(event) = events.try_recv() {
        assert!(
            !matches!(event, LiveEvent::State(ArenaState::Playing)),
            "{event:?}"
        );
    }
    drop(running);
    loop {
        match events.recv().await.unwrap() {
            LiveEvent::State(ArenaState::Playing) | LiveEvent::Move(_) => break,
            _ => {}
        }
    }
}

#[actix_web::test]
async fn shows_the_ladder_and_starts_no_game_before_the_server_is_idle() {
    let file = file("");
    let played = ArenaFile::new(&file);
    played.add_pair([0, 1], [Win, Loss], None);
    drop(played);
    let activity = Activity::default();
    let running = activity.begin();
    let program = pool::WorkerProgram::at(crate::support::rookery());
    let venue = ::arena::ArenaVenue {
        program,
        activity: activity.clone(),
        disturbances: tournament::Disturbances::Ignored,
        fleet: None,
    };
    let arena = Arena::start(&file.load(), &arena::path(&file), venue).unwrap();
    assert_eq!(
        arena.state(),
        ArenaState::Waiting("a client is using an AI".to_owned())
    );
    let ladder = arena.ladder();
    let rated = ladder
        .rows
        .iter()
        .filter(|row| row.rating.is_some() && row.total.games() == 2);
    assert_eq!((ladder.rows.len(), rated.count()), (2, 2));
    let (games, mut events) = arena.watch();
    assert!(games.is_empty());
    drop(running);
    let begun = loop {
        if let LiveEvent::Game(game) = events.recv().await.unwrap() {
            break game;
        }
    };
    assert_eq!(begun.number, 1);
}

#[actix_web::test]
async fn an_interrupted_pair_continues_from_its_moves() {
    let players = "players = [\"basic1,movetime_ms=50\", \"basic1,depth=1\"]\ntime_control = \
        \"600\"\nidle_s = 1\n";
    let file = basic1_and(&format!("[arena]\n{players}"));
    let venue = ::arena::ArenaVenue::idle(
        pool::WorkerProgram::at(crate::support::rookery()),
        Activity::default(),
    );
    let arena = Arena::start(&file.load(), &arena::path(&file), venue).unwrap();
    let (_, mut events) = arena.watch();
    let is_done = Arc::new(AtomicBool::new(false));
    // The number of moves in the current game, and in all games.
    let (mut last, mut played) = (0, 0);
    loop {
        match events.recv().await.unwrap() {
            LiveEvent::Game(game) => last = game.game.moves().len(),
            LiveEvent::Move(_) => (last, played) = (last + 1, played + 1),
            LiveEvent::End { end: None, .. } => break,
            LiveEvent::End { .. } | LiveEvent::State(_) => {}
        }
        if played == 4 {
            for _ in 0..2 * thread::available_parallelism().unwrap().get() {
                let is_done = Arc::clone(&is_done);
                thread::spawn(move || while !is_done.load(Ordering::Relaxed) {});
            }
        }
    }
    is_done.store(true, Ordering::Relaxed);
    let resumed = loop {
        if let LiveEvent::Game(game) = events.recv().await.unwrap() {
            break game.game.moves().len();
        }
    };
    assert_eq!(resumed, last);
    assert!(arena.ladder().results.void_pairs > 0);
}

#[actix_web::test]
async fn admins_pause_and_resume_the_arena() {
    let file = file("");
    let arena = arena::start(&file, &Activity::default()).await;
    let app = app(&file, arena);
    let paused = admin(&app, "/v1/arena/pause").await;
    assert_eq!(
        paused,
        json!({"state": "paused", "reason": "an admin paused it"})
    );
    assert_eq!(admin(&app, "/v1/arena/pause").await, paused);
    assert_eq!(app.get("/v1/arena").await.ok()["state"], "paused");
    assert_eq!(
        admin(&app, "/v1/arena/resume").await,
        json!({"state": "playing", "reason": null})
    );
    let preferred = admin(&app, "/v1/arena/players/2/rate-now").await;
    assert_eq!(preferred["player"]["player"], "basic1,depth=1");
    for path in [
        "/v1/arena/pause",
        "/v1/arena/resume",
        "/v1/arena/players/1/rate-now",
    ] {
        let detail = app
            .post(path, &Value::Null)
            .await
            .check_error(404, "not_found");
        assert!(detail.contains("`admin = true`"), "{path}: {detail}");
        assert_eq!(app.get(path).await.status, 405, "{path}");
    }
    for id in ["0", "7", "x", "99999999999999999999", "-1"] {
        let path = format!("/v1/arena/players/{id}/rate-now");
        let reply = app.post_with_key(ADMIN_KEY, &path, &Value::Null).await;
        assert!(
            reply
                .check_error(404, "not_found")
                .contains(&format!("no player '{id}'"))
        );
    }
}

#[actix_web::test]
async fn a_client_sees_only_players_whose_ai_it_may_ask() {
    let ais = [("basic1", "ai_basic1", ""), ("other", "ai_basic1", "")];
    let clients = format!(
        "{}allowed_ais = [\"basic1\"]\n",
        keyed_client("bob", "basic1")
    );
    let players = "players = [\"basic1,nodes=20\", \"basic1,depth=1\", \"other\"]\n";
    let file = with_ais(&ais, &format!("{clients}[arena]\n{players}"));
    let games = ArenaFile::new(&file);
    games.add_pair([0, 1], [Win, Draw], None);
    games.add_pair([0, 2], [Win, Draw], None);
    drop(games);
    let arena = arena::start(&file, &Activity::default()).await;
    arena.pause();
    let app = app(&file, arena);
    let ladder = app.get_with_key("bob", "/v1/arena").await.ok();
    let seen: Vec<_> = ladder["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["id"])
        .collect();
    assert_eq!(seen, [1, 2]);
    assert_eq!(ladder["players"][1]["rank"], 2);
    assert_eq!(ladder["pairings"].as_array().unwrap().len(), 1);
    let list = app
        .get_with_key("bob", "/v1/arena/games?before=5")
        .await
        .ok();
    let ids: Vec<_> = list["games"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| &game["id"])
        .collect();
    assert_eq!(ids, [2, 1]);
    app.get_with_key("bob", "/v1/arena/games/3")
        .await
        .check_error(404, "not_found");
    app.get_with_key("bob", "/v1/arena/players/3")
        .await
        .check_error(404, "not_found");
    let player = app.get_with_key("bob", "/v1/arena/players/1").await.ok();
    assert_eq!(player["opponents"].as_array().unwrap().len(), 1, "{player}");
    assert_eq!(
        app.get("/v1/arena").await.ok()["players"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[actix_web::test]
async fn a_changed_byte_makes_a_new_version_of_a_player() {
    let (file, library) = own_library(
        "ai_basic1",
        "[arena]\nplayers = [\"basic1\", \"basic1,depth=1\"]\n",
    );
    let games = ArenaFile::new(&file);
    games.add_pair([0, 1], [Win, Draw], None);
    drop(games);
    let mut bytes = fs::read(&library).unwrap();
    bytes.push(0);
    fs::remove_file(&library).unwrap();
    fs::write(&library, bytes).unwrap();
    let arena = arena::start(&file, &Activity::default()).await;
    arena.pause();
    let app = app(&file, arena);
    let ladder = app.get("/v1/arena").await.ok();
    assert!(
        ladder["players"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["version"] == 2),
        "{ladder}"
    );
    let id = ladder["players"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["player"] == "basic1")
        .unwrap();
    let player = app
        .get(&format!("/v1/arena/players/{}", id["id"]))
        .await
        .ok();
    let versions: Vec<_> = player["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["version"], &one["games"]))
        .collect();
    assert_eq!(versions, [(&json!(1), &json!(2)), (&json!(2), &json!(0))]);
    // No games connect the versions, so the difference is unknown.
    assert_eq!(player["versions"][1]["difference"], Value::Null);
    let earlier = app.get("/v1/arena/players/1").await.ok();
    assert_eq!(earlier["player"]["rank"], Value::Null);
}

#[actix_web::test]
async fn an_anchor_keeps_its_rating_until_it_changes() {
    let settings = "[arena]\nplayers = [\"basic1,depth=1\"]\nanchors = [\"basic1=1800\"]\n";
    let (file, library) = own_library("ai_basic1", settings);
    let row = async |arena: &Arena| {
        arena.pause();
        let ladder = arena.ladder();
        let row = ladder
            .rows
            .iter()
            .find(|row| row.player.entry == "basic1")
            .unwrap();
        (
            row.player.version,
            row.player.anchor_elo,
            row.rating.map(|rating| (rating.elo, rating.error)),
        )
    };
    let arena = arena::start(&file, &Activity::default()).await;
    assert_eq!(row(&arena).await, (1, Some(1800.0), Some((1800.0, 0.0))));
    drop(arena);
    let arena = arena::start(&file, &Activity::default()).await;
    assert_eq!(row(&arena).await, (1, Some(1800.0), Some((1800.0, 0.0))));
    drop(arena);
    let mut bytes = fs::read(&library).unwrap();
    bytes.push(0);
    fs::remove_file(&library).unwrap();
    fs::write(&library, bytes).unwrap();
    let arena = arena::start(&file, &Activity::default()).await;
    let (version, anchor, _) = row(&arena).await;
    assert_eq!((version, anchor), (2, None));
    // The earlier version keeps its rating.
    assert!(arena.ladder().is_anchored());
    let first = arena.ladder().versions("basic1").next().unwrap().id;
    let rating = arena.ladder().row(first).unwrap().rating.unwrap();
    assert_eq!(
        format!("{:.1} ± {:.1}", rating.elo, rating.error),
        "1800.0 ± 0.0"
    );
}

#[actix_web::test]
async fn a_player_that_keeps_failing_rests() {
    let ais = [("basic1", "ai_basic1", ""), ("panic", "panic", "")];
    let players =
        "[arena]\nplayers = [\"basic1,depth=1\", \"panic\"]\ntime_control = \"600\"\nidle_s = 1\n";
    let file = with_ais(&ais, players);
    let arena = arena::start(&file, &Activity::default()).await;
    arena.pairs_played(2).await;
    let app = app(&file, arena);
    let ladder = app.get("/v1/arena").await.ok();
    assert_eq!(
        (&ladder["state"], &ladder["reason"]),
        (&json!("waiting"), &json!("1 of 2 players can play")),
        "{ladder}"
    );
    let rows = ladder["players"].as_array().unwrap();
    assert_eq!(
        (&rows[0]["player"], &rows[0]["resting_until"]),
        (&json!("basic1,depth=1"), &Value::Null)
    );
    assert_eq!(
        (&rows[1]["player"], &rows[1]["faults"]),
        (&json!("panic"), &json!(4))
    );
    assert!(rows[1]["resting_until"].is_string(), "{ladder}");
    let game = app.get("/v1/arena/games?fault=true&limit=1").await.ok()["games"][0].clone();
    assert_eq!(game["fault"]["code"], "ai_failed", "{game}");
}

#[actix_web::test]
async fn an_imported_export_has_the_same_ladder_faults_and_terminations() {
    let ais = [("basic1", "ai_basic1", ""), ("panic", "panic", "")];
    let players =
        "[arena]\nplayers = [\"basic1,depth=1\", \"panic\"]\ntime_control = \"600\"\nidle_s = 1\n";
    let (file, other) = (with_ais(&ais, players), with_ais(&ais, players));
    let arena = arena::start(&file, &Activity::default()).await;
    arena.pairs_played(2).await;
    let (mut games, other) = (Vec::new(), ArenaFile::new(&other));
    arena.reader().export(&mut games).unwrap();
    let ImportReport {
        games,
        known,
        refused,
    } = other.store.import(&*games).unwrap();
    assert_eq!((games, known, refused), (4, 0, Vec::new()));
    let [played, imported] = [arena.reader(), other.store.reader()].map(|file| {
        let games = file
            .games(&GameFilter::default(), 9)
            .unwrap()
            .games
            .into_iter()
            .map(|game| {
                let GameSummary {
                    white,
                    black,
                    result,
                    termination,
                    fault,
                    plies,
                    ..
                } = game.record;
                let fault = fault.map(|fault| (fault.code, fault.ply, fault.color));
                (white, black, result, termination, fault, plies)
            });
        let rows = Ladder::read(file).unwrap().rows.into_iter();
        let rows = rows.map(|row| {
            (
                row.player.entry,
                format!("{:?}", row.rating),
                row.total,
                row.record,
            )
        });
        (games.collect::<Vec<_>>(), rows.collect::<Vec<_>>())
    });
    assert!(
        played.0.iter().all(|(.., fault, _)| fault.is_some()),
        "{played:?}"
    );
    assert_eq!(imported, played);
}

#[actix_web::test]
async fn a_reload_applies_the_new_players() {
    let file = file("");
    let arena = arena::start(&file, &Activity::default()).await;
    arena.pause();
    let other = basic1_and("[arena]\nplayers = [\"basic1,nodes=20\", \"basic1,depth=2\"]\n");
    arena.resume();
    arena.reconfigure(&other.load());
    arena.players_started().await;
    let ladder = arena.ladder();
    let mut entries: Vec<_> = ladder
        .rows
        .iter()
        .map(|row| row.player.entry.as_str())
        .collect();
    entries.sort_unstable();
    assert_eq!(entries, ["basic1,depth=2", "basic1,nodes=20"]);
    assert_eq!(ladder.players.len(), 3);
}
