//! The squares that a piece reaches, and what prevents each move.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeSet;

use ai_api::{Move, Square};
use proptest::prelude::*;
use rules::{Obstacle, legal_moves, legal_moves_from, play, reachable, start_position};

use crate::position;

/// Each square as `to:movement`, followed by `:code`, `@by` and `/through` if it can't be reached.
fn reached(fen: &str, from: &str) -> String {
    let reached = reachable(&position(fen), from.parse().unwrap())
        .into_iter()
        .map(|reach| {
            let obstacle = reach
                .obstacle
                .map_or_else(String::new, |obstacle: Obstacle| {
                    let by = obstacle
                        .by()
                        .map_or_else(String::new, |by| format!("@{by}"));
                    let through = obstacle
                        .through()
                        .map_or_else(String::new, |square| format!("/{square}"));
                    format!(":{}{by}{through}", obstacle.into_str())
                });
            format!("{}:{}{obstacle}", reach.to, reach.movement.into_str())
        });
    reached.collect::<Vec<_>>().join(" ")
}

/// A description, a position, one of its squares, and the expected squares.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "a pawn at home",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "e2",
        "d3:capture:nothing_to_capture e3:pawn_push f3:capture:nothing_to_capture e4:double_push",
    ),
    (
        "a blocked pawn",
        "4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1",
        "e2",
        "d3:capture:nothing_to_capture e3:pawn_push:blocked@e3 f3:capture:nothing_to_capture \
         e4:double_push:blocked@e3",
    ),
    (
        "a pawn blocked at its second step",
        "4k3/8/8/8/4p3/8/4P3/4K3 w - - 0 1",
        "e2",
        "d3:capture:nothing_to_capture e3:pawn_push f3:capture:nothing_to_capture \
         e4:double_push:blocked@e4",
    ),
    (
        "a pawn with an enemy on one side and a friend on the other",
        "4k3/8/8/8/8/3p1P2/4P3/4K3 w - - 0 1",
        "e2",
        "d3:capture e3:pawn_push f3:capture:own_piece e4:double_push",
    ),
    (
        "a pawn before the last rank",
        "3n1N1k/4P3/8/8/8/8/8/4K3 w - - 0 1",
        "e7",
        "d8:promotion e8:promotion f8:promotion:own_piece",
    ),
    (
        "en passant, and a capture that comes too late",
        "4k3/8/8/3pPp2/8/8/8/4K3 w - d6 0 1",
        "e5",
        "d6:en_passant e6:pawn_push f6:en_passant:no_en_passant@f5",
    ),
    (
        "en passant that would expose the king",
        "8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1",
        "e5",
        "d6:en_passant:no_en_passant@d5 e6:pawn_push f6:capture:nothing_to_capture",
    ),
    (
        "a king that has lost both rights",
        "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
        "e8",
        "d7:line e7:line f7:line d8:line f8:line c8:castling:rights_lost g8:castling:rights_lost",
    ),
    (
        "a knight in the corner",
        "4k3/8/8/8/8/1P6/2p5/N3K3 w - - 0 1",
        "a1",
        "c2:jump b3:jump:own_piece",
    ),
    (
        "a pinned rook",
        "4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1",
        "e2",
        "e1:line:own_piece a2:line:pinned@e8 b2:line:pinned@e8 c2:line:pinned@e8 d2:line:pinned@e8 \
          f2:line:pinned@e8 g2:line:pinned@e8 h2:line:pinned@e8 e3:line e4:line e5:line e6:line \
          e7:line e8:line",
    ),
    (
        "a knight while its king is in check",
        "4k3/8/8/8/8/2b5/8/4K2N w - - 0 1",
        "h1",
        "f2:jump:leaves_king_in_check@c3 g3:jump:leaves_king_in_check@c3",
    ),
    (
        "a king next to attacked squares",
        "4k3/8/8/8/8/8/r7/5K2 w - - 0 1",
        "f1",
        "e1:line g1:line e2:line:leaves_king_in_check@a2 f2:line:leaves_king_in_check@a2 \
         g2:line:leaves_king_in_check@a2",
    ),
    (
        "a king that castles",
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "e1",
        "c1:castling d1:line f1:line g1:castling d2:line e2:line f2:line",
    ),
    (
        "one right lost, the other way blocked",
        "4k3/8/8/8/8/8/8/RN2K2R w Q - 0 1",
        "e1",
        "c1:castling:blocked@b1 d1:line f1:line g1:castling:rights_lost d2:line e2:line f2:line",
    ),
    (
        "castling through check, and out of it",
        "3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "e1",
        "c1:castling:castling_through_check@d8/d1 d1:line:leaves_king_in_check@d8 f1:line \
         g1:castling d2:line:leaves_king_in_check@d8 e2:line f2:line",
    ),
    (
        "castling out of check",
        "4k3/8/8/8/8/8/4q3/R3K2R w KQ - 0 1",
        "e1",
        "c1:castling:castling_out_of_check@e2 d1:line:leaves_king_in_check@e2 \
          f1:line:leaves_king_in_check@e2 g1:castling:castling_out_of_check@e2 \
          d2:line:leaves_king_in_check@e2 e2:line f2:line:leaves_king_in_check@e2",
    ),
    (
        "a king next to its own rook",
        "4k3/8/8/8/8/8/8/4KR2 w - - 0 1",
        "e1",
        "c1:castling:rights_lost d1:line f1:line:own_piece g1:castling:rights_lost d2:line e2:line \
         f2:line",
    ),
    (
        "castling in Chess960, onto the rook next to it",
        "4k3/8/8/8/8/8/8/5KR1 w G - 0 1",
        "f1",
        "e1:line g1:castling e2:line f2:line g2:line",
    ),
    (
        "the other side's piece",
        "4k3/8/8/8/8/8/3p4/RN2K3 w - - 0 1",
        "d2",
        "c1:promotion:nothing_to_capture d1:promotion:not_your_turn e1:promotion:not_your_turn",
    ),
    ("no piece", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "a1", ""),
];

#[test]
fn lists_every_square_with_its_obstacle() {
    let mut wrong = Vec::new();
    for &(about, fen, from, expected) in CASES {
        let squares = |reached: &str| {
            reached
                .split_whitespace()
                .map(str::to_owned)
                .collect::<BTreeSet<_>>()
        };
        if squares(&reached(fen, from)) != squares(expected) {
            wrong.push(format!(
                "{about}: {fen}\n  {}\n  {expected}",
                reached(fen, from)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #[test]
    fn reachable_squares_agree_with_legal_moves(
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
    ) {
        let mut position = start_position();
        for choice in choices {
            let moves = legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            position = play(&position, moves[choice.index(moves.len())]);
        }
        for from in Square::all() {
            let target = |chosen: &Move| {
                rules::format_uci(&position, *chosen).to_string()[2..4].to_owned()
            };
            let legal: BTreeSet<_> = legal_moves_from(&position, from).iter().map(target).collect();
            let reaches = reachable(&position, from);
            let free = reaches.iter().filter(|reach| reach.obstacle.is_none());
            let reached: BTreeSet<_> = free.map(|reach| reach.to.to_string()).collect();
            prop_assert_eq!(&reached, &legal, "{} in {}", from, rules::format_fen(&position));
            let squares: BTreeSet<_> = reaches.iter().map(|reach| reach.to.index()).collect();
            prop_assert_eq!(squares.len(), reaches.len(), "a square occurs twice");
            let own = reaches.iter().filter(|reach| position.color_at(from) == Some(position.turn())
                && reach.obstacle == Some(Obstacle::NotYourTurn));
            prop_assert_eq!(own.count(), 0);
        }
    }
}
