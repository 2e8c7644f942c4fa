//! Legal set-ups, and every cause of illegal ones.

use ai_api::{Color, Role, Square};
use rules::{
    CastlingFault, CastlingRook, EnPassantFault, Excess, Setup, SetupIssue, format_fen, parse_fen,
};

use crate::{codes, messages};

#[track_caller]
fn check(cases: &[(&str, &str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(_, fen, expected)| codes(fen) != *expected)
        .map(|(name, fen, expected)| {
            format!(
                "{name}: {fen}\n  {:?}, expected {expected:?}",
                parse_fen(fen)
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn requires_one_king_of_each_color() {
    check(&[
        ("both", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", &[]),
        (
            "no white king",
            "4k3/8/8/8/8/8/8/8 w - - 0 1",
            &["missing_king"],
        ),
        (
            "no black king",
            "8/8/8/8/8/8/8/4K3 w - - 0 1",
            &["missing_king"],
        ),
        (
            "an empty board",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            &["missing_king", "missing_king"],
        ),
        (
            "two white kings",
            "4k3/8/8/8/8/8/8/2K1K3 w - - 0 1",
            &["too_many_kings"],
        ),
        (
            "three black kings",
            "k1k1k3/8/8/8/8/8/8/4K3 w - - 0 1",
            &["too_many_kings"],
        ),
        (
            "none and two",
            "8/8/8/8/8/8/8/2K1K3 w - - 0 1",
            &["too_many_kings", "missing_king"],
        ),
    ]);
}

#[test]
fn rejects_pawns_outside_ranks_2_to_7() {
    check(&[
        (
            "White's on rank 8",
            "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
            &["pawn_on_back_rank"],
        ),
        (
            "White's on rank 1",
            "4k3/8/8/8/8/8/8/P3K3 w - - 0 1",
            &["pawn_on_back_rank"],
        ),
        (
            "Black's on rank 1",
            "4k3/8/8/8/8/8/8/p3K3 w - - 0 1",
            &["pawn_on_back_rank"],
        ),
        (
            "Black's on rank 8",
            "p3k3/8/8/8/8/8/8/4K3 w - - 0 1",
            &["pawn_on_back_rank"],
        ),
        (
            "two of them",
            "4k3/8/8/8/8/8/8/P3K2p w - - 0 1",
            &["pawn_on_back_rank", "pawn_on_back_rank"],
        ),
        ("ranks 2 and 7", "4k3/P6p/8/8/8/8/p6P/4K3 w - - 0 1", &[]),
    ]);
}

#[test]
fn rejects_impossible_material() {
    check(&[
        (
            "nine queens and no pawn",
            "6rk/6pp/8/8/8/QQQ5/QQQQQQ2/4K3 w - - 0 1",
            &[],
        ),
        (
            "nine queens and a pawn",
            "6rk/6pp/8/8/8/QQQ4P/QQQQQQ2/4K3 w - - 0 1",
            &["too_much_material"],
        ),
        (
            "nine pawns",
            "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
            &["too_much_material"],
        ),
        (
            "three knights and eight pawns",
            "4k3/8/8/8/8/8/PPPPPPPP/NNN1K3 w - - 0 1",
            &["too_much_material"],
        ),
        (
            "three knights and seven pawns",
            "4k3/8/8/8/8/8/PPPPPPP1/NNN1K3 w - - 0 1",
            &[],
        ),
        (
            "three rooks and eight pawns",
            "rrr1k3/pppppppp/8/8/8/8/8/4K3 b - - 0 1",
            &["too_much_material"],
        ),
        (
            "two bishops on one color of squares",
            "b1b1k3/pppppppp/8/8/8/8/8/4K3 b - - 0 1",
            &["too_much_material"],
        ),
        (
            "two bishops on both colors of squares",
            "bb2k3/pppppppp/8/8/8/8/8/4K3 b - - 0 1",
            &[],
        ),
        (
            "22 pieces of a color",
            "6rk/6pp/8/8/8/QQQQQQ2/PPPPPPPP/RNBQKBNR w KQ - 0 1",
            &["too_much_material", "too_much_material"],
        ),
        ("ten rooks", "1rrr4/rrr5/rrrr4/8/8/4k3/8/7K w - - 0 1", &[]),
    ]);
    let issues = parse_fen("6rk/6pp/8/8/8/QQQ4P/QQQQQQ2/4K3 w - - 0 1").expect_err("one too many");
    let excess = Excess::Promoted {
        promoted: 8,
        missing: 7,
    };
    assert_eq!(
        issues,
        [SetupIssue::TooMuchMaterial {
            color: Color::White,
            excess
        }]
    );
}

#[test]
fn only_the_side_to_move_may_be_in_check() {
    check(&[
        (
            "the opponent, by a rook",
            "4k3/8/8/8/8/8/8/4RK2 w - - 0 1",
            &["opponent_in_check"],
        ),
        ("the side to move", "4k3/8/8/8/8/8/8/4RK2 b - - 0 1", &[]),
        (
            "by a pawn",
            "8/8/8/8/8/3k4/4P3/7K w - - 0 1",
            &["opponent_in_check"],
        ),
        (
            "a pawn ahead is not a check",
            "8/8/8/4k3/4P3/8/8/7K w - - 0 1",
            &[],
        ),
        (
            "kings side by side",
            "8/8/8/3kK3/8/8/8/8 w - - 0 1",
            &["opponent_in_check"],
        ),
        (
            "kings cornerwise",
            "8/8/8/3k4/4K3/8/8/8 b - - 0 1",
            &["opponent_in_check"],
        ),
        ("both in check", "4k3/8/8/8/8/8/4r3/4RK2 w - - 0 1", &[]),
        (
            "both in check, by rooks",
            "4k2R/8/8/8/8/8/8/r3K3 w - - 0 1",
            &["opponent_in_check"],
        ),
    ]);
}

#[test]
fn rejects_checks_that_no_move_can_give() {
    check(&[
        ("one checker", "4k3/8/8/8/8/8/8/4RK2 b - - 0 1", &[]),
        (
            "three checkers",
            "4k3/8/3N4/8/B7/8/8/4RK2 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "four checkers",
            "4k2R/8/3N4/8/B7/8/8/4RK2 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "knight uncovers rook",
            "4k3/8/3N4/8/8/8/8/4RK2 b - - 0 1",
            &[],
        ),
        (
            "bishop uncovers rook",
            "4k3/8/8/1B6/8/8/8/4RK2 b - - 0 1",
            &[],
        ),
        (
            "no bishop reaches a4 from the e-file",
            "4k3/8/8/8/B7/8/8/4RK2 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "two knights",
            "4k3/8/3N1N2/8/8/8/8/5K2 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "two rooks on one file",
            "4R3/8/8/8/4k3/8/8/4RK2 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "rooks on a file and a rank",
            "8/8/R3k3/8/8/8/8/4RK2 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "a rook from c6 uncovers a bishop",
            "2R1k3/8/8/8/B7/8/8/5K2 b - - 0 1",
            &[],
        ),
        (
            "a pawn from e7 captures, becomes a rook and uncovers one",
            "3Rk3/8/8/8/8/8/8/4RK2 b - - 0 1",
            &[],
        ),
        (
            "no missing pawn became a rook",
            "3Rk3/8/8/8/8/P7/PPPP1PPP/4RK2 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "no rook reaches c8 from the diagonal",
            "2Rk4/8/5B2/8/8/8/8/5K2 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "a queen on the diagonal would check itself",
            "3Q3k/8/8/8/3B4/8/8/6K1 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "a pawn becomes a knight and uncovers a rook",
            "5N2/R6k/8/8/8/8/8/6K1 b - - 0 1",
            &[],
        ),
        (
            "a pawn steps to f8 and becomes a knight",
            "5N2/3k3R/8/pppppppp/rnbbqnr1/8/8/3K4 b - - 0 1",
            &[],
        ),
        (
            "excess material explains no check",
            "rnbq1bnr/pppppppp/7p/4k3/3P4/8/8/4RK2 b - - 0 1",
            &["too_much_material", "too_much_material"],
        ),
        (
            "two pawns",
            "8/8/8/3k4/2P1P3/8/8/6K1 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "a pawn's capture uncovers a rook",
            "8/8/8/4k3/3P4/8/8/4RK2 b - - 0 1",
            &[],
        ),
        (
            "a capture without a missing piece",
            "rnbq1bnr/pppppppp/8/4k3/3P4/8/8/4RK2 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "en passant uncovers two lines",
            "8/8/4kP2/8/8/7B/8/4RK2 b - - 0 1",
            &[],
        ),
        (
            "the captured pawn is still there",
            "8/5p2/4kP2/8/8/7B/8/4RK2 b - - 0 1",
            &["impossible_check"],
        ),
        (
            "a rook from c3 uncovers a bishop",
            "8/8/8/8/3B4/8/8/k1RK4 b - - 0 1",
            &[],
        ),
        (
            "a rook that may castle has not moved",
            "8/8/8/8/3B4/8/8/k1RK4 b Q - 0 1",
            &["impossible_check"],
        ),
        (
            "the last move was a double step",
            "4k3/8/3N4/8/3pP3/8/8/4RK2 b - e3 0 1",
            &["bad_en_passant_square"],
        ),
    ]);
}

#[test]
fn castling_rights_require_king_and_rook_at_home() {
    let bad: &[&str] = &["bad_castling_rights"];
    check(&[
        ("both at home", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", &[]),
        (
            "the king has left its rank",
            "r3k2r/8/8/8/8/8/4K3/R6R w KQ - 0 1",
            &[bad[0], bad[0]],
        ),
        ("no rook", "4k3/8/8/8/8/8/8/4K3 w K - 0 1", bad),
        (
            "a rook of the other color",
            "4k3/8/8/8/8/8/8/4K2r w K - 0 1",
            bad,
        ),
        (
            "a rook on the other side",
            "4k3/8/8/8/8/8/8/R3K3 w K - 0 1",
            bad,
        ),
        (
            "a rook on another rank",
            "4k3/8/8/8/8/8/7R/4K3 w K - 0 1",
            bad,
        ),
        ("a king on the h-file", "4k3/8/8/8/8/8/8/R6K w Q - 0 1", bad),
        ("a king on the a-file", "4k3/8/8/8/8/8/8/K6R w K - 0 1", bad),
        (
            "a king on the b-file",
            "1k6/8/8/8/8/8/8/RK5R w KQ - 0 1",
            &[],
        ),
        (
            "the same right twice",
            "4k3/8/8/8/8/8/8/4K2R w KK - 0 1",
            bad,
        ),
        (
            "one rook named twice",
            "4k3/8/8/8/8/8/8/4K2R w KH - 0 1",
            bad,
        ),
        (
            "two rooks on one side",
            "4k3/8/8/8/8/8/8/4K1RR w HG - 0 1",
            bad,
        ),
        (
            "a file without a rook",
            "4k3/8/8/8/8/8/8/4K2R w G - 0 1",
            bad,
        ),
        (
            "the file of the king",
            "4k3/8/8/8/8/8/8/4K2R w E - 0 1",
            bad,
        ),
        (
            "kings on different files",
            "r2k3r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            bad,
        ),
        (
            "rooks on different files",
            "4k1r1/8/8/8/8/8/8/4K2R w Kk - 0 1",
            bad,
        ),
        (
            "rooks on different files, one without a right",
            "4k1r1/8/8/8/8/8/8/4K2R w K - 0 1",
            &[],
        ),
        ("different sides", "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1", &[]),
        (
            "no king at all",
            "4k3/8/8/8/8/8/8/7R w K - 0 1",
            &["missing_king", "bad_castling_rights"],
        ),
    ]);
}

#[test]
fn rejects_impossible_en_passant_squares() {
    let bad: &[&str] = &["bad_en_passant_square"];
    check(&[
        ("right", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", &[]),
        (
            "legal without a capturer",
            "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1",
            &[],
        ),
        (
            "the rank of the side to move",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e6 0 1",
            bad,
        ),
        (
            "a rank of neither",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e4 0 1",
            bad,
        ),
        (
            "the wrong side to move",
            "4k3/8/8/8/3pP3/8/8/4K3 w - e3 0 1",
            bad,
        ),
        ("no pawn", "4k3/8/8/8/3p4/8/8/4K3 b - e3 0 1", bad),
        (
            "the pawn of the side to move",
            "4k3/8/8/8/3pp3/8/8/4K3 b - e3 0 1",
            bad,
        ),
        ("a piece on it", "4k3/8/8/8/3pP3/4N3/8/4K3 b - e3 0 1", bad),
        (
            "a piece behind it",
            "4k3/8/8/8/3pP3/8/4N3/4K3 b - e3 0 1",
            bad,
        ),
        (
            "pieces on it and behind it",
            "4k3/8/8/8/3pP3/4N3/4N3/4K3 b - e3 0 1",
            &[bad[0], bad[0]],
        ),
        (
            "a clock that runs",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 1 1",
            &[],
        ),
        (
            "a check that the push did not give",
            "4k3/8/8/8/3pP3/8/8/4RK2 b - e3 0 1",
            &[],
        ),
        (
            "a check from before the push",
            "3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1",
            &[],
        ),
        (
            "a knight's check from before the push",
            "4k3/8/3N4/8/3pP3/8/8/4K3 b - e3 0 1",
            bad,
        ),
        (
            "a check by the pawn",
            "8/8/8/3k4/4P3/8/8/4K3 b - e3 0 1",
            &[],
        ),
        (
            "a check uncovered by the push",
            "8/8/8/8/k3P1pR/8/8/4K3 b - e3 0 1",
            &[],
        ),
        (
            "a check on the rank before the push",
            "8/8/8/8/k6R/4P3/8/4K3 b - - 0 1",
            &[],
        ),
        (
            "a bishop uncovered by the push",
            "8/k7/8/8/4P3/8/5P2/4K1B1 b - - 0 1",
            &[],
        ),
        (
            "a diagonal through the origin",
            "8/8/k7/8/4p3/8/8/4KB2 b - - 0 1",
            &[],
        ),
        (
            "the diagonal that the push opens",
            "8/8/k7/8/3pP3/8/8/4KB2 b - e3 0 1",
            &[],
        ),
    ]);
    let issues =
        parse_fen("4k3/8/3N4/8/3pP3/8/8/4K3 b - e3 0 1").expect_err("the knight checked before");
    let square: Square = "e3".parse().unwrap();
    let fault = EnPassantFault::CheckBefore {
        color: Color::Black,
        by: "d6".parse().unwrap(),
    };
    assert_eq!(issues, [SetupIssue::BadEnPassantSquare { square, fault }]);
}

#[test]
fn reports_all_issues_at_once() {
    let fen = "P3k3/4R3/8/8/4P3/4p3/PPPPPPPP/PP2K3 w kq e4 0 1";
    assert_eq!(
        codes(fen),
        [
            "pawn_on_back_rank",
            "pawn_on_back_rank",
            "pawn_on_back_rank",
            "too_much_material",
            "bad_castling_rights",
            "bad_castling_rights",
            "opponent_in_check",
            "bad_en_passant_square",
        ]
    );
}

#[test]
fn messages_say_what_was_found_and_expected() {
    for (fen, expected) in [
        (
            "4k3/8/8/8/8/8/8/8 w - - 0 1",
            "White has no king; each side has exactly one",
        ),
        (
            "k1k5/8/8/8/8/8/8/4K3 w - - 0 1",
            "Black has 2 kings (a8 and c8); each side has exactly one",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2P w - - 0 1",
            "found a white pawn on h1; pawns are on ranks 2 to 7 only",
        ),
        (
            "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
            "White has 9 pawns; expected at most 8",
        ),
        (
            "4k3/8/8/8/8/8/8/4RK2 w - - 0 1",
            "the black king on e8 is in check from e1, but it is White's turn; only the side to \
             move can be in check",
        ),
        (
            "4k3/8/3N4/8/B7/8/8/4RK2 b - - 0 1",
            "the black king on e8 is in check from e1, a4 and d6 at once; no last move can have \
             given this check",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w K - 0 1",
            "castling rights: White's right on the king's side needs a white rook there on rank 1; \
             found none",
        ),
        (
            "4k3/8/8/8/3pP3/8/4N3/4K3 b - e3 0 1",
            "the en passant square e3 is impossible: e2 is not empty, so the pawn cannot have just \
             passed it",
        ),
    ] {
        assert_eq!(messages(fen), expected);
    }
}

#[test]
fn builds_set_ups_by_hand() {
    let mut setup = Setup::standard();
    let [g1, f3, e4, h1]: [Square; 4] = ["g1", "f3", "e4", "h1"].map(|name| name.parse().unwrap());
    assert_eq!(setup.take(g1), Some((Color::White, Role::Knight)));
    assert_eq!(setup.take(e4), None);
    setup.put(f3, Color::White, Role::Knight);
    setup.turn = Color::Black;
    setup.halfmove_clock = 1;
    let position = setup.into_position().expect("1. Nf3");
    assert_eq!(
        rules::format_fen(&position),
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"
    );
    assert_eq!(Setup::from(&position).into_position(), Ok(position));

    setup.take(h1);
    let rook = CastlingRook::Outermost(ai_api::CastlingSide::King);
    // No rook is left on this side: the queen's rook is on the other.
    let fault = CastlingFault::RookNotAtHome {
        color: Color::White,
        rook,
    };
    assert_eq!(
        setup.into_position(),
        Err(vec![SetupIssue::BadCastlingRights(fault)])
    );

    let mut clocks = Setup::standard();
    clocks.fullmove_number = 0;
    assert_eq!(clocks.into_position(), Setup::standard().into_position());
}

#[test]
fn keeps_a_capturable_en_passant_square_whatever_the_clock() {
    for (fen, expected) in [
        (
            "rnbqkbnr/ppppp1pp/8/5p2/3P4/8/PPP1PPPP/RNBQKBNR w KQkq f6 1 2",
            "rnbqkbnr/ppppp1pp/8/5p2/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 1 2",
        ),
        (
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 7 9",
            "4k3/8/8/8/3pP3/8/8/4K3 b - e3 7 9",
        ),
        // The capturing pawn is pinned.
        (
            "4k3/8/8/8/4pP2/8/8/4RK2 b - f3 3 1",
            "4k3/8/8/8/4pP2/8/8/4RK2 b - - 3 1",
        ),
    ] {
        assert_eq!(
            parse_fen(fen).map(|position| format_fen(&position)),
            Ok(expected.to_owned()),
            "{fen}"
        );
    }
}

#[test]
fn names_double_fischer_random() {
    for fen in [
        "bqnnrbkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhe - 0 1",
        "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAca - 0 1",
    ] {
        assert!(
            messages(fen).contains("double Fischer Random"),
            "{}",
            messages(fen)
        );
    }
}
