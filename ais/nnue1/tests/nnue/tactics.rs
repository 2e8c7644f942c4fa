//! Mates, gains and draws.

use ai_api::{Limits, Score};

use crate::{ai, fen, mirrored, search, value};

#[test]
fn finds_mates() {
    let mut ai = ai();
    for (text, moves) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 2),
        (
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            1,
        ),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ] {
        for text in [text.to_owned(), mirrored(text)] {
            let found = search(&mut ai, &text, Limits::depth(8));
            let mate = Score::mate_in_plies(2 * moves - 1).value();
            assert_eq!(value(&fen(&text), found.result.score), mate, "{text}");
        }
    }
}

#[test]
fn a_mate_limit_finds_every_mate_within_it() {
    let mut ai = ai();
    for (text, moves) in [
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
    ] {
        let limits = Limits {
            mate_plies: Some(2 * moves - 1),
            ..Limits::NONE
        };
        let found = search(&mut ai, text, limits);
        assert_eq!(
            found.result.score,
            Score::mate_in_plies(2 * moves - 1),
            "{text}"
        );
    }
}

#[test]
fn ends_early_once_a_mate_is_proven() {
    for limits in [Limits::nodes(u64::MAX), Limits::movetime_ms(60_000)] {
        let found = search(&mut ai(), "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", limits);
        assert_eq!(found.result.score, Score::mate_in_plies(3));
    }
}

#[test]
fn wins_material() {
    let mut ai = ai();
    for (text, best) in [
        ("q3k3/5p2/8/1N6/8/8/5PPP/6K1 w - - 0 1", "b5c7"),
        ("3q2k1/5ppp/8/8/8/8/3R1PPP/3R2K1 w - - 0 1", "d2d8"),
    ] {
        let found = search(&mut ai, text, Limits::depth(6));
        assert_eq!(found.best_move.to_string(), best, "{text}");
    }
}

#[test]
fn sees_stalemates() {
    // Taking the pawn is stalemate.
    let found = search(
        &mut ai(),
        "8/8/8/8/8/5K2/6p1/6Bk w - - 0 1",
        Limits::depth(4),
    );
    assert!(found.result.score.value() <= 0, "{:?}", found.result.score);
}
