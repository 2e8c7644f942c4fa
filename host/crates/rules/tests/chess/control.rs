//! Attackers, pins, hanging pieces and dangerous squares.

use ai_api::{Bitboard, Color, Square};
use fastrand::Rng;
use proptest::prelude::*;
use rules::{
    RULES, attackers_of, dangerous_squares, hanging, legal_moves, pass, pins, play, start_position,
};

use crate::{position, random_games::random_game};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn agrees_with_the_rules_for_moves(seed: u64) {
        let game = random_game(start_position(), 120, &mut Rng::with_seed(seed));
        let mut position = *game.start();
        for &chosen in game.moves() {
            position = play(&position, chosen);
            for square in Square::all() {
                for color in Color::ALL {
                    let expected = (RULES.attackers)(&position, square, color);
                    prop_assert_eq!(attackers_of(&position, square)[color.index()], expected);
                }
            }
            let pinned = |color: Color| -> Bitboard {
                let squares = pins(&position).into_iter().map(|pin| pin.square);
                squares.filter(|&square| position.color_at(square) == Some(color)).collect()
            };
            let turn = position.turn();
            prop_assert_eq!(pinned(turn), position.pinned() & position.color(turn));
            if let Some(other) = pass(&position) {
                prop_assert_eq!(pinned(other.turn()), other.pinned() & other.color(other.turn()));
            }
            let moves = legal_moves(&position);
            let targets: Bitboard = moves.iter().map(|chosen| chosen.to()).collect();
            prop_assert!((dangerous_squares(&position) & !targets).is_empty());
            for square in hanging(&position) {
                let enemy = !position.color_at(square).unwrap();
                prop_assert!(!attackers_of(&position, square)[enemy.index()].is_empty());
            }
        }
    }
}

#[test]
fn a_defended_piece_hangs_only_against_a_cheaper_attacker() {
    for (fen, expected) in [
        ("4k3/8/8/3r4/8/3R4/8/4K3 w - - 0 1", "d3 d5"),
        ("4k3/8/4p3/3r4/8/3R4/8/4K3 w - - 0 1", "d3"),
        ("4k3/8/4p3/3n4/8/3Q4/8/4K3 w - - 0 1", ""),
        ("4k3/8/4p3/3n4/4P3/3Q4/8/4K3 w - - 0 1", "d5"),
        ("4k3/3r4/8/8/8/8/8/4K3 w - - 0 1", ""),
        ("8/3r4/3k4/8/8/8/8/4K3 w - - 0 1", ""),
    ] {
        let names: Vec<_> = hanging(&position(fen))
            .into_iter()
            .map(|square| square.to_string())
            .collect();
        assert_eq!(names.join(" "), expected, "{fen}");
    }
}

#[test]
fn an_equal_exchange_is_not_a_danger() {
    let fen = "4k3/8/2p5/3n4/8/2N5/8/4K3 w - - 0 1";
    let squares = dangerous_squares(&position(fen));
    assert!(!squares.contains("d5".parse().unwrap()));
    assert!(squares.contains("b5".parse().unwrap()));
}
