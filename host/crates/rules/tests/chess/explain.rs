//! Explanations of why a string is not a legal move, with its most plausible meaning first.

use std::collections::BTreeSet;

use ai_api::{CastlingSide, Position, Square};
use proptest::prelude::*;
use rules::{
    IllegalMeaning, MoveError, MoveFault, MoveRefusal, Movement, Obstacle, SanError, explain_move,
    format_san, format_uci, legal_moves, parse_san, parse_uci, reachable,
};

use crate::{START, position, random_text::in_every_position};

const PINNED: &str = "rnbqk1nr/pppp1ppp/4p3/8/1b6/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1";
const THROUGH_CHECK: &str = "3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
const LATE: &str = "4k3/8/8/3pPp2/8/8/8/4K3 w - d6 0 1";
const PROMOTES: &str = "3n4/4P1k1/8/8/8/8/8/4K3 w - - 0 1";

/// A position, a string, its reasons as `from-to:code@by/through`, and the sentence after the
/// string.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        PINNED,
        "d3",
        "d2-d3:pinned@b4",
        ": the pawn on d2 is pinned by the bishop on b4",
    ),
    (
        PINNED,
        "d2d4",
        "d2-d4:pinned@b4",
        ": the pawn on d2 is pinned by the bishop on b4",
    ),
    (
        PINNED,
        "exd3",
        "e2-d3:nothing_to_capture",
        ": a pawn moves diagonally only to capture, and d3 is empty",
    ),
    (
        PINNED,
        "xd3",
        "c2-d3:nothing_to_capture e2-d3:nothing_to_capture",
        ": a pawn moves diagonally only to capture, and d3 is empty",
    ),
    (
        START,
        "Nxf3",
        "g1-f3:nothing_to_capture",
        ": there is nothing to capture on f3",
    ),
    (
        START,
        "e2xe4",
        "e2-e4:nothing_to_capture",
        ": there is nothing to capture on e4",
    ),
    (
        START,
        "Nd2",
        "b1-d2:own_piece",
        ": White's own pawn is on d2",
    ),
    (
        START,
        "Bg5",
        "c1-g5:blocked@d2",
        ": the pawn on d2 blocks the bishop from c1 to g5",
    ),
    (
        START,
        "Ng5",
        "",
        "; legal moves with that piece: Na3, Nc3, Nf3, Nh3",
    ),
    (
        START,
        "Ngg5",
        "g1-g5:moves_differently",
        ": a knight does not move from g1 to g5",
    ),
    (
        START,
        "Ke4",
        "e1-e4:moves_differently",
        ": a king does not move from e1 to e4",
    ),
    (
        START,
        "e5",
        "e7-e5:not_your_turn e2-e5:moves_differently",
        ": the pawn on e7 is Black's, and it is White's turn",
    ),
    (
        START,
        "Nf6",
        "g8-f6:not_your_turn",
        ": the knight on g8 is Black's, and it is White's turn",
    ),
    (
        START,
        "e7e5",
        "e7-e5:not_your_turn",
        ": the pawn on e7 is Black's, and it is White's turn",
    ),
    (
        START,
        "d8d5",
        "d8-d5:not_your_turn",
        ": the queen on d8 is Black's, and it is White's turn",
    ),
    (START, "e4e5", "e4-e5:no_piece", ": no piece on e4"),
    (
        START,
        "e2e5",
        "e2-e5:moves_differently",
        ": a pawn does not move from e2 to e5",
    ),
    (
        START,
        "b1d2",
        "b1-d2:own_piece",
        ": White's own pawn is on d2",
    ),
    (
        START,
        "b1d1",
        "b1-d1:moves_differently",
        ": a knight does not move from b1 to d1",
    ),
    (
        START,
        "g1-f3",
        "",
        "; legal moves with that piece: Nf3, Nh3",
    ),
    (
        START,
        "e1g1",
        "e1-g1:blocked@f1",
        ": castling is not possible: the bishop on f1 is in the way",
    ),
    (
        START,
        "0-0",
        "e1-g1:blocked@f1",
        ": castling is not possible: the bishop on f1 is in the way",
    ),
    (
        THROUGH_CHECK,
        "O-O-O",
        "e1-c1:castling_through_check@d8/d1",
        ": castling is not possible: the king would cross d1, which d8 attacks",
    ),
    (
        THROUGH_CHECK,
        "e1a1",
        "e1-a1:castling_through_check@d8/d1",
        ": castling is not possible: the king would cross d1, which d8 attacks",
    ),
    (
        "4k3/8/8/8/8/8/4q3/R3K2R w KQ - 0 1",
        "O-O",
        "e1-g1:castling_out_of_check@e2",
        ": castling is not possible: the king is in check from e2",
    ),
    (
        "4k3/8/8/8/4K3/8/8/R6R w - - 0 1",
        "O-O",
        "e4-g1:rights_lost",
        ": castling is not possible: White has no right to castle on the king's side",
    ),
    (
        "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1",
        "Kg1",
        "e1-g1:rights_lost",
        ": castling is not possible: White has no right to castle on the king's side",
    ),
    (
        THROUGH_CHECK,
        "Kg1",
        "",
        "; legal moves with that piece: O-O, Kf1, Ke2, Kf2",
    ),
    (
        "4k1r1/8/8/8/8/8/8/4KR2 w F - 0 1",
        "O-O",
        "e1-f1:castling_through_check@g8/g1",
        ": castling is not possible: the king would cross g1, which g8 attacks",
    ),
    // Castling is legal there, but is written e1d1.
    (
        "4k3/8/8/8/8/8/8/3RK3 w D - 0 1",
        "e1c1",
        "e1-c1:moves_differently",
        ": a king does not move from e1 to c1",
    ),
    (
        LATE,
        "exf6",
        "e5-f6:no_en_passant@f5",
        ": en passant on f6 is not available: it must directly follow the double step of the pawn \
         on f5 and must not leave the king in check",
    ),
    (
        "4k3/8/8/8/8/2b5/8/4K2N w - - 0 1",
        "Nf2",
        "h1-f2:leaves_king_in_check@c3",
        ": the king on e1 would be in check from the bishop on c3",
    ),
    (
        PROMOTES,
        "e7e8",
        "e7-e8:promotion_missing",
        ": a pawn that reaches e8 must become a queen, \
      rook, bishop or knight: add q, r, b or n",
    ),
    (
        PROMOTES,
        "exd8",
        "e7-d8:promotion_missing",
        ": a pawn that reaches d8 must become a queen, \
      rook, bishop or knight: add q, r, b or n",
    ),
    (
        PROMOTES,
        "exf8",
        "e7-f8:nothing_to_capture",
        ": a pawn moves diagonally only to capture, and \
      f8 is empty",
    ),
    // Several pieces: the piece whose move is closest to legal comes first.
    (
        "4r1k1/8/8/8/8/6N1/4N3/4K3 w - - 0 1",
        "Nf4",
        "e2-f4:pinned@e8",
        ": the knight on e2 is pinned by the rook on e8",
    ),
    (
        "4r1k1/8/8/8/8/2B3N1/4B3/4K3 w - - 0 1",
        "Bh5",
        "e2-h5:pinned@e8",
        ": the bishop on e2 is pinned by the rook on e8",
    ),
    (
        "4r1k1/8/8/3P4/3R4/3P4/4R3/4K3 w - - 0 1",
        "Rd2",
        "e2-d2:pinned@e8 d4-d2:blocked@d3",
        ": the rook on e2 is pinned by the rook on e8",
    ),
    // The text names a piece that is not on the board.
    (
        "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1",
        "Nbc3",
        "e2-c3:pinned@e8",
        ": the knight on e2 is pinned by the rook on e8",
    ),
    (
        "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
        "d5",
        "",
        "; legal moves with that piece: exd5, e5",
    ),
    (
        START,
        "Qh5+",
        "d1-h5:blocked@e2",
        ": the pawn on e2 blocks the queen from d1 to h5",
    ),
    (
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "Qd4",
        "",
        "; that piece has no legal move",
    ),
];

