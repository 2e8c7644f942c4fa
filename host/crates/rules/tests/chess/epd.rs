//! EPD: round trips, lines from other programs, and errors with their columns.

use ai_api::{Move, Position};
use fastrand::Rng;
use proptest::prelude::*;
use rules::{Epd, ImportNote, Operand, Operation, format_fen, import_epd, parse_epd};

use crate::random_games::random_game;

const PAWN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

fn epd(line: &str) -> Epd {
    parse_epd(line).unwrap_or_else(|issues| panic!("{line}: {issues:?}"))
}

fn random_position(seed: u64) -> Position {
    let mut random = Rng::with_seed(seed);
    let plies = random.usize(..80);
    *random_game(rules::start_position(), plies, &mut random).position()
}

#[test]
fn reads_texts_from_other_programs() {
    for (line, opcodes, clock, number) in [
        ("", vec![], 0, 1),
        ("  ", vec![], 0, 1),
        ("bm e4; id \"a; b\";", vec!["bm", "id"], 0, 1),
        ("bm e4 Kd2 ; acd 12", vec!["bm", "acd"], 0, 1),
        ("hmvc 7; fmvn 30; draw_offer;", vec!["draw_offer"], 7, 30),
        ("7 30", vec![], 7, 30),
        ("7 30 c0 \"comment\";", vec!["c0"], 7, 30),
        ("7 0", vec![], 7, 1),
        // Perft suites.
        (";D1 5 ;D2 25", vec!["D1", "D2"], 0, 1),
        ("0 1 ;D1 5 ;D2 25 ;", vec!["D1", "D2"], 0, 1),
        ("0 1;D1 5;;D2 25", vec!["D1", "D2"], 0, 1),
        (";", vec![], 0, 1),
        // From lists of mate problems.
        ("bm #12; PV: e2e4 e8d7;", vec!["bm", "PV:"], 0, 1),
        ("am #-3 e4; c0 #", vec!["am", "c0"], 0, 1),
        ("id \"a\tb\";\tc0 \"\t\"", vec!["id", "c0"], 0, 1),
    ] {
        let read = epd(&format!("{PAWN} {line}"));
        let found: Vec<_> = read
            .operations
            .iter()
            .map(|operation| operation.opcode.as_str())
            .collect();
        assert_eq!(found, opcodes, "{line}");
        assert_eq!(
            (
                read.position.halfmove_clock(),
                read.position.fullmove_number()
            ),
            (clock, number),
            "{line}"
        );
    }
    let read = epd(&format!("{PAWN} c0 e4 \"two words\";"));
    let operands = vec![
        Operand::Word("e4".into()),
        Operand::Text("two words".into()),
    ];
    assert_eq!(
        read.operations,
        [Operation {
            opcode: "c0".into(),
            operands
        }]
    );
}

