//! The filter for dangerous squares.

use ai_api::{NodeKind, SearchRequest};
use ai_huo1::danger::{is_dangerous, prune_dangerous};

use crate::{at_depth, position, request, result, san, square, with_host};

/// Returns the dangerous targets of the piece on `from`.
fn dangers(fen: &str, from: &str) -> Vec<String> {
    let position = position(fen);
    let moves = rules::legal_moves(&position);
    let to = moves
        .iter()
        .filter(|chosen| chosen.from() == square(from))
        .map(|chosen| chosen.to());
    let mut names: Vec<_> = to
        .filter(|&to| is_dangerous(&position, square(from), to))
        .map(|to| to.to_string())
        .collect();
    names.sort();
    names
}

#[test]
fn a_lesser_attacker_makes_a_square_dangerous() {
    // The pawn on d5 takes on c4 and e4, whether they are defended or not.
    assert_eq!(
        dangers("4k3/8/8/3p4/8/3P4/6R1/4K1N1 w - - 0 20", "g2"),
        Vec::<String>::new()
    );
    assert_eq!(
        dangers("4k3/8/8/3p4/6R1/3P4/8/4K3 w - - 0 20", "g4"),
        ["c4", "e4"]
    );
}

#[test]
fn more_attackers_than_defenders_make_a_square_dangerous() {
    // A rook attacks e5. A knight there is lost unless a pawn guards it.
    assert_eq!(dangers("4rk2/8/8/8/8/5N2/8/5K2 w - - 0 20", "f3"), ["e5"]);
    assert_eq!(
        dangers("4rk2/8/8/8/3P4/5N2/8/5K2 w - - 0 20", "f3"),
        Vec::<String>::new()
    );
}

#[test]
fn a_king_attacks_only_undefended_pieces() {
    assert_eq!(dangers("8/8/8/8/3k4/8/6N1/6K1 w - - 0 20", "g2"), ["e3"]);
    assert_eq!(
        dangers("8/8/8/8/3k4/8/5PN1/6K1 w - - 0 20", "g2"),
        Vec::<String>::new()
    );
}

#[test]
fn prunes_moves_to_dangerous_squares() {
    let fen = "4rk2/8/8/8/8/5N2/8/5K2 w - - 0 20";
    let request = SearchRequest {
        trace_nodes: 100,
        ..request(fen, 1)
    };
    let pruned: Vec<_> = result(&request)
        .trace
        .iter()
        .filter(|node| node.kind == NodeKind::Pruned)
        .map(|node| node.chosen.to_string())
        .collect();
    assert_eq!(pruned, ["f3e5"]);
}

#[test]
fn keeps_mates_on_dangerous_squares() {
    // The knight attacks e8, but is pinned to its king.
    let fen = "7k/7p/5n1P/8/8/8/1B6/4R1K1 w - - 0 20";
    assert!(is_dangerous(&position(fen), square("e1"), square("e8")));
    assert_eq!(san(fen, &at_depth(fen, 1)), "Re8#");
}

#[test]
fn keeps_evasions_and_fair_captures() {
    for fen in [
        // In check: interposing is the only evasion.
        "4k3/8/8/8/8/2n5/PPP5/1K2r3 w - - 0 20",
        // A rook takes a guarded rook.
        "3rk3/8/8/8/8/8/8/3RK3 w - - 0 20",
    ] {
        let position = position(fen);
        let moves = rules::legal_moves(&position).to_vec();
        let captures = moves
            .iter()
            .copied()
            .filter(|&chosen| position.is_capture(chosen))
            .count();
        let (kept, pruned) = with_host(|host| prune_dangerous(&position, moves.clone(), host));
        assert_eq!(kept.len() + pruned.len(), moves.len());
        if position.in_check() {
            assert_eq!(pruned, [], "{fen}");
        } else {
            assert_eq!(
                captures,
                kept.iter()
                    .filter(|&&chosen| position.is_capture(chosen))
                    .count(),
                "{fen}"
            );
        }
    }
}

#[test]
fn keeps_all_moves_if_all_are_dangerous() {
    // The king can't move, and the pawn's only move loses it.
    let fen = "k7/8/1p6/8/P7/1r6/7r/K7 w - - 0 40";
    let position = position(fen);
    let moves = rules::legal_moves(&position).to_vec();
    assert!(
        moves
            .iter()
            .all(|chosen| is_dangerous(&position, chosen.from(), chosen.to())),
        "{moves:?}"
    );
    let (kept, pruned) = with_host(|host| prune_dangerous(&position, moves.clone(), host));
    assert_eq!((kept, pruned), (moves, vec![]));
}
