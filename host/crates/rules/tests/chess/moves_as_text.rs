//! UCI and SAN, and why a move is illegal.

use ai_api::Move;
use rules::{MoveError, SanError, format_san, format_uci, parse_san, parse_uci, why_illegal};

use crate::{START, chosen, position};

const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

#[test]
fn limits_the_candidates_in_a_san_error() {
    let queens = position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1");
    let message = parse_san(&queens, "Qa8")
        .expect_err("no queen reaches a8")
        .to_string();
    assert!(
        message.len() < 300 && message.ends_with(" more"),
        "{message}"
    );
}

#[test]
fn distinguishes_malformed_from_illegal_moves() {
    let start = position(START);
    let long = "e2e4".repeat(1 << 16);
    for text in [
        "", "e2", "e2e", "e2e9", "i2e4", "e2-e4", "E2E4", "e7e8Q", "e7e8k", "e7e8p", "e2e4 ",
        "e2e4\n", "0000", "Nf3", "e4", "é2e4", "e2e4qq", "a0a1", &long,
    ] {
        let error = parse_uci(&start, text).unwrap_err();
        assert!(
            matches!(error, MoveError::Malformed { .. }),
            "{text:?}: {error:?}"
        );
        assert!(error.to_string().len() < 220, "{error}");
    }
    assert!(matches!(
        parse_uci(&start, "e2e5"),
        Err(MoveError::Illegal { .. })
    ));
}

fn check_reason(fen: &str, text: &str, expected: &str) {
    let error = parse_uci(&position(fen), text).expect_err(fen);
    assert_eq!(
        error.to_string(),
        format!("{text} is illegal: {expected}"),
        "{fen}"
    );
}

#[test]
fn gives_the_reason_for_an_illegal_move() {
    for (fen, text, reason) in [
        (START, "e4e5", "no piece on e4"),
        (
            START,
            "e7e5",
            "the pawn on e7 is Black's, and it is White's turn",
        ),
        (START, "a1a2", "White's own pawn is on a2"),
        (START, "b1d3", "a knight does not move from b1 to d3"),
        (START, "e2e5", "a pawn does not move from e2 to e5"),
        (START, "e2f4", "a pawn does not move from e2 to f4"),
        (START, "e1e3", "a king does not move from e1 to e3"),
        (CASTLING, "e1a8", "a king does not move from e1 to a8"),
        (
            START,
            "a1a5",
            "the pawn on a2 blocks the rook from a1 to a5",
        ),
        (
            START,
            "a1a8",
            "the pawn on a2 blocks the rook from a1 to a8",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
            "a8a1",
            "the pawn on a7 blocks the rook from a8 to a1",
        ),
        (
            "3rk3/8/8/3PpP2/3K4/8/8/8 w - e6 0 1",
            "d5e6",
            "the king on d4 would be in check from the rook on d8",
        ),
        (
            START,
            "c1g5",
            "the pawn on d2 blocks the bishop from c1 to g5",
        ),
        (
            START,
            "d1d6",
            "the pawn on d2 blocks the queen from d1 to d6",
        ),
        (
            "4k3/8/8/8/4p3/8/4P3/4K3 w - - 0 1",
            "e2e4",
            "the pawn on e4 blocks the pawn from e2 to e4",
        ),
        (
            "4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1",
            "e2e4",
            "the pawn on e3 blocks the pawn from e2 to e4",
        ),
        (
            "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1",
            "e3e5",
            "a pawn does not move from e3 to e5",
        ),
        (
            START,
            "e2d3",
            "a pawn moves diagonally only to capture, and d3 is empty",
        ),
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1",
            "e5d6",
            "en passant on d6 is not available: it must directly follow the double step of the \
             pawn on d5 and must not leave the king in check",
        ),
        (
            "4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1",
            "e2c3",
            "the king on e1 would be in check from the rook on e7",
        ),
        (
            "4k3/8/8/8/8/8/3r4/4K3 w - - 0 1",
            "e1e2",
            "the king on e2 would be in check from the rook on d2",
        ),
        (
            "4k3/8/8/8/8/8/R7/r3K3 w - - 0 1",
            "a2a3",
            "the king on e1 would be in check from the rook on a1",
        ),
        (
            "8/P7/8/8/8/8/1k6/4K3 w - - 0 1",
            "a7a8",
            "a pawn that reaches a8 must become a queen, rook, bishop or knight: add q, r, b or n",
        ),
        (
            START,
            "e2e4q",
            "only a pawn that reaches the last rank is promoted; this is a pawn going to e4",
        ),
        (
            "8/R7/8/8/8/8/1k6/4K3 w - - 0 1",
            "a7a8q",
            "only a pawn that reaches the last rank is promoted; this is a rook going to a8",
        ),
    ] {
        check_reason(fen, text, reason);
    }
}

