//! Measures the cost of the contract. Compares calls to an evaluator and to a host function, in
//! Rust and in C, with direct calls, and Basic1 as a plugin with the same code linked statically.
//! All variants take turns in one run, because machines differ.
//!
//! Requires `cc` and builds the Rust libraries.
#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "figures for people; a benchmark that can't go on has failed"
)]

use std::{
    ffi::c_void,
    hint::black_box,
    mem::ManuallyDrop,
    path::{Path, PathBuf},
    process::Command,
    ptr::{null, null_mut},
    time::{Duration, Instant},
};

use ai_api::{
    Ai, Flag, Host, Limits, Options, Position, Score, SearchInfo, SearchRequest, Searcher,
    c::{CAi, CError, CEvalTerms, CLimits, CSearchRequest, CSearchResult, ENTRY, OK, SizedStruct},
};
use ai_basic1::Basic1;
use libloading::os::unix::Library;

const ROUNDS: usize = 40;
const CALLS: u32 = 1_000_000;
const SEARCHES: usize = 15;
const NODES: u64 = 1_000_000;

/// Evaluates like `calls.rs`, but as a plain function.
#[inline(never)]
fn direct(position: &Position) -> Score {
    Score::centipawns(10 * position.turn().sign())
}

fn compile_c(folder: &Path) -> PathBuf {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/contract/calls.c");
    let library = folder.join("libcalls.so");
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../ai-api/include");
    let mut compiler = Command::new("cc");
    // Aligns loops: a short loop that happens to cross a cache line takes an extra cycle per
    // iteration, in either language.
    compiler.args([
        "-std=c11",
        "-O2",
        "-falign-loops=64",
        "-fPIC",
        "-shared",
        "-I",
        include,
    ]);
    compiler.arg(source).arg("-o").arg(&library);
    assert!(compiler.status().unwrap().success());
    library
}

fn time(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

/// Returns how many nanoseconds one call takes.
fn per_call(calls: u32, mut call: impl FnMut()) -> f64 {
    time(|| (0..calls).for_each(|_| call())).as_secs_f64() * 1e9 / f64::from(calls)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Prints the minimum over all rounds, because other load only adds time.
fn show(name: &str, times: &[f64]) {
    println!(
        "{name:<58} {:7.2} ns",
        times.iter().copied().fold(f64::INFINITY, f64::min)
    );
}

/// Returns an AI's functions. Never closes its library.
fn entry(library: &Path) -> CAi {
    // SAFETY: this benchmark built the library, and its constructors do nothing.
    let library = ManuallyDrop::new(unsafe { Library::new(library) }.unwrap());
    // SAFETY: the header declares the symbol as a `CAi`.
    unsafe {
        *library
            .get::<*const c_void>(ENTRY)
            .unwrap()
            .as_raw_ptr()
            .cast::<CAi>()
    }
}

/// Builds an AI in Rust. Returns its functions and an instance without options.
fn load(library: &str, target: &[&str], host: &Host<'_>) -> (CAi, *mut ()) {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args([
            "build",
            "--release",
            "--locked",
            "--quiet",
            "-p",
            "ai-basic1",
        ])
        .args(target);
    assert!(cargo.status().unwrap().success());
    let program = std::env::current_exe().unwrap();
    let release = program
        .ancestors()
        .nth(2)
        .expect("cargo puts benchmarks into target/release/deps");
    let ai = entry(&release.join(library));
    let mut instance = null_mut();
    // SAFETY: the AI has no options, and the pointers are valid during the call.
    let status =
        unsafe { ai.create.unwrap()(host, null(), 0, &raw mut instance, &mut { CError::EMPTY }) };
    assert_eq!(status, OK);
    (ai, instance)
}

