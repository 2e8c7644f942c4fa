//! The evaluation.

use ai_api::Evaluator;
use ai_huo1::evaluation::{Evaluation, Phase, worth};

use crate::{POSITIONS, of_level, position, with_host};

fn evaluate(fen: &str) -> Evaluation {
    let position = position(fen);
    Evaluation::of(&position, Phase::of(&position))
}

/// Returns the position with colours swapped.
fn mirrored(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').collect();
    let exchanged = |text: &str| -> String {
        text.chars()
            .map(|c| {
                if c.is_uppercase() {
                    c.to_ascii_lowercase()
                } else {
                    c.to_ascii_uppercase()
                }
            })
            .collect()
    };
    let ranks: Vec<_> = fields[0].split('/').rev().map(exchanged).collect();
    let turn = if fields[1] == "w" { "b" } else { "w" };
    let castling = if fields[2] == "-" {
        "-".into()
    } else {
        exchanged(fields[2])
    };
    let en_passant = fields[3]
        .replace('3', "x")
        .replace('6', "3")
        .replace('x', "6");
    [
        &ranks.join("/"),
        turn,
        &castling,
        &en_passant,
        fields[4],
        fields[5],
    ]
    .join(" ")
}

#[test]
fn material_dominates_the_evaluation() {
    for fen in POSITIONS {
        let Evaluation {
            queens,
            knights,
            castling,
            ..
        } = evaluate(fen);
        assert!(
            (queens + knights + castling).abs() < worth(ai_api::Role::Pawn) * 2,
            "{fen}"
        );
    }
    assert_eq!(
        evaluate("4k3/8/8/8/8/8/8/QRBNK2N w - - 0 30").material,
        900 + 500 + 320 + 620
    );
}

#[test]
fn penalizes_an_early_queen() {
    let out = |number: u32| {
        evaluate(&format!(
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5Q2/PPPP1PPP/RNB1KBNR b KQkq - 1 {number}"
        ))
        .queens
    };
    assert_eq!([out(2), out(10), out(11)], [-40, -40, 0]);
    let at_home = evaluate("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    assert_eq!(at_home.queens, 0);
}

#[test]
fn rewards_central_knights_in_the_opening() {
    let knight_on = |rank: &str, number: u32| {
        evaluate(&format!("4k3/8/8/8/{rank}/8/8/4K3 w - - 0 {number}")).knights
    };
    let by_file = ["N7", "1N6", "2N5", "3N4"].map(|rank| knight_on(rank, 5));
    assert!(
        by_file.is_sorted() && by_file[0] < by_file[1] && by_file[2] < by_file[3],
        "{by_file:?}"
    );
    assert_eq!(knight_on("3N4", 11), 0);
}

#[test]
fn rewards_castling_behind_pawns_against_a_queen() {
    let castled = evaluate("3qk3/8/8/8/8/8/5PPP/5RK1 w - - 0 20").castling;
    let may_castle = evaluate("3qk3/8/8/8/8/8/5PPP/4K2R w K - 0 20").castling;
    let without_pawns = evaluate("3qk3/8/8/8/8/8/8/5RK1 w - - 0 20").castling;
    let without_queen = evaluate("4k3/8/8/8/8/8/5PPP/5RK1 w - - 0 20").castling;
    assert!(castled > may_castle && may_castle > 0);
    assert_eq!((without_pawns, without_queen), (0, 0));
}

#[test]
fn a_mirrored_position_has_the_opposite_score() {
    for fen in POSITIONS {
        let mirrored = evaluate(&mirrored(fen)).score();
        assert_eq!(mirrored, -evaluate(fen).score(), "{fen}");
    }
}

#[test]
fn terms_add_up_to_the_score() {
    with_host(|host| {
        let mut huo = of_level(1);
        for fen in POSITIONS {
            let position = position(fen);
            let terms = huo.terms(&position, host);
            let sum: i32 = terms.iter().map(|term| term.score.value()).sum();
            assert_eq!(sum, huo.evaluate(&position, host).value(), "{fen}");
            assert_eq!(terms.len(), 4);
        }
    });
}