#[test]
fn gives_the_reason_why_castling_is_illegal() {
    for (fen, text, reason) in [
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1",
            "e1g1",
            "White has no right to castle on the king's side",
        ),
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1",
            "e1h1",
            "White has no right to castle on the king's side",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "e1c1",
            "White has no right to castle on the queen's side",
        ),
        (
            "r3k2r/8/8/8/4r3/8/8/R3K2R w KQkq - 0 1",
            "e1g1",
            "the king is in check from e4",
        ),
        (
            "r3k2r/8/8/8/8/5r2/8/R3K2R w KQkq - 0 1",
            "e1g1",
            "the king would cross f1, which f3 attacks",
        ),
        (
            "r3k2r/8/8/8/8/6r1/8/R3K2R w KQkq - 0 1",
            "e1h1",
            "the king would cross g1, which g3 attacks",
        ),
        (
            "r3k2r/8/8/8/8/8/8/RN2K2R w KQkq - 0 1",
            "e1c1",
            "the knight on b1 is in the way",
        ),
        (
            "r3k2r/8/8/8/8/8/8/R3K1NR w KQkq - 0 1",
            "e1g1",
            "the knight on g1 is in the way",
        ),
        (
            "4k3/8/8/8/8/8/8/rR1K4 w Q - 0 1",
            "d1b1",
            "the king would cross c1, which a1 attacks",
        ),
        (
            "1r2k3/8/8/8/8/8/8/RR1NK3 w B - 0 1",
            "e1a1",
            "White has no right to castle on the queen's side",
        ),
    ] {
        check_reason(fen, text, &format!("castling is not possible: {reason}"));
    }
}

#[test]
fn reads_two_notations_of_orthodox_castling() {
    let castling = position(CASTLING);
    for (text, uci, san) in [
        ("e1g1", "e1g1", "O-O"),
        ("e1h1", "e1g1", "O-O"),
        ("e1c1", "e1c1", "O-O-O"),
        ("e1a1", "e1c1", "O-O-O"),
    ] {
        let chosen = parse_uci(&castling, text).expect(text);
        assert_eq!(format_uci(&castling, chosen).to_string(), uci);
        assert_eq!(format_san(&castling, chosen), san);
        assert_eq!(parse_san(&castling, san), Ok(chosen));
        assert_eq!(parse_san(&castling, &san.replace('O', "0")), Ok(chosen));
    }
}

#[test]
fn castling_in_chess960_is_king_takes_rook() {
    // The king on f1 and the rook on g1 swap places. A king step to g1 would end on the rook's
    // square.
    let position_960 = position("4k3/8/8/8/8/8/8/R4KR1 w GA - 0 1");
    let short = parse_uci(&position_960, "f1g1").expect("castling");
    assert_eq!(format_uci(&position_960, short).to_string(), "f1g1");
    assert_eq!(format_san(&position_960, short), "O-O");
    // King b1 with its rook on a1: b1c1 is a king step, b1a1 is castling.
    let corner = position("4k3/8/8/8/8/8/8/RK6 w A - 0 1");
    let (step, castling) = (
        parse_uci(&corner, "b1c1").unwrap(),
        parse_uci(&corner, "b1a1").unwrap(),
    );
    assert_eq!(
        (&*format_san(&corner, step), &*format_san(&corner, castling)),
        ("Kc1", "O-O-O")
    );
    // Rights by file do not exclude the orthodox notation if king and rook are on their orthodox
    // squares.
    let orthodox = position("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1");
    let both = ["e1g1", "e1h1"].map(|text| parse_uci(&orthodox, text).unwrap());
    assert_eq!(both[0], both[1]);
    assert_eq!(format_uci(&orthodox, both[0]).to_string(), "e1h1");
}

