//! Measures the node count and speed of the search: `cargo bench -p ai-nnue1 -- DEPTH`. The total
//! node count changes only if the search does.

use std::time::{Duration, Instant};

use ai_api::{Ai, Flag, Host, Limits, Options, SearchInfo, SearchRequest, Searcher};
use ai_nnue1::Nnue1;

const POSITIONS: [&str; 20] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "rnbqkb1r/pp3ppp/4pn2/2pp4/3P4/2N2N2/PPP1PPPP/R1BQKB1R w KQkq - 0 5",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9",
    "r2q1rk1/1b1nbppp/p2ppn2/1p6/3NPP2/1BN1B3/PPP1Q1PP/R4RK1 w - - 0 12",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16",
    "r1b1k2r/ppppnppp/2n2q2/2b5/3NP3/2P1B3/PP3PPP/RN1QKB1R w KQkq - 0 7",
    "r3r1k1/pp3pbp/1qp1b1p1/2B5/2BP4/Q1n2N2/P4PPP/3R1K1R w - - 4 18",
    "3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
    "4k2r/1pb2ppp/1p2p3/1R1p4/3P4/2r1PN2/P4PPP/1R4K1 b - - 3 22",
    "6k1/6p1/6Pp/ppp5/3pn2P/1P3K2/1PP2P2/3N4 b - - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "8/R7/2q5/8/6k1/8/1P5p/K6R w - - 0 124",
    "8/pp2k3/2p1p1p1/2P1Pp1p/1P1K1P1P/P5P1/8/8 w - - 0 40",
    "5rk1/q6p/2p3bR/1pPp1rP1/1P1Pp3/P3B1Q1/1K3P2/R7 w - - 93 90",
    "4rrk1/1p1nq3/p7/2p1P1pp/3P2bp/3Q1Bn1/PPPB4/1K2R1NR w - - 40 21",
    "r1bqr1k1/pp1p1ppp/2p5/8/3N1Q2/P2BB3/1PP2PPP/R3K2n b Q - 1 12",
    "1r4k1/4ppb1/2n1b1qp/pB4p1/1n1BP1P1/7P/2PNQPK1/3RN3 w - - 8 29",
];

fn main() {
    evaluation();
    let depth = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(10);
    let stop = Flag::new(false);
    let host = Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| {});
    let options = Options::resolve(&Nnue1::options(), &[]);
    let mut ai = Nnue1::create(&options, &host).expect("the default options are valid");
    let (mut nodes, mut time) = (0, Duration::ZERO);
    for fen in POSITIONS {
        let position = rules::parse_fen(fen).expect("the positions are legal");
        let begin = Instant::now();
        let result = ai.search(&SearchRequest::new(position, Limits::depth(depth)), &host);
        let result = result.expect("the search can't fail");
        time += begin.elapsed();
        nodes += result.nodes;
        println!(
            "{:>10} nodes {:>7} {:?} {fen}",
            result.nodes,
            result.score.to_string(),
            result.pv.first()
        );
    }
    let rate = u128::from(nodes) * 1_000_000 / time.as_micros().max(1);
    println!("{nodes} nodes in {time:.2?}, {rate} nodes per second");
}

/// Measures how long a static evaluation takes.
fn evaluation() {
    const ROUNDS: u32 = 20_000;
    let terms = ai_nnue1::evaluation::Terms::default();
    let positions = POSITIONS.map(|fen| rules::parse_fen(fen).expect("the positions are legal"));
    let begin = Instant::now();
    let mut sum = 0;
    for _ in 0..ROUNDS {
        sum += positions
            .iter()
            .map(|position| terms.for_white(std::hint::black_box(position)))
            .sum::<i32>();
    }
    let each = begin.elapsed().as_nanos() / u128::from(ROUNDS * 20);
    println!("an evaluation takes {each} ns (checksum {sum})");
}
