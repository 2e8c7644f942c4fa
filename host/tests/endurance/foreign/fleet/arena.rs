//! Client matches and arena pairs that nodes play.

use std::{collections::BTreeSet, process::Command, time::Duration};

use rules::{PgnGame, parse_pgn};
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;
use test_kit::{Connection, Folder, Nats, Server, poll, rookery};

use crate::{
    alone,
    foreign::node::Node,
    server::{folder_with, spawn},
    together_blocking,
};

/// On a busy machine nodes wait for an idle processor.
const LONG: Duration = Duration::from_mins(5);
const SLOTS: &str = "[fleet.matches]\nslots = 2\nfrom = [\"web\"]\n";
const KEY: &str = "Authorization: Bearer abc\r\n";
const AIS: &str = "[plugins]\ndirectories = [\".\"]\n[ai.ai]\nlibrary = \"ai_basic1\"\n\
    [client.default]\nai = \"ai\"\nmax_match_games = 100\n[client.operator]\nai = \"ai\"\nadmin = \
    true\napi_key_sha256 = \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"\n";
const OF_CLIENTS: &str = "[client.local]\nai = \"ai\"\nmax_match_games = 2\n[client.fleet]\nai = \
    \"ai\"\nmax_match_games = 100\nfleet_matches = true\n";

/// A server whose nodes are `n0` and the guest `n1`, in a folder that outlives the server.
struct Web {
    server: Server,
    folder: Folder,
    nats: Nats,
    _store: TempDir,
}

impl Web {
    fn start(further: &str) -> Self {
        let store = tempfile::tempdir().unwrap();
        let nats = Nats::start_with_jetstream(&store.path().join("streams"));
        let configuration = format!(
            "{AIS}[fleet]\nnats = \"{}\"\nname = \"web\"\nnodes = [\"n0\"]\nguests = \
             [\"n1\"]\n{further}",
            nats.url()
        );
        let folder = folder_with(&configuration, &["ai_basic1"]);
        Self {
            server: serve(&folder),
            folder,
            nats,
            _store: store,
        }
    }

    fn start_node(&self, name: &str) -> Node {
        Node::start_with(name, &self.nats.url(), "", SLOTS, &[])
    }

    fn connect(&self) -> Connection {
        self.server.connect()
    }

