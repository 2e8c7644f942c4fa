//! Lean positions beside whole ones.

use ai_api::{Color, Role};
use fastrand::Rng;
use rules::{LeanPosition, legal_moves, play};

use crate::{START, position, random_games::random_game};

#[test]
fn lean_positions_have_the_moves_of_whole_ones() {
    let mut random = Rng::with_seed(960);
    let starts = [
        START,
        "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1",
        "rkrnbbqn/pppppppp/8/8/8/8/PPPPPPPP/RKRNBBQN w CAca - 0 1",
    ];
    for start in starts.into_iter().cycle().take(100) {
        let start = position(start);
        let mut lean = LeanPosition::from(&start);
        let mut position = start;
        for &chosen in random_game(start, 120, &mut random).moves() {
            assert_eq!(*lean.legal_moves(), *legal_moves(&position), "{position:?}");
            assert_eq!(lean.count_legal_moves() as usize, lean.legal_moves().len());
            assert_eq!(lean.in_check(), position.in_check());
            assert_eq!(lean.turn(), position.turn());
            for color in Color::ALL {
                for role in Role::ALL {
                    assert_eq!(lean.pieces(color, role), position.pieces(color, role));
                }
            }
            (lean, position) = (lean.play(chosen), play(&position, chosen));
        }
    }
}
