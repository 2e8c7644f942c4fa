//! Matches without HTTP: how they start, take turns, survive restarts and stay unrated.

use std::sync::Arc;

use arena::{
    ArenaState, GameFilter, LiveEvent, Match, MatchOpening, MatchRequest, MatchState, Matches,
    Pace, RefusalReason, Store, StoredMatch,
};
use config::Config;
use game::{Extra, Limit};
use serde_json::Value;

use super::{QUIET, file};
use crate::support::{ConfigFile, arena::matches_of, keyed_client, own_library};

/// A server with an arena that has no players of its own.
fn with_arena() -> ConfigFile {
    file("[arena]\nfile = 'arena.db'\nplayers = []\n")
}

/// A request for quick games.
fn request(games: u32) -> MatchRequest {
    MatchRequest {
        players: ["basic1".to_owned(), QUIET.to_owned()],
        games,
        pace: Pace::Limit(Limit {
            nodes: Some(200),
            ..Limit::default()
        }),
        maxima: Limit::default(),
        openings: Vec::new(),
    }
}

fn add(matches: &Matches, client: &str, games: u32, config: &Config) -> Arc<Match> {
    matches
        .add(
            client,
            request(games),
            Some("key"),
            Arc::new(config.clone()),
        )
        .unwrap()
}

async fn until_games(found: &Match, games: usize) {
    found
        .watch()
        .wait_for(|status| status.games.len() >= games)
        .await
        .unwrap();
}

/// Waits for the end of a match. Returns its final state.
async fn ended(found: &Match) -> MatchState {
    found
        .watch()
        .wait_for(|status| status.state.is_ended())
        .await
        .unwrap()
        .state
}

#[actix_web::test]
async fn a_player_that_does_not_start_fails_the_match() {
    let (file, library) = own_library("ai_basic1", "");
    let config = file.load();
    let (_, matches) = matches_of(&config);
    std::fs::write(&library, "no library").unwrap();
    let request = MatchRequest {
        players: ["basic1", "basic1,depth=1"].map(str::to_owned),
        ..request(2)
    };
    let added = matches.add("one", request, None, Arc::new(config)).unwrap();
    assert_eq!(ended(&added).await, MatchState::Failed);
    let reason = "the player 'basic1' does not start; the server's log says why";
    assert_eq!(added.watch().borrow().reason.as_deref(), Some(reason));
}

#[actix_web::test]
async fn matches_continue_after_a_restart() {
    let file = with_arena();
    let config = file.load();
    let (arena, matches) = matches_of(&config);
    let (first, second) = (
        add(&matches, "one", 101, &config),
        add(&matches, "two", 11, &config),
    );
    until_games(&first, 2).await;
    drop(matches);
    let before = first.watch().borrow().games.len();
    assert!((2..101).contains(&before), "{before}");
    drop(arena);
    let (arena, matches) = matches_of(&config);
    let going_on = [(first, 101), (second, 11)].map(|(stopped, games)| {
        let found = matches.find(&stopped.id).unwrap().unwrap();
        assert!(!found.is_ended());
        (found, games)
    });
    for (found, games) in going_on {
        assert_eq!(ended(&found).await, MatchState::Finished);
        let filter = GameFilter {
            match_id: Some(found.id.clone()),
            ..GameFilter::default()
        };
        let stored = arena
            .as_ref()
            .unwrap()
            .reader()
            .games(&filter, 200)
            .unwrap()
            .games;
        assert_eq!(
            (stored.len(), found.watch().borrow().games.len()),
            (games, games)
        );
        let pgn = rules::parse_pgn(&matches.pgn(&found).unwrap()).unwrap();
        let rounds: Vec<_> = pgn
            .iter()
            .map(|game| game.tag("Round").unwrap().to_owned())
            .collect();
        let expected: Vec<_> = (0..games)
            .map(|game| format!("{}.{}", game / 2 + 1, game % 2 + 1))
            .collect();
        assert_eq!(rounds, expected);
    }
}

#[actix_web::test]
async fn the_file_remembers_matches_and_their_keys() {
    let file = with_arena();
    let config = file.load();
    let (arena, matches) = matches_of(&config);
    let added = add(&matches, "one", 12, &config);
    assert_eq!(ended(&added).await, MatchState::Finished);
    let pgn = matches.pgn(&added).unwrap();
    drop((arena, matches));
    let (arena, matches) = matches_of(&config);
    let again = add(&matches, "one", 12, &config);
    assert_eq!(
        (&again.id, again.watch().borrow().state),
        (&added.id, MatchState::Finished)
    );
    assert_eq!(
        again.watch().borrow().tally(),
        added.watch().borrow().tally()
    );
    assert_eq!(matches.pgn(&again).unwrap(), pgn);
    let ladder = arena.unwrap().ladder();
    assert!(
        ladder.players.is_empty() && ladder.results.games() == 0,
        "its games are not rated"
    );
}

