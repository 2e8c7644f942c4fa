//! The options and their effects.

use ai_api::{Ai, Flag, Host, Limits, OptionSetting, OptionValue, Options, Score, SearchInfo};
use ai_nnue1::{Nnue1, evaluation::features::Term};

use crate::{MIDDLEGAME, fen, search, setting, with_options, with_terms};

#[test]
fn every_term_but_material_has_a_switch() {
    let specs = Nnue1::options();
    for term in Term::ALL {
        let is_declared = specs.iter().any(|spec| spec.name == term.name());
        assert_eq!(is_declared, term != Term::Material, "{}", term.name());
    }
}

#[test]
fn a_switch_removes_its_term() {
    let position = fen("r1b2r1k/1p2qppp/2n1pn2/p7/1PpP4/P1N1PN2/2Q2P1P/R1BR2K1 w - - 0 12");
    let part = |settings: &[OptionSetting], name: &str| {
        let terms = with_terms(settings).terms(&position);
        terms
            .into_iter()
            .find(|term| term.name == name)
            .unwrap()
            .score
    };
    for name in [
        "piece_squares",
        "mobility",
        "isolated_pawns",
        "passed_pawns",
        "tempo",
    ] {
        assert_ne!(part(&[], name), Score::DRAW, "{name}");
        assert_eq!(
            part(&[setting(name, OptionValue::Flag(false))], name),
            Score::DRAW,
            "{name}"
        );
    }
}

#[test]
fn declares_threads_and_memory() {
    let settings = [
        setting("threads", OptionValue::Integer(5)),
        setting("hash_mb", OptionValue::Integer(100)),
    ];
    let options = Options::resolve(&Nnue1::options(), &settings);
    let stop = Flag::new(false);
    let host = Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| ());
    let declared = Nnue1::capabilities(&options, &host);
    assert_eq!(declared.threads, 4);
    assert!(declared.memory_mb > 100);
}

#[test]
fn several_threads_find_a_legal_move() {
    let mut ai = with_options(&[setting("threads", OptionValue::Integer(4))]);
    for limits in [
        Limits::depth(8),
        Limits::nodes(20_000),
        Limits::movetime_ms(50),
    ] {
        search(&mut ai, MIDDLEGAME, limits);
    }
}
