//! Endurance: chaos, load, replicas behind a balancer and the fleet, with the real command over
//! real sockets.
//!
//! The tests are short; `make chaos`, `make load` and `make test-fleet` run them longer.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod arena;
mod chaos;
mod client;
mod foreign;
mod load;
mod server;

use std::{
    sync::{PoisonError, RwLock},
    time::Duration,
};

static MACHINE: RwLock<()> = RwLock::new(());

/// Runs a test alone, because it checks times.
fn alone(test: impl Future<Output = ()>) {
    let _alone = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
    actix_web::rt::System::new().block_on(test);
}

/// Runs a test in parallel with others that do not check times.
fn together(test: impl Future<Output = ()>) {
    let _together = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
    actix_web::rt::System::new().block_on(test);
}

/// Runs a blocking test in parallel with others that do not check times.
fn together_blocking(test: impl FnOnce()) {
    let _together = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
    test();
}

/// Returns a number from the environment, or the default.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is {text:?}, expected a whole number"))
    })
}

/// Returns a percentile of these times.
fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times
        .get(times.len() * percent / 100)
        .or(times.last())
        .copied()
        .unwrap_or_default()
}

/// The moves of some unfinished short games.
const GAMES: [&[&str]; 8] = [
    &[],
    &["e2e4"],
    &["d2d4", "d7d5", "c2c4"],
    &["e2e4", "c7c5", "g1f3", "d7d6"],
    &["g1f3", "g8f6", "g2g3"],
    &["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"],
    &["c2c4", "e7e5"],
    &["b2b3"],
];
