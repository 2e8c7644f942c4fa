//! Tests of the arena's file.

mod damage;
mod killed;
mod lists;
mod pgn;
mod rollouts;
mod sample;

use std::{collections::BTreeMap, fs, time::SystemTime};

use tournament::GameResult;

use self::sample::{MAX_BYTES, TIME_CONTROL, open, pair, players, random_pair, time};
use super::*;
use crate::{
    finished::{FinishedPair, GameFault, GameId, GameSummary, StoredGame},
    player::{NewPlayer, PlayerId, StoredPlayer},
    results::Results,
    store::{FaultFilter, GameFilter},
    stored_match::{MatchProgress, StoredMatch},
};

#[test]
fn a_pair_survives_reopening_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let [one, two, _] = players(&store);
    let mut stored = pair(one, two, 1);
    stored.first.record.fault = Some(GameFault {
        code: "ai_crashed".to_owned(),
        ply: 12,
        color: ai_api::Color::Black,
        details: "killed by signal 11".to_owned(),
    });
    let ids = store.add_pair(&stored).unwrap();
    drop(store);
    let store = open(&folder);
    for (id, expected) in ids.iter().zip(stored.games()) {
        let record = expected.record.clone();
        let game = StoredGame {
            id: *id,
            pair: 1,
            match_id: None,
            match_client: None,
            is_rated: true,
            record,
        };
        assert_eq!(
            store.reader().game(*id).unwrap(),
            Some((game, expected.pgn.clone()))
        );
    }
    assert_eq!(store.reader().game(GameId(3)).unwrap(), None);
    let faults = |player| {
        let filter = GameFilter {
            fault: Some(FaultFilter::Player(player)),
            ..GameFilter::default()
        };
        store.reader().games(&filter, 9).unwrap().games.len()
    };
    assert_eq!((faults(one), faults(two)), (0, 1));
}

#[test]
fn tallies_count_all_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let players = players(&store);
    let mut random = fastrand::Rng::with_seed(1);
    let mut results = Results::default();
    for number in 0..200 {
        let pair = random_pair(&players, &mut random, number);
        store.add_pair(&pair).unwrap();
        results.add(&pair);
    }
    store.add_void_pair(players[2], players[0]).unwrap();
    results.void_pairs = 1;
    assert_eq!(store.reader().results().unwrap(), results);
    assert!(
        results.pairs() > 0 && results.games() > 2 * results.pairs(),
        "single games count"
    );
    let rated = store
        .reader()
        .games(&GameFilter::default(), usize::MAX)
        .unwrap()
        .games;
    assert_eq!(results.games() as usize, rated.len());
    let all = store.reader().export(&mut std::io::sink()).unwrap();
    assert!(u64::from(results.games()) < all, "some games are not rated");
}

#[test]
fn a_new_fingerprint_is_the_next_version_of_its_entry() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let player = |entry: &str, fingerprint: &str| {
        let [entry, fingerprint] = [entry, fingerprint].map(str::to_owned);
        store
            .player(&NewPlayer {
                entry,
                fingerprint,
                ai: "a".to_owned(),
                name: "A 1".to_owned(),
            })
            .unwrap()
    };
    let first = player("a", "1");
    let second = player("a", "2");
    let other = player("a,depth=3", "1");
    assert_eq!(
        [&first, &second, &other].map(|player| player.version),
        [1, 2, 1]
    );
    assert_eq!(player("a", "1"), first);
    store.set_rest(second.id, time(7)).unwrap();
    let resting = StoredPlayer {
        rests_until: Some(time(7)),
        ..second
    };
    assert_eq!(store.reader().players().unwrap(), [first, resting, other]);
}

