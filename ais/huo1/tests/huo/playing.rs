//! The choice of moves.

use ai_api::{
    Ai, NodeKind, OptionSetting, OptionValue, Options, Role, Score, SearchRequest, Searcher,
};
use ai_huo1::Huo1;

use crate::{MIDDLEGAME, POSITIONS, at_depth, chosen, position, request, result, san, with_host};

#[test]
fn always_promotes_to_a_queen() {
    for depth in 1..=3 {
        let result = at_depth("8/P6k/8/8/8/8/7K/8 w - - 0 40", depth);
        assert_eq!(
            chosen(&result).promotion(),
            Some(Role::Queen),
            "depth {depth}"
        );
    }
    // A knight would fork king and queen.
    let fork = "8/3qkP2/8/8/8/8/8/6K1 w - - 0 40";
    assert_ne!(chosen(&at_depth(fork, 3)).promotion(), Some(Role::Knight));
    for fen in POSITIONS {
        let result = at_depth(fen, 3);
        assert!(
            result
                .pv
                .iter()
                .all(|chosen| chosen.promotion().is_none_or(|role| role == Role::Queen)),
            "{fen}"
        );
    }
}

#[test]
fn castles_to_safety() {
    // The kingside pieces are developed. The pawns in front of the king have not moved.
    let good = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6";
    assert_eq!(san(good, &at_depth(good, 2)), "O-O");
    // No pawn shield, and no enemy queen.
    let pointless = "4k3/pppp4/8/8/8/8/PPPP4/4K2R w K - 0 30";
    assert_ne!(san(pointless, &at_depth(pointless, 2)), "O-O");
}

#[test]
fn develops_knights_before_the_queen() {
    let start = at_depth(crate::START, 1);
    let position = position(crate::START);
    assert_eq!(position.role_at(chosen(&start).from()), Some(Role::Knight));
}

#[test]
fn captures_free_pieces_and_mates() {
    let free = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 30";
    assert_eq!(san(free, &at_depth(free, 2)), "exd5");
    let mate = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 30";
    let result = at_depth(mate, 3);
    assert_eq!(result.score, Score::mate_in_plies(3));
    let lost = "7k/8/8/8/8/1r6/r7/7K b - - 0 30";
    assert_eq!(at_depth(lost, 1).score, Score::mated_in_plies(1));
}

#[test]
fn plays_only_root_moves() {
    for fen in POSITIONS {
        for &only in &rules::legal_moves(&position(fen)) {
            let request = SearchRequest {
                root_moves: &[only],
                ..request(fen, 1)
            };
            assert_eq!(chosen(&result(&request)), only, "{fen}");
        }
    }
}

#[test]
fn best_reply_searches_one_reply_to_each_move() {
    let options = |search: &str| {
        let set = [OptionSetting {
            name: "search".into(),
            value: OptionValue::Text(search.into()),
        }];
        Options::resolve(&Huo1::options(), &set)
    };
    let request = SearchRequest {
        trace_nodes: 4000,
        ..request(MIDDLEGAME, 2)
    };
    let replies = |search: &str| {
        let searched =
            |host: &ai_api::Host<'_>| Huo1::create(&options(search), host)?.search(&request, host);
        let trace = with_host(searched).unwrap().trace;
        let count = |parent: usize| {
            trace
                .iter()
                .skip(1)
                .filter(|node| node.parent as usize == parent)
                .count()
        };
        let of_root = (1..trace.len())
            .filter(|&node| trace[node].parent == 0 && trace[node].kind != NodeKind::Pruned);
        of_root.map(count).max().unwrap()
    };
    assert_eq!(replies("best_reply"), 1);
    assert!(replies("minimax") > 1);
}
