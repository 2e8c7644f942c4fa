//! The examples in `docs/examples` work against a real server. They need Python and Node.js.

mod continuous_integration;

use std::{path::Path, process::Command};

use crate::{
    server::Server,
    support::{assert_has, basic1_and},
};

/// Runs an example and returns its output.
fn output(program: &str, example: &str) -> String {
    let server = Server::start(&basic1_and(""));
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/examples")
        .join(example);
    let ran = Command::new(program)
        .arg(path)
        .arg(format!("http://{}", server.address))
        .output();
    let ran = ran.unwrap_or_else(|error| {
        panic!("{program} is needed for {example}; `make test-all` installs it: {error}")
    });
    let (reported, wrong) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert!(ran.status.success(), "{example}: {reported}{wrong}");
    reported.into_owned()
}

#[test]
fn the_python_example_plays_a_game() {
    let reported = output("python3", "play.py");
    let issues = [
        "/game/moves/0 illegal_move - e2e5 is illegal",
        "/game/moves/1 illegal_move",
    ];
    assert_has(&reported, &["8 ", "[Result \"*\"]", "1. e4 "]);
    assert_has(&reported, &issues);
}

#[test]
fn the_javascript_example_reads_a_stream() {
    let reported = output("node", "stream.mjs");
    let refusal = "illegal_game: the game is not legal";
    assert_has(
        &reported,
        &["depth 4: Qxf7#", "plays Qxf7#: checkmate", refusal],
    );
}