fn calls(host: &Host<'_>, position: &Position) {
    let (in_rust, instance) = load("examples/libcalls.so", &["--example", "calls"], host);
    let (rust, terms_in_rust) = (in_rust.evaluate.unwrap(), in_rust.terms.unwrap());
    let folder = tempfile::tempdir().unwrap();
    let in_c = entry(&compile_c(folder.path()));
    let (c, terms_in_c) = (in_c.evaluate.unwrap(), in_c.terms.unwrap());
    let (no_instance, mut error) = (null_mut(), CError::EMPTY);
    let mut terms = CEvalTerms::empty();

    let mut evaluated = [const { Vec::new() }; 3];
    let mut served = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        evaluated[0].push(per_call(CALLS, || {
            _ = black_box(direct(black_box(position)));
        }));
        let evaluate = || {
            // SAFETY: the instance belongs to this library.
            _ = black_box(unsafe { rust(instance, black_box(position), host, &raw mut error) });
        };
        evaluated[1].push(per_call(CALLS, evaluate));
        let evaluate = || {
            // SAFETY: the function uses neither its instance nor the host.
            _ = black_box(unsafe { c(no_instance, black_box(position), host, &raw mut error) });
        };
        evaluated[2].push(per_call(CALLS, evaluate));
        let rounds = CALLS / 100;
        served[0].push(per_call(CALLS, || {
            _ = black_box(rules::is_insufficient_material(black_box(position)));
        }));
        for (times, call, instance) in [(1, terms_in_rust, instance), (2, terms_in_c, no_instance)]
        {
            let (terms, error) = (&raw mut terms, &raw mut error);
            let call = || {
                // SAFETY: the instance belongs to the library. The library in C uses only the
                // position and the host's table.
                black_box(unsafe { call(instance, black_box(position), host, terms, error) });
            };
            served[times].push(per_call(rounds, call) / 100.0);
        }
    }
    let names = ["direct call", "contract, Rust", "contract, C"];
    for (name, times) in names.iter().zip(&evaluated) {
        show(&format!("evaluator: {name}"), times);
    }
    for (name, times) in names.iter().zip(&served) {
        show(
            &format!("the host's is_insufficient_material: {name}"),
            times,
        );
    }
}

fn search(host: &Host<'_>, position: Position) {
    let (ai, instance) = load("libai_basic1.so", &["--lib"], host);
    let plugin = ai.search.unwrap();
    let mut linked = Basic1::create(&Options::resolve(&Basic1::options(), &[]), host).unwrap();
    let request = SearchRequest::new(position, Limits::nodes(NODES));
    let limits = CLimits::of(&request.limits);
    let c_request = CSearchRequest {
        position: &raw const position,
        start: &raw const position,
        limits: &raw const limits,
        lines: 1,
        ..CSearchRequest::empty()
    };
    let (mut of_plugin, mut of_linked) = (Vec::new(), Vec::new());
    for _ in 0..SEARCHES {
        let run_plugin = || {
            let (mut result, mut error) = (CSearchResult::empty(), CError::EMPTY);
            // SAFETY: the instance belongs to this library, and the arguments are valid until the
            // call returns.
            let status = unsafe {
                plugin(
                    instance,
                    &raw const c_request,
                    host,
                    &raw mut result,
                    &raw mut error,
                )
            };
            assert_eq!((status, result.nodes), (OK, NODES));
        };
        of_plugin.push(NODES as f64 / time(run_plugin).as_secs_f64());
        let mut run_linked = || linked.search(&request, host).unwrap();
        of_linked.push(NODES as f64 / time(|| assert_eq!(run_linked().nodes, NODES)).as_secs_f64());
    }
    let mut ratios: Vec<_> = of_plugin
        .iter()
        .zip(&of_linked)
        .map(|(plugin, linked)| plugin / linked)
        .collect();
    println!(
        "Basic1, linked statically    {:9.0} nodes/s",
        median(&mut of_linked)
    );
    println!(
        "Basic1, as a plugin          {:9.0} nodes/s",
        median(&mut of_plugin)
    );
    println!("plugin / linked              {:9.3}", median(&mut ratios));
}

fn main() {
    let stop = Flag::new(false);
    let host = Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| {});
    let position =
        rules::parse_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
            .unwrap();
    calls(&host, &position);
    search(&host, position);
}