    fn get(&self, path: &str, client: &str) -> Value {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{client}\r\n");
        let reply = self.connect().exchange(request).unwrap();
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    /// Returns what the server has logged, except for requests.
    fn log(&self) -> String {
        let log = self.folder.log();
        let lines = log
            .lines()
            .filter(|line| !line.contains("request finished"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Starts a match. Returns its path.
    fn begin(&self, client: &str, games: usize, depth: u32) -> String {
        let players = [
            format!("ai,depth={depth}"),
            format!("ai,depth={}", depth + 1),
        ];
        let body = json!({"players": players, "games": games, "limit": {"depth": 60}});
        let headers = format!("X-Client-Id: {client}\r\n");
        let mut connection = self.connect();
        let reply = connection
            .post("/v1/matches", &headers, body.to_string().as_bytes())
            .unwrap();
        assert_eq!(reply.status, 201, "{}", reply.text());
        format!("/v1/matches/{}", reply.json()["id"].as_str().unwrap())
    }

    #[track_caller]
    fn await_match(&self, path: &str, client: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let headers = format!("X-Client-Id: {client}\r\n");
        let look = || Some(self.get(path, &headers)).filter(&is_so);
        poll(LONG, look).unwrap_or_else(|| {
            let found = self.get(path, &headers);
            panic!(
                "{} {} {}: {}",
                found["state"],
                found["reason"],
                found["played"],
                self.log()
            )
        })
    }

    /// Returns the games of a match.
    fn games(&self, path: &str, client: &str) -> Vec<PgnGame> {
        let request = format!(
            "GET {path}/games HTTP/1.1\r\nHost: localhost\r\nX-Client-Id: {client}\r\n\r\n"
        );
        let reply = self.connect().exchange(request).unwrap();
        parse_pgn(str::from_utf8(&reply.body).unwrap()).unwrap()
    }

    fn write_configuration(&self, change: impl FnOnce(String) -> String) {
        let path = self.folder.configuration();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, change(text)).unwrap();
    }
}

fn serve(folder: &Folder) -> Server {
    let mut command = Command::new(rookery());
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--config"])
        .arg(folder.configuration());
    Server::of(spawn(&mut command, folder))
        .unwrap_or_else(|_| panic!("the server did not start: {}", folder.log()))
}

/// Returns the nodes of all games. One node plays each pair, and the pairs are in order.
#[track_caller]
fn nodes_of(games: &[PgnGame]) -> BTreeSet<String> {
    let rounds: Vec<_> = games
        .iter()
        .map(|game| game.tag("Round").unwrap())
        .collect();
    let expected = (0..games.len()).map(|game| format!("{}.{}", game / 2 + 1, game % 2 + 1));
    assert_eq!(rounds, expected.collect::<Vec<_>>());
    for pair in games.chunks(2) {
        let nodes: BTreeSet<_> = pair.iter().map(|game| game.tag("Node")).collect();
        assert_eq!(nodes.len(), 1, "{nodes:?}");
    }
    let node = |game: &PgnGame| game.tag("Node").map(str::to_owned);
    games.iter().filter_map(node).collect()
}

#[test]
fn fleet_plays_client_matches_in_pair_order() {
    together_blocking(|| {
        let web = Web::start(OF_CLIENTS);
        let path = web.begin("fleet", 15, 1);
        // The waiting match does not take turns, so it delays no other match.
        let local = web.begin("local", 2, 1);
        web.await_match(&local, "local", |found| found["state"] == "finished");
        assert!(nodes_of(&web.games(&local, "local")).is_empty());
        let waiting = web.await_match(&path, "fleet", |_| true);
        assert_eq!(
            (&waiting["state"], &waiting["played"]),
            (&json!("waiting"), &json!(0))
        );
        let nodes = ["n0", "n1"].map(|name| web.start_node(name));
        let found = web.await_match(&path, "fleet", |found| found["state"] == "finished");
        assert_eq!(found["played"], 15);
        let games = web.games(&path, "fleet");
        let played = nodes_of(&games);
        assert!(
            !played.is_empty() && played.iter().all(|node| node == "n0" || node == "n1"),
            "{played:?}"
        );
        for (game, result) in games.iter().zip(found["results"].as_array().unwrap()) {
            assert_eq!(Some(game.result.text()), result["result"].as_str());
            assert_eq!(game.tag("Rated"), Some("no"));
        }
        drop(nodes);
    });
}

#[test]
fn fleet_stops_and_forbids_client_matches() {
    together_blocking(|| {
        let web = Web::start(OF_CLIENTS);
        let _node = web.start_node("n0");
        let path = web.begin("fleet", 100, 5);
        web.await_match(&path, "fleet", |found| found["state"] == "running");
        let request =
            format!("DELETE {path} HTTP/1.1\r\nHost: localhost\r\nX-Client-Id: fleet\r\n\r\n");
        let stopped = web.connect().exchange(request).unwrap();
        assert_eq!(stopped.json()["state"], "stopped");
        // The node is free for the next match.
        let path = web.begin("fleet", 100, 5);
        web.await_match(&path, "fleet", |found| found["state"] == "running");
        web.write_configuration(|text| {
            text.replace("fleet_matches = true", "fleet_matches = false")
        });
        web.server.signal(Signal::HUP);
        let found = web.await_match(&path, "fleet", |found| found["state"] == "failed");
        let reason = found["reason"].as_str().unwrap();
        assert!(
            reason.contains("no longer lets the client play"),
            "{reason}"
        );
        // From now on, the server plays the games itself.
        let path = web.begin("fleet", 2, 1);
        web.await_match(&path, "fleet", |found| found["state"] == "finished");
        assert!(nodes_of(&web.games(&path, "fleet")).is_empty());
    });
}

#[test]
fn fleet_continues_client_matches_after_a_restart() {
    together_blocking(|| {
        let mut web = Web::start(&format!(
            "{OF_CLIENTS}[arena]\nfile = \"arena.db\"\nidle_s = 86400\n"
        ));
        let mut node = web.start_node("n1");
        let path = web.begin("fleet", 40, 1);
        web.await_match(&path, "fleet", |found| found["played"].as_u64() >= Some(4));
        web.server.kill();
        web.server = serve(&web.folder);
        let found = web.await_match(&path, "fleet", |found| found["played"] != 0);
        let played = found["played"].as_u64();
        assert!(played >= Some(4), "{found}");
        web.await_match(&path, "fleet", |found| found["played"].as_u64() > played);
        node.kill();
        web.await_match(&path, "fleet", |found| found["state"] == "paused");
        node.restart();
        web.await_match(&path, "fleet", |found| found["state"] == "finished");
        let games = web.games(&path, "fleet");
        assert_eq!(games.len(), 40);
        assert_eq!(nodes_of(&games), BTreeSet::from(["n1".to_owned()]));
    });
}

#[test]
fn fleet_plays_arena_pairs_only_on_its_own_nodes() {
    // A node plays with clocks only while a processor is idle.
    alone(async {
        let web = Web::start(
            "[arena]\nfile = \"arena.db\"\nfleet = true\nidle_s = 1\ntime_control = \
             \"60+1\"\nplayers = [\"ai,depth=1\", \"ai,depth=2\"]\n",
        );
        let guest = web.start_node("n1");
        let pairs = || web.get("/v1/arena", "")["pairs"].as_u64().unwrap();
        // The players start when the server is idle.
        assert!(poll(LONG, || (pairs() >= 1).then_some(())).is_some());
        let node = web.start_node("n0");
        let nodes = || -> BTreeSet<_> { arena_games(&web).into_iter().collect() };
        let has_played = || nodes().contains(&Some("n0".to_owned())).then_some(());
        assert!(poll(LONG, has_played).is_some(), "{}", web.log());
        let played = nodes();
        assert!(!played.contains(&Some("n1".to_owned())), "{played:?}");
        let paused = web.connect().post("/v1/arena/pause", KEY, b"").unwrap();
        assert_eq!(paused.status, 200, "{}", paused.text());
        let is_idle = || super::matches::are_idle(&web.nats.url()).then_some(());
        assert!(poll(LONG, is_idle).is_some());
        drop((guest, node));
    });
}

/// Returns the nodes of the arena's games.
fn arena_games(web: &Web) -> Vec<Option<String>> {
    let request = "GET /v1/arena/games?limit=200 HTTP/1.1\r\nHost: localhost\r\nAccept: \
        application/vnd.chess-pgn\r\n\r\n";
    let reply = web.connect().exchange(request).unwrap();
    let games = parse_pgn(str::from_utf8(&reply.body).unwrap()).unwrap();
    let rounds: BTreeSet<_> = games.iter().map(|game| game.tag("Round")).collect();
    assert_eq!(rounds.len(), games.len(), "a pair was played twice");
    let node = |game: &PgnGame| game.tag("Node").map(str::to_owned);
    games.iter().map(node).collect()
}
