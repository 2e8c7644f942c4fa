//! Draws by repetition and by the fifty-move rule.

use std::ops::RangeInclusive;

use ai_api::{Limits, NodeKind, Position, Score, SearchRequest, SearchResult};
use rules::Game;

use crate::{chosen, position, request, result};

fn after(start: &str, moves: &str) -> Game {
    let moves: Vec<_> = moves.split(' ').collect();
    Game::from_moves(Some(start), &moves).unwrap()
}

fn search(position: Position, history: &[u64], depth: u32) -> SearchResult {
    result(&SearchRequest {
        history,
        trace_nodes: 4000,
        ..SearchRequest::new(position, Limits::depth(depth))
    })
}

fn assert_scores(
    position: Position,
    history: &[u64],
    depths: RangeInclusive<u32>,
    expected: Score,
) {
    for depth in depths {
        assert_eq!(
            search(position, history, depth).score,
            expected,
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
    for depth in 1..=4 {
        let found = search(*game.position(), &game.history(), depth);
        assert!(
            found.score < Score::centipawns(-500),
            "depth {depth}: {}",
            found.score
        );
        assert_eq!(found, search(*game.position(), &[], depth), "depth {depth}");
    }
}

#[test]
fn the_opponent_need_not_allow_another_repetition() {
    // White has only one move, after which Black mates.
    let position = position("8/8/8/8/8/6k1/r3p3/6K1 w - - 20 60");
    let mated = rules::play(&position, rules::legal_moves(&position)[0]).hash();
    assert_scores(position, &[mated], 2..=4, Score::mated_in_plies(2));
    assert_scores(position, &[mated, 1, 2, 3, mated], 1..=4, Score::DRAW);
}

#[test]
fn only_a_third_occurrence_in_the_game_saves_a_lost_position() {
    // White is down a queen for a rook.
    let fen = "7k/8/8/8/8/5q2/4R3/6K1 w - - 8 40";
    let position = position(fen);
    for &back in &rules::legal_moves(&position) {
        let hash = rules::play(&position, back).hash();
        let only = SearchRequest {
            root_moves: &[back],
            trace_nodes: 9,
            ..request(fen, 2)
        };
        let twice = result(&SearchRequest {
            history: &[hash, 1, 2, 3, hash, 4],
            ..only
        });
        assert_eq!((chosen(&twice), twice.score), (back, Score::DRAW));
        assert_eq!(twice.trace[1].kind, NodeKind::Repetition);
        let once = result(&SearchRequest {
            history: &[hash, 1, 2],
            ..only
        });
        assert!(
            once.score < Score::centipawns(-200),
            "{back}: {}",
            once.score
        );
        assert_ne!(once.trace[1].kind, NodeKind::Repetition);
    }
}

#[test]
fn searches_a_repeated_root_like_a_new_one() {
    for fen in [
        "6k1/6p1/8/7Q/8/8/rr6/n5K1 w - - 20 60",
        "7k/8/8/8/8/5q2/4R3/6K1 w - - 20 40",
    ] {
        let position = position(fen);
        for depth in 1..=4 {
            let new = search(position, &[], depth);
            for occurrences in 1..=3 {
                let history = vec![position.hash(); occurrences];
                assert_eq!(
                    search(position, &history, depth),
                    new,
                    "{fen} at depth {depth}"
                );
            }
        }
    }
}

#[test]
fn finds_a_perpetual_check_at_depth_4() {
    // White has to play Qe8+ Kh7 Qh5+ Kg8 to avoid mate, and Black's replies are forced.
    let start = "6k1/6p1/8/7Q/8/8/rr6/n5K1 w - - 0 60";
    assert_scores(position(start), &[], 4..=5, Score::DRAW);
    let cycle = "h5e8 g8h7 e8h5 h7g8";
    let once = after(start, cycle);
    assert_scores(*once.position(), &once.history(), 4..=5, Score::DRAW);
    // Now Qe8+ is a third occurrence.
    let twice = after(start, &format!("{cycle} {cycle}"));
    assert_scores(*twice.position(), &twice.history(), 1..=4, Score::DRAW);
}

#[test]
fn a_mate_on_the_hundredth_half_move_counts() {
    for (clock, score) in [
        (97, Score::mate_in_plies(3)),
        (98, Score::DRAW),
        (120, Score::DRAW),
    ] {
        assert_scores(
            position(&format!("7k/8/5K2/8/8/8/8/1R6 w - - {clock} 90")),
            &[],
            3..=4,
            score,
        );
    }
    for clock in [99, 100, 120] {
        let mate = position(&format!("7k/8/6K1/8/8/8/8/1R6 w - - {clock} 90"));
        assert_scores(mate, &[], 1..=3, Score::mate_in_plies(1));
    }
}
