//! Perft rates, in millions of paths a second, of `rules`, `cozy-chess` and `chess` beside each other, as a table.
//!
//! `cargo run --release -p rules --example perft_compare [rounds]`. The three take turns, each with the best of its
//! rounds counted, so that a noisy machine treats them alike.

use std::time::{Duration, Instant};

#[path = "../benches/support/peers.rs"]
mod peers;

use peers::{POSITIONS, perft_chess, perft_cozy_chess};

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
            best[1] = best[1].min(time(|| perft_cozy_chess(&cozy, depth), expected));
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