#[actix_web::test]
async fn unrated_games_stay_unrated_after_an_import() {
    let file = file(&format!(
        "[arena]\nfile = 'arena.db'\nplayers = ['basic1', '{QUIET}']\ntime_control = '60'\n"
    ));
    let config = file.load();
    let (arena, matches) = matches_of(&config);
    let arena = arena.unwrap();
    arena.pause();
    // The match has the arena's players and time control, but the client's maximum applies.
    let maxima = Limit {
        nodes: Some(50),
        ..Limit::default()
    };
    let request = MatchRequest {
        pace: Pace::TimeControl("60".parse().unwrap()),
        maxima,
        ..request(2)
    };
    let added = matches.add("one", request, None, Arc::new(config)).unwrap();
    assert_eq!(ended(&added).await, MatchState::Finished);
    let mut games = Vec::new();
    assert_eq!(arena.reader().export(&mut games).unwrap(), 2);
    let other = Store::open(&file.folder().join("other.db"), "60", 1 << 30).unwrap();
    let report = other.import(&*games);
    let reasons: Vec<_> = report
        .unwrap()
        .refused
        .into_iter()
        .map(|refusal| refusal.reason)
        .collect();
    assert_eq!(reasons, [RefusalReason::NotRated, RefusalReason::NotRated]);
}

#[actix_web::test]
async fn a_match_like_the_arenas_games_is_not_rated() {
    let file = file(&format!(
        "[arena]\nfile = 'arena.db'\nplayers = ['basic1,depth=1', '{QUIET},depth=1']\ntime_control \
         = '60'\n"
    ));
    let config = file.load();
    let (arena, matches) = matches_of(&config);
    let arena = arena.unwrap();
    arena.pause();
    let request = MatchRequest {
        players: ["basic1,depth=1".to_owned(), format!("{QUIET},depth=1")],
        pace: Pace::TimeControl("60".parse().unwrap()),
        ..request(2)
    };
    let added = matches.add("one", request, None, Arc::new(config)).unwrap();
    assert_eq!(ended(&added).await, MatchState::Finished);
    let ladder = arena.ladder();
    assert!(ladder.results.games() == 0 && ladder.rows.iter().all(|row| row.rating.is_none()));
    assert_eq!(
        arena
            .reader()
            .games(&GameFilter::default(), 9)
            .unwrap()
            .games,
        []
    );
    let of_match = GameFilter {
        match_id: Some(added.id.clone()),
        ..GameFilter::default()
    };
    assert_eq!(arena.reader().games(&of_match, 9).unwrap().games.len(), 2);
}

#[actix_web::test]
async fn matches_take_turns_in_the_middle_of_long_games() {
    let config = file("").load();
    let (_, matches) = matches_of(&config);
    // The moves take about as long as a turn.
    let pace = Pace::Limit(Limit {
        movetime_ms: Some(1500),
        ..Limit::default()
    });
    let fen = rules::format_fen(&rules::start_position());
    let openings = vec![MatchOpening {
        fen,
        moves: Vec::new(),
    }];
    let long = MatchRequest {
        pace,
        openings,
        ..request(2)
    };
    let long = matches
        .add("long", long, None, Arc::new(config.clone()))
        .unwrap();
    long.watch()
        .wait_for(|status| status.state == MatchState::Running)
        .await
        .unwrap();
    let short = add(&matches, "short", 4, &config);
    assert_eq!(ended(&short).await, MatchState::Finished);
    let (mut resumed, mut events) = long.watch_game();
    while resumed.is_none() {
        if let LiveEvent::Game(game) = events.recv().await.unwrap() {
            resumed = Some(*game);
        }
    }
    let resumed = resumed.unwrap();
    assert_eq!(resumed.number, 1);
    assert!(
        !resumed.game.moves().is_empty(),
        "the game continues after its first moves"
    );
    matches.stop(&long).unwrap();
}

