//! Benchmarks of the host with real servers and workers: start times with and without the sandbox,
//! the cost of workers and of their faults, the host's overhead, and reloads under load. The
//! overhead is compared with `/healthz` on the same server (HTTP alone) and with the same search in
//! this process (the AI alone), measured alternately in one run.
//!
//! Needs `libai_basic1.so` next to the `rookery` binary: `make bench` builds it first.
#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "figures for people; a benchmark that can't go on has failed"
)]

mod changes;
mod overhead;
mod server;
mod starts;
mod workers;

use std::time::{Duration, Instant};

fn main() {
    starts::measure();
    workers::measure();
    overhead::measure();
    changes::measure();
}

fn time(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn percentiles(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e6;
    format!("median {:7.1} µs   p99 {:7.1} µs", at(0.5), at(0.99))
}
