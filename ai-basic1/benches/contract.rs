//! What the contract costs: one call of an evaluator and of a host service, in Rust and in C, beside a direct call; and
//! Basic1 as a plugin beside the same code linked statically. All in turns in one run, since machines differ.
//!
//! Needs `libai_basic1.so` in `target/release`, which `make bench` builds first, and `cc`.
#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "figures for people; a benchmark that can't go on has failed"
)]

use std::{
    ffi::c_void,
    hint::black_box,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use ai_api::{
    Ai, AiError, Color, Evaluator, Host, Limit, OptionSetting, Options, Position, Question, Report, Role,
    Score, Searcher,
    abi_stable::{
        library::lib_header_from_path,
        std_types::{RResult, RSlice},
    },
    c::{CAi, ENTRY},
    module::{AiModule, AiModuleRef, Manifest, manifest},
};
use ai_basic1::Basic1;
use libloading::os::unix::Library;

const ROUNDS: usize = 15;
const CALLS: u32 = 2_000_000;
const NODES: u64 = 1_000_000;

struct Pawns;

impl Ai for Pawns {
    fn create(_: &Options) -> Result<Self, AiError> {
        Ok(Self)
    }
}

impl Evaluator for Pawns {
    fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
        let [white, black] = Color::ALL.map(|color| position.pieces(color, Role::Pawn).count() as i32);
        Score::centipawns(100 * (white - black))
    }
}

extern "C" fn pawns_manifest(settings: RSlice<'_, OptionSetting>) -> RResult<Manifest, AiError> {
    manifest::<Pawns>("pawns", "1", "", &settings)
}

#[inline(never)]
fn direct(ai: &mut Pawns, position: &Position, host: &Host<'_>) -> Score {
    ai.evaluate(position, host)
}

/// The same judgement in C, and one that asks the host for something a hundred times.
const IN_C: &str = r#"#include "rookery_ai.h"
static rookery_score evaluate(void *ai, const rookery_position *position, const rookery_host *host) {
    (void)ai, (void)host;
    rookery_bitboard pawns = position->roles[ROOKERY_PAWN];
    int white = __builtin_popcountll(pawns & position->colors[ROOKERY_WHITE]);
    int black = __builtin_popcountll(pawns & position->colors[ROOKERY_BLACK]);
    return 100 * (white - black);
}
static size_t ask(void *ai, const rookery_position *position, const rookery_host *host, rookery_term *t, size_t n) {
    (void)ai, (void)t, (void)n;
    size_t yes = 0;
    for (int i = 0; i < 100; i++) yes += host->services->is_insufficient_material(position);
    return yes;
}
ROOKERY_NOTE("bench", "1");
ROOKERY_EXPORT const rookery_ai rookery_ai_entry = {
    .size = sizeof(rookery_ai), .abi = ROOKERY_ABI, .evaluate = evaluate, .terms = ask};
"#;

fn compile_c(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("bench.c"), folder.join("libbench.so"));
    std::fs::write(&source, IN_C).unwrap();
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../ai-api/include");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-std=c11", "-O2", "-fPIC", "-shared", "-I", include])
        .arg(&source)
        .arg("-o")
        .arg(&library);
    assert!(compiler.status().unwrap().success());
    library
}

