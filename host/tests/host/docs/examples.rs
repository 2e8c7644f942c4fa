//! The examples of `docs/examples` work against a real server.

use std::{path::Path, process::Command};

use crate::{
    server::Server,
    support::{ConfigFile, directories},
};

/// Runs an example, and returns its output.
fn output(program: &str, example: &str) -> String {
    let ai = "[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic1\"\n";
    let text = format!("[plugins]\npolicy = \"configured\"\ndirectories = {}\n{ai}", directories());
    let server = Server::start(&ConfigFile::verbatim(&text));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples").join(example);
    let ran = Command::new(program).arg(path).arg(format!("http://{}", server.address)).output();
    let ran = ran.unwrap_or_else(|error| panic!("{program} is needed for {example}; install it: {error}"));
    let (reported, wrong) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{example}: {reported}{wrong}");
    reported.into_owned()
}

#[test]
fn the_python_example_plays_a_game() {
    let reported = output("python3", "play.py");
    for part in [
        "8 ",
        "[Result \"*\"]",
        "1. e4 ",
        "/game/moves/0 illegal_move - e2e5 is illegal",
        "/game/moves/1 illegal_move",
    ] {
        assert!(reported.contains(part), "{part}: {reported}");
    }
}

#[test]
fn the_javascript_example_reads_a_stream() {
    let reported = output("node", "stream.mjs");
    for part in ["depth 4: Qxf7#", "plays Qxf7#: checkmate", "illegal_game: the game is not legal"] {
        assert!(reported.contains(part), "{part}: {reported}");
    }
}
