//! Writes books, reads them back and damages them.

use std::{
    collections::BTreeMap,
    io::{Cursor, Write as _},
};

use ai_api::{Move, Position};
use ai_book::{Book, BookError, Choice, Entry, key, key_after, write};
use rules::{Game, legal_moves, parse_uci, play, start_position};

fn entry(position: &Position, uci: &str, weight: u16) -> Entry {
    let chosen = parse_uci(position, uci).expect("a legal move");
    Entry {
        key: key(position),
        chosen,
        weight,
        learn: 0,
    }
}

fn book(entries: &mut [Entry]) -> Book<Cursor<Vec<u8>>> {
    let mut bytes = Vec::new();
    write(entries, &mut bytes).expect("writing to a vector never fails");
    Book::new(Cursor::new(bytes)).expect("whole entries")
}

fn found<S: std::io::Read + std::io::Seek>(
    book: &mut Book<S>,
    position: &Position,
) -> Vec<(String, u16)> {
    let moves = book
        .moves(position, &legal_moves(position))
        .expect("a readable book");
    moves
        .iter()
        .map(|found| (found.chosen.to_string(), found.weight))
        .collect()
}

#[test]
fn finds_the_heaviest_moves_first() {
    let start = start_position();
    let after = play(&start, parse_uci(&start, "e2e4").unwrap());
    let mut book = book(&mut [
        entry(&start, "g1f3", 2),
        entry(&after, "c7c5", 1),
        entry(&start, "d2d4", 9),
        entry(&start, "e2e4", 5),
    ]);
    let expected =
        [("d2d4", 9), ("e2e4", 5), ("g1f3", 2)].map(|(uci, weight)| (uci.to_owned(), weight));
    assert_eq!(found(&mut book, &start), expected);
    assert_eq!(found(&mut book, &after), [("c7c5".to_owned(), 1)]);
    assert_eq!(
        found(&mut book, &play(&after, parse_uci(&after, "e7e5").unwrap())),
        []
    );
    let keys: Vec<_> = book
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().key)
        .collect();
    assert!(keys.is_sorted() && keys.len() == 4, "{keys:?}");
}

#[test]
fn keeps_promotions_and_castling_as_king_takes_rook() {
    for (fen, uci, written) in [
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "e1h1"),
        ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8", "e8a8"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "a7a8n"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a7a8q"),
    ] {
        let position = rules::parse_fen(fen).unwrap();
        let mut book = book(&mut [entry(&position, uci, 1)]);
        assert_eq!(
            found(&mut book, &position),
            [(written.to_owned(), 1)],
            "{fen}"
        );
    }
}

/// Returns an entry as written, legal or not.
fn written(key: u64, text: &str) -> Entry {
    let [from, to] = [&text[..2], &text[2..4]].map(|name| name.parse().expect("a square"));
    Entry {
        key,
        chosen: Move::new(from, to),
        weight: 1,
        learn: 0,
    }
}

#[test]
fn reads_castling_as_a_king_move_of_two_squares() {
    for (fen, text, expected) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", Some("e1h1")),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1", Some("e1a1")),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8g8", Some("e8h8")),
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", Some("e8a8")),
        // Illegal: without the right to this castling, through a piece, and with a different piece.
        ("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", "e1g1", None),
        ("4k3/8/8/8/8/8/8/4KB1R w K - 0 1", "e1g1", None),
        ("3k4/8/8/8/8/8/3K4/4R3 w - - 0 1", "e1g1", Some("e1g1")),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g8", None),
        // Chess960: the rook is elsewhere.
        ("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", "e1g1", Some("e1g1")),
        ("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", "e1c1", None),
    ] {
        let position = rules::parse_fen(fen).unwrap();
        let found = found(&mut book(&mut [written(key(&position), text)]), &position);
        assert_eq!(
            found,
            expected.map(|text| (text.to_owned(), 1)).as_slice(),
            "{fen} {text}"
        );
    }
}

#[test]
fn finds_a_push_without_a_legal_capture_under_both_keys() {
    let game =
        Game::from_moves(Some("4k3/8/8/8/4pP2/8/8/4RK2 b - f3 0 1"), &[] as &[&str]).unwrap();
    let position = game.position();
    let pushed = key_after(position, game.passed());
    // Another program's book has this key.
    assert_eq!(pushed, 0xf9b3_7e8f_4723_7338);
    let legal = legal_moves(position);
    let mut only_pushed = book(&mut [written(pushed, "e8d7")]);
    assert_eq!(found(&mut only_pushed, position), [("e8d7".to_owned(), 1)]);
    assert_eq!(
        only_pushed
            .moves_of(key(position), position, &legal)
            .unwrap(),
        []
    );
    let mut both = book(&mut [written(pushed, "e8d7"), written(key(position), "e8d8")]);
    assert_eq!(found(&mut both, position), [("e8d8".to_owned(), 1)]);
    assert_eq!(
        both.moves_of(pushed, position, &legal).unwrap()[0]
            .chosen
            .to_string(),
        "e8d7"
    );
    assert_eq!(
        both.choose(position, &legal, Choice::Best)
            .unwrap()
            .unwrap()
            .to_string(),
        "e8d8"
    );
}