fn time(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Nanoseconds of one call: the median over all rounds.
fn show(name: &str, times: &mut [f64]) {
    println!("{name:<58} {:7.2} ns", median(times));
}

fn calls(host: &Host<'_>, position: &Position) {
    let module = AiModule::new::<Pawns>(pawns_manifest).with_evaluator::<Pawns>().leak();
    let mut instance = (module.create())(RSlice::EMPTY).unwrap();
    let over_rust = module.evaluate().unwrap();
    let folder = tempfile::tempdir().unwrap();
    // SAFETY: the library is the one just compiled, and has no constructors.
    let library = unsafe { Library::new(compile_c(folder.path())) }.unwrap();
    // SAFETY: the symbol is a `CAi`, as the header says, and the library stays open.
    let in_c = unsafe { *library.get::<*const c_void>(ENTRY).unwrap().as_raw_ptr().cast::<CAi>() };
    let (over_c, ask) = (in_c.evaluate.unwrap(), in_c.terms.unwrap());
    let nobody = std::ptr::null_mut();

    let per_call = |time: Duration, calls: u32| time.as_secs_f64() * 1e9 / f64::from(calls);
    let mut evaluated = [const { Vec::new() }; 3];
    let mut served = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        evaluated[0].push(per_call(
            time(|| (0..CALLS).for_each(|_| _ = black_box(direct(&mut Pawns, black_box(position), host)))),
            CALLS,
        ));
        evaluated[1].push(per_call(
            time(|| {
                for _ in 0..CALLS {
                    // SAFETY: the instance is of this module.
                    let _ = black_box(unsafe { over_rust(&mut instance, black_box(position), host) });
                }
            }),
            CALLS,
        ));
        evaluated[2].push(per_call(
            time(|| {
                for _ in 0..CALLS {
                    // SAFETY: the function uses neither its instance nor the host.
                    let _ = black_box(unsafe { over_c(nobody, black_box(position), host) });
                }
            }),
            CALLS,
        ));
        served[0].push(per_call(
            time(|| {
                (0..CALLS).for_each(|_| _ = black_box(rules::is_insufficient_material(black_box(position))));
            }),
            CALLS,
        ));
        served[1].push(per_call(
            time(|| {
                (0..CALLS).for_each(|_| _ = black_box(host.is_insufficient_material(black_box(position))));
            }),
            CALLS,
        ));
        served[2].push(per_call(
            time(|| {
                for _ in 0..CALLS / 100 {
                    // SAFETY: the function uses the position and the host's table alone.
                    let _ = black_box(unsafe { ask(nobody, black_box(position), host, nobody.cast(), 0) });
                }
            }),
            CALLS,
        ));
    }
    let names = ["a direct call", "over the contract, Rust", "over the contract, C"];
    for (name, times) in names.iter().zip(&mut evaluated) {
        show(&format!("an evaluator that counts pawns: {name}"), times);
    }
    for (name, times) in names.iter().zip(&mut served) {
        show(&format!("the host's is_insufficient_material: {name}"), times);
    }
}

fn search(host: &Host<'_>, position: Position) {
    let release = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release");
    let file = std::env::var_os("BASIC1_LIBRARY").map_or(release.join("libai_basic1.so"), PathBuf::from);
    let header = lib_header_from_path(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let module = header.init_root_module::<AiModuleRef>().unwrap();
    let mut instance = (module.create())(RSlice::EMPTY).unwrap();
    let plugin = module.search().unwrap();
    let mut linked = Basic1::create(&Options::resolve(&Basic1::options(), &[])).unwrap();
    let question = Question::new(position, Limit::Nodes(NODES));
    let (mut of_plugin, mut of_linked) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // SAFETY: the instance is of this module.
        let mut answer = || unsafe { plugin(&mut instance, &question, host) };
        of_plugin.push(NODES as f64 / time(|| assert_eq!(answer().unwrap().nodes, NODES)).as_secs_f64());
        let mut answer = || linked.search(&question, host).unwrap();
        of_linked.push(NODES as f64 / time(|| assert_eq!(answer().nodes, NODES)).as_secs_f64());
    }
    let mut ratios: Vec<_> =
        of_plugin.iter().zip(&of_linked).map(|(plugin, linked)| plugin / linked).collect();
    println!("Basic1, linked statically    {:9.0} nodes/s", median(&mut of_linked));
    println!("Basic1, as a plugin          {:9.0} nodes/s", median(&mut of_plugin));
    println!("plugin beside linked         {:9.3}", median(&mut ratios));
}

fn main() {
    let stop = AtomicBool::new(false);
    let host = Host::new(&rules::SERVICES, &stop, &|_: &Report<'_>| {});
    let position =
        rules::parse_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
    calls(&host, &position);
    search(&host, position);
}
