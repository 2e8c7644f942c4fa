//! Export and import.

use std::io::{self, BufReader, Read};

use ai_api::Color;
use tempfile::TempDir;

use super::{
    super::*,
    sample::{open, pair, players},
};
use crate::{
    finished::GameFault,
    player::PlayerId,
    store::{GameFilter, ImportReport},
};

/// Two games as `rookery match` writes them: the first player mates, then its AI crashes.
const MATCH: &str = include_str!("match.pgn");

/// Creates an empty arena with three players.
fn arena() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    players(&store);
    (folder, store)
}

fn export(store: &Store) -> String {
    let mut out = Vec::new();
    let games = store.reader().export(&mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.matches("[Event ").count() as u64, games);
    text
}

#[test]
fn importing_an_export_gives_the_same_results() {
    let (_folder, store) = arena();
    let [one, two, three] = [1, 2, 3].map(PlayerId);
    store
        .write(|transaction| {
            (0..150).try_for_each(|number| {
                pairs::insert(transaction, &pair(one, two, 2 * number))?;
                pairs::insert(transaction, &pair(two, three, 2 * number + 1)).map(drop)
            })
        })
        .unwrap();
    let text = export(&store);
    let (_folder, other) = arena();
    let report = other.import(text.as_bytes()).unwrap();
    assert_eq!(
        report,
        ImportReport {
            games: 600,
            known: 0,
            refused: Vec::new()
        }
    );
    assert_eq!(
        other.reader().results().unwrap(),
        store.reader().results().unwrap()
    );
    assert_eq!(export(&other), text);
    let records = |store: &Store| {
        let page = store.reader().games(&GameFilter::default(), 600).unwrap();
        let mut records: Vec<_> = page
            .games
            .iter()
            .map(|game| (game.record.ended, game.record.opening))
            .collect();
        records.sort();
        records
    };
    assert_eq!(records(&other), records(&store));
    let again = other.import(text.as_bytes()).unwrap();
    assert_eq!(
        again,
        ImportReport {
            games: 0,
            known: 600,
            refused: Vec::new()
        }
    );
}

#[test]
fn imports_match_games_in_the_order_in_which_they_ended() {
    let (_folder, store) = arena();
    let (first, second) = MATCH.split_at(MATCH.rfind("[Event").unwrap());
    let other = |text: &str| {
        text.replace("Nf6", "Nc6")
            .replace("Nc3", "Nf3")
            .replace("Nc6 3", "Nf6 3")
    };
    let text = [first, &other(second), &other(first), second].concat();
    let report = store.import(text.as_bytes()).unwrap();
    assert_eq!(
        report,
        ImportReport {
            games: 4,
            known: 0,
            refused: Vec::new()
        }
    );
    let page = store.reader().games(&GameFilter::default(), 9).unwrap();
    let pairs: Vec<_> = page
        .games
        .iter()
        .map(|row| (row.pair, row.record.white, row.record.plies))
        .collect();
    let [one, two] = [1, 2].map(PlayerId);
    assert_eq!(pairs, [(2, two, 5), (2, one, 7), (1, one, 7), (1, two, 5)]);
    let fault = GameFault {
        code: "ai_crashed".to_owned(),
        ply: 6,
        color: Color::Black,
        details: "the AI crashed: its process was killed by signal 11".to_owned(),
    };
    assert_eq!(page.games[0].record.fault, Some(fault));
    assert_eq!(
        (
            page.games[0].record.termination.as_str(),
            page.games[1].record.termination.as_str()
        ),
        ("Black loses: ai_crashed", "White wins by checkmate")
    );
    let record = store.reader().results().unwrap().records[&one];
    assert_eq!(
        (record.faults, record.effort.moves, record.effort.depth_sum),
        (2, 4, 18)
    );
    assert_eq!(record.effort.time_ms, 2 * (61_500 + 250));
}

