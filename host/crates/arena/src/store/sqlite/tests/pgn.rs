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

/// Returns an empty arena with three players.
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
fn an_import_of_an_export_has_the_same_results() {
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
    assert_eq!(report, ImportReport { games: 600, known: 0, refused: Vec::new() });
    assert_eq!(other.reader().results().unwrap(), store.reader().results().unwrap());
    assert_eq!(export(&other), text);
    let records = |store: &Store| {
        let page = store.reader().games(&GameFilter::default(), 600).unwrap();
        let mut records: Vec<_> =
            page.games.iter().map(|game| (game.record.ended, game.record.opening)).collect();
        records.sort();
        records
    };
    assert_eq!(records(&other), records(&store));
    let again = other.import(text.as_bytes()).unwrap();
    assert_eq!(again, ImportReport { games: 0, known: 600, refused: Vec::new() });
}

#[test]
fn imports_games_of_a_match_in_the_order_in_which_they_ended() {
    let (_folder, store) = arena();
    let (first, second) = MATCH.split_at(MATCH.rfind("[Event").unwrap());
    let other = |text: &str| text.replace("Nf6", "Nc6").replace("Nc3", "Nf3").replace("Nc6 3", "Nf6 3");
    let text = [first, &other(second), &other(first), second].concat();
    let report = store.import(text.as_bytes()).unwrap();
    assert_eq!(report, ImportReport { games: 4, known: 0, refused: Vec::new() });
    let page = store.reader().games(&GameFilter::default(), 9).unwrap();
    let pairs: Vec<_> = page.games.iter().map(|row| (row.pair, row.record.white, row.record.plies)).collect();
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
        (page.games[0].record.termination.as_str(), page.games[1].record.termination.as_str()),
        ("Black loses: ai_crashed", "White wins by checkmate")
    );
    let record = store.reader().results().unwrap().records[&one];
    assert_eq!((record.faults, record.effort.moves, record.effort.depth_sum), (2, 4, 18));
    assert_eq!(record.effort.time_ms, 2 * (61_500 + 250));
}

#[test]
fn refuses_what_cannot_be_rated() {
    let (_folder, store) = arena();
    let refusals = |text: &str| {
        let report = store.import(text.as_bytes()).unwrap();
        assert_eq!((report.games, report.known), (0, 0), "{text}");
        report.refused.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let first = &MATCH[..MATCH.rfind("[Event").unwrap()];
    let single = "line 1: no second game with the same opening and exchanged colours";
    for (text, expected) in [
        (first.to_owned(), single),
        (first.replace("1-0", "*").replace("Qxf7#", "Qf3"), "line 1: the game has no result"),
        (first.replace("10+0.1", "1+0"), "line 1: the time control is 1+0; the arena's is 10+0.1"),
        (first.replace("\"10+0.1\"", "\"-\""), "line 1: the time control is -; the arena's is 10+0.1"),
        (first.replace("[Black \"two", "[Black \"nobody"), "line 1: nobody is no player of the arena"),
        (first.replace("[Black \"two", "[Black \"one"), "line 1: both players are one"),
        (first.replace("[White ", "[Rated \"no\"]\n[White "), "line 1: the game was not rated"),
        (first.replace("Qxf7#", "Qxh8"), "line 15: Qxh8 is illegal"),
    ] {
        let found = refusals(&text);
        assert!(matches!(&found[..], [refusal] if refusal.starts_with(expected)), "{text}\n{found:?}");
    }
    let found = refusals(&[first, first].concat());
    assert_eq!(found, [single, "line 17: no second game with the same opening and exchanged colours"]);
    assert_eq!(store.reader().results().unwrap().games(), 0);
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
    assert_eq!(store.reader().games(&GameFilter::default(), 9).unwrap().games, []);
}
