//! Huo1's moves and traces.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod danger;
mod draws;
mod evaluation;
mod limits;
mod playing;
mod trace;

use ai_api::{
    Ai, Flag, Host, Limits, Move, OptionSetting, OptionValue, Options, Position, SearchInfo,
    SearchRequest, SearchResult, Searcher, Square,
};
use ai_huo1::Huo1;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 20";

/// Openings, middlegames, endgames, promotions, near mates.
const POSITIONS: [&str; 12] = [
    START,
    MIDDLEGAME,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/P6k/8/8/8/8/p6K/8 b - - 0 1",
    "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
    "7k/5K2/8/6Q1/8/8/8/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    "7k/8/6K1/8/8/8/8/1R6 w - - 97 90",
    "8/8/3k4/8/3K4/4R3/8/8 b - - 20 80",
];

fn position(fen: &str) -> Position {
    rules::parse_fen(fen).unwrap_or_else(|issues| panic!("{fen}: {issues:?}"))
}

fn square(name: &str) -> Square {
    name.parse().unwrap()
}

fn level_of(level: i64) -> Options {
    let level = [OptionSetting {
        name: "level".into(),
        value: OptionValue::Integer(level),
    }];
    Options::resolve(&Huo1::options(), &level)
}

fn of_level(level: i64) -> Huo1 {
    with_host(|host| Huo1::create(&level_of(level), host)).unwrap()
}

fn with_host<T>(work: impl FnOnce(&Host<'_>) -> T) -> T {
    let stop = Flag::new(false);
    work(&Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| {}))
}

fn at_level(level: i64, request: &SearchRequest<'_>) -> SearchResult {
    with_host(|host| of_level(level).search(request, host).unwrap())
}

fn result(request: &SearchRequest<'_>) -> SearchResult {
    at_level(3, request)
}

fn request(fen: &str, depth: u32) -> SearchRequest<'static> {
    SearchRequest::new(position(fen), Limits::depth(depth))
}

fn at_depth(fen: &str, depth: u32) -> SearchResult {
    result(&request(fen, depth))
}

fn chosen(result: &SearchResult) -> Move {
    result.best_move.unwrap()
}

fn san(fen: &str, result: &SearchResult) -> String {
    rules::format_san(&position(fen), chosen(result)).into()
}
