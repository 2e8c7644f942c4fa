//! Each kind of claim, in a position made for it.

use std::time::{Duration, Instant};

use ai_api::{Role, Score};
use claims::{Judged, MateEffort, claims};
use rules::{parse_fen, parse_san};

use crate::{Case, cp};

#[track_caller]
fn assert_claims(case: &Case, expected: &[&str]) {
    assert_eq!(case.texts(), expected, "{} {}", case.fen, case.played);
}

/// Creates a case with a bad move, the line after it, the better line, and the scores before and
/// after the move.
fn bad(
    fen: &'static str,
    [played, reply, better]: [&'static str; 3],
    [before, after]: [i32; 2],
) -> Case {
    Case {
        fen,
        played,
        reply,
        better,
        scores: [cp(before), cp(after)],
    }
}

/// Creates a case with the best move and the line after it.
fn good(fen: &'static str, [played, reply]: [&'static str; 2], score: i32) -> Case {
    Case {
        fen,
        played,
        reply,
        better: "",
        scores: [cp(score); 2],
    }
}

#[test]
fn finds_lost_material() {
    let knight = "4k3/p7/2n5/8/8/8/4P1B1/4K3 b - - 0 1";
    assert_claims(
        &bad(knight, ["a6", "Bxc6+ Kd8", "Ne5 Bb7"], [200, -100]),
        &["leaves the knight on c6 hanging"],
    );
    // The exchange continues where the line ends.
    assert_claims(
        &bad(
            "4k3/pp6/2n5/8/8/8/4P1B1/4K3 b - - 0 1",
            ["a6", "Bxc6+", "Ne5"],
            [100, -100],
        ),
        &[],
    );
    assert_claims(
        &bad(knight, ["a6", "Bxc6+ Kd8", "Kd7 Bxc6+ Kxc6"], [200, -100]),
        &["leaves the knight on c6 hanging"],
    );
    // The better line loses the knight anyway.
    assert_claims(
        &bad(knight, ["a6", "Bxc6+ Kd8", "Kf8 Bxc6"], [-100, -200]),
        &[],
    );
    // The score does not reflect the loss.
    assert_claims(&bad(knight, ["a6", "Bxc6+ Kd8", "Ne5 Bb7"], [200, 80]), &[]);
    assert_claims(
        &bad(
            "3rk3/p7/8/6B1/8/8/8/4K3 b - - 0 1",
            ["a6", "Bxd8 Kxd8", "Rd7 Ke2"],
            [200, 0],
        ),
        &["loses the exchange"],
    );
    assert_claims(
        &bad(
            "rnbqk1nr/pppp1ppp/8/2b1p3/4P3/3P1N2/PPP2PPP/RNBQKB1R b KQkq - 0 3",
            ["Nf6", "Nxe5 O-O d4", "d6 Be2"],
            [0, -150],
        ),
        &["leaves the pawn on e5 hanging"],
    );
    // If the capturing pawn could be recaptured but is not, the lost pawn is a sacrifice.
    assert_claims(
        &bad(
            "rnbqkbnr/pp2pppp/2p5/3p4/2P5/7P/PP1PPPP1/RNBQKBNR b KQkq - 0 3",
            ["g6", "cxd5 Nf6", "e6 d4"],
            [0, -120],
        ),
        &[],
    );
    assert_claims(
        &bad(
            "5k2/8/3p4/4n3/8/3B4/4RP2/4K3 b - - 0 1",
            ["Kg7", "f4 Kg8 fxe5 dxe5 Rxe5", "Nxd3+ Kd2"],
            [0, -300],
        ),
        &["loses a knight", "misses winning a bishop"],
    );
}

#[test]
fn finds_pieces_with_too_few_defenders() {
    assert_claims(
        &bad(
            "3rk3/3r2p1/8/3p4/8/4N3/3R2P1/6K1 b - - 0 1",
            ["Re7", "Nxd5 Rxd5 Rxd5", "g6 g3"],
            [0, -300],
        ),
        &[
            "loses a rook and a pawn for a knight",
            "leaves the pawn on d5 underdefended (attackers: 2, defenders: 1)",
        ],
    );
}

