//! Third-party clients: the conformance suite, the Inspector and the Python SDK.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use super::configuration;
use test_kit::run;

use crate::{
    server::Server,
    support::{assert_has, rookery},
};

/// The suite's scenarios for features that every server has. The others call tools, prompts and
/// resources of the suite's example server.
const SCENARIOS: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &[
            "server-initialize",
            "ping",
            "tools-list",
            "resources-list",
            "dns-rebinding-protection",
        ],
    ),
    (
        "2026-07-28",
        &[
            "tools-list",
            "resources-list",
            "dns-rebinding-protection",
            "http-header-validation",
            "sep-2164-resource-not-found",
            "server-sse-multiple-streams",
            "server-stateless",
            "caching",
        ],
    ),
];
/// Checks in these scenarios that fail because they need the tools and prompts of the example
/// server.
const UNTESTABLE: [&str; 5] = [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
    "sep-2549-prompts-list-caching-hints",
];

/// Returns the folder of the clients. Panics if a client is missing and cannot be installed.
fn clients() -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/scripts/mcp-tools.sh");
    PathBuf::from(run(&mut Command::new(script)).trim())
}

/// A Node.js program.
fn node(clients: &Path, program: &str) -> Command {
    let mut command = Command::new(clients.join("node_modules/node/bin/node"));
    command.arg(
        clients
            .join("node_modules/@modelcontextprotocol")
            .join(program),
    );
    command
}

#[track_caller]
fn output(command: &mut Command) -> (Output, String) {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output, text)
}

#[test]
fn passes_the_conformance_suite() {
    let (clients, server) = (clients(), Server::start(&configuration()));
    let url = format!("http://{}/mcp", server.address);
    let mut failed = BTreeSet::new();
    for (revision, scenarios) in SCENARIOS {
        let results = tempfile::tempdir().unwrap();
        let mut suite = node(&clients, "conformance/dist/index.js");
        suite.args(["server", "--url", &url, "--requirements", revision]);
        let (_, log) = output(suite.arg("--output-dir").arg(results.path()));
        for scenario in scenarios {
            let folders = results
                .path()
                .read_dir()
                .unwrap()
                .map(|folder| folder.unwrap().path());
            // The name ends with the time of the run.
            let is_its = |folder: &PathBuf| {
                let name = folder.file_name().unwrap().to_str().unwrap();
                name.strip_prefix(&format!("server-{scenario}-"))
                    .is_some_and(|time| time.starts_with("20"))
            };
            let mut folders = folders.filter(is_its);
            let folder = folders
                .next()
                .unwrap_or_else(|| panic!("{revision} {scenario}: no results\n{log}"));
            let checks = std::fs::read_to_string(folder.join("checks.json")).unwrap();
            let checks: Vec<serde_json::Value> = serde_json::from_str(&checks).unwrap();
            assert!(
                checks.iter().any(|check| check["status"] == "SUCCESS"),
                "{revision} {scenario}: {log}"
            );
            for check in checks.iter().filter(|check| check["status"] == "FAILURE") {
                let id = check["id"].as_str().unwrap().to_owned();
                assert!(
                    UNTESTABLE.contains(&id.as_str()),
                    "{revision} {scenario}: {check:#}"
                );
                failed.insert(id);
            }
        }
    }
    assert_eq!(failed, UNTESTABLE.map(str::to_owned).into());
}

#[test]
fn the_inspector_lists_and_calls_the_tools() {
    let (clients, file) = (clients(), configuration());
    let server = Server::start(&file);
    let url = format!("http://{}/mcp", server.address);
    let config = file.path();
    let local = [
        rookery().to_str().unwrap(),
        "mcp",
        "--config",
        config.to_str().unwrap(),
    ];
    for target in [&[url.as_str()][..], &local] {
        let inspect = |arguments: &[&str]| {
            let mut inspector = node(&clients, "inspector/clients/launcher/build/index.js");
            output(
                inspector
                    .arg("--cli")
                    .args(arguments)
                    .arg("--")
                    .args(target),
            )
        };
        // With `--strict`, the Inspector checks the tools' schemas.
        let (listed, text) = inspect(&["--method", "tools/list", "--strict"]);
        assert!(listed.status.success(), "{text}");
        assert_has(&text, &["\"name\": \"list_ais\""]);
        let call = [
            "--method",
            "tools/call",
            "--tool-name",
            "validate_game",
            "--tool-arg",
        ];
        let (called, text) = inspect(&[&call[..], &["game={\"moves\":[\"e2e4\"]}"]].concat());
        assert!(called.status.success(), "{text}");
        assert_has(&text, &["The game is legal.", "King's Pawn Game"]);
        let (rejected, text) = inspect(&[&call[..], &["game={\"moves\":[\"e2e5\"]}"]].concat());
        assert!(!rejected.status.success(), "{text}");
        assert_has(
            &text,
            &["illegal_game: ", "at /game/moves/0: ", "\"isError\": true"],
        );
    }
}

#[test]
fn the_python_sdk_plays_a_game() {
    let (clients, file) = (clients(), configuration());
    let server = Server::start(&file);
    let url = format!("http://{}/mcp", server.address);
    let config = file.path();
    let local = [
        rookery().to_str().unwrap(),
        "mcp",
        "--config",
        config.to_str().unwrap(),
    ];
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host/mcp/play.py");
    for target in [&[url.as_str()][..], &local] {
        let mut python = Command::new(clients.join("python/bin/python"));
        let (played, text) = output(python.arg(&script).args(target));
        assert!(played.status.success(), "{text}");
        assert_has(
            &text,
            &[
                "you try e2e5: illegal_game: ",
                "basic1 plays ",
                "White's accuracy: ",
            ],
        );
        assert_has(&text, &["played 8 half-moves"]);
    }
}
