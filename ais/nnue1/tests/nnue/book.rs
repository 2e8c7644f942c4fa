//! The opening book.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use ai_api::{
    AiError, Bound, Limits, Move, OptionValue, Position, SearchRequest, harness::Harness,
    harness::Timing,
};
use ai_book::Entry;
use ai_nnue1::Nnue1;
use tempfile::TempDir;

use crate::{START, fen, request, search, setting, with_options};

fn entry(position: &Position, text: &str, weight: u16) -> Entry {
    let chosen = rules::parse_uci(position, text).unwrap();
    Entry {
        key: ai_book::key(position),
        chosen,
        weight,
        learn: 0,
    }
}

/// Returns a folder with a book of these entries.
fn book(mut entries: Vec<Entry>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.bin");
    ai_book::write(&mut entries, fs::File::create(&path).unwrap()).unwrap();
    (folder, path)
}

/// Returns a book with three moves for the start position.
fn of_start() -> (TempDir, PathBuf) {
    let start = fen(START);
    book(
        [("a2a3", 3), ("b2b3", 2), ("c2c3", 1), ("d2d3", 0)]
            .map(|(text, weight)| entry(&start, text, weight))
            .to_vec(),
    )
}

fn ai(path: &Path, seed: i64) -> Harness<Nnue1> {
    let path = OptionValue::Text(path.display().to_string());
    with_options(&[
        setting("book", path),
        setting("book_seed", OptionValue::Integer(seed)),
    ])
}

#[test]
fn plays_a_book_move_without_a_search() {
    let (_folder, path) = of_start();
    for limits in [
        Limits::depth(9),
        Limits::nodes(1),
        Limits::nodes(9_000),
        Limits::movetime_ms(5_000),
    ] {
        let mut ai = ai(&path, 1);
        let found = search(&mut ai, START, limits).result;
        assert_eq!(
            (found.depth, found.nodes, found.bound),
            (0, 1, Bound::Exact)
        );
        assert_eq!(
            (found.score, found.wdl, found.pv.len()),
            (ai.evaluate(&fen(START)), None, 1)
        );
    }
}

#[test]
fn seed_and_position_choose_moves_by_weight() {
    let (_folder, path) = of_start();
    let moves: Vec<Move> = (0..60)
        .map(|seed| search(&mut ai(&path, seed), START, Limits::depth(1)).best_move)
        .collect();
    let again = search(&mut ai(&path, 7), START, Limits::movetime_ms(1)).best_move;
    assert_eq!(again, moves[7], "whatever the limits");
    let count = |text: &str| {
        moves
            .iter()
            .filter(|chosen| chosen.to_string() == text)
            .count()
    };
    let counts = ["a2a3", "b2b3", "c2c3", "d2d3"].map(count);
    assert!(counts[0] > counts[2] && counts[2] > 0, "{counts:?}");
    assert_eq!(
        (counts[3], counts.iter().sum()),
        (0, 60),
        "a move with weight 0 is not played"
    );
}

#[test]
fn searches_if_a_book_move_does_not_suffice() {
    let (_folder, path) = of_start();
    let mut ai = ai(&path, 1);
    let plain = SearchRequest::new(fen(START), Limits::depth(2));
    for asked in [
        SearchRequest { lines: 2, ..plain },
        SearchRequest {
            analysis: true,
            ..plain
        },
        SearchRequest {
            limits: Limits {
                mate_plies: Some(3),
                ..plain.limits
            },
            ..plain
        },
        SearchRequest::new(
            fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"),
            plain.limits,
        ),
    ] {
        assert!(request(&mut ai, &asked).result.depth > 0, "{asked:?}");
    }
    let timing = Timing {
        stop_after: Some(std::time::Duration::from_millis(20)),
        ..Timing::default()
    };
    let analysis = SearchRequest::new(fen(START), Limits::NONE);
    assert!(ai.request(&analysis, timing).unwrap().result.depth > 0);
}

#[test]
fn a_trace_of_a_book_move_contains_only_the_position() {
    let (_folder, path) = of_start();
    let plain = SearchRequest::new(fen(START), Limits::depth(2));
    let found = request(&mut ai(&path, 1), &plain).result;
    let traced = request(
        &mut ai(&path, 1),
        &SearchRequest {
            trace_nodes: 10,
            ..plain
        },
    )
    .result;
    assert_eq!(
        (traced.best_move, traced.score, traced.depth),
        (found.best_move, found.score, 0)
    );
    assert!(found.trace.is_empty() && traced.trace.len() == 1);
    assert_eq!(
        (traced.trace[0].score, traced.trace[0].depth),
        (found.score, 0)
    );
}

