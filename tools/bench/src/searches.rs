//! Compares Basic1's search with alpha-beta on `cozy-chess`: the time to a depth, and the scores at
//! equal depth.

use std::{hint::black_box, time::Instant};

use ai_api::{Flag, Host, Limits, SearchInfo, SearchRequest};
use ai_basic1::Evaluation;
use ai_search::{Search, SearchOptions};

use crate::{alpha_beta::AlphaBeta, row::Row};

const GROUP: &str = "searches";
const POSITIONS: &str = include_str!("../../../host/src/cli/bench/positions.fen");
const DEPTH: u32 = 8;

type Contender = (&'static str, Box<dyn FnMut(&str) -> Searched>);

/// A finished search; the score is for the side to move.
struct Searched {
    score: i32,
    nodes: u64,
    seconds: f64,
}

fn basic1(options: SearchOptions) -> Box<dyn FnMut(&str) -> Searched> {
    let mut search = Search::new(options).expect("enough memory");
    Box::new(move |fen| {
        let position = rules::parse_fen(fen).expect("a legal position");
        let stop = Flag::new(false);
        let host = Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| {});
        let request = SearchRequest::new(black_box(position), Limits::depth(DEPTH));
        let started = Instant::now();
        let result = search.search(&mut Evaluation::default(), &request, &host);
        let seconds = started.elapsed().as_secs_f64();
        Searched {
            score: result.score.value() * position.turn().sign(),
            nodes: result.nodes,
            seconds,
        }
    })
}

fn alpha_beta() -> Box<dyn FnMut(&str) -> Searched> {
    let mut search = AlphaBeta::new();
    Box::new(move |fen| {
        let board = fen.parse().expect("a legal position");
        let started = Instant::now();
        let score = search.search(black_box(&board), DEPTH);
        Searched {
            score,
            nodes: search.nodes,
            seconds: started.elapsed().as_secs_f64(),
        }
    })
}

/// Measures the geometric mean of the times of all positions, in one round because it takes
/// minutes.
pub fn compare(_: usize) {
    let mut contenders: [Contender; 3] = [
        ("Basic1", basic1(SearchOptions::default())),
        ("Basic1, exact", basic1(SearchOptions::EXACT)),
        ("alpha-beta on cozy-chess", alpha_beta()),
    ];
    let mut results = contenders.each_ref().map(|_| Vec::new());
    for fen in POSITIONS.lines() {
        for ((_, search), results) in contenders.iter_mut().zip(&mut results) {
            results.push(search(fen));
        }
    }
    let [_, exact, peer] = &results;
    let equal = exact
        .iter()
        .zip(peer)
        .filter(|(own, peer)| own.score == peer.score)
        .count();
    let work = |figure: &str| format!("{} positions to depth {DEPTH}, {figure}", peer.len());
    for ((name, _), results) in contenders.iter().zip(&results) {
        let logarithms: f64 = results.iter().map(|result| result.seconds.ln()).sum();
        let mean = (logarithms / results.len() as f64).exp();
        let nodes: u64 = results.iter().map(|result| result.nodes).sum();
        Row::new(GROUP, &work("mean time"), "ms", name, vec![mean * 1e3]).print();
        Row::new(
            GROUP,
            &work("nodes"),
            "million nodes",
            name,
            vec![nodes as f64 / 1e6],
        )
        .print();
    }
    Row::new(
        GROUP,
        &work("equal scores"),
        "positions",
        "Basic1, exact",
        vec![equal as f64],
    )
    .print();
}
