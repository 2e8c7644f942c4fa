//! Counts the instructions and allocations of the work that users wait for, and fails if a count is
//! more than 5 % above its ceiling in `ceilings.txt`. Counts do not depend on the machine's load,
//! so they can be tested.
//!
//! Needs Valgrind, and a processor with AVX2 and BMI2. `make bench-check` runs it; `--write`
//! records new ceilings.
#![expect(
    clippy::cast_precision_loss,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    unsafe_code,
    reason = "prints figures for people to read; a custom allocator counts allocations"
)]

mod cases;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use cases::CASES;

/// How far a count may exceed its ceiling.
const TOLERANCE: f64 = 1.05;
/// The numbers of runs in two processes. The difference between their counts excludes the cost of
/// starting a process.
const RUNS: [u64; 2] = [4, 24];

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: every call goes to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if let [name, runs] = &arguments[..] {
        let (_, case) = CASES.iter().find(|(known, _)| known == name).unwrap();
        case(runs.parse().unwrap());
        eprintln!("allocations {}", ALLOCATIONS.load(Relaxed));
        return ExitCode::SUCCESS;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("instructions/ceilings.txt");
    let counts: Vec<_> = CASES.iter().map(|(name, _)| (*name, count(name))).collect();
    if arguments == ["--write"] {
        let mut lines = String::new();
        for (name, [instructions, allocations]) in counts {
            writeln!(lines, "{name} {instructions} {allocations}").unwrap();
        }
        fs::write(&file, lines).unwrap();
        return ExitCode::SUCCESS;
    }
    let ceilings = fs::read_to_string(&file).unwrap();
    let mut is_within = true;
    for (name, counts) in counts {
        let ceiling = ceilings
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let ceilings: Vec<u64> = ceiling
            .unwrap_or_default()
            .split(' ')
            .filter_map(|number| number.parse().ok())
            .collect();
        let [instructions, allocations] = ceilings[..] else {
            println!("{name} has no ceiling; run 'make bench-check WRITE=1'");
            is_within = false;
            continue;
        };
        for (what, found, ceiling) in [
            ("instructions", counts[0], instructions),
            ("allocations", counts[1], allocations),
        ] {
            let is_high = found as f64 > ceiling as f64 * TOLERANCE;
            is_within &= !is_high;
            let verdict = if is_high { "TOO MANY" } else { "ok" };
            println!("{name:24} {found:>12} {what:12} ceiling {ceiling:>12}  {verdict}");
        }
    }
    if is_within {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Returns the numbers of instructions and allocations in one run of a case.
fn count(name: &str) -> [u64; 2] {
    let [few, many] = RUNS.map(|runs| {
        let own: PathBuf = env::current_exe().unwrap();
        let mut valgrind = Command::new("valgrind");
        valgrind
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(own);
        let output = valgrind
            .args([name, &runs.to_string()])
            .output()
            .unwrap_or_else(|error| panic!("valgrind: {error}; install Valgrind"));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{name}: {text}");
        let number_after = |mark: &str| {
            let line = text
                .lines()
                .find_map(|line| line.split_once(mark))
                .unwrap_or_else(|| panic!("{text}"));
            line.1.trim().parse::<u64>().unwrap()
        };
        [number_after("Collected :"), number_after("allocations ")]
    });
    let runs = RUNS[1] - RUNS[0];
    [0, 1].map(|index| many[index].saturating_sub(few[index]) / runs)
}