#[test]
fn honours_root_moves_and_the_rules() {
    let (_folder, path) = of_start();
    let mut ai = ai(&path, 1);
    let start = fen(START);
    let choose = |texts: &[&str]| -> Vec<Move> {
        texts
            .iter()
            .map(|text| rules::parse_uci(&start, text).unwrap())
            .collect()
    };
    for (allowed, depth) in [
        (choose(&["c2c3", "h2h4"]), 0),
        (choose(&["g2g4", "h2h4"]), 2),
    ] {
        let asked = SearchRequest {
            root_moves: &allowed,
            ..SearchRequest::new(start, Limits::depth(2))
        };
        let found = request(&mut ai, &asked);
        assert_eq!(found.result.depth, depth);
        assert!(allowed.contains(&found.best_move));
    }
    let other = fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    let illegal = Entry {
        key: ai_book::key(&start),
        ..entry(&other, "e7e5", 9)
    };
    let (_folder, path) = book(vec![illegal]);
    assert_eq!(
        search(&mut crate::book::ai(&path, 1), START, Limits::depth(2))
            .result
            .depth,
        2
    );
}

#[test]
fn plays_from_every_kind_of_book() {
    let written = |key, text: &str| {
        let [from, to] = [&text[..2], &text[2..4]].map(|name| name.parse().unwrap());
        Entry {
            key,
            chosen: Move::new(from, to),
            weight: 1,
            learn: 0,
        }
    };
    let castles = "4k3/8/8/8/8/8/PPP5/4K2R w K - 0 1";
    let (_folder, path) = book(vec![written(ai_book::key(&fen(castles)), "e1g1")]);
    let found = search(&mut ai(&path, 1), castles, Limits::depth(9));
    assert_eq!(
        (found.result.depth, found.best_move.to_string().as_str()),
        (0, "e1h1")
    );
    // The pawn that has just moved to f4 cannot be captured because of a pin, so the position omits
    // the capture.
    let pinned = "4k3/8/8/8/4pP2/8/8/4RK2 b - f3 0 1";
    let key = ai_book::key_after(&fen(pinned), "f3".parse().ok());
    assert_ne!(key, ai_book::key(&fen(pinned)));
    let (_folder, path) = book(vec![written(key, "e8d7")]);
    let found = search(&mut ai(&path, 1), pinned, Limits::depth(9));
    assert_eq!(
        (found.result.depth, found.best_move.to_string().as_str()),
        (0, "e8d7")
    );
}

fn error_of(path: &Path) -> String {
    let path = OptionValue::Text(path.display().to_string());
    let made: Result<Harness<Nnue1>, AiError> =
        Harness::new(&rules::RULES, &[setting("book", path)]);
    made.err().unwrap().to_string()
}

#[test]
fn rejects_files_that_are_not_books_at_startup() {
    let (folder, path) = of_start();
    let in_folder = |name: &str| folder.path().join(name);
    fs::write(in_folder("empty"), "").unwrap();
    fs::write(in_folder("short"), [0; 15]).unwrap();
    fs::File::create(in_folder("huge"))
        .unwrap()
        .set_len(2 << 30)
        .unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(in_folder("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let mut unsorted = fs::read(&path).unwrap();
    unsorted.extend([0; 16]);
    fs::write(in_folder("unsorted"), unsorted).unwrap();
    for (name, part) in [
        ("missing", "No such file"),
        (".", "not a regular file; expected a Polyglot book"),
        ("pipe", "not a regular file; expected a Polyglot book"),
        ("empty", "found an empty file; expected a Polyglot book"),
        ("short", "found 15 bytes; expected a Polyglot book"),
        (
            "huge",
            "found 2147483648 bytes; expected a Polyglot book of at most 268435456",
        ),
        (
            "unsorted",
            "entry 5 is out of order; expected a Polyglot book sorted by key",
        ),
    ] {
        let error = error_of(&in_folder(name));
        assert!(
            error.contains(part) && error.contains("book = "),
            "{name}: {error}"
        );
    }
}

#[test]
fn searches_if_the_book_shrinks_later() {
    let (_folder, path) = of_start();
    let mut ai = ai(&path, 1);
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(8)
        .unwrap();
    assert_eq!(search(&mut ai, START, Limits::depth(2)).result.depth, 2);
}

#[test]
fn different_seeds_give_different_book_games() {
    let (_folder, path) = of_start();
    let games: BTreeSet<_> = (0..8)
        .map(|seed| {
            ai(&path, seed)
                .play_game(&fen(START), Limits::nodes(1), 4)
                .unwrap()
        })
        .collect();
    assert!(games.len() > 1);
}
