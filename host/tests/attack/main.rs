//! Hostile AIs and hostile clients against a real server: one row for each promise and attack.
//!
//! `cargo test` runs the short attacks against the debug binary. `make attack` runs all attacks at
//! full strength against the release binary. Both print the table and write it to
//! `target/attack.md`.
#![expect(clippy::unwrap_used, reason = "an attack that cannot go on has failed")]

mod access;
mod add;
mod arena;
mod configuration;
mod connections;
mod fairness;
mod foreign;
mod games;
mod http;
mod library;
mod lies;
mod operations;
mod plugins;
mod reports;
mod requests;
mod runner;
mod sandbox;
mod server;
mod time;
mod tls;

use crate::runner::Attack;

fn attacks() -> Vec<Attack> {
    [
        sandbox::ATTACKS,
        lies::ATTACKS,
        fairness::ATTACKS,
        connections::ATTACKS,
        tls::ATTACKS,
        http::ATTACKS,
        requests::ATTACKS,
        access::ATTACKS,
        games::ATTACKS,
        operations::ATTACKS,
        configuration::ATTACKS,
        plugins::ATTACKS,
        add::ATTACKS,
        reports::ATTACKS,
        arena::ATTACKS,
        time::ATTACKS,
    ]
    .concat()
}

#[test]
fn every_promise_holds_against_its_attacks() {
    assert_holds(attacks(), "attack.md");
}

/// Runs attacks and writes their table to a file in `target`.
fn assert_holds(attacks: Vec<Attack>, file: &str) {
    let report = runner::run(attacks);
    let table = report.to_string();
    eprintln!("{table}");
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name(file);
    std::fs::write(&file, &table).unwrap();
    assert!(
        report.holds(),
        "not every promise holds; see {}",
        file.display()
    );
}
