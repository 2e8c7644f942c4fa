//! Matches whose pairs nodes play while nodes, commands and NATS fail or lie.

mod brokers;
mod commands;
mod deaths;
mod liars;
mod recount;
mod refusals;
mod rights;
mod stranger;

use std::{
    fs,
    process::{Child, ExitStatus, Stdio},
    time::Duration,
};

use rules::{PgnGame, parse_pgn};
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;
use test_kit::{Folder, Nats, command, poll, processes::kill};

use crate::{foreign::node::Node, server::folder_with};

/// The maximum duration of a match in the short form of a test.
const MATCH_TIME: Duration = Duration::from_mins(1);
/// The time within which nodes and commands notice each other.
const SOON: Duration = Duration::from_secs(15);
const SLOTS: &str = "[fleet.matches]\nslots = 1\nfrom = [\"anna\"]\n";
/// The AI in anna's matches.
const AI: &str = "[plugins]\ndirectories = [\".\"]\n[ai.ai]\nlibrary = \"ai_basic1\"\n";
/// Two players of different strength. Their games do not depend on time.
const PLAYERS: [&str; 4] = ["ai,depth=1", "ai,depth=2", "--depth", "9"];

/// A NATS server with `JetStream`, and the folder of its store.
struct Broker {
    nats: Nats,
    _store: TempDir,
}

impl Broker {
    fn start() -> Self {
        let store = tempfile::tempdir().unwrap();
        let nats = Nats::start_with_jetstream(&store.path().join("streams"));
        Self {
            nats,
            _store: store,
        }
    }

    fn url(&self) -> String {
        self.nats.url()
    }
}

/// Starts a node that plays one pair of anna's matches at a time.
fn start_node(name: &str, nats: &str) -> Node {
    Node::start_with(name, nats, "", SLOTS, &[])
}

fn start_nodes<const COUNT: usize>(nats: &str) -> [Node; COUNT] {
    std::array::from_fn(|number| start_node(&format!("n{number}"), nats))
}

/// The organizer of matches: a folder with the configuration and the games.
struct Organizer {
    folder: Folder,
}

impl Organizer {
    /// Prepares `anna`.
    fn new(nats: &str) -> Self {
        Self::with(&format!("nats = \"{nats}\"\nname = \"anna\"\n"), AI)
    }

    /// Prepares an organizer with these lines in its `[fleet]` and the AIs `ai_basic1` and `ai`.
    fn with(fleet: &str, ais: &str) -> Self {
        let configuration = format!("{ais}[fleet]\n{fleet}");
        Self {
            folder: folder_with(&configuration, &["ai_basic1", "ai"]),
        }
    }

    /// Starts a match whose games go to `games.pgn`.
    fn start(&self, players: &[&str], further: &[&str]) -> Match {
        self.start_into("games", players, further)
    }

    /// Starts a match whose games and messages go to files with this name.
    fn start_into(&self, name: &str, players: &[&str], further: &[&str]) -> Match {
        let path = |ending: &str| self.folder.path().join(format!("{name}.{ending}"));
        let [out, log] = ["json", "log"].map(|ending| fs::File::create(path(ending)).unwrap());
        let mut command = command();
        command
            .arg("match")
            .args(players)
            .args(["--fleet", "--json", "--pgn"])
            .arg(path("pgn"))
            .args(further)
            .arg("--config")
            .arg(self.folder.configuration())
            .env("ROOKERY_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(log);
        Match {
            child: command.spawn().unwrap(),
            files: path("").with_extension(""),
        }
    }
}

/// A running `rookery match`. Dropping it kills the process.
struct Match {
    child: Child,
    /// The path of its files without their extensions.
    files: std::path::PathBuf,
}

impl Match {
    fn read(&self, ending: &str) -> String {
        fs::read_to_string(self.files.with_extension(ending)).unwrap_or_default()
    }

    /// Returns what it has printed to standard error.
    fn log(&self) -> String {
        self.read("log")
    }

    fn log_tail(&self) -> String {
        let log = self.log();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    /// Returns the finished games in file order.
    fn games(&self) -> Vec<PgnGame> {
        let text = self.read("pgn");
        // The last game may be incomplete.
        let end = text.rfind("\n\n[Event").map_or(text.len(), |end| end + 2);
        let whole = parse_pgn(&text);
        whole.unwrap_or_else(|_| parse_pgn(&text[..end]).unwrap())
    }

    fn count(&self) -> usize {
        self.read("pgn").matches("[Result ").count()
    }

    #[track_caller]
    fn await_games(&mut self, count: usize) {
        let has_played = || (self.count() >= count || !self.is_running()).then_some(());
        let waited = poll(MATCH_TIME, has_played);
        assert!(
            waited.is_some(),
            "expected {count} games: {}",
            self.log_tail()
        );
    }

    #[track_caller]
    fn await_log(&self, part: &str) {
        let is_told = || self.log().contains(part).then_some(());
        let waited = poll(MATCH_TIME, is_told);
        assert!(waited.is_some(), "no {part:?}: {}", self.log());
    }

    fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    fn kill(&mut self) {
        kill(self.child.id(), Signal::KILL);
        self.child.wait().unwrap();
    }

    #[track_caller]
    fn ended(&mut self, within: Duration) -> ExitStatus {
        let status = poll(within, || self.child.try_wait().unwrap());
        status
            .unwrap_or_else(|| panic!("the match still runs after {within:?}: {}", self.log_tail()))
    }

    /// Waits for the end of the match. Returns the result.
    #[track_caller]
    fn finish(mut self, within: Duration) -> Finished {
        let status = self.ended(within);
        let report = serde_json::from_str(&self.read("json")).unwrap_or(Value::Null);
        // A test may have rejected the hypothesis or be undecided.
        let has_ended = matches!(status.code(), Some(0 | 3 | 4)) && report["games"].is_u64();
        assert!(has_ended, "{status}: {report} {}", self.log_tail());
        Finished {
            report,
            games: self.games(),
            log: self.log(),
        }
    }
}

impl Drop for Match {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A match that has ended.
struct Finished {
    /// What it has printed.
    report: Value,
    games: Vec<PgnGame>,
    log: String,
}

impl Finished {
    /// Returns the report's entry for a node.
    fn node(&self, name: &str) -> &Value {
        let nodes = self.report["nodes"].as_array().unwrap();
        let found = nodes.iter().find(|node| node["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {}", self.report))
    }

    /// Returns the number of games that a node has played.
    fn games_of(&self, node: &str) -> usize {
        let games = self.games.iter();
        games.filter(|game| game.tag("Node") == Some(node)).count()
    }
}

/// Returns what `rookery fleet status` reports about the matches of each node.
fn playing(nats: &str) -> Vec<(String, Value)> {
    let folder = Folder::create();
    fs::write(folder.configuration(), "").unwrap();
    let mut command = command();
    let output = command
        .args(["fleet", "status", "--json", "--nats", nats, "--config"])
        .arg(folder.configuration())
        .output()
        .unwrap();
    let status: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let nodes = status["nodes"].as_array().into_iter().flatten();
    let matches = |node: &Value| {
        let name = node["name"].as_str().unwrap().to_owned();
        (name, node["matches"].clone())
    };
    nodes.map(matches).collect()
}

/// Returns whether no node is playing.
pub(super) fn are_idle(nats: &str) -> bool {
    let states = playing(nats);
    !states.is_empty()
        && states
            .iter()
            .all(|(_, matches)| matches["playing"].as_array().is_none_or(Vec::is_empty))
}