#[test]
fn san_uses_the_shortest_unique_origin() {
    for (fen, uci, expected) in [
        (START, "e2e4", "e4"),
        (START, "g1f3", "Nf3"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "exd5"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", "a8=Q"),
        ("1r5k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8n", "axb8=N"),
        ("7k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8r", "a8=R+"),
        ("6k1/8/8/8/8/8/R6R/4K3 w - - 0 1", "h2e2", "Rhe2"),
        ("7k/R7/8/8/8/8/8/R3K3 w - - 0 1", "a1a4", "R1a4"),
        ("1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1"),
        ("4k3/8/8/8/8/2N1N3/8/2N1K3 w - - 0 1", "c3d5", "Ncd5"),
        ("4r1k1/8/8/8/8/8/4N3/2N1K3 w - - 0 1", "c1d3", "Nd3"),
        ("4r1k1/8/8/8/8/2N5/4N3/4K3 w - - 0 1", "c3d5", "Nd5"),
        ("4r1k1/8/8/1N6/8/8/4N3/4K3 w - - 0 1", "b5d4", "Nd4"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", "Ra8#"),
        ("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", "f1f7", "Qf7"),
        ("5rk1/5ppp/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O"),
        ("5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O+"),
        ("3k4/2p1p3/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"),
    ] {
        let position = position(fen);
        let chosen = parse_uci(&position, uci).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(format_san(&position, chosen), expected, "{fen}");
        assert_eq!(parse_san(&position, expected), Ok(chosen), "{fen}");
    }
}

#[test]
fn accepts_san_with_more_or_less_than_required() {
    for (fen, text, uci) in [
        (START, "Ng1f3", "g1f3"),
        (START, "Ngf3", "g1f3"),
        (START, "N1f3!?", "g1f3"),
        (START, "e2e4", "e2e4"),
        (START, "e4+", "e2e4"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "ed5", "e4d5"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4xd5", "e4d5"),
        ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "Rd5", "d1d5"),
        ("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "a8Q", "a7a8q"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "Ra8", "a1a8"),
    ] {
        let position = position(fen);
        assert_eq!(
            parse_san(&position, text),
            Ok(parse_uci(&position, uci).unwrap()),
            "{fen} {text}"
        );
    }
}

#[test]
fn lists_candidates_for_san_without_a_match() {
    let start = position(START);
    let long = "N".repeat(1 << 20);
    for text in [
        "", "+", "x", "Ze4", "e9", "Nf", "N", "o-0", "O-O-O-O", "0-O", "e8=K", "e8=", "Nfx3",
        "Nzf3", "e4\n", "é4", &long,
    ] {
        let error = parse_san(&start, text).unwrap_err();
        assert!(
            matches!(error, SanError::Malformed { .. }),
            "{text:?}: {error:?}"
        );
        assert!(error.to_string().len() < 300);
    }
    for (fen, text, expected) in [
        (
            START,
            "Nd4",
            "Nd4 is illegal; legal moves with that piece: Na3, Nc3, Nf3, Nh3",
        ),
        (START, "Qd4", "Qd4 is illegal; that piece has no legal move"),
        (START, "O-O", "O-O is illegal; that piece has no legal move"),
        (
            "6k1/8/8/8/8/8/R6R/4K3 w - - 0 1",
            "Re2",
            "Re2 is ambiguous: it may be any of Rae2, Rhe2; name the origin of the piece",
        ),
        (
            "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
            "d5",
            "d5 is illegal; legal moves with that piece: exd5, e5",
        ),
        ("4k3/8/8/8/8/8/8/3RK3 w - - 0 1", "Rxd5", "Rxd5 is illegal"),
        (CASTLING, "Kh1", "Kh1 is illegal"),
        (
            "8/P6k/8/8/8/8/8/4K3 w - - 0 1",
            "a8",
            "a8 is illegal; legal moves with that piece: a8=Q, a8=R, a8=B, a8=N",
        ),
    ] {
        let message = parse_san(&position(fen), text).expect_err(fen).to_string();
        let words = |text: &str| {
            let mut words: Vec<String> = text.split([' ', ',']).map(str::to_owned).collect();
            words.sort();
            words
        };
        if expected.contains(';') {
            assert_eq!(words(&message), words(expected), "{message}");
        } else {
            assert!(message.starts_with(expected), "{message}");
        }
    }
}

#[test]
fn returns_no_reason_for_a_legal_move() {
    let start = position(START);
    assert_eq!(why_illegal(&start, chosen("e2e4")), None);
    // Bits that no move uses do not make a legal move.
    assert!(why_illegal(&start, Move::from_bits(0xffff)).is_some());
}
