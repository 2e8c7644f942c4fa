//! Checks books.

use std::{
    collections::BTreeSet,
    io::{self, Read, Seek},
};

use ai_api::{Move, Position};
use ai_book::{Book, key_after};
use rules::{legal_moves, passed_square, play, start_position};

/// The maximum number of illegal entries in a report.
pub const MAX_LISTED: usize = 100;

/// A book's contents and errors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BookReport {
    pub entries: u64,
    /// The number of keys.
    pub positions: u64,
    /// The number of positions reachable from the start position by the book's moves, including the
    /// start position.
    pub reachable_positions: u64,
    pub reachable_entries: u64,
    /// The largest number of plies needed to reach one of the reachable positions.
    pub plies: u64,
    /// The number of entries whose key is less than the previous entry's. Readers miss moves in
    /// such a book.
    pub out_of_order: u64,
    /// The number of entries that repeat a move of their position.
    pub duplicates: u64,
    /// The number of reachable entries that castle as the format requires: the king takes its rook.
    pub castling_by_rook: u64,
    /// The number of reachable entries that castle with a two-square king move.
    pub castling_by_steps: u64,
    /// The number of reachable entries whose move is illegal.
    pub illegal: u64,
    /// The first illegal entries.
    pub illegal_entries: Vec<IllegalEntry>,
}

/// An entry whose move is illegal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IllegalEntry {
    pub position: Position,
    pub chosen: Move,
}

impl BookReport {
    /// Returns whether the book has no errors.
    pub const fn is_correct(&self) -> bool {
        self.out_of_order == 0 && self.duplicates == 0 && self.illegal == 0
    }
}

/// Reads every entry and follows the book's moves from the start position. Keeps the keys of
/// reachable positions in memory.
///
/// # Errors
/// The source cannot be read.
pub fn check<S: Read + Seek>(book: &mut Book<S>) -> io::Result<BookReport> {
    let mut report = BookReport::default();
    check_order(book, &mut report)?;
    follow(book, &mut report)?;
    Ok(report)
}

fn check_order<S: Read + Seek>(book: &mut Book<S>, report: &mut BookReport) -> io::Result<()> {
    let mut last = None;
    let mut moves = BTreeSet::new();
    for entry in book.entries()? {
        let entry = entry?;
        report.entries += 1;
        if last != Some(entry.key) {
            report.positions += 1;
            report.out_of_order += u64::from(last > Some(entry.key));
            moves.clear();
        }
        report.duplicates += u64::from(!moves.insert(entry.chosen.to_bits()));
        last = Some(entry.key);
    }
    Ok(())
}

