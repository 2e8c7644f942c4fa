//! Perft rates of `rules`, `cozy-chess` and `chess` beside each other, as a table.
//!
//! `cargo run --release -p rules --example perft_compare [rounds]`. The three take turns, each with the best of its
//! rounds counted, so that a noisy machine treats them alike.

use std::time::{Duration, Instant};

const POSITIONS: [(&str, &str, u32, u32); 6] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
    ("endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11_030_083),
    ("promotions", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5, 15_833_292),
    ("position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
    ("middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
];

/// As the example of `cozy-chess` counts.
fn perft_cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut count = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            count += moves.len() as u64;
            false
        });
    } else {
        board.generate_moves(|moves| {
            for chosen in moves {
                let mut next = board.clone();
                next.play_unchecked(chosen);
                count += perft_cozy(&next, depth - 1);
            }
            false
        });
    }
    count
}

fn perft_chess(board: &chess::Board, depth: u32) -> u64 {
    chess::MoveGen::movegen_perft_test(board, depth as usize) as u64
}

fn time(count: impl Fn() -> u64, expected: u32) -> Duration {
    let start = Instant::now();
    let found = std::hint::black_box(count());
    let taken = start.elapsed();
    assert_eq!(found, u64::from(expected));
    taken
}

fn main() {
    let rounds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    println!("| position | depth | rules | cozy-chess | chess |\n|---|---|---|---|---|");
    let mut logs = [0.0; 3];
    for (name, fen, depth, expected) in POSITIONS {
        let ours = rules::parse_fen(fen).expect("a standard position");
        let cozy: cozy_chess::Board = fen.parse().expect("a standard position");
        let chess: chess::Board = fen.parse().expect("a standard position");
        let mut best = [Duration::MAX; 3];
        for _ in 0..rounds {
            best[0] = best[0].min(time(|| rules::perft(&ours, depth), expected));
            best[1] = best[1].min(time(|| perft_cozy(&cozy, depth), expected));
            best[2] = best[2].min(time(|| perft_chess(&chess, depth), expected));
        }
        // Paths per microsecond are millions per second.
        let rates = best.map(|taken| f64::from(expected) / (taken.as_secs_f64() * 1e6));
        println!("| {name} | {depth} | {:.0} | {:.0} | {:.0} |", rates[0], rates[1], rates[2]);
        for (log, rate) in logs.iter_mut().zip(rates) {
            *log += rate.ln() / 6.0;
        }
    }
    let [ours, cozy, chess] = logs.map(f64::exp);
    println!("| geometric mean | | {ours:.0} | {cozy:.0} | {chess:.0} |");
}
