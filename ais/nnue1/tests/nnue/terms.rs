//! The terms, each in a position made for it.

use ai_api::{Color, OptionValue, Square};
use ai_nnue1::evaluation::{Terms, Weights, features::Term, trace};
use ai_tablebase::KingPawnBitbase;

use crate::{ENDING, MIDDLEGAME, START, TACTICAL, fen, mirrored, setting, with_terms};

/// Returns the term's contribution, for White.
fn part(text: &str, term: Term) -> i32 {
    let parts = Terms::default().parts(&fen(text));
    parts.into_iter().find(|&(of, _)| of == term).unwrap().1
}

/// Checks that the term makes White better in the first position than in the second, and Black with
/// swapped colours.
#[track_caller]
fn assert_better(term: Term, better: &str, worse: &str) {
    assert!(part(better, term) > part(worse, term), "{}", term.name());
    assert!(
        part(&mirrored(better), term) < part(&mirrored(worse), term),
        "{} of Black",
        term.name()
    );
}

#[test]
fn each_term_prefers_the_better_position() {
    for (term, better, worse) in [
        (
            Term::Material,
            "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/N3K3 w - - 0 1",
        ),
        (
            Term::PieceSquares,
            "4k3/pppp4/8/8/4N3/8/PPPP4/4K3 w - - 0 1",
            "4k3/pppp4/8/8/8/8/PPPP4/N3K3 w - - 0 1",
        ),
        (
            Term::Mobility,
            "4k3/pppp4/8/8/8/8/PPP1P3/2B1K3 w - - 0 1",
            "4k3/pppp4/8/8/8/8/1PPP4/2B1K3 w - - 0 1",
        ),
        (
            Term::DoubledPawns,
            "4k3/pppp4/8/8/8/8/PPP5/4K3 w - - 0 1",
            "4k3/pppp4/8/8/8/P7/P1P5/4K3 w - - 0 1",
        ),
        (
            Term::IsolatedPawns,
            "4k3/pppp4/8/8/8/8/PPP5/4K3 w - - 0 1",
            "4k3/pppp4/8/8/8/8/P1P1P3/4K3 w - - 0 1",
        ),
        (
            Term::BackwardPawns,
            "4k3/8/4p3/3p4/3P4/2P5/1P6/4K3 w - - 0 1",
            "4k3/8/4p3/3p4/1P1P4/2P5/8/4K3 w - - 0 1",
        ),
        (
            Term::PawnIslands,
            "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1",
            "4k3/pppp4/8/8/8/8/PP1P1P2/4K3 w - - 0 1",
        ),
        (
            Term::PawnChains,
            "4k3/pppp4/8/8/3P4/4P3/8/4K3 w - - 0 1",
            "4k3/pppp4/8/8/3P4/6P1/8/4K3 w - - 0 1",
        ),
        (
            Term::PassedPawns,
            "4k3/p7/8/3P4/8/8/8/4K3 w - - 0 1",
            "4k3/3p4/8/3P4/8/8/8/4K3 w - - 0 1",
        ),
        (
            Term::KingShield,
            "r4rk1/ppp2ppp/8/8/8/8/PPP2PPP/R4RK1 w - - 0 1",
            "r4rk1/ppp2ppp/8/8/8/8/PPPPP3/R4RK1 w - - 0 1",
        ),
        (
            Term::KingAttack,
            "6k1/5ppp/8/6NQ/8/3B4/8/6K1 w - - 0 1",
            "6k1/5ppp/8/NQ6/8/B7/8/6K1 w - - 0 1",
        ),
        (
            Term::BishopPair,
            "4k3/pppp4/8/8/8/8/PPPP4/2B1KB2 w - - 0 1",
            "4k3/pppp4/8/8/8/8/PPPP4/2B1KN2 w - - 0 1",
        ),
        (
            Term::RookFiles,
            "4k3/pppp4/8/8/8/8/PPPP4/4K1R1 w - - 0 1",
            "4k3/pppp4/8/8/8/8/PPPP4/R3K3 w - - 0 1",
        ),
        (
            Term::RooksOnSeventh,
            "4k3/R4ppp/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/5ppp/R7/8/8/8/8/4K3 w - - 0 1",
        ),
        (
            Term::DoubledRooks,
            "4k3/5ppp/8/8/3R4/3R4/8/4K3 w - - 0 1",
            "4k3/5ppp/8/8/3R4/2R5/8/4K3 w - - 0 1",
        ),
        (
            Term::XRays,
            "4k3/8/8/1q6/8/3n4/4B3/4K3 w - - 0 1",
            "4k3/8/8/q7/8/3n4/4B3/4K3 w - - 0 1",
        ),
        (
            Term::Threats,
            "4k3/8/8/3r4/4P3/8/8/4K3 w - - 0 1",
            "4k3/8/8/2r5/4P3/8/8/4K3 w - - 0 1",
        ),
        (
            Term::Outposts,
            "4k3/pp6/8/3N4/4P3/8/8/4K3 w - - 0 1",
            "4k3/2p5/8/3N4/4P3/8/8/4K3 w - - 0 1",
        ),
        (
            Term::BareKing,
            "k7/8/1K6/8/8/8/8/1R6 w - - 0 1",
            "8/8/8/4k3/8/8/8/KR6 w - - 0 1",
        ),
        (
            Term::Tempo,
            "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/R3K3 b - - 0 1",
        ),
    ] {
        assert_better(term, better, worse);
    }
}