#[actix_web::test]
async fn half_of_the_places_are_reserved_for_clients_with_keys() {
    let config = file("").load();
    let (_, matches) = matches_of(&config);
    let pace = Pace::TimeControl("3600".parse().unwrap());
    let start = |client: String| {
        let request = MatchRequest {
            pace: pace.clone(),
            ..request(100)
        };
        matches
            .add(&client, request, None, Arc::new(config.clone()))
            .map_err(|error| error.to_string())
    };
    for address in 0..50 {
        start(format!("default {address}")).unwrap();
    }
    let error = start("default 50".to_owned()).unwrap_err();
    let expected = "50 matches of clients without keys are waiting; try again later, or send a key";
    assert_eq!(error, expected);
    for keyed in 0..50 {
        start(format!("keyed{keyed}")).unwrap();
    }
    assert_eq!(
        start("keyed50".to_owned()).unwrap_err(),
        "100 matches are waiting; try again later"
    );
}

#[actix_web::test]
async fn a_match_ends_after_a_day_of_play() {
    let file = with_arena();
    let config = file.load();
    let (arena, matches) = matches_of(&config);
    let added = add(&matches, "one", 101, &config);
    until_games(&added, 2).await;
    drop((arena, matches));
    let store = Store::open(&file.folder().join("arena.db"), "10+0.1", 1 << 30).unwrap();
    let StoredMatch { mut progress, .. } = store.reader().stored_match(&added.id).unwrap().unwrap();
    let mut state: Value = serde_json::from_str(&progress.state).unwrap();
    state["played_ms"] = 86_400_000.into();
    progress.state = state.to_string();
    store.update_match(&progress).unwrap();
    drop(store);
    let (_arena, matches) = matches_of(&config);
    let found = matches.find(&added.id).unwrap().unwrap();
    assert_eq!(ended(&found).await, MatchState::Failed);
    let reason = found.watch().borrow().reason.clone().unwrap();
    assert!(
        reason.starts_with("it has been played for 24 hours, the maximum for a match"),
        "{reason}"
    );
    assert!(
        found.watch().borrow().games.len() >= 2,
        "its games are kept"
    );
}

#[actix_web::test]
async fn a_match_ends_when_the_configuration_no_longer_allows_it() {
    let with =
        |id: &str, lines: &str| file(&format!("{}{lines}\n", keyed_client(id, "basic1"))).load();
    let config = with("ann", "max_match_games = 100");
    let (_, matches) = matches_of(&config);
    for (change, ends) in [
        (with("bob", "max_match_games = 100"), true),
        (with("ann", ""), true),
        (with("ann", "max_match_games = 99"), true),
        (
            with("ann", "max_match_games = 100\nexpires = 2020-01-01"),
            true,
        ),
        (
            file("[client.ann]\nai = 'basic1'\nmax_match_games = 100\n").load(),
            true,
        ),
        (
            with(
                "ann",
                "max_match_games = 1000\nallowed_ais = ['basic1']\nrate = '1/s'",
            ),
            false,
        ),
    ] {
        let added = matches
            .add("ann", request(100), None, Arc::new(config.clone()))
            .unwrap();
        assert_eq!(matches.reconfigure(&change).len(), usize::from(ends));
        assert_eq!(added.is_ended(), ends);
        matches.stop(&added).unwrap();
        matches.reconfigure(&config);
    }
    let without_echo = with("ann", "max_match_games = 100\nallowed_ais = ['basic1']");
    let mut removed = config.clone();
    removed.ais.remove("echo");
    let players = ["basic1", "echo"].map(str::to_owned);
    let mut added = None;
    for other in [without_echo, removed] {
        matches.reconfigure(&config);
        let request = MatchRequest {
            players: players.clone(),
            ..request(100)
        };
        let one = matches
            .add("ann", request, None, Arc::new(config.clone()))
            .unwrap();
        assert!(!matches.reconfigure(&other).is_empty() && one.is_ended());
        added = Some(one);
    }
    let added = added.unwrap();
    let reason = added.watch().borrow().reason.clone();
    let expected = "the server's configuration no longer lets the client play this match; ask \
        the operator";
    assert_eq!(reason.as_deref(), Some(expected));
}

#[actix_web::test]
async fn the_arena_waits_for_a_running_match() {
    let file = with_arena();
    let config = file.load();
    let (arena, matches) = matches_of(&config);
    let arena = arena.unwrap();
    let added = add(&matches, "one", 1000, &config);
    until_games(&added, 2).await;
    assert_eq!(
        arena.state(),
        ArenaState::Waiting("a client is using an AI".to_owned())
    );
    matches.stop(&added).unwrap();
}