#[test]
fn finds_forks() {
    let fork = "r3k3/p7/8/3N4/8/8/8/4K3 b - - 0 1";
    assert_claims(
        &bad(fork, ["a6", "Nc7+ Kd7 Nxa8", "Kd7 Nf4"], [200, -300]),
        &[
            "loses a rook",
            "allows the knight on c7 to fork the rook on a8 and the king on e8",
        ],
    );
    assert_claims(
        &bad(
            "r3k3/p7/8/3N4/8/8/8/4K3 w - - 0 1",
            ["Kd2", "Kd7 Nf4", "Nc7+ Kd7 Nxa8"],
            [300, -200],
        ),
        &[
            "misses winning a rook",
            "misses forking the rook on a8 and the king on e8 with the knight on c7",
        ],
    );
    assert_claims(
        &good(
            "r3k3/p7/8/3N4/8/8/8/4K3 w - - 0 1",
            ["Nc7+", "Kd7 Nxa8"],
            300,
        ),
        &[
            "wins a rook",
            "forks the rook on a8 and the king on e8 with the knight on c7",
        ],
    );
}

#[test]
fn finds_pins_and_skewers() {
    assert_claims(
        &good("4k3/8/8/4n3/8/8/8/R5K1 w - - 0 1", ["Re1", "Kd7 Rxe5"], 500),
        &[
            "wins a knight",
            "pins the knight on e5 to the king on e8 with the rook on e1",
        ],
    );
    // The knight was pinned before this move.
    assert_claims(
        &good(
            "4k3/8/8/4n3/8/8/4R3/6K1 w - - 0 1",
            ["Re1", "Kd7 Rxe5"],
            500,
        ),
        &["wins a knight"],
    );
    assert_claims(
        &good("8/8/8/q3k3/8/8/8/6KR w - - 0 1", ["Rh5+", "Kd4 Rxa5"], 500),
        &[
            "wins the queen",
            "skewers the king on e5 and the queen on a5 with the rook on h5",
        ],
    );
}

#[test]
fn finds_discovered_attacks() {
    assert_claims(
        &good(
            "4k3/3p4/8/q7/8/2N5/3BP3/4K3 w - - 0 1",
            ["Nd5", "Kd8 Bxa5+"],
            600,
        ),
        &[
            "wins the queen",
            "discovers an attack by the bishop on d2 on the queen on a5",
        ],
    );
    assert_claims(
        &good(
            "4k3/8/8/8/4N2q/8/8/4R1K1 w - - 0 1",
            ["Nf6+", "Kf7 Re4 Qxe4 Nxe4"],
            200,
        ),
        &["wins the queen for a rook"],
    );
}

#[test]
fn finds_trapped_pieces() {
    assert_claims(
        &good(
            "6k1/4bppp/p7/1pp5/8/1B3N2/PPP2PPP/6K1 b - - 0 1",
            ["c4", "h3 cxb3 axb3"],
            300,
        ),
        &["wins a bishop for a pawn", "traps the bishop on b3"],
    );
}

#[test]
fn finds_removed_defenders() {
    assert_claims(
        &good(
            "4k3/1p3ppp/2n5/1B2b3/8/7P/5PP1/4R1K1 w - - 0 1",
            ["Bxc6+", "bxc6 Rxe5+"],
            300,
        ),
        &[
            "wins a knight",
            "captures the knight on c6, the defender of the bishop on e5",
        ],
    );
}

#[test]
fn finds_promotions() {
    assert_claims(
        &bad(
            "4k3/8/8/8/8/p7/7P/4K2R w - - 0 1",
            ["h3", "a2 Rg1 a1=Q+ Ke2", "Kd2 a2 Ra1"],
            [300, -400],
        ),
        &["loses material (points: 8)", "allows a promotion on a1"],
    );
}

#[test]
fn finds_mates() {
    let mate = |fen, [played, reply, better]: [&'static str; 3], scores| Case {
        fen,
        played,
        reply,
        better,
        scores,
    };
    assert_claims(
        &mate(
            "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2",
            ["g4", "Qh4#", "d4 exd4"],
            [cp(-50), Score::mated_in_plies(2)],
        ),
        &["allows mate in 1"],
    );
    assert_claims(
        &mate(
            "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
            ["Rb1", "h6", "Ra8#"],
            [Score::mate_in_plies(1), cp(400)],
        ),
        &["misses a back-rank mate in 1"],
    );
    // The AI reports no line, but the search finds the mate.
    assert_claims(
        &mate(
            "7k/8/5K2/8/8/8/8/6R1 w - - 0 1",
            ["Kf7", "", ""],
            [Score::mate_in_plies(3); 2],
        ),
        &["mates in 2"],
    );
    // An AI claims a mate, but there is none.
    assert_claims(
        &mate(
            "7k/8/8/8/8/8/8/K5R1 w - - 0 1",
            ["Kb2", "Kh7", ""],
            [Score::mate_in_plies(3); 2],
        ),
        &[],
    );
}

