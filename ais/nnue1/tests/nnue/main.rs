//! Nnue1 through the contract: problems, limits, repeatability, lines, traces, options and terms.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod book;
mod draws;
mod games;
mod host_tables;
mod limits;
mod lines;
mod net;
mod options;
mod strength;
mod tactics;
mod terms;

use ai_api::{
    Limits, OptionSetting, OptionValue, Position, Score, SearchRequest,
    harness::{Found, Harness, Timing},
};
use ai_nnue1::Nnue1;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
const TACTICAL: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const ENDING: &str = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";

fn fen(text: &str) -> Position {
    rules::parse_fen(text).unwrap_or_else(|issues| panic!("{text}: {issues:?}"))
}

/// Returns the same position with colours swapped.
fn mirrored(text: &str) -> String {
    let mut fields = text.split(' ');
    let (placement, turn, castling) = (
        fields.next().unwrap(),
        fields.next().unwrap(),
        fields.next().unwrap(),
    );
    let swap = |letter: char| {
        if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        }
    };
    let swapped = |text: &str| text.chars().map(swap).collect::<String>();
    let ranks: Vec<String> = placement.rsplit('/').map(swapped).collect();
    let turn = if turn == "w" { "b" } else { "w" };
    let mut castling: Vec<char> = swapped(castling).chars().collect();
    castling.sort_unstable();
    let castling: String = castling.into_iter().collect();
    let rest: Vec<&str> = fields.collect();
    format!("{} {turn} {castling} {}", ranks.join("/"), rest.join(" "))
}

fn setting(name: &str, value: OptionValue) -> OptionSetting {
    OptionSetting {
        name: name.into(),
        value,
    }
}

fn with_options(settings: &[OptionSetting]) -> Harness<Nnue1> {
    let mut all = vec![setting("hash_mb", OptionValue::Integer(4))];
    all.extend_from_slice(settings);
    Harness::new(&rules::RULES, &all).unwrap()
}

fn ai() -> Harness<Nnue1> {
    with_options(&[])
}

fn text(name: &str, value: &str) -> OptionSetting {
    setting(name, OptionValue::Text(value.into()))
}

/// Creates an AI that evaluates with the terms and has these other options.
fn with_terms(settings: &[OptionSetting]) -> Harness<Nnue1> {
    with_options(&[settings, &[text("evaluation", "terms")]].concat())
}

fn request(ai: &mut Harness<Nnue1>, request: &SearchRequest<'_>) -> Found {
    let found = ai.request(request, Timing::default()).unwrap();
    assert_playable(&request.position, &found);
    found
}

fn search(ai: &mut Harness<Nnue1>, text: &str, limits: Limits) -> Found {
    request(ai, &SearchRequest::new(fen(text), limits))
}

/// Checks that the line begins with the best move and can be played.
fn assert_playable(position: &Position, found: &Found) {
    assert_eq!(found.result.pv.first(), Some(&found.best_move));
    let mut position = *position;
    for &chosen in &found.result.pv {
        assert!(
            rules::is_legal(&position, chosen),
            "{chosen} of {:?}",
            found.result.pv
        );
        position = rules::play(&position, chosen);
    }
}

/// Returns the score for the side to move.
fn value(position: &Position, score: Score) -> i32 {
    score.value() * position.turn().sign()
}
