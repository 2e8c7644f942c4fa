//! Games against Stockfish, played by python-chess.

use std::{path::Path, process::Command};

use test_kit::run;

use crate::support::{configuration, python_with_tools, rookery};

/// `make test-uci` plays more games.
#[test]
fn plays_games_against_stockfish() {
    let file = configuration(&["ai_basic1"]);
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/scripts");
    let mut games = Command::new(python_with_tools());
    games
        .arg(scripts.join("play_uci.py"))
        .arg("--rookery")
        .arg(rookery())
        .arg("--config")
        .arg(file.path());
    games.args("--ai ai_basic1 --games 2 --plies 100 --seconds 5 --increment 0.1".split(' '));
    let output = run(&mut games);
    assert!(output.starts_with("2 of 2 games"), "{output:?}");
}
