//! The Python package: its wheel, tests and types, its moves compared with the host's, and an AI
//! from its template.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use super::{super::installed, beats_random_play, new_ai, outcome};
use crate::{
    cli::run,
    support::{assert_has, python_with_tools},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[track_caller]
fn output(command: &mut Command) -> String {
    let ran = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (said, wrong) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert!(ran.status.success(), "{command:?}: {said}{wrong}");
    format!("{said}{wrong}")
}

#[test]
fn the_wheel_contains_the_package_and_passes_its_tests() {
    let place = tempfile::tempdir().unwrap();
    let (source, wheels, environment) = (
        place.path().join("python"),
        place.path().join("wheels"),
        place.path().join("environment"),
    );
    let python = python_with_tools();
    // The build writes next to the sources, so it gets a copy.
    output(
        Command::new("cp")
            .arg("-r")
            .arg(root().join("sdk/python"))
            .arg(&source),
    );
    let build = [
        "-m",
        "pip",
        "wheel",
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        "--wheel-dir",
    ];
    output(Command::new(&python).args(build).arg(&wheels).arg(&source));
    let wheel = wheels.join("rookery_ai-1.0.0-py3-none-any.whl");
    // The environment has no other packages, because the wheel has no dependencies.
    output(Command::new(&python).args(["-m", "venv"]).arg(&environment));
    let own = environment.join("bin/python");
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--disable-pip-version-check",
    ];
    output(Command::new(&own).args(install).arg(wheel));
    let tests = ["-m", "unittest", "discover", "--start-directory"];
    let ran = output(
        Command::new(&own)
            .args(tests)
            .arg(source.join("tests"))
            .current_dir("/"),
    );
    assert_has(&ran, &["OK (skipped=1)"]);
    // If python-chess is installed, the skipped test runs.
    let ran = output(
        Command::new(&python)
            .args(tests)
            .arg(source.join("tests"))
            .env("PYTHONPATH", &source)
            .current_dir("/"),
    );
    assert!(ran.trim_end().ends_with("\nOK"), "{ran}");
    output(
        Command::new(&python)
            .args(["-m", "mypy", "--strict", "rookery_ai", "tests"])
            .current_dir(&source),
    );
}

#[test]
fn the_packages_moves_match_the_hosts() {
    const PERFT: &str = "
import sys
from rookery_ai import Position
def perft(position, depth):
    if not depth:
        return 1
    return sum(perft(position.play(move), depth - 1) for move in position.legal_moves())
position = Position(sys.argv[1])
for move in position.legal_moves():
    print(f'{move}: {perft(position.play(move), 2)}')
";
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1",
        "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    ] {
        let mut python = Command::new("python3");
        let found = output(
            python
                .args(["-c", PERFT, fen])
                .env("PYTHONPATH", root().join("sdk/python")),
        );
        let counted = run(&["perft", "--depth", "3", "--divide", "--fen", fen]).data();
        let sorted = |text: &str| {
            let mut lines: Vec<_> = text
                .lines()
                .filter(|line| line.contains(": "))
                .map(str::to_owned)
                .collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&found), sorted(&counted), "{fen}");
    }
}

#[test]
fn an_ai_from_the_template_passes_its_tests_and_beats_random_play() {
    let parent = tempfile::tempdir().unwrap();
    new_ai(parent.path(), &["ai-snake", "--lang", "python"]).data();
    let folder = parent.path().join("ai-snake");
    let python = python_with_tools();
    output(
        Command::new("python3")
            .args(["-m", "unittest"])
            .current_dir(&folder),
    );
    output(
        Command::new(&python)
            .args(["-m", "mypy", "--strict", "engine.py", "test_engine.py"])
            .current_dir(&folder),
    );
    let mode = fs::metadata(folder.join("engine.py"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o100, 0o100, "{mode:o}");
    // Uses the system's Python, because a worker of a server run by root may not enter another
    // user's home.
    let program = fs::canonicalize("/usr/bin/python3").unwrap();
    let version = program.file_name().unwrap().to_str().unwrap();
    let settings = format!(
        "library = \"ai_uci\"\nallow_exec = [\"{0}\"]\nallow_read = [\"/usr/lib/{version}\", \
         \"{1}\"]\noptions = {{ command = \"{0} {1}/engine.py\" }}\n",
        program.display(),
        folder.display()
    );
    fs::set_permissions(parent.path(), fs::Permissions::from_mode(0o755)).unwrap();
    beats_random_play("snake", &settings);
    let engine = folder.join("engine.py");
    let words = [
        "check-ai",
        "--seed",
        "1",
        "--",
        program.to_str().unwrap(),
        engine.to_str().unwrap(),
    ];
    let examined = outcome(installed().command().args(words));
    assert_eq!(examined.status, Some(0), "{}", examined.stdout);
    assert!(
        examined.stdout.contains("pass     stop.answers"),
        "{}",
        examined.stdout
    );
}