#[test]
fn finds_draws() {
    assert_claims(
        &good("7k/7p/7P/8/8/8/2q5/K5R1 w - - 0 1", ["Rg8+", "Kxg8"], 0),
        &["only", "forces stalemate"][1..],
    );
    assert_claims(
        &good(
            "6k1/6p1/8/7Q/8/8/qr6/7K w - - 0 1",
            ["Qe8+", "Kh7 Qh5+ Kg8"],
            0,
        ),
        &["gives perpetual check"],
    );
    assert_claims(
        &bad(
            "k7/8/1K6/8/8/8/8/1Q6 w - - 0 1",
            ["Qc2", "", "Qe4+"],
            [900, 0],
        ),
        &[],
    );
    assert_claims(
        &bad(
            "k7/8/K7/8/8/8/8/2Q5 w - - 0 1",
            ["Qc7", "", "Qc8#"],
            [900, 0],
        ),
        &["allows stalemate"],
    );
}

#[test]
fn does_not_claim_what_the_rules_contradict() {
    // The better line ends with mate against the mover.
    assert_claims(
        &bad(
            "6k1/5ppp/8/8/8/1R6/r4PPP/6K1 b - - 1 1",
            ["Rb2", "Rxb2", "Rxf2 Rb8#"],
            [300, -500],
        ),
        &[],
    );
    // A move that mates is not a fault.
    assert_claims(
        &bad(
            "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
            ["Ra8#", "", "Kd2"],
            [300, -500],
        ),
        &["mates on the back rank in 1"],
    );
}

#[test]
fn searches_for_nonexistent_mates_end() {
    let queens = "qr1k1r1q/8/bn4nb/8/8/BN4NB/8/QR1K1R1Q w - - 0 1";
    let mut effort = MateEffort::default();
    let before = parse_fen(queens).unwrap();
    let played = parse_san(&before, "Kc2").unwrap();
    let judged = Judged {
        before: &before,
        played,
        lost_before: None,
        reply: &[],
        better: &[],
        second: &[],
        scores: [Some(Score::mate_in_plies(9)); 2],
        is_bad: false,
    };
    let began = Instant::now();
    for _ in 0..1000 {
        assert_eq!(claims(&judged, &mut effort), []);
    }
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

/// Claims that a strong player found irrelevant in real games.
#[test]
fn does_not_claim_what_is_irrelevant() {
    // The opponent has just captured a piece of the same value.
    let taken_back = good(
        "r5k1/5ppp/8/4n3/8/1B5P/5PP1/4R1K1 w - - 0 1",
        ["Rxe5", "Rf8 g3"],
        300,
    );
    assert_claims(&taken_back, &["wins a knight"]);
    let claims = taken_back.claims_after(Some(Role::Knight));
    assert_eq!(claims.len(), 0, "{claims:?}");
    // The pawn falls too late to be credited to this move.
    assert_claims(
        &good(
            "6k1/8/8/8/p7/8/4K3/R7 w - - 0 1",
            ["Kd3", "Kf7 Kc3 Kf6 Kb4 Kf5 Rxa4 Kf6"],
            600,
        ),
        &[],
    );
    // The line first wins a pawn, but its point is the rook.
    assert_claims(
        &bad(
            "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2",
            ["g6", "Qxe5+ Qe7 Qxh8 Qxe4+ Kd1", "Nc6 Nf3"],
            [0, -400],
        ),
        &[
            "loses a rook",
            "allows the queen on e5 to fork the king on e8 and the rook on h8",
        ],
    );
    // A king does not fork defended pieces.
    assert_claims(
        &good(
            "8/8/1p1p4/2p1p3/4K3/8/8/k7 w - - 0 1",
            ["Kd5", "Kb2 Kxd6 Kc3 Kxe5"],
            200,
        ),
        &["wins two pawns"],
    );
}

#[test]
fn names_the_only_legal_move() {
    assert_claims(
        &good("k7/8/1K6/8/8/8/8/1R6 b - - 0 1", ["Kb8", ""], 0),
        &["is the only legal move"],
    );
}
