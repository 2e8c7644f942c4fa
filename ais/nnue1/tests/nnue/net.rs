//! The evaluation with a net.

use ai_api::{Limits, harness::Harness};
use ai_nnue1::{Nnue1, net::Net};

use crate::{
    ENDING, MIDDLEGAME, START, TACTICAL, ai, fen, mirrored, search, text, value, with_options,
    with_terms,
};

#[test]
fn the_net_adds_a_term_named_rest() {
    let position = fen(MIDDLEGAME);
    let mut ai = ai();
    let score = ai.evaluate(&position);
    let mut terms = ai.terms(&position);
    let sum: i32 = terms.iter().map(|term| term.score.value()).sum();
    assert_eq!(sum, score.value());
    let rest = terms.pop().unwrap();
    assert_eq!(rest.name, "rest");
    let mut without_net = with_terms(&[]);
    assert_eq!(terms, without_net.terms(&position));
    assert_ne!(score, without_net.evaluate(&position));
}

#[test]
fn swapped_colours_negate_the_score() {
    let mut ai = ai();
    for text in [START, MIDDLEGAME, TACTICAL, ENDING] {
        let (position, exchanged) = (fen(text), fen(&mirrored(text)));
        let [score, other] =
            [&position, &exchanged].map(|position| value(position, ai.evaluate(position)));
        assert_eq!(score, other, "{text}");
    }
}

#[test]
fn searches_with_the_net_are_repeatable() {
    let mut first_ai = ai();
    for text in [MIDDLEGAME, TACTICAL, ENDING] {
        let first = search(&mut first_ai, text, Limits::nodes(5000)).result;
        first_ai.new_game().unwrap();
        assert_eq!(
            search(&mut first_ai, text, Limits::nodes(5000)).result,
            first
        );
        first_ai.new_game().unwrap();
        assert_eq!(search(&mut ai(), text, Limits::nodes(5000)).result, first);
    }
}

#[test]
fn evaluates_with_a_net_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.net");
    let mut other = (*Net::embedded()).clone();
    other.output_bias += 255 * 64;
    std::fs::write(&file, other.to_bytes()).unwrap();
    let settings = [text("net", file.to_str().unwrap())];
    let position = fen(MIDDLEGAME);
    let difference =
        with_options(&settings).evaluate(&position).value() - ai().evaluate(&position).value();
    assert!((399..=401).contains(&difference), "{difference}");
}

#[test]
fn rejects_a_file_that_is_not_a_net() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let error = Harness::<Nnue1>::new(&rules::RULES, &[text("net", file)]);
    let message = error.err().unwrap().message;
    assert!(
        message.contains(file) && message.contains("not a network; expected a file"),
        "{message}"
    );
}