fn shown(meaning: &IllegalMeaning) -> String {
    let obstacle = meaning.why.obstacle();
    let by = obstacle.and_then(Obstacle::by).map(|by| format!("@{by}"));
    let through = obstacle.and_then(Obstacle::through);
    let through = through.map(|square| format!("/{square}"));
    format!(
        "{}-{}:{}{}{}",
        meaning.from,
        meaning.to,
        meaning.why.code(),
        by.unwrap_or_default(),
        through.unwrap_or_default()
    )
}

/// The reasons and the alternatives of an illegal move.
fn illegal(position: &Position, text: &str) -> (Vec<IllegalMeaning>, Vec<String>) {
    match explain_move(position, text) {
        Err(MoveRefusal::Illegal {
            reasons,
            alternatives,
            ..
        }) => (reasons, alternatives),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn gives_the_most_plausible_meaning_first() {
    let mut wrong = Vec::new();
    for &(fen, text, expected, sentence) in CASES {
        let (reasons, _) = illegal(&position(fen), text);
        let reasons = reasons.iter().map(shown).collect::<Vec<_>>().join(" ");
        let message = explain_move(&position(fen), text).unwrap_err().to_string();
        if reasons != expected || message != format!("{text} is illegal{sentence}") {
            wrong.push(format!("{fen} {text}\n  {reasons}\n  {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn suggests_moves_of_the_named_piece() {
    for (fen, text, expected) in [
        (PINNED, "Nf5", "Nf3 Nh3"),
        (START, "e2e5", "e3 e4"),
        (START, "b1d2", "Na3 Nc3"),
        (START, "e7e5", ""),
        (START, "e4e5", ""),
        (THROUGH_CHECK, "O-O-O", "Kf1 O-O Ke2 Kf2"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "d5", "exd5 e5"),
    ] {
        let (_, alternatives) = illegal(&position(fen), text);
        assert_eq!(alternatives.join(" "), expected, "{fen} {text}");
    }
}

#[test]
fn distinguishes_ambiguous_and_malformed_texts() {
    let rooks = position("6k1/8/8/8/8/8/R6R/4K3 w - - 0 1");
    for (text, expected) in [
        (
            "Re2",
            "Re2 is ambiguous: it may be any of Rae2, Rhe2; name the origin of the piece",
        ),
        (
            "Re9",
            "\"Re9\" is not a move in SAN or UCI, such as Nf3, exd6, O-O or e7e8q",
        ),
    ] {
        let refusal = explain_move(&rooks, text).unwrap_err();
        assert_eq!(refusal.to_string(), expected);
    }
}

#[test]
fn every_fault_has_a_unique_code() {
    let codes = MoveFault::codes();
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), 14, "{codes:?}");
}

/// Checks `explain_move` against the functions that only parse moves.
fn check(position: &Position, text: &str) -> Result<(), String> {
    let read = parse_uci(position, text)
        .ok()
        .or_else(|| parse_san(position, text).ok());
    let agrees = match explain_move(position, text) {
        Ok(chosen) => read == Some(chosen),
        Err(MoveRefusal::Malformed { .. }) => {
            matches!(parse_uci(position, text), Err(MoveError::Malformed { .. }))
                && matches!(parse_san(position, text), Err(SanError::Malformed { .. }))
        }
        Err(MoveRefusal::Ambiguous { candidates, .. }) => matches!(
            parse_san(position, text),
            Err(SanError::Ambiguous { candidates: others, .. }) if others == candidates
        ),
        Err(MoveRefusal::Illegal { reasons, .. }) => {
            read.is_none()
                && reasons.is_sorted_by_key(|meaning| meaning.why)
                && reasons.iter().all(|meaning| is_true(position, meaning))
        }
    };
    let result = || format!("{text}: {:?}", explain_move(position, text));
    agrees.then_some(()).ok_or_else(result)
}

/// Returns whether the reachable squares confirm, or at least do not contradict, why a meaning is
/// illegal.
fn is_true(position: &Position, meaning: &IllegalMeaning) -> bool {
    let reaches = reachable(position, meaning.from);
    let castles = meaning.movement == Some(Movement::Castling);
    let reach = reaches
        .iter()
        .find(|reach| reach.to == meaning.to && (reach.movement == Movement::Castling) == castles);
    let piece = position.color_at(meaning.from);
    match (meaning.why, reach) {
        (MoveFault::NoPiece, _) => piece.is_none(),
        (MoveFault::MovesDifferently, _) => reach.is_none() && piece == Some(position.turn()),
        (MoveFault::Obstacle(Obstacle::NotYourTurn), _) => piece == Some(!position.turn()),
        // In Chess960 the target may be the castling target on the other side.
        (MoveFault::Obstacle(Obstacle::RightsLost), _) => {
            let rook_file = |side| position.castling().rook_file(position.turn(), side);
            castles
                && CastlingSide::ALL
                    .into_iter()
                    .any(|side| rook_file(side).is_none())
        }
        // The text contains `x` or lacks a promotion.
        (why, Some(reach)) if reach.obstacle.is_none() => matches!(
            why,
            MoveFault::Obstacle(Obstacle::NothingToCapture)
                | MoveFault::PromotionMissing
                | MoveFault::PromotionNotAllowed
        ),
        (why, Some(reach)) => {
            why.obstacle() == reach.obstacle && meaning.movement == Some(reach.movement)
        }
        // Castling from another square, or written as king takes rook.
        (_, None) => castles,
    }
}

#[test]
fn agrees_with_the_rules_in_random_games() {
    in_every_position(|position, random| {
        for &chosen in &legal_moves(position) {
            for text in [
                format_uci(position, chosen).to_string(),
                chosen.to_string(),
                format_san(position, chosen).to_string(),
            ] {
                if explain_move(position, &text) != Ok(chosen) {
                    return Err(format!("{text} is {chosen}"));
                }
            }
        }
        let own: Vec<_> = position.color(position.turn()).into_iter().collect();
        for _ in 0..8 {
            let from = own[random.usize(..own.len())];
            let to = Square::from_index(random.u8(..64));
            let text = format!("{from}{to}");
            check(position, &text)?;
            if let Err(refusal) = explain_move(position, &text) {
                let MoveRefusal::Illegal { reasons, .. } = &refusal else {
                    return Err(format!("{text}: {refusal:?}"));
                };
                if reasons.len() != 1 || (reasons[0].from, reasons[0].to) != (from, to) {
                    return Err(format!("{text}: {refusal:?}"));
                }
            }
            let letter = ["N", "B", "R", "Q", "K", ""][random.usize(..6)];
            let takes = ["", "x"][random.usize(..2)];
            check(position, &format!("{letter}{takes}{to}"))?;
        }
        ["O-O", "O-O-O"]
            .iter()
            .try_for_each(|text| check(position, text))
    });
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn explains_any_text_without_a_panic(
        text in prop_oneof![
            "\\PC*|[\\x00-\\x7f]{0,200}",
            "[NBRQK♘]?[a-h]?[1-8]?[x-]?[a-h][1-8](=?[NBRQ]|[qrbn])?[+#]?",
        ],
    ) {
        for fen in [START, PROMOTES, "r3k2r/p1P2p1p/8/3Pp3/8/2N2N2/PP3PPP/R3K2R w KQkq e6 0 1"] {
            check(&position(fen), &text).map_err(TestCaseError::fail)?;
        }
    }
}
