//! Complete games.

use ai_api::Limits;

use crate::{START, ai, fen, search};

#[test]
fn plays_a_game_against_itself() {
    let moves = ai()
        .play_game(&fen(START), Limits::nodes(500), 200)
        .unwrap();
    assert!(moves.len() > 20);
}

#[test]
fn mates_with_a_queen_a_rook_or_two_bishops() {
    for text in [
        "8/8/8/4k3/8/8/8/KQ6 w - - 0 1",
        "8/8/8/4k3/8/8/8/KR6 w - - 0 1",
        "8/8/8/4k3/8/8/8/K1BB4 w - - 0 1",
    ] {
        let start = fen(text);
        let moves = ai().play_game(&start, Limits::nodes(10_000), 100).unwrap();
        let end = moves
            .iter()
            .fold(start, |position, &chosen| rules::play(&position, chosen));
        assert!(
            end.in_check() && rules::legal_moves(&end).is_empty(),
            "{text}: {} plies",
            moves.len()
        );
    }
}

#[test]
fn castles_in_chess960() {
    // With rooks on the b-file, only Chess960 allows castling on the queen's side.
    let start = rules::parse_fen("1r2k2r/pppppppp/8/8/8/8/PPPPPPPP/1R2K2R w HBhb - 0 1").unwrap();
    assert!(start.is_chess960());
    let moves = ai().play_game(&start, Limits::nodes(400), 60).unwrap();
    let mut position = start;
    for chosen in moves {
        assert!(rules::is_legal(&position, chosen));
        position = rules::play(&position, chosen);
    }
}

#[test]
fn sees_castling_out_of_a_mating_net() {
    // White is ahead by a rook and a pawn, and can castle.
    let text = "8/8/8/8/8/8/1k5P/4K2R w K - 0 1";
    let found = search(&mut ai(), text, Limits::depth(4));
    assert!(found.result.score.value() > 300);
}
