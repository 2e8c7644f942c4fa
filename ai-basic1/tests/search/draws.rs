//! Tests draws by repetition and by the fifty-move rule.

use ai_api::{Limits, Move, Position, Score, SearchRequest};
use ai_search::{Search, SearchOptions};
use rules::Game;

use crate::{Case, best_move, positions::fen, run};

/// Returns an exact search and one that prunes.
fn searches() -> [Search; 2] {
    [SearchOptions::EXACT, SearchOptions::default()].map(|options| {
        Search::new(SearchOptions {
            hash_mb: 1,
            ..options
        })
        .expect("enough memory")
    })
}

/// Returns the position after these moves from `start`, with its history.
fn after(start: &str, moves: &str) -> Case {
    let moves: Vec<_> = moves.split(' ').collect();
    let game = Game::from_moves(Some(start), &moves).expect("legal moves");
    Case {
        name: moves.join(" "),
        position: *game.position(),
        history: game.history(),
    }
}

/// Checks that each search returns this score at each depth.
fn assert_scores(case: &Case, depths: std::ops::RangeInclusive<u32>, expected: Score) {
    for depth in depths {
        for mut search in searches() {
            let result = run(&mut search, case, Limits::depth(depth));
            assert_eq!(result.score, expected, "{} at depth {depth}", case.name);
        }
    }
}

fn hash_after(position: &Position, chosen: Move) -> u64 {
    rules::play(position, chosen).hash()
}

#[test]
fn a_second_occurrence_in_the_game_is_not_a_draw() {
    // Black has given two queen checks. White is a queen down and could return to the position
    // after the first check.
    let moves = "d2d4 d7d5 d1d2 f7f5 d2c3 d8d6 c3b4 d6b4 e1d1 c8e6 e2e3 b4d6 d1d2 d6b4";
    let case = after(crate::START, moves);
    let without_history = Case {
        history: Vec::new(),
        ..case.clone()
    };
    for depth in 1..=5 {
        for (mut search, mut again) in searches().into_iter().zip(searches()) {
            let result = run(&mut search, &case, Limits::depth(depth));
            assert!(
                result.score < Score::centipawns(-500),
                "depth {depth}: {}",
                result.score
            );
            assert_eq!(
                result,
                run(&mut again, &without_history, Limits::depth(depth)),
                "depth {depth}"
            );
        }
    }
}

#[test]
fn the_opponent_need_not_allow_another_repetition() {
    // White has only one move, after which Black mates.
    let position = fen("8/8/8/8/8/6k1/r3p3/6K1 w - - 20 60");
    let mated = hash_after(&position, rules::legal_moves(&position)[0]);
    for (history, score) in [
        (vec![mated], Score::mated_in_plies(2)),
        (vec![mated, 1, 2, 3, mated], Score::DRAW),
        (vec![mated, 1, 2, 3, mated, 4, 5, 6, mated], Score::DRAW),
    ] {
        let name = format!(
            "{} times",
            history.iter().filter(|&&hash| hash == mated).count()
        );
        assert_scores(
            &Case {
                name,
                position,
                history,
            },
            2..=4,
            score,
        );
    }
}

#[test]
fn only_a_third_occurrence_in_the_game_saves_a_lost_position() {
    // White is down a queen for a rook.
    let position = fen("7k/8/8/8/8/5q2/4R3/6K1 w - - 8 40");
    for &chosen in &rules::legal_moves(&position) {
        let back = hash_after(&position, chosen);
        let name = format!("back by {chosen}");
        let twice = Case {
            name,
            position,
            history: vec![back, 1, 2, 3, back, 4],
        };
        assert_scores(&twice, 1..=4, Score::DRAW);
        for mut search in searches() {
            assert_eq!(
                best_move(&run(&mut search, &twice, Limits::depth(2))),
                chosen.to_string()
            );
        }
    }
}

#[test]
fn searches_a_repeated_root_as_a_new_one() {
    for text in [
        "6k1/6p1/8/7Q/8/8/rr6/n5K1 w - - 20 60",
        "7k/8/8/8/8/5q2/4R3/6K1 w - - 20 40",
    ] {
        let position = fen(text);
        for depth in 1..=5 {
            let results = [0, 1, 2, 3].map(|occurrences| {
                let history = vec![position.hash(); occurrences];
                let request = SearchRequest {
                    history: &history,
                    ..SearchRequest::new(position, Limits::depth(depth))
                };
                searches().map(|mut search| crate::run_request(&mut search, &request))
            });
            assert!(
                results.iter().all(|result| *result == results[0]),
                "{text} at depth {depth}"
            );
        }
    }
}

#[test]
fn finds_a_perpetual_check_at_depth_4() {
    // White has to play Qe8+ Kh7 Qh5+ Kg8 to avoid mate, and Black's replies are forced.
    let start = "6k1/6p1/8/7Q/8/8/rr6/n5K1 w - - 0 60";
    assert_scores(&Case::of(start), 4..=6, Score::DRAW);
    let cycle = "h5e8 g8h7 e8h5 h7g8";
    assert_scores(&after(start, cycle), 4..=6, Score::DRAW);
    // Now the position after Qe8+ occurs for the third time.
    assert_scores(
        &after(start, &format!("{cycle} {cycle}")),
        1..=4,
        Score::DRAW,
    );
}

#[test]
fn a_mate_on_the_hundredth_half_move_counts() {
    for (clock, score) in [
        (97, Score::mate_in_plies(3)),
        (98, Score::DRAW),
        (99, Score::DRAW),
        (120, Score::DRAW),
    ] {
        assert_scores(
            &Case::of(&format!("7k/8/5K2/8/8/8/8/1R6 w - - {clock} 90")),
            3..=5,
            score,
        );
    }
    for clock in [99, 100, 120] {
        let mate = Case::of(&format!("7k/8/6K1/8/8/8/8/1R6 w - - {clock} 90"));
        assert_scores(&mate, 1..=4, Score::mate_in_plies(1));
    }
}