#[test]
fn terms_add_up_to_the_evaluation() {
    let off = [
        setting("mobility", OptionValue::Flag(false)),
        setting("king_attack", OptionValue::Flag(false)),
    ];
    for mut ai in [with_terms(&[]), with_terms(&off)] {
        for text in [START, MIDDLEGAME, TACTICAL, ENDING] {
            let position = fen(text);
            let sum: i32 = ai
                .terms(&position)
                .iter()
                .map(|term| term.score.value())
                .sum();
            assert_eq!(sum, ai.evaluate(&position).value(), "{text}");
        }
    }
}

#[test]
fn evaluates_both_sides_alike() {
    for text in [
        START,
        MIDDLEGAME,
        TACTICAL,
        ENDING,
        "8/5k2/3b4/8/2PPB3/8/5K2/8 w - - 0 1",
    ] {
        assert_eq!(
            with_terms(&[]).evaluate(&fen(text)),
            -with_terms(&[]).evaluate(&fen(&mirrored(text))),
            "{text}"
        );
    }
}

#[test]
fn the_value_of_a_trace_equals_the_evaluation() {
    for text in [
        START,
        MIDDLEGAME,
        TACTICAL,
        ENDING,
        "8/5k2/3b4/8/2PPB3/8/5K2/8 w - - 0 1",
    ] {
        let position = fen(text);
        assert_eq!(
            trace(&position).value(&Weights::default()),
            Terms::default().for_white(&position),
            "{text}"
        );
    }
}

#[test]
fn every_king_and_pawn_evaluation_has_the_sign_of_the_result() {
    let bitbase = KingPawnBitbase::generate();
    let mut ai = with_terms(&[]);
    let mut counts = [0; 2];
    let [white, black] = [Color::White, Color::Black];
    for pawn in Square::all().filter(|pawn| (1..7).contains(&pawn.rank())) {
        for (strong, weak) in
            Square::all().flat_map(|strong| Square::all().map(move |weak| (strong, weak)))
        {
            for (of, turn) in [
                (white, white),
                (white, black),
                (black, white),
                (black, black),
            ] {
                let letter = |square| match of {
                    _ if square == pawn => ['p', 'P'][usize::from(of == white)],
                    _ if square == strong => ['k', 'K'][usize::from(of == white)],
                    _ if square == weak => ['K', 'k'][usize::from(of == white)],
                    _ => '1',
                };
                let row = |rank: u8| -> String {
                    (0..8).map(|file| letter(Square::new(file, rank))).collect()
                };
                let rows: Vec<_> = (0..8).rev().map(row).collect();
                let turn = if turn == white { 'w' } else { 'b' };
                let Ok(position) = rules::parse_fen(&format!("{} {turn} - - 0 1", rows.join("/")))
                else {
                    continue;
                };
                let Some(is_win) = bitbase.is_win(&position) else {
                    continue;
                };
                let for_pawn = ai.evaluate(&position).value() * of.sign();
                assert_eq!(
                    for_pawn.signum(),
                    i32::from(is_win),
                    "{}: {for_pawn}",
                    rules::format_fen(&position)
                );
                counts[usize::from(is_win)] += 1;
            }
        }
    }
    assert_eq!(counts, [217_576, 445_128]);
}