#[test]
fn a_match_and_its_games_change_together() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let [one, two, _] = players(&store);
    let progress = |state: &str, is_finished| MatchProgress {
        id: "m1".to_owned(),
        state: state.to_owned(),
        is_finished,
    };
    let new = StoredMatch {
        client: "c".to_owned(),
        idempotency_key: Some("k".to_owned()),
        request: "{}".to_owned(),
        progress: progress("new", false),
    };
    store.add_match(&new).unwrap();
    let mut again = new.clone();
    again.progress.id = "m2".to_owned();
    store.add_match(&again).unwrap_err();
    assert_eq!(store.reader().keyed_match("c", "k").unwrap(), Some(new));
    assert_eq!(store.reader().keyed_match("d", "k").unwrap(), None);
    again.idempotency_key = None;
    store.add_match(&again).unwrap();
    let ids = |matches: Vec<StoredMatch>| {
        matches
            .into_iter()
            .map(|one| one.progress.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ids(store.reader().unfinished_matches().unwrap()),
        ["m1", "m2"]
    );

    let last = FinishedPair {
        second: None,
        is_rated: false,
        match_progress: Some(progress("done", true)),
        ..pair(one, two, 1)
    };
    store.add_pair(&last).unwrap();
    let stored = store.reader().stored_match("m1").unwrap().unwrap();
    assert_eq!(stored.progress, progress("done", true));
    assert_eq!(ids(store.reader().unfinished_matches().unwrap()), ["m2"]);
    let filter = GameFilter {
        match_id: Some("m1".to_owned()),
        ..GameFilter::default()
    };
    let games = |client: Option<&str>| {
        let filter = GameFilter {
            match_client: client.map(str::to_owned),
            ..filter.clone()
        };
        store.reader().games(&filter, 9).unwrap().games
    };
    assert_eq!(
        [games(None), games(Some("c")), games(Some("d"))].map(|games| games.len()),
        [1, 1, 0]
    );
    assert_eq!(games(None)[0].match_client.as_deref(), Some("c"));
    let GameSummary {
        result,
        termination,
        ..
    } = last.first.record.clone();
    assert_eq!(
        store.reader().match_results("m1").unwrap(),
        [(result, termination)]
    );
    assert_eq!(store.reader().match_pgn("m1").unwrap(), last.first.pgn);
    assert_eq!(store.reader().match_pgn("m2").unwrap(), "");
    assert_eq!(
        store.reader().results().unwrap(),
        Results::default(),
        "its games are not rated"
    );

    let unknown = MatchProgress {
        id: "m3".to_owned(),
        ..progress("x", false)
    };
    store
        .add_pair(&FinishedPair {
            match_progress: Some(unknown.clone()),
            ..last
        })
        .unwrap_err();
    store.update_match(&unknown).unwrap_err();
    assert_eq!(store.reader().games(&filter, 9).unwrap().games.len(), 1);
    assert_eq!(
        store
            .reader()
            .games(&GameFilter::default(), 9)
            .unwrap()
            .games,
        [],
        "its games are not listed"
    );
    store.update_match(&progress("stopped", true)).unwrap();
    assert_eq!(
        store
            .reader()
            .stored_match("m1")
            .unwrap()
            .unwrap()
            .progress
            .state,
        "stopped"
    );
}

#[test]
fn one_process_owns_the_file_and_others_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let [one, two, _] = players(&store);
    store.add_pair(&pair(one, two, 1)).unwrap();
    let path = folder.path().join("arena.db");
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    for path in [&path, &link] {
        let error = Store::open(path, TIME_CONTROL, MAX_BYTES).unwrap_err();
        let expected = format!("is in use by process {} on ", std::process::id());
        assert!(error.to_string().contains(&expected), "{error}");
    }
    let reader = StoreReader::open(&path).unwrap();
    assert_eq!(reader.results().unwrap().games(), 2);
    // The refused attempts did not take any lock away from the owner.
    store.add_pair(&pair(two, one, 2)).unwrap();
    assert_eq!(reader.results().unwrap().games(), 4);
    drop(store);
    drop(open(&folder));
}

