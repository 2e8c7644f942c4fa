//! Tests each term of the evaluation separately.

use ai_api::Evaluator;
use ai_basic1::{Evaluation, Material, Mobility};

use crate::{START, positions, with_host};

fn evaluate(evaluator: &mut impl Evaluator, fen: &str) -> i32 {
    with_host(|host| evaluator.evaluate(&positions::fen(fen), host)).value()
}

#[test]
fn material_adds_the_values_of_the_pieces() {
    for (fen, value) in [
        (START, 0),
        ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", 100),
        ("4k3/8/8/8/8/8/N7/4K3 w - - 0 1", 300),
        ("4k3/8/8/8/8/8/B7/4K3 w - - 0 1", 300),
        ("4k3/8/8/8/8/8/R7/4K3 w - - 0 1", 500),
        ("4k3/8/8/8/8/8/Q7/4K3 w - - 0 1", 900),
        ("4k3/q7/8/8/8/8/8/4K3 w - - 0 1", -900),
        ("4k3/qrbnp3/8/8/8/8/QQ6/4K3 b - - 0 1", -300),
    ] {
        assert_eq!(evaluate(&mut Material, fen), value, "{fen}");
    }
}

#[test]
fn mobility_counts_the_moves_of_both_sides() {
    for (fen, white, black) in [
        (START, 20, 20),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 5, 5),
        ("k7/8/8/8/8/8/8/4K3 w - - 0 1", 5, 3),
        ("k7/8/8/8/8/8/8/4K3 b - - 0 1", 5, 3),
        ("7k/8/8/8/3Q4/8/8/K7 b - - 0 1", 28, 2),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
            30,
            20,
        ),
    ] {
        assert_eq!(evaluate(&mut Mobility, fen), 5 * (white - black), "{fen}");
    }
}

#[test]
fn the_score_adds_material_and_mobility() {
    let fen = "k7/8/8/8/8/8/P7/4K3 w - - 0 1";
    assert_eq!(evaluate(&mut Evaluation::default(), fen), 100 + 5 * (7 - 3));
}
