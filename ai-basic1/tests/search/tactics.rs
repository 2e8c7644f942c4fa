//! Tests tactical problems.

use ai_api::{Color, Limits, Position, Score};

use crate::{Case, GUARDED_PAWN, best_move, new_search, run, score_for};

/// Returns the same problem with the colors exchanged: the ranks reversed and the other side to
/// move.
fn mirrored(fen: &str) -> String {
    let (placement, rest) = fen.split_once(' ').expect("a FEN has fields");
    let swap = |text: &str| -> String {
        text.chars()
            .map(|c| {
                if c.is_ascii_uppercase() {
                    c.to_ascii_lowercase()
                } else {
                    c.to_ascii_uppercase()
                }
            })
            .collect()
    };
    let ranks: Vec<String> = placement.rsplit('/').map(swap).collect();
    let turn = if rest.starts_with('w') { "b" } else { "w" };
    format!("{} {turn}{}", ranks.join("/"), &rest[1..])
}

fn mirrored_move(uci: &str) -> String {
    uci.chars()
        .map(|letter| {
            letter
                .to_digit(10)
                .map_or(letter, |rank| char::from(b'0' + 9 - rank as u8))
        })
        .collect()
}

/// Returns a problem as given (White to move) and with the colors exchanged.
fn both_colors(fen: &str, best: &str) -> [(Case, String); 2] {
    [
        (Case::of(fen), best.to_owned()),
        (Case::of(&mirrored(fen)), mirrored_move(best)),
    ]
}

fn win_for(position: &Position, plies: u32) -> Score {
    match position.turn() {
        Color::White => Score::mate_in_plies(plies),
        Color::Black => -Score::mate_in_plies(plies),
    }
}

#[test]
fn forks_king_and_queen_with_a_knight() {
    for (case, best) in both_colors("q3k3/5p2/8/1N6/8/8/5PPP/6K1 w - - 0 1", "b5c7") {
        for quiescence in [false, true] {
            let result = run(&mut new_search(quiescence), &case, Limits::depth(3));
            assert_eq!(best_move(&result), best, "{}", case.name);
            assert!(
                score_for(case.position.turn(), result.score) > 300,
                "the queen is won: {:?}",
                result.score
            );
        }
        let shallow = run(&mut new_search(false), &case, Limits::depth(1));
        assert!(
            score_for(case.position.turn(), shallow.score) < 0,
            "a queen down: {:?}",
            shallow.score
        );
    }
}

#[test]
fn mates_in_one_two_and_three() {
    for (moves, fen, best) in [
        (1, "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
        (1, "7k/6pp/8/6N1/8/8/5QPP/6K1 w - - 0 1", "f2f8"),
        (2, "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", ""),
        (2, "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6"),
        (3, "8/7k/8/8/8/8/R7/1R4K1 w - - 0 1", ""),
        (3, "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6"),
    ] {
        for (case, best) in both_colors(fen, best) {
            let plies = 2 * moves - 1;
            for quiescence in [false, true] {
                let mut search = new_search(quiescence);
                let result = run(&mut search, &case, Limits::depth(plies));
                assert_eq!(
                    result.score,
                    win_for(&case.position, plies),
                    "{}",
                    case.name
                );
                assert_eq!(
                    result.pv.len() as u32,
                    plies,
                    "the line ends with the mate: {:?}",
                    result.pv
                );
                if !best.is_empty() {
                    assert_eq!(best_move(&result), best, "{}", case.name);
                }
                if plies > 1 {
                    let shallow = run(&mut search, &case, Limits::depth(plies - 2));
                    let seen = shallow.score.plies_to_mate();
                    assert!(
                        seen.is_none_or(|seen| seen >= plies),
                        "{} has no shorter mate",
                        case.name
                    );
                }
            }
        }
    }
}

#[test]
fn delays_being_mated() {
    // A king that stays on its back rank is mated in two, and one that steps off it in three.
    for (case, _) in both_colors("1r4k1/r7/8/8/8/8/8/6K1 w - - 0 1", "") {
        let result = run(&mut new_search(true), &case, Limits::depth(6));
        assert_eq!(result.score, -win_for(&case.position, 6), "{}", case.name);
        assert!([1, 6].contains(&result.best_move.unwrap().to().rank()));
    }
}

#[test]
fn takes_the_stalemate_when_losing_and_avoids_it_when_winning() {
    for (case, best) in both_colors("7k/8/8/8/8/8/5q2/5R1K w - - 0 1", "f1f2") {
        let result = run(&mut new_search(true), &case, Limits::depth(4));
        assert_eq!(best_move(&result), best);
        assert!(score_for(case.position.turn(), result.score) > 0);
    }
    for (case, _) in both_colors("k7/2Q5/8/8/8/8/8/7K w - - 0 1", "") {
        let result = run(&mut new_search(false), &case, Limits::depth(2));
        assert!(
            score_for(case.position.turn(), result.score) > 900,
            "every king move is stalemate"
        );
        assert!(rules::has_legal_move(&rules::play(
            &case.position,
            result.best_move.unwrap()
        )));
    }
}

#[test]
fn quiescence_does_not_drop_a_piece() {
    for (case, greedy) in both_colors(GUARDED_PAWN, "d2d5") {
        let blind = run(&mut new_search(false), &case, Limits::depth(1));
        assert_eq!(
            best_move(&blind),
            greedy,
            "without quiescence a guarded pawn looks free"
        );
        let careful = run(&mut new_search(true), &case, Limits::depth(1));
        assert_ne!(best_move(&careful), greedy);
    }
}

#[test]
fn prefers_a_mate_on_the_hundredth_ply_to_the_draw() {
    for (case, best) in both_colors("7k/8/6K1/8/8/8/8/1R6 w - - 99 90", "b1b8") {
        let result = run(&mut new_search(false), &case, Limits::depth(1));
        assert_eq!(best_move(&result), best);
        assert_eq!(result.score, win_for(&case.position, 1));
    }
}
