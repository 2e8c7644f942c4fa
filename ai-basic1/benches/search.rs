//! Measures the speed of Basic1's search: `cargo bench -p ai-basic1`.

use std::{hint::black_box, time::Instant};

use ai_api::{Flag, Host, Limits, Position, SearchInfo, SearchRequest, SearchResult};
use ai_basic1::Evaluation;
use ai_search::{MAX_TRACE_NODES, Search, SearchOptions};
use criterion::{Criterion, criterion_group, criterion_main};

const POSITIONS: [(&str, &str); 4] = [
    (
        "start",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ),
    (
        "kiwipete",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    ),
    (
        "middlegame",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    ),
    ("endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
];

fn run(search: &mut Search, position: Position, limit: Limits) -> SearchResult {
    let stop = Flag::new(false);
    let host = Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| {});
    search.search(
        &mut Evaluation::default(),
        &SearchRequest::new(position, limit),
        &host,
    )
}

fn position(fen: &str) -> Position {
    rules::parse_fen(fen).expect("the positions here are legal")
}

/// The request that took 37 s in the 2014 program. Includes creating the search.
fn depth_3(c: &mut Criterion) {
    let start = position(POSITIONS[0].1);
    for (name, quiescence) in [("without quiescence", false), ("with quiescence", true)] {
        c.bench_function(&format!("start depth 3 {name}"), |bench| {
            bench.iter(|| {
                let mut search = Search::new(SearchOptions {
                    quiescence,
                    ..SearchOptions::default()
                })
                .expect("enough memory");
                run(&mut search, black_box(start), Limits::depth(3))
            });
        });
    }
}

fn depth_5(c: &mut Criterion) {
    let mut group = c.benchmark_group("depth 5");
    group.sample_size(20);
    for (name, fen) in POSITIONS {
        let position = position(fen);
        for (mode, quiescence) in [("plain", false), ("quiescence", true)] {
            let options = SearchOptions {
                quiescence,
                ..SearchOptions::default()
            };
            let mut search = Search::new(options).expect("enough memory");
            let start = Instant::now();
            let nodes = run(&mut search, position, Limits::depth(5)).nodes;
            let elapsed = start.elapsed();
            let rate = u128::from(nodes) * 1_000_000 / elapsed.as_nanos();
            println!(
                "{name}, {mode}: {nodes} nodes in {elapsed:.1?}, {rate} thousand nodes per second"
            );
            group.bench_function(format!("{name} {mode}"), |bench| {
                bench.iter(|| run(&mut search, black_box(position), Limits::depth(5)));
            });
        }
    }
    group.finish();
}

/// Measures the cost of a trace: alternates searches with traces of different sizes, each with the
/// same node limit.
fn trace(_: &mut Criterion) {
    const ROUNDS: usize = 15;
    const NODES: u64 = 500_000;
    const SIZES: [u32; 3] = [0, 200, MAX_TRACE_NODES];
    let start = position(POSITIONS[1].1);
    let stop = Flag::new(false);
    let host = Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| {});
    let mut rates = SIZES.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        for (trace_nodes, rates) in SIZES.into_iter().zip(&mut rates) {
            let mut search = Search::new(SearchOptions::default()).expect("enough memory");
            let request = SearchRequest {
                trace_nodes,
                ..SearchRequest::new(start, Limits::nodes(NODES))
            };
            let begin = Instant::now();
            let result = search.search(&mut Evaluation::default(), &request, &host);
            rates.push(u128::from(result.nodes) * 1_000_000_000 / begin.elapsed().as_nanos());
        }
    }
    // Prints the fastest run of each size, because other load only adds time.
    for (size, rates) in SIZES.into_iter().zip(rates) {
        let fastest = rates.into_iter().max().unwrap_or_default();
        println!("kiwipete, a trace of at most {size} nodes: {fastest} nodes per second");
    }
}

criterion_group!(benches, depth_3, depth_5, trace);
criterion_main!(benches);