#[test]
fn choices_follow_the_weights() {
    let start = start_position();
    let legal = legal_moves(&start);
    let mut book = book(&mut [
        entry(&start, "e2e4", 30),
        entry(&start, "d2d4", 60),
        entry(&start, "c2c4", 10),
        entry(&start, "a2a3", 0),
    ]);
    let mut choose = |choice| {
        book.choose(&start, &legal, choice)
            .unwrap()
            .expect("a move")
            .to_string()
    };
    assert_eq!(choose(Choice::Best), "d2d4");
    let mut counts = BTreeMap::new();
    for seed in 0..10_000 {
        *counts.entry(choose(Choice::Weighted { seed })).or_insert(0) += 1;
    }
    assert_eq!(
        choose(Choice::Weighted { seed: 7 }),
        choose(Choice::Weighted { seed: 7 })
    );
    let counts: Vec<_> = counts
        .iter()
        .map(|(uci, &count): (_, &i32)| (uci.as_str(), count))
        .collect();
    let [("c2c4", few), ("d2d4", most), ("e2e4", some)] = counts[..] else {
        panic!("{counts:?}")
    };
    assert!(
        (900..1_100).contains(&few) && (2_800..3_200).contains(&some),
        "{counts:?}"
    );
    assert!((5_800..6_200).contains(&most), "{counts:?}");
}

#[test]
fn does_not_play_moves_with_weight_0() {
    let start = start_position();
    let mut book = book(&mut [entry(&start, "a2a3", 0)]);
    for choice in [Choice::Best, Choice::Weighted { seed: 1 }] {
        assert_eq!(
            book.choose(&start, &legal_moves(&start), choice).unwrap(),
            None
        );
    }
    assert_eq!(found(&mut book, &start), [("a2a3".to_owned(), 0)]);
}

#[test]
fn ignores_illegal_moves() {
    let start = start_position();
    let illegal = |bits| Entry {
        chosen: Move::from_bits(bits),
        ..entry(&start, "e2e4", 1)
    };
    let mut entries: Vec<_> = (0..=u16::MAX).map(illegal).collect();
    let legal = legal_moves(&start);
    entries.retain(|entry| !legal.contains(&entry.chosen));
    for part in entries.chunks(200) {
        assert_eq!(found(&mut book(&mut part.to_vec()), &start), []);
    }
}

#[test]
fn limits_the_entries_read_for_one_key() {
    let start = start_position();
    let mut book = book(&mut vec![entry(&start, "e2e4", 1); 100_000]);
    assert_eq!(found(&mut book, &start).len(), 256);
    assert!(
        book.choose(&start, &legal_moves(&start), Choice::Weighted { seed: 3 })
            .unwrap()
            .is_some()
    );
}

#[test]
fn rejects_an_incomplete_entry() {
    for bytes in [1, 15, 17] {
        let error = Book::new(Cursor::new(vec![0; bytes])).expect_err("an incomplete entry");
        assert!(
            matches!(error, BookError::Length { bytes: found } if found == bytes as u64),
            "{error}"
        );
        assert!(
            error
                .to_string()
                .starts_with(&format!("found {bytes} bytes; expected a Polyglot book"))
        );
    }
    assert!(
        found(
            &mut Book::new(Cursor::new(Vec::new())).unwrap(),
            &start_position()
        )
        .is_empty()
    );
}

#[test]
fn reports_a_file_that_shrinks() {
    let start = start_position();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let mut bytes = Vec::new();
    write(
        &mut [entry(&start, "e2e4", 1), entry(&start, "d2d4", 1)],
        &mut bytes,
    )
    .unwrap();
    file.write_all(&bytes).unwrap();
    let mut book = Book::open(file.path()).unwrap();
    assert_eq!(found(&mut book, &start).len(), 2);
    file.as_file().set_len(16).unwrap();
    assert!(book.moves(&start, &legal_moves(&start)).is_err());
    assert!(matches!(Book::open("no such book"), Err(BookError::Io(_))));
}