#[test]
fn refuses_games_that_cannot_be_rated() {
    let (_folder, store) = arena();
    let refusals = |text: &str| {
        let report = store.import(text.as_bytes()).unwrap();
        assert_eq!((report.games, report.known), (0, 0), "{text}");
        report
            .refused
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let first = &MATCH[..MATCH.rfind("[Event").unwrap()];
    let single = "line 1: found no second game with the same opening and colours swapped";
    for (text, expected) in [
        (first.to_owned(), single),
        (
            first.replace("1-0", "*").replace("Qxf7#", "Qf3"),
            "line 1: the game has no result",
        ),
        (
            first.replace("10+0.1", "1+0"),
            "line 1: the time control is 1+0; the arena's is 10+0.1",
        ),
        (
            first.replace("\"10+0.1\"", "\"-\""),
            "line 1: the time control is -; the arena's is 10+0.1",
        ),
        (
            first.replace("[Black \"two", "[Black \"nobody"),
            "line 1: nobody is not a player of the arena",
        ),
        (
            first.replace("[Black \"two", "[Black \"one"),
            "line 1: both players are one",
        ),
        (
            first.replace("[White ", "[Rated \"no\"]\n[White "),
            "line 1: the game was not rated",
        ),
        (first.replace("Qxf7#", "Qxh8"), "line 15: Qxh8 is illegal"),
    ] {
        let found = refusals(&text);
        assert!(
            matches!(&found[..], [refusal] if refusal.starts_with(expected)),
            "{text}\n{found:?}"
        );
    }
    let found = refusals(&[first, first].concat());
    assert_eq!(
        found,
        [
            single,
            "line 17: found no second game with the same opening and colours swapped"
        ]
    );
    assert_eq!(store.reader().results().unwrap().games(), 0);
}

#[test]
fn refuses_only_the_games_whose_times_or_depths_would_break_the_sums() {
    let (_folder, store) = arena();
    let (first, second) = MATCH.split_at(MATCH.rfind("[Event").unwrap());
    let time = first
        .split_once("[%emt ")
        .unwrap()
        .1
        .split_once(']')
        .unwrap()
        .0;
    let depth = first
        .split_once("[%eval ")
        .unwrap()
        .1
        .split_once([',', ']'])
        .unwrap()
        .1;
    let depth = depth.split_once(']').unwrap().0;
    for (found, replaced, reason) in [
        (
            format!("[%emt {time}]"),
            "[%emt inf]",
            "a move took inf; expected less than a day, as h:mm:ss",
        ),
        (format!("[%emt {time}]"), "[%emt NaN]", "a move took NaN;"),
        (format!("[%emt {time}]"), "[%emt -1]", "a move took -1;"),
        (
            format!("[%emt {time}]"),
            "[%emt 24:00:00]",
            "a move took 24:00:00;",
        ),
        (
            format!("[%emt {time}]"),
            "[%emt 2562047788015:12:55.808]",
            "a move took 2562047788015:12:55.808;",
        ),
        (
            format!("[%emt {time}]"),
            "[%emt 1e300:0]",
            "a move took 1e300:0;",
        ),
        (
            format!(",{depth}]"),
            ",9223372036854775807]",
            "a move has the depth 9223372036854775807;",
        ),
        (
            format!(",{depth}]"),
            ",99999999999999999999]",
            "a move has the depth 99999999999999999999;",
        ),
        (
            format!(",{depth}]"),
            ",1001]",
            "a move has the depth 1001; expected at most 1000 plies",
        ),
    ] {
        let (_folder, store) = arena();
        let broken = first.replacen(&found, replaced, 1);
        assert_ne!(broken, first);
        let text = [&broken, second, first, second].concat();
        let ImportReport { games, refused, .. } = store.import(text.as_bytes()).unwrap();
        let refused: Vec<_> = refused.iter().map(ToString::to_string).collect();
        assert_eq!((games, refused.len()), (2, 2), "{replaced}: {refused:?}");
        assert!(
            refused[0].starts_with(&format!("line 1: {reason}")),
            "{refused:?}"
        );
    }
    let longest = first.replacen(&format!("[%emt {time}]"), "[%emt 23:59:59.999]", 1);
    assert_eq!(
        store
            .import([&longest, second].concat().as_bytes())
            .unwrap()
            .games,
        2
    );
}

#[test]
fn sums_that_an_earlier_import_broke_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let [one, two, _] = players(&store);
    store.add_pair(&pair(one, two, 1)).unwrap();
    drop(store);
    let path = folder.path().join("arena.db");
    let sums = format!(
        "UPDATE players SET time_ms = {max}, depth_sum = {max}; PRAGMA user_version = 2",
        max = i64::MAX
    );
    let older = "DROP TABLE rollouts; DROP INDEX matches_by_age;
                 DROP INDEX matches_of_first; DROP INDEX matches_of_second;
                 DROP INDEX games_of_white; DROP INDEX games_of_black;
                 ALTER TABLE matches DROP COLUMN bytes;
                 ALTER TABLE matches DROP COLUMN first; ALTER TABLE matches DROP COLUMN second;
                 ALTER TABLE players DROP COLUMN is_of_matches;";
    Connection::open(&path)
        .unwrap()
        .execute_batch(&format!("{older}{sums}"))
        .unwrap();
    let store = open(&folder);
    store.add_pair(&pair(one, two, 2)).unwrap();
    let effort = store.reader().results().unwrap().records[&one].effort;
    assert!(
        effort.time_ms < 10 * 86_400_000 && effort.depth_sum < 10_000,
        "{effort:?}"
    );
}

#[test]
fn an_import_that_fails_changes_nothing() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable is out"))
        }
    }
    let (_folder, store) = arena();
    let many = MATCH.repeat(100);
    let source = BufReader::new(many.as_bytes().chain(Broken));
    let error = store.import(source).unwrap_err().to_string();
    assert_eq!(error, "cannot read the games: the cable is out");
    assert_eq!(
        store
            .reader()
            .games(&GameFilter::default(), 9)
            .unwrap()
            .games,
        []
    );
}