#[test]
fn a_backup_is_complete_while_the_arena_writes() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let players = players(&store);
    let copy = folder.path().join("copy.db");
    let (ready, backup) = std::sync::mpsc::sync_channel(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = fastrand::Rng::with_seed(2);
            for number in 0..60 {
                store
                    .add_pair(&random_pair(&players, &mut random, number))
                    .unwrap();
                if number == 20 {
                    ready.send(()).unwrap();
                }
            }
        });
        backup.recv().unwrap();
        StoreReader::open(&folder.path().join("arena.db"))
            .unwrap()
            .backup(&copy)
            .unwrap();
    });
    let copied = Store::open(&copy, TIME_CONTROL, MAX_BYTES).unwrap();
    let pairs = pairs_of(&copied);
    assert!(pairs.len() > 20, "{}", pairs.len());
    assert_eq!(
        copied.reader().players().unwrap(),
        store.reader().players().unwrap()
    );
    let error = store.reader().backup(&copy).unwrap_err().to_string();
    assert!(
        error.ends_with("copy.db: the file exists; choose another path"),
        "{error}"
    );
    let error = store
        .reader()
        .backup(&folder.path().join("none/copy.db"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("none/copy.db"), "{error}");
    let names = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert!(
        names
            .into_iter()
            .all(|name| !name.to_string_lossy().contains("part"))
    );
}

/// Checks that the file contains complete pairs, with their PGN and tallies. Returns the ids of the
/// games of each pair.
fn pairs_of(store: &Store) -> BTreeMap<i64, Vec<GameId>> {
    let reader = store.reader();
    let mut pairs: BTreeMap<i64, Vec<GameId>> = BTreeMap::new();
    let mut results: BTreeMap<_, [u32; 3]> = BTreeMap::new();
    for id in (1..).map(GameId) {
        let Some((game, pgn)) = reader.game(id).unwrap() else {
            break;
        };
        pairs.entry(game.pair).or_default().push(id);
        let GameSummary {
            white,
            black,
            result,
            ..
        } = game.record;
        results.entry((white, black)).or_default()[result as usize] += 1;
        assert!(pgn.ends_with("\n\n"), "{pgn}");
    }
    let counted = reader.results().unwrap();
    let by_color = counted
        .by_color
        .iter()
        .map(|(key, tally)| (*key, [tally.losses, tally.draws, tally.wins]));
    if counted.games() as usize == pairs.values().flatten().count() {
        assert_eq!(results, by_color.collect());
    }
    reader
        .read(|transaction| {
            let check: String =
                transaction.query_one("PRAGMA integrity_check", [], |row| row.get(0))?;
            assert_eq!(check, "ok");
            Ok(())
        })
        .unwrap();
    pairs
}

#[test]
fn the_file_grows_up_to_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena.db");
    let store = Store::open(&path, TIME_CONTROL, 1 << 20).unwrap();
    let [one, two, _] = players(&store);
    let added = (0..)
        .map_while(|number| store.add_pair(&pair(one, two, number)).ok())
        .count();
    let error = store.add_pair(&pair(one, two, 0)).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("has reached max_mb = 1; raise max_mb, or choose another file"),
        "{error}"
    );
    assert_eq!(store.reader().results().unwrap().pairs() as usize, added);
    let bytes = fs::metadata(&path).unwrap().len();
    assert!((1 << 20..1_200_000).contains(&bytes), "{bytes}");
    // A match can still end, and a player can still rest.
    store.set_rest(one, SystemTime::now()).unwrap();
    drop(store);
    let store = Store::open(&path, TIME_CONTROL, 2 << 20).unwrap();
    store.add_pair(&pair(one, two, 0)).unwrap();
}

/// Returns a client's match with a request of this length.
fn stored_match(id: &str, client: &str, request_bytes: usize) -> StoredMatch {
    let progress = MatchProgress {
        id: id.to_owned(),
        state: "stopped".to_owned(),
        is_finished: true,
    };
    let (client, request) = (client.to_owned(), "x".repeat(request_bytes));
    StoredMatch {
        client,
        idempotency_key: None,
        request,
        progress,
    }
}