#[test]
fn reports_every_issue_with_its_column() {
    let errors = |line: &str| -> Vec<String> {
        parse_epd(line)
            .expect_err(line)
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    let found = errors("8/8/8/8/8/8/8/8 w - - 9x; bm e4; bm d4; id \"never;");
    for part in [
        "White has no king",
        "Black has no king",
        "column 23: found \"9x; bm",
        "each opcode once",
        "the quote",
    ] {
        assert!(
            found.iter().any(|issue| issue.contains(part)),
            "{part}: {found:?}"
        );
    }
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(errors("4k3/8/8/8 w - -")[0].contains("field 1"));
    assert!(errors(&format!("{PAWN} hmvc x;"))[0].contains("field 5"));
    assert!(errors(&format!("{PAWN} hmvc;"))[0].contains("field 5"));
    assert!(errors(&format!("{PAWN} {}", "x".repeat(9000)))[0].contains("bytes"));
    assert!(errors(&format!("{PAWN} a234567890123456 1;"))[0].contains("15 letters"));
    for operation in [
        "id \"a\u{1}b\"",
        "a:b 1",
        "a:: 1",
        ": 1",
        "bm #",
        "bm #-",
        "bm #1x",
        "bm 3#",
    ] {
        assert_eq!(
            errors(&format!("{PAWN} {operation};")).len(),
            1,
            "{operation}"
        );
    }
}

#[test]
fn rejects_illegal_best_moves_and_moves_to_avoid() {
    for operations in ["bm e4", "bm Ke1d2 e2e4; am Kf1;", "am Kd1+ Kf2!?", "bm; am"] {
        epd(&format!("{PAWN} {operations}"));
    }
    for (operations, expected) in [
        (
            "bm e5;",
            &[
                "column 32: bm names an illegal move: e5 is illegal; legal moves with that piece: \
                 e3, e4",
            ][..],
        ),
        (
            "bm e4 Nf3 e2e5; am Ke3;",
            &["column 35: bm ", "column 39: bm ", "column 48: am "][..],
        ),
        (
            "am \"Qh5\";",
            &[
                "column 32: am names an illegal move: Qh5 is illegal; that piece has no legal \
                 move",
            ][..],
        ),
        (
            "bm zz; id 7; 9;",
            &[
                "column 42: found",
                "column 32: bm names an illegal move: \"zz\" is not a move",
            ][..],
        ),
    ] {
        let issues = parse_epd(&format!("{PAWN} {operations}")).expect_err(operations);
        assert_eq!(issues.len(), expected.len(), "{operations}: {issues:?}");
        for (issue, expected) in issues.iter().zip(expected) {
            assert!(
                issue.to_string().starts_with(expected),
                "{operations}: {issue}"
            );
            assert_eq!(
                issue.fault.code() == "illegal_move",
                expected.contains("m "),
                "{operations}: {issue}"
            );
        }
    }
    // Other operations may name moves from another position.
    epd(&format!("{PAWN} pv e4 Ke7 Kd2; sm Qh5;"));
}

proptest! {
    #[test]
    fn best_moves_round_trip(seed in any::<u64>()) {
        let position = random_position(seed);
        let moves = rules::legal_moves(&position);
        let san = |&chosen: &Move| String::from(rules::format_san(&position, chosen));
        let uci = |&chosen: &Move| rules::format_uci(&position, chosen).to_string();
        let operation = |opcode: &str, operands| Operation { opcode: opcode.to_owned(), operands };
        let operations = vec![
            operation("bm", moves.iter().map(san).map(Operand::Word).collect()),
            operation("am", moves.iter().map(uci).map(Operand::Word).collect()),
        ];
        let written = Epd { position, operations };
        prop_assert_eq!(epd(&written.to_string()).operations, written.operations);
    }

    #[test]
    fn written_texts_round_trip(
        seed in any::<u64>(),
        operations in proptest::collection::btree_map(
            "[a-z][a-zA-Z0-9_]{0,8}:?",
            proptest::collection::vec(prop_oneof![
                "[!#-:<-~]{1,8}".prop_map(Operand::Word),
                "[ \t!#-~é]{0,12}".prop_map(Operand::Text),
            ], 0..4),
            0..6,
        ),
    ) {
        let position = random_position(seed);
        let is_kept = |operation: &Operation| {
            !["hmvc", "fmvn", "bm", "am"].contains(&operation.opcode.as_str())
        };
        let kept = operations
            .into_iter()
            .map(|(opcode, operands)| Operation { opcode, operands })
            .filter(is_kept)
            .collect();
        let written = Epd { position, operations: kept };
        let read = epd(&written.to_string());
        prop_assert_eq!(format_fen(&read.position), format_fen(&written.position));
        prop_assert_eq!(read.operations, written.operations);
    }

    #[test]
    fn never_panics_on_any_line(rest in "[-a-z0-9\" ;:#_é\t\u{0}]{0,80}") {
        let _ = parse_epd(&rest);
        if let Ok(read) = parse_epd(&format!("{PAWN} {rest}")) {
            prop_assert_eq!(epd(&read.to_string()), read);
        }
    }
}

#[test]
fn reads_other_text_after_a_semicolon_as_a_comment() {
    let king_and_rook = "4k3/8/8/8/8/8/8/4K2R w K -";
    for (text, expected, comments) in [
        ("0 1 ; v=175", r#"c0 "v=175";"#, 1),
        ("; +0+2; 00:00 ;", r#"c0 "+0+2"; c1 "00:00";"#, 2),
        (
            "bm #2; 00:00; c0 mine; -",
            r#"bm #2; c0 "00:00"; c1 "-";"#,
            2,
        ),
        ("0 1 ;D1 15 ;D2 66", "D1 15; D2 66;", 0),
    ] {
        let line = format!("{king_and_rook} {text}");
        let read = import_epd(&line);
        if text.contains("c0 mine") {
            assert!(read.is_err(), "the opcode is taken: {line}");
            continue;
        }
        let (epd, notes) = read.unwrap_or_else(|issues| panic!("{line}: {issues:?}"));
        assert_eq!(epd.to_string(), format!("{king_and_rook} {expected}"));
        assert_eq!(notes, vec![ImportNote::OtherEpdText; comments]);
        assert_eq!(parse_epd(&epd.to_string()).as_ref(), Ok(&epd));
        assert_eq!(parse_epd(&line).is_ok(), comments == 0, "{line}");
    }
    for text in ["v=175", "; =\"", "; \u{1} = 2"] {
        assert!(
            import_epd(&format!("{king_and_rook} {text}")).is_err(),
            "{text}"
        );
    }
}
