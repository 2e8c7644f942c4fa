//! The arena of a server that clients are using.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use serde_json::json;
use test_kit::{
    processes::{command_line, ticks},
    rookery, run,
};

use crate::{
    alone,
    client::Connection,
    server::{Server, becomes_true, folder_with},
};

const LIBRARY: &str = "ai_basic1";
const AIS: &str = "[plugins]\ndirectories = [\".\"]\n[ai.basic1]\nlibrary = \"ai_basic1\"\nlimit = \
    { depth = 3 }\n[client.default]\nai = \"basic1\"\n";
/// Each search takes seconds.
const PLAYERS: &str =
    "players = [\"basic1,depth=60\", \"basic1,depth=50\"]\ntime_control = \"600\"\n";
/// The time within which a search notices its cancellation on a busy machine.
const STOP: Duration = Duration::from_millis(400);
const IDLE: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_mins(1);

/// Returns the processor time of a server's workers at idle priority, in ticks of the kernel.
fn idle_ticks(server: &Server) -> u64 {
    let workers = server.descendants().into_iter();
    let idle = workers.filter(|&worker| command_line(worker).iter().any(|word| word == "--idle"));
    idle.filter_map(ticks)
        .map(|[user, kernel, ..]| user + kernel)
        .sum()
}

#[test]
fn no_arena_search_runs_after_a_client_request() {
    alone(async {
        let idle_s = IDLE.as_secs();
        let configuration =
            format!("{AIS}[arena]\nfile = \"arena.db\"\nidle_s = {idle_s}\n{PLAYERS}");
        let server = Server::start(&configuration, &[LIBRARY]);
        let mut client = Connection::open(server.address).await.unwrap();
        for round in 0..3 {
            let before = idle_ticks(&server);
            let searches = becomes_true(LONG, async || idle_ticks(&server) > before + 20).await;
            assert!(searches, "the arena does not play: {}", server.log_tail());
            let ladder = client.get("/v1/arena").await.unwrap();
            assert_eq!(
                ladder.body["state"], "playing",
                "only calls that use an AI end idleness"
            );
            let reply = client
                .post(
                    "/v1/best-move",
                    "default",
                    &json!({"game": {}, "fresh": true}),
                )
                .await
                .unwrap();
            let replied = Instant::now();
            assert_eq!(reply.status, 200, "{:?}", reply.body);
            tokio::time::sleep(STOP).await;
            let stopped = idle_ticks(&server);
            while replied.elapsed() + STOP < IDLE {
                assert_eq!(
                    idle_ticks(&server),
                    stopped,
                    "round {round}: {:?} after the reply",
                    replied.elapsed()
                );
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            assert_eq!(
                client.get("/v1/arena").await.unwrap().body["state"],
                "waiting"
            );
        }
    });
}

#[test]
fn arena_run_plays_pairs_without_a_server() {
    alone(async {
        let players = "players = [\"basic1,nodes=50\", \"basic1,depth=1\"]\n";
        let folder = folder_with(
            &format!("{AIS}[arena]\nfile = \"arena.db\"\n{players}"),
            &[LIBRARY],
        );
        let mut command = Command::new(rookery());
        command
            .args(["arena", "run", "--pairs", "3", "--json", "--config"])
            .arg(folder.configuration());
        let output = run(&mut command);
        let ladder: serde_json::Value = serde_json::from_str(&output).unwrap();
        assert!(ladder["pairs"].as_u64().unwrap() >= 3, "{ladder}");
        assert_eq!(ladder["players"].as_array().unwrap().len(), 2);
    });
}