#[test]
fn client_matches_leave_most_of_the_file_to_the_arena() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arena.db");
    let store = Store::open(&path, TIME_CONTROL, 4 << 20).unwrap();
    let [one, two, _] = players(&store);
    store
        .add_match(&stored_match("first", "keyed", 9000))
        .unwrap();
    for number in 0..400 {
        let client = format!("default {}", number % 7);
        store
            .add_match(&stored_match(&number.to_string(), &client, 90_000))
            .unwrap();
    }
    assert!(fs::metadata(&path).unwrap().len() < 2 << 20);
    let has = |id: &str| store.reader().stored_match(id).unwrap().is_some();
    assert!(has("first") && has("399") && !has("380"));
    // Each client gets a quarter of that quarter.
    let mut large = stored_match("large", "keyed", 300_000);
    large.progress.is_finished = false;
    let error = store.add_match(&large).unwrap_err();
    let expected = "has no room for the match: all matches may take 1024 kB, a quarter of max_mb, \
        and each client a quarter of that";
    assert!(error.to_string().contains(expected), "{error}");
    assert!(has("first"));
    // The arena's own games take as much room as they need.
    let added = (0..)
        .map_while(|number| store.add_pair(&pair(one, two, number)).ok())
        .count();
    assert!((0..400).all(|number| !has(&number.to_string())));
    assert_eq!(store.reader().results().unwrap().pairs() as usize, added);
    assert!(fs::metadata(&path).unwrap().len() < 4_300_000);
    let error = store
        .add_match(&stored_match("new", "keyed", 1))
        .unwrap_err();
    assert!(matches!(error.fault, StoreFault::MaxSize(4)), "{error}");
}

#[test]
fn removing_a_match_removes_its_games_and_the_players_only_it_uses() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let new = |entry: &str| NewPlayer {
        entry: entry.to_owned(),
        fingerprint: "f".to_owned(),
        ai: "a".to_owned(),
        name: "A".to_owned(),
    };
    let entries = || {
        let players = store.reader().players().unwrap();
        players
            .into_iter()
            .map(|player| player.entry)
            .collect::<Vec<_>>()
    };
    let begin = |id: &str, entries: [&str; 2]| {
        store.add_match(&stored_match(id, "c", 1)).unwrap();
        let [white, black] = store
            .begin_match(id, &entries.map(new))
            .unwrap()
            .map(|player| player.id);
        let match_progress = Some(stored_match(id, "c", 1).progress);
        let mut pair = pair(PlayerId(1), PlayerId(2), 1);
        for game in [Some(&mut pair.first), pair.second.as_mut()]
            .into_iter()
            .flatten()
        {
            (game.record.white, game.record.black) = (white, black);
        }
        store
            .add_pair(&FinishedPair {
                is_rated: false,
                match_progress,
                ..pair
            })
            .unwrap();
    };
    begin("m1", ["ladder", "both matches"]);
    begin("m2", ["both matches", "second match"]);
    store.anchored_player(&new("ladder"), None).unwrap();
    let remove = || {
        store
            .write(|transaction| matches::remove_oldest(transaction))
            .unwrap()
    };
    assert!(remove());
    assert_eq!(entries(), ["ladder", "both matches", "second match"]);
    assert_eq!(store.reader().match_results("m1").unwrap(), []);
    assert_eq!(store.reader().match_results("m2").unwrap().len(), 2);
    assert!(remove());
    assert_eq!(entries(), ["ladder"]);
    assert_eq!(pairs_of(&store).len(), 0);
    assert!(!remove());
}

#[test]
fn a_single_game_is_not_a_pair() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let [one, two, _] = players(&store);
    let single = FinishedPair {
        second: None,
        ..pair(two, one, 1)
    };
    assert_eq!(single.first.record.result, GameResult::Loss);
    store.add_pair(&single).unwrap();
    let results = store.reader().results().unwrap();
    assert_eq!((results.games(), results.pairs()), (1, 0));
    assert_eq!(results.pairings[&(one, two)].wins, 1);
}