fn follow<S: Read + Seek>(book: &mut Book<S>, report: &mut BookReport) -> io::Result<()> {
    let start = start_position();
    let start_key = key_after(&start, None);
    let mut seen = BTreeSet::from([start_key]);
    let mut level = vec![(start, start_key)];
    for ply in 0.. {
        let mut next = Vec::new();
        for (position, key) in level {
            let entries = book.entries_of(key)?;
            if entries.is_empty() {
                continue;
            }
            report.plies = ply;
            report.reachable_positions += 1;
            report.reachable_entries += entries.len() as u64;
            let legal = legal_moves(&position);
            for entry in entries {
                let Some(chosen) = entry.move_among(&position, &legal) else {
                    report.illegal += 1;
                    if report.illegal_entries.len() < MAX_LISTED {
                        report.illegal_entries.push(IllegalEntry {
                            position,
                            chosen: entry.chosen,
                        });
                    }
                    continue;
                };
                if chosen != entry.chosen {
                    report.castling_by_steps += 1;
                } else if position.is_castling(chosen) {
                    report.castling_by_rook += 1;
                }
                let after = play(&position, chosen);
                let after_key = key_after(&after, passed_square(&after, chosen));
                if seen.insert(after_key) {
                    next.push((after, after_key));
                }
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use ai_book::{Entry, key};
    use proptest::prelude::*;
    use rules::Game;

    use super::*;

    fn entry(moves: &str, chosen: Move) -> Entry {
        let game = Game::from_moves(None, &moves.split_whitespace().collect::<Vec<_>>()).unwrap();
        Entry {
            key: key(game.position()),
            chosen,
            weight: 1,
            learn: 0,
        }
    }

    fn uci(text: &str) -> Move {
        let squares = [&text[..2], &text[2..]].map(|name| name.parse().unwrap());
        Move::new(squares[0], squares[1])
    }

    fn written(entries: &mut [Entry]) -> Vec<u8> {
        let mut bytes = Vec::new();
        ai_book::write(entries, &mut bytes).unwrap();
        bytes
    }

    fn checked(bytes: Vec<u8>) -> BookReport {
        check(&mut Book::new(Cursor::new(bytes)).unwrap()).unwrap()
    }

    #[test]
    fn counts_what_a_correct_book_contains() {
        let report = checked(written(&mut [
            entry("", uci("e2e4")),
            entry("", uci("d2d4")),
            entry("e2e4", uci("e7e5")),
            entry("e2e4 e7e5", uci("g1f3")),
            entry("a2a3", uci("a7a6")),
        ]));
        let expected = BookReport {
            entries: 5,
            positions: 4,
            reachable_positions: 3,
            reachable_entries: 4,
            plies: 2,
            ..BookReport::default()
        };
        assert_eq!(report, expected);
        assert!(report.is_correct());
    }

    #[test]
    fn finds_illegal_and_repeated_moves() {
        let report = checked(written(&mut [
            entry("", uci("e2e4")),
            entry("", uci("e2e4")),
            entry("", uci("e1g1")),
            entry("e2e4", uci("e2e4")),
        ]));
        assert_eq!((report.duplicates, report.illegal), (1, 2));
        let illegal: Vec<_> = report
            .illegal_entries
            .iter()
            .map(|entry| entry.chosen.to_string())
            .collect();
        assert_eq!(illegal, ["e1g1", "e2e4"]);
        assert!(!report.is_correct());
    }

    #[test]
    fn reads_and_distinguishes_both_forms_of_castling() {
        let italian = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
        let lines = [
            "",
            "e2e4",
            "e2e4 e7e5",
            "e2e4 e7e5 g1f3",
            "e2e4 e7e5 g1f3 b8c6",
            "e2e4 e7e5 g1f3 b8c6 f1c4",
        ];
        let moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"];
        let way = || {
            lines
                .iter()
                .zip(moves)
                .map(|(line, chosen)| entry(line, uci(chosen)))
        };
        for (castling, by_rook, by_steps) in [("e1h1", 1, 0), ("e1g1", 0, 1)] {
            let castled = format!("{italian} e1g1");
            let ends = [entry(italian, uci(castling)), entry(&castled, uci("g8f6"))];
            let report = checked(written(&mut way().chain(ends).collect::<Vec<_>>()));
            assert!(report.is_correct() && report.plies == 7, "{report:?}");
            assert_eq!(
                (report.castling_by_rook, report.castling_by_steps),
                (by_rook, by_steps),
                "{report:?}"
            );
        }
    }

    #[test]
    fn follows_a_push_that_no_pawn_can_legally_capture() {
        let line = "e2e4 d7d5 e4d5 e7e5 d1e2 e5e4 d2d4";
        let moves: Vec<_> = line.split(' ').collect();
        let mut entries: Vec<_> = (0..moves.len())
            .map(|ply| entry(&moves[..ply].join(" "), uci(moves[ply])))
            .collect();
        let game = Game::from_moves(None, &moves).unwrap();
        let key = key_after(game.position(), game.passed());
        entries.push(Entry {
            key,
            chosen: uci("g8f6"),
            weight: 1,
            learn: 0,
        });
        assert_eq!(checked(written(&mut entries)).plies, moves.len() as u64);
    }

    /// The AI that made the book chose among more moves than it kept, so any legal move may lead to
    /// a position in the book.
    #[test]
    fn every_key_of_the_shipped_book_follows_the_format() {
        let bytes = include_bytes!("../../../../data/book/rookery.bin");
        let mut book = Book::new(Cursor::new(&bytes[..])).unwrap();
        let mut wanted: BTreeSet<u64> = book
            .entries()
            .unwrap()
            .map(|entry| entry.unwrap().key)
            .collect();
        let start = start_position();
        assert!(wanted.remove(&key_after(&start, None)));
        let mut open = vec![start];
        while let Some(position) = open.pop() {
            for &chosen in &legal_moves(&position) {
                let after = play(&position, chosen);
                if wanted.remove(&key_after(&after, passed_square(&after, chosen))) {
                    open.push(after);
                }
            }
        }
        assert!(
            wanted.is_empty(),
            "{} keys without a position",
            wanted.len()
        );
    }

    #[test]
    fn finds_entries_out_of_order() {
        let mut bytes = written(&mut [entry("", uci("e2e4")), entry("e2e4", uci("e7e5"))]);
        bytes.rotate_left(16);
        let report = checked(bytes);
        assert_eq!((report.out_of_order, report.is_correct()), (1, false));
    }

    proptest! {
        #[test]
        fn any_entries_can_be_checked(
            chosen in prop::collection::vec(any::<(u8, u16, u16)>(), 0..200),
        ) {
            let keys = ["", "e2e4", "d2d4", "e2e4 c7c5"].map(|moves| entry(moves, uci("a1a1")).key);
            let mut bytes = Vec::new();
            for &(key, bits, weight) in &chosen {
                let chosen = Move::from_bits(bits);
                let key = keys[usize::from(key) % keys.len()];
                let entry = Entry { key, chosen, weight, learn: 0 };
                bytes.extend(written(&mut [entry]));
            }
            prop_assert_eq!(checked(bytes).entries, chosen.len() as u64);
        }
    }
}
