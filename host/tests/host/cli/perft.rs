//! `rookery perft`.

use serde_json::json;

use super::run;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

#[track_caller]
fn count(arguments: &[&str]) -> String {
    let text = run(&[&["perft"], arguments].concat()).data();
    let (count, rate) = text.split_once("  in ").unwrap();
    assert!(rate.ends_with(" million per second\n"), "{rate}");
    count.to_owned()
}

#[test]
fn counts_paths() {
    for (depth, expected) in [("0", "1"), ("1", "20"), ("3", "8902"), ("4", "197281")] {
        assert_eq!(count(&["--depth", depth]), format!("perft({depth}) = {expected}"));
    }
    assert_eq!(count(&["--depth", "3", "--fen", KIWIPETE]), "perft(3) = 97862");
    let chess960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    assert_eq!(count(&["--depth", "3", "--fen", chess960]), "perft(3) = 12189");
}

#[test]
fn divide_adds_up_to_the_total() {
    let text = run(&["perft", "--depth", "3", "--divide", "--fen", KIWIPETE]).data();
    let lines: Vec<_> = text.lines().collect();
    let (summary, moves) = lines.split_last().unwrap();
    assert!(summary.starts_with("perft(3) = 97862  in "), "{summary}");
    assert_eq!(moves.len(), 48);
    assert!(moves.contains(&"e1g1: 2059"), "{moves:?}");
    let sum: u64 = moves.iter().map(|line| line.split_once(": ").unwrap().1.parse::<u64>().unwrap()).sum();
    assert_eq!(sum, 97862);
    assert!(run(&["perft", "--depth", "0", "--divide"]).data().starts_with("perft(0) = 1  in "));
}

#[test]
fn prints_json() {
    let mut reply =
        run(&["perft", "--depth", "1", "--divide", "--json", "--fen", "8/8/8/8/8/5k2/7p/7K w - - 0 1"])
            .json();
    assert!(reply.as_object_mut().unwrap().remove("time_ms").unwrap().is_u64());
    let expected =
        json!({"fen": "8/8/8/8/8/5k2/7p/7K w - - 0 1", "depth": 1, "count": 1, "moves": {"h1h2": 1}});
    assert_eq!(reply, expected);
    assert_eq!(run(&["perft", "--depth", "3", "--json"]).json()["count"], 8902);
}

#[test]
fn rejects_an_illegal_position_with_every_cause() {
    let error_output =
        run(&["perft", "--depth", "1", "--fen", "P3k3/8/8/8/8/8/8/8 w K - 0 1"]).error_output(2);
    let lines: Vec<_> = error_output.lines().collect();
    assert_eq!(lines[0], "error: the position is not legal:");
    let codes: Vec<_> = lines[1..].iter().map(|line| line.rsplit_once(" (").unwrap().1).collect();
    assert_eq!(codes, ["missing_king)", "pawn_on_back_rank)", "bad_castling_rights)"]);
    let error_output = run(&["perft", "--depth", "1", "--fen", "8\u{1b}[2J w"]).error_output(2);
    assert!(!error_output.contains('\u{1b}'), "{error_output:?}");
}
