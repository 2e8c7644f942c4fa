//! Draws by repetition and by the fifty-move rule.

use std::ops::RangeInclusive;

use ai_api::{Limits, Position, Score, SearchRequest, harness::Found};
use rules::Game;

use crate::{ai, fen, request, search};

fn after(start: &str, moves: &str) -> Game {
    let moves: Vec<_> = moves.split(' ').collect();
    Game::from_moves(Some(start), &moves).unwrap()
}

fn find(position: Position, history: &[u64], depth: u32) -> Found {
    let asked = SearchRequest {
        history,
        ..SearchRequest::new(position, Limits::depth(depth))
    };
    request(&mut ai(), &asked)
}

fn assert_scores(
    position: Position,
    history: &[u64],
    depths: RangeInclusive<u32>,
    expected: Score,
) {
    for depth in depths {
        let found = find(position, history, depth);
        assert_eq!(
            found.result.score, expected,
            "depth {depth}, history {history:?}"
        );
    }
}

#[test]
fn a_second_occurrence_in_the_game_is_not_a_draw() {
    // Black has given two queen checks. White is a queen down and could return to the position
    // after the first check.
    let moves = "d2d4 d7d5 d1d2 f7f5 d2c3 d8d6 c3b4 d6b4 e1d1 c8e6 e2e3 b4d6 d1d2 d6b4";
    let game = after(crate::START, moves);
    for depth in 5..=10 {
        let found = find(*game.position(), &game.history(), depth).result;
        assert!(
            found.score < Score::centipawns(-500),
            "depth {depth}: {}",
            found.score
        );
        assert_eq!(
            found,
            find(*game.position(), &[], depth).result,
            "depth {depth}"
        );
    }
}

#[test]
fn the_opponent_need_not_allow_another_repetition() {
    // White has only one move, after which Black mates.
    let position = fen("8/8/8/8/8/6k1/r3p3/6K1 w - - 20 60");
    let mated = rules::play(&position, rules::legal_moves(&position)[0]).hash();
    assert_scores(position, &[mated], 2..=6, Score::mated_in_plies(2));
    assert_scores(position, &[mated, 1, 2, 3, mated], 1..=6, Score::DRAW);
}

#[test]
fn searches_a_repeated_root_like_a_new_one() {
    for text in [
        "6k1/6p1/8/7Q/8/8/rr6/n5K1 w - - 20 60",
        "7k/8/8/8/8/5q2/4R3/6K1 w - - 20 40",
    ] {
        let position = fen(text);
        for depth in 1..=6 {
            let new = find(position, &[], depth).result;
            for occurrences in 1..=3 {
                let history = vec![position.hash(); occurrences];
                assert_eq!(
                    find(position, &history, depth).result,
                    new,
                    "{text} at depth {depth}"
                );
            }
        }
    }
}

#[test]
fn finds_a_perpetual_check_at_depth_4() {
    // White has to play Qe8+ Kh7 Qh5+ Kg8 to avoid mate, and Black's replies are forced.
    let start = "6k1/6p1/8/7Q/8/8/rr6/n5K1 w - - 0 60";
    assert_scores(fen(start), &[], 4..=8, Score::DRAW);
    let cycle = "h5e8 g8h7 e8h5 h7g8";
    let once = after(start, cycle);
    assert_scores(*once.position(), &once.history(), 4..=8, Score::DRAW);
    // Now Qe8+ is a third occurrence.
    let twice = after(start, &format!("{cycle} {cycle}"));
    assert_scores(*twice.position(), &twice.history(), 1..=8, Score::DRAW);
}

#[test]
fn finds_a_longer_perpetual_check() {
    // White is far behind.
    let text = "6k1/8/6pp/4Q3/8/8/rr6/n5K1 w - - 0 1";
    let found = search(&mut ai(), text, Limits::depth(10));
    assert_eq!(found.result.score, Score::DRAW);
}

#[test]
fn avoids_a_third_occurrence_when_it_is_ahead() {
    // Every move but one leads to a third occurrence.
    let position = fen("7k/8/8/8/8/1Q6/8/K7 w - - 10 60");
    let moves = rules::legal_moves(&position);
    let repeated = moves[1..]
        .iter()
        .map(|&chosen| rules::play(&position, chosen).hash());
    let history: Vec<u64> = repeated.clone().chain(repeated).collect();
    let found = find(position, &history, 3);
    assert_eq!(found.best_move, moves[0], "the only move to a new position");
}

#[test]
fn a_mate_on_the_hundredth_half_move_counts() {
    for (clock, score) in [
        (97, Score::mate_in_plies(3)),
        (98, Score::DRAW),
        (120, Score::DRAW),
    ] {
        assert_scores(
            fen(&format!("7k/8/5K2/8/8/8/8/1R6 w - - {clock} 90")),
            &[],
            5..=8,
            score,
        );
    }
    for clock in [99, 100, 120] {
        let mate = fen(&format!("7k/8/6K1/8/8/8/8/1R6 w - - {clock} 90"));
        assert_scores(mate, &[], 1..=6, Score::mate_in_plies(1));
    }
}
