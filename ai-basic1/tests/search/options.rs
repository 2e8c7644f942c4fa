//! Tests Basic1 through the contract.

use ai_api::{Ai, Evaluator, Limits, OptionSetting, OptionValue, Options, Score, Searcher};
use ai_basic1::Basic1;

use crate::{Case, GUARDED_PAWN, best_move, with_host};

fn basic1(settings: &[(&str, OptionValue)]) -> Basic1 {
    let settings: Vec<OptionSetting> = settings
        .iter()
        .map(|(name, value)| OptionSetting {
            name: (*name).into(),
            value: value.clone(),
        })
        .collect();
    let options = Options::resolve(&Basic1::options(), &settings);
    with_host(|host| Basic1::create(&options, host)).expect("these options are allowed")
}

#[test]
fn declares_its_options() {
    let options = Options::resolve(&Basic1::options(), &[]);
    assert_eq!(
        (options.integer("hash_mb"), options.flag("quiescence")),
        (Ok(16), Ok(true))
    );
    let hash_mb = &Basic1::options()[0];
    for (mb, allowed) in [(0, false), (1, true), (1024, true), (1025, false)] {
        assert_eq!(hash_mb.allows(&OptionValue::Integer(mb)), allowed, "{mb}");
    }
}

#[test]
fn searches_captures_by_default() {
    let case = Case::of(GUARDED_PAWN);
    let best = |mut ai: Basic1| {
        let result = with_host(|host| ai.search(&case.request(Limits::depth(1)), host));
        best_move(&result.unwrap())
    };
    assert_ne!(best(basic1(&[])), "d2d5");
    assert_eq!(
        best(basic1(&[("quiescence", OptionValue::Flag(false))])),
        "d2d5"
    );
}

#[test]
fn evaluates_to_the_sum_of_the_terms() {
    let mut ai = basic1(&[("hash_mb", OptionValue::Integer(1))]);
    for case in crate::positions::varied(1) {
        with_host(|host| {
            let terms = ai.terms(&case.position, host);
            let names: Vec<&str> = terms.iter().map(|term| term.name.as_str()).collect();
            assert_eq!(names, ["material", "mobility"]);
            let sum = terms.iter().map(|term| term.score.value()).sum();
            assert_eq!(
                ai.evaluate(&case.position, host),
                Score::centipawns(sum),
                "{}",
                case.name
            );
        });
    }
}
