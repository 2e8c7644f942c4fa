//! Perft and mobility beside `cozy-chess` and `chess`, in one run.

use std::hint::black_box;

use ai_api::Color;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rules::{count_legal_moves, parse_fen, perft};

#[path = "support/peers.rs"]
mod peers;

use peers::{POSITIONS, perft_chess, perft_cozy_chess};

fn perfts(criterion: &mut Criterion) {
    for (name, fen, depth, count) in POSITIONS {
        // One ply less than the table of `perft_compare`: criterion repeats each many times.
        let depth = depth - 1;
        let position = parse_fen(fen).expect("a standard position");
        let cozy: cozy_chess::Board = fen.parse().expect("a standard position");
        let chess: chess::Board = fen.parse().expect("a standard position");
        let paths = perft(&position, depth);
        assert_eq!(perft(&position, depth + 1), u64::from(count), "{name}");
        assert_eq!((perft_cozy_chess(&cozy, depth), perft_chess(&chess, depth)), (paths, paths), "{name}");
        let mut group = criterion.benchmark_group(format!("perft/{name}"));
        group.throughput(Throughput::Elements(paths));
        group.bench_function("rules", |bencher| bencher.iter(|| perft(black_box(&position), depth)));
        group.bench_function("cozy-chess", |bencher| {
            bencher.iter(|| perft_cozy_chess(black_box(&cozy), depth));
        });
        group.bench_function("chess", |bencher| bencher.iter(|| perft_chess(black_box(&chess), depth)));
        group.finish();
    }
}

/// The moves of both sides counted, as an evaluation by mobility does at every node.
fn mobility(criterion: &mut Criterion) {
    let count_cozy = |board: &cozy_chess::Board| {
        let mut count = 0;
        board.generate_moves(|moves| {
            count += moves.len();
            false
        });
        count
    };
    let mut group = criterion.benchmark_group("mobility of both sides");
    for (name, fen, ..) in POSITIONS {
        let position = parse_fen(fen).expect("a standard position");
        let cozy: cozy_chess::Board = fen.parse().expect("a standard position");
        group.bench_function(format!("{name}/rules"), |bencher| {
            bencher.iter(|| Color::ALL.map(|color| count_legal_moves(black_box(&position), color)));
        });
        if cozy.null_move().is_some() {
            group.bench_function(format!("{name}/cozy-chess"), |bencher| {
                bencher.iter(|| {
                    let board = black_box(&cozy);
                    (count_cozy(board), board.null_move().as_ref().map(count_cozy))
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, perfts, mobility);
criterion_main!(benches);
