//! Positions that no game can reach, but that can be viewed.

use rules::{ImportNote, SetupIssue, import_fen, legal_moves, play};

use crate::{codes, naive};

#[test]
fn accepts_unreachable_positions() {
    const CHECK: ImportNote = ImportNote::ImpossibleCheck;
    const DOUBLE: ImportNote = ImportNote::DoubleFischerRandom;
    for (fen, code, note, moves) in [
        (
            "4k3/8/3N4/8/B7/8/8/4RK2 b - - 0 1",
            "impossible_check",
            CHECK,
            2,
        ),
        (
            "4k3/8/3N1N2/8/8/8/8/5K2 b - - 0 1",
            "impossible_check",
            CHECK,
            3,
        ),
        (
            "4k3/8/3N4/8/3pP3/8/8/4K3 b - e3 0 1",
            "bad_en_passant_square",
            CHECK,
            4,
        ),
        (
            "r2k3r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            "bad_castling_rights",
            DOUBLE,
            26,
        ),
        (
            "bqnnrbkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhe - 0 1",
            "bad_castling_rights",
            DOUBLE,
            20,
        ),
    ] {
        assert_eq!(codes(fen), [code], "{fen}");
        let (position, notes) =
            import_fen(fen).unwrap_or_else(|issues| panic!("{fen}: {issues:?}"));
        assert_eq!(legal_moves(&position).len(), moves, "{fen}");
        assert_eq!(notes, [note], "{fen}");
    }
}

#[test]
fn a_naive_count_confirms_the_moves_in_unreachable_positions() {
    for fen in [
        "4k2R/8/3N4/8/B7/8/8/4RK2 b - - 0 1",
        "4R3/8/8/8/4k3/8/8/4RK2 b - - 0 1",
        "8/8/R3k3/8/8/8/8/4RK2 b - - 0 1",
        "8/8/8/3k4/2P1P3/8/8/6K1 b - - 0 1",
        "rnbq1bnr/pppppppp/8/4k3/3P4/8/8/4RK2 b - - 0 1",
        "8/8/8/8/3B4/8/8/k1RK4 b Q - 0 1",
        "Q4k1Q/8/8/8/8/8/8/R3K2R b KQ - 0 1",
        "r2k3r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
    ] {
        let (position, notes) =
            import_fen(fen).unwrap_or_else(|issues| panic!("{fen}: {issues:?}"));
        assert_eq!(notes.len(), 1, "{fen}");
        let moves = legal_moves(&position);
        assert_eq!(
            moves.len(),
            naive::count_moves(&position, position.turn()),
            "{fen}"
        );
        for &chosen in &moves {
            let after = play(&position, chosen);
            assert_eq!(
                legal_moves(&after).len(),
                naive::count_moves(&after, after.turn()),
                "{fen} {chosen}"
            );
        }
    }
}

#[test]
fn rejects_other_illegal_positions() {
    for (fen, expected) in [
        ("4k3/8/3N1N2/8/8/8/8/8 b - - 0 1", &["missing_king"][..]),
        ("4k3/8/3N1N2/8/8/8/8/4RK2 w - - 0 1", &["opponent_in_check"]),
        ("4k3/8/3N1N2/8/8/8/8/P4K2 b - - 0 1", &["pawn_on_back_rank"]),
        (
            "4k3/8/3N1N2/8/8/8/8/5K2 b K - 0 1",
            &["bad_castling_rights"],
        ),
        (
            "4k3/8/3N1N2/8/8/8/8/5K2 b - e3 0 1",
            &["bad_en_passant_square"],
        ),
        (
            "4k3/8/3N1N2/8/8/8/8/5K2 b - - x 1",
            &["bad_fen", "impossible_check"],
        ),
    ] {
        let issues = import_fen(fen).expect_err(fen);
        assert_eq!(
            issues.iter().map(SetupIssue::code).collect::<Vec<_>>(),
            expected,
            "{fen}"
        );
    }
    assert_eq!(
        import_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").map(|(_, notes)| notes),
        Ok(Vec::new())
    );
}
