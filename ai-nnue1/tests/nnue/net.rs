//! The evaluation by a net.

use ai_api::{Limits, OptionSetting, OptionValue, harness::Harness};
use ai_nnue1::{Nnue1, net::Net};

use crate::{ENDING, MIDDLEGAME, START, TACTICAL, fen, mirrored, search, setting, value, with_options};

fn text(name: &str, value: &str) -> OptionSetting {
    setting(name, OptionValue::Text(value.into()))
}

fn with_net() -> Harness<Nnue1> {
    with_options(&[text("evaluation", "net")])
}

#[test]
fn the_net_replaces_the_terms() {
    let position = fen(MIDDLEGAME);
    let mut ai = with_net();
    let score = ai.evaluate(&position);
    let names: Vec<_> = ai.terms(&position).into_iter().map(|term| (term.name, term.score)).collect();
    assert_eq!(names, [("net".to_owned(), score)]);
    assert_ne!(score, with_options(&[]).evaluate(&position));
}

#[test]
fn exchanged_colours_have_the_opposite_score() {
    let mut ai = with_net();
    for text in [START, MIDDLEGAME, TACTICAL, ENDING] {
        let (position, exchanged) = (fen(text), fen(&mirrored(text)));
        let [score, other] = [&position, &exchanged].map(|position| value(position, ai.evaluate(position)));
        assert_eq!(score, other, "{text}");
    }
}

#[test]
fn searches_with_the_net_are_repeatable() {
    let mut ai = with_net();
    for text in [MIDDLEGAME, TACTICAL, ENDING] {
        let first = search(&mut ai, text, Limits::nodes(5000)).result;
        assert_eq!(search(&mut ai, text, Limits::nodes(5000)).result, first);
        assert_eq!(search(&mut with_net(), text, Limits::nodes(5000)).result, first);
    }
}

#[test]
fn evaluates_by_the_net_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.net");
    let mut other = (*Net::embedded()).clone();
    other.output_bias += 255 * 64;
    std::fs::write(&file, other.to_bytes()).unwrap();
    let settings = [text("evaluation", "net"), text("net", file.to_str().unwrap())];
    let position = fen(MIDDLEGAME);
    let difference =
        with_options(&settings).evaluate(&position).value() - with_net().evaluate(&position).value();
    assert!((399..=401).contains(&difference), "{difference}");
}

#[test]
fn rejects_a_file_that_is_no_net() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let error = Harness::<Nnue1>::new(&rules::RULES, &[text("evaluation", "net"), text("net", file)]);
    let message = error.err().unwrap().message;
    assert!(message.contains(file) && message.contains("not a network; expected a file"), "{message}");
}
