//! The options `elo` and `seed`.

use std::collections::BTreeSet;

use ai_api::{Clocks, Limits, Move, OptionValue, SearchRequest, harness::Harness};
use ai_nnue1::Nnue1;

use crate::{
    ENDING, MIDDLEGAME, START, TACTICAL, fen, request, search, setting, value, with_options,
};

fn at(elo: i64, seed: i64) -> Harness<Nnue1> {
    with_options(&[
        setting("elo", OptionValue::Integer(elo)),
        setting("seed", OptionValue::Integer(seed)),
    ])
}

/// Returns the moves played in a position with sixteen different seeds.
fn moves(text: &str, elo: i64) -> Vec<Move> {
    (0..16)
        .map(|seed| search(&mut at(elo, seed), text, Limits::nodes(9_000)).best_move)
        .collect()
}

#[test]
fn the_same_position_and_seed_give_the_same_move() {
    for text in [START, MIDDLEGAME, TACTICAL, ENDING] {
        for elo in [600, 1300, 1700] {
            let clocks = Clocks {
                remaining_ms: [600_000; 2],
                ..Clocks::default()
            };
            let plain = SearchRequest::new(fen(text), Limits::nodes(500_000));
            let first = request(&mut at(elo, 7), &plain).result;
            assert_eq!(
                request(&mut at(elo, 7), &plain).result,
                first,
                "{text}, {elo}"
            );
            let timed = SearchRequest {
                clocks: Some(clocks),
                ..SearchRequest::new(
                    fen(text),
                    Limits {
                        soft_ms: Some(60_000),
                        hard_ms: Some(90_000),
                        ..Limits::NONE
                    },
                )
            };
            let mut ai = at(elo, 7);
            for _ in 0..2 {
                assert_eq!(
                    request(&mut ai, &timed).best_move,
                    first.best_move.unwrap(),
                    "{text}, {elo}"
                );
            }
        }
    }
}

#[test]
fn the_seed_varies_the_moves_of_weak_players_most() {
    let choices = |elo| [START, MIDDLEGAME].map(|text| moves(text, elo)).concat();
    let different = |elo| {
        choices(elo)
            .iter()
            .map(|chosen| chosen.to_bits())
            .collect::<BTreeSet<_>>()
            .len()
    };
    let [weak, strong] = [600, 2300].map(different);
    assert!(
        strong > 2 && weak > 2 * strong,
        "{weak} moves at 600, {strong} at 2300"
    );
}

#[test]
fn a_weaker_player_loses_more_with_each_move() {
    let mut full = with_options(&[]);
    let mut loss = |elo| -> i32 {
        let of = |(text, chosen): (&str, Move)| {
            let position = fen(text);
            let [best, played] = [&[][..], &[chosen]].map(|root_moves| {
                let asked = SearchRequest {
                    root_moves,
                    ..SearchRequest::new(position, Limits::nodes(5_000))
                };
                value(&position, request(&mut full, &asked).result.score)
            });
            (best - played).clamp(0, 1_000)
        };
        [MIDDLEGAME, TACTICAL]
            .iter()
            .flat_map(|&text| {
                moves(text, elo)
                    .into_iter()
                    .map(move |chosen| (text, chosen))
            })
            .map(of)
            .sum()
    };
    let losses = [600, 950, 1400].map(&mut loss);
    assert!(
        losses.is_sorted_by(|weak, strong| weak > strong),
        "{losses:?}"
    );
}

#[test]
fn request_limits_hold_at_every_strength() {
    let mut ai = at(2600, 1);
    assert!(search(&mut ai, MIDDLEGAME, Limits::nodes(100)).result.nodes <= 100);
    assert_eq!(
        search(&mut ai, MIDDLEGAME, Limits::depth(2)).result.depth,
        2
    );
    let asked = SearchRequest {
        lines: 3,
        ..SearchRequest::new(fen(MIDDLEGAME), Limits::nodes(20_000))
    };
    for elo in [600, 3000] {
        assert_eq!(request(&mut at(elo, 1), &asked).result.multipv.len(), 2);
    }
}

#[test]
fn the_seed_varies_the_nodes() {
    let nodes = [1, 2, 3].map(|seed| {
        search(&mut at(1300, seed), MIDDLEGAME, Limits::depth(60))
            .result
            .nodes
    });
    assert_eq!(BTreeSet::from(nodes).len(), 3, "{nodes:?}");
}

#[test]
fn strengths_below_the_minimum_play_like_the_minimum() {
    for elo in [1, 399] {
        let [found, weakest] =
            [elo, 400].map(|elo| search(&mut at(elo, 3), TACTICAL, Limits::depth(20)).result);
        assert_eq!(found, weakest);
    }
}

#[test]
fn searches_for_mates_at_full_strength() {
    const MATE_IN_TWO: &str = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1";
    let limits = Limits {
        mate_plies: Some(3),
        ..Limits::NONE
    };
    for seed in 0..20 {
        let found = search(&mut at(800, seed), MATE_IN_TWO, limits).result;
        assert_eq!(found.score.plies_to_mate(), Some(3));
    }
}

#[test]
fn live_options_take_effect_without_a_new_instance() {
    let mut ai = with_options(&[]);
    let full = search(&mut ai, TACTICAL, Limits::nodes(20_000)).result;
    for (elo, seed) in [(900, 5), (2000, 6)] {
        ai.set_option(&setting("elo", OptionValue::Integer(elo)))
            .unwrap();
        ai.set_option(&setting("seed", OptionValue::Integer(seed)))
            .unwrap();
        let expected = search(&mut at(elo, seed), TACTICAL, Limits::nodes(20_000)).result;
        assert_eq!(
            search(&mut ai, TACTICAL, Limits::nodes(20_000)).result,
            expected
        );
    }
    ai.set_option(&setting("elo", OptionValue::Integer(0)))
        .unwrap();
    assert_eq!(
        search(&mut ai, TACTICAL, Limits::nodes(20_000)).result,
        full
    );
}
