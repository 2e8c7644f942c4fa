//! Nodes and organizers that interfere with another organizer's matches.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use test_kit::{Folder, Nats, Process, built, rookery, run};

use super::fleet::{HOSTILE_NODE, HOSTILE_SERVER, Hostile, NODE, SERVER, User, id, is_calm};
use crate::runner::{Attack, Attempt, Outcome, judge};

/// The subject of the honest node's reports.
const REPORTS: &str = "rookery.v1.node.n0.pair.main";
const MATCHES: &str = "rookery.v1.match.main";
const PATIENCE: Duration = Duration::from_secs(50);
const GAMES: usize = 12;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "a node reports pairs only in its own name",
        "reports, states and JetStream's answers in the name of another node",
        others_reports,
    )
    .within(90),
    Attack::new(
        "only the organizer of a match fills its queue and its files, and ends it",
        "pairs, files and ends for another user's match; its queue purged, taken over and deleted",
        others_match,
    )
    .within(90),
    Attack::new(
        "no user hears another user's pairs, reports and answers",
        "subscriptions to inboxes, reports, pairs and files during a match",
        listens,
    )
    .within(90),
];

/// The honest node `n0`, and `main`, which organizes a match. Dropping it kills all processes.
struct Played {
    nats: Nats,
    _node: Process,
    running: Child,
    folder: Folder,
    /// The folders of NATS and the node.
    _stores: TempDir,
    id: String,
}

impl Played {
    /// Starts a match of a few games that last several seconds.
    fn start(attempt: &Attempt) -> Self {
        let (folder, stores) = (Folder::create(), tempfile::tempdir().unwrap());
        let user = |(name, (seed, key), of): (&str, User, &[&str])| {
            let file = folder.path().join(name);
            fs::write(&file, seed).unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
            let mut command = Command::new(rookery());
            let permissions = run(command.args(["fleet", "permissions"]).args(of));
            format!("{{ nkey: {key}, {permissions} }}\n")
        };
        let users = [
            ("n0", NODE, &["n0", "--from", "main"][..]),
            ("main", SERVER, &["--server", "main", "--matches"]),
            ("gpu1", HOSTILE_NODE, &["gpu1", "--from", "main"]),
            ("evil", HOSTILE_SERVER, &["--server", "evil", "--matches"]),
        ];
        let users: String = users.map(user).concat();
        let file = folder.path().join("nats.conf");
        fs::write(&file, format!("authorization {{ users = [\n{users}] }}\n")).unwrap();
        let nats = Nats::start_with_jetstream_and_file(&stores.path().join("streams"), &file);
        let hostile = Hostile::login(&nats, HOSTILE_NODE);
        let mut announcements = hostile.subscribe(MATCHES);
        let fleet = |name: &str, lines: &str| {
            let file = folder.path().join(format!("{name}.toml"));
            let (url, credentials) = (nats.url(), folder.path().join(name));
            let text = format!(
                "[plugins]\ndirectories = [\".\"]\n[ai.ai]\nlibrary = \
                 \"ai_basic1\"\n[fleet]\nnats = \"{url}\"\nname = \"{name}\"\n\
                 credentials_file = '{}'\n{lines}",
                credentials.display()
            );
            fs::write(&file, text).unwrap();
            file
        };
        fs::copy(built("ai_basic1"), folder.library("ai_basic1")).unwrap();
        let of_main = fleet("main", "");
        let of_node = fleet("n0", "[fleet.matches]\nslots = 1\nfrom = [\"main\"]\n");
        let result = fs::File::create(folder.path().join("result")).unwrap();
        let mut command = Command::new(rookery());
        command
            .args([
                "match",
                "ai,depth=2",
                "ai,depth=3",
                "--depth",
                "9",
                "--games",
            ])
            .args([&GAMES.to_string(), "--fleet", "--json", "--config"])
            .arg(of_main)
            .stdin(Stdio::null())
            .stdout(result)
            .stderr(folder.open_log());
        let running = command.spawn().unwrap();
        attempt.adopt(&running);
        let announced = hostile.next(&mut announcements, PATIENCE);
        let announced = announced.unwrap_or_else(|| panic!("no match: {}", folder.log()));
        let id = announced.1["id"].as_str().unwrap().to_owned();
        let mut command = Command::new(rookery());
        command
            .args(["node", "--config"])
            .arg(of_node)
            .env("XDG_CACHE_HOME", stores.path())
            .stdin(Stdio::null())
            .stderr(folder.open_log());
        let node = Process::start_adopted(&mut command, |child| attempt.adopt(child));
        Self {
            nats,
            _node: node,
            running,
            folder,
            _stores: stores,
            id,
        }
    }

    fn node(&self) -> Hostile {
        Hostile::login(&self.nats, HOSTILE_NODE)
    }

    fn organizer(&self) -> Hostile {
        Hostile::login(&self.nats, HOSTILE_SERVER)
    }

    fn is_running(&mut self) -> bool {
        self.running.try_wait().unwrap().is_none()
    }

    /// Attacks until the match ends. Returns its result if the honest node played all pairs.
    ///
    /// # Errors
    /// The match does not end, or others played pairs.
    fn end(mut self, mut attack: impl FnMut(&Self)) -> Result<String, String> {
        let (started, mut rounds) = (Instant::now(), 0);
        while self.is_running() {
            attack(&self);
            rounds += 1;
            thread::park_timeout(Duration::from_millis(50));
            if started.elapsed() > PATIENCE {
                return Err(format!("it keeps running: {}", self.folder.log_tail()));
            }
        }
        let result = fs::read(self.folder.path().join("result")).unwrap();
        let result: Value = serde_json::from_slice(&result).unwrap_or_default();
        let nodes = &result["nodes"];
        let own = nodes.as_array().and_then(|nodes| nodes.first());
        let own = own.map(|node| (&node["pairs"], &node["refused"], &node["void"]));
        let whole = (&json!(GAMES / 2), &json!(0), &json!(0));
        is_calm(&self.folder.log())?;
        if result["games"] == json!(GAMES) && own == Some(whole) {
            let others = nodes.as_array().unwrap().len() - 1;
            let told = format!("{others} other nodes reported");
            return judge(others == 0, format!("done after {rounds} rounds; {told}"));
        }
        Err(format!("{result}: {}", self.folder.log_tail()))
    }
}

impl Drop for Played {
    fn drop(&mut self) {
        let _ = self.running.kill();
        let _ = self.running.wait();
    }
}

fn others_reports(attempt: &Attempt) -> Outcome {
    let played = Played::start(attempt);
    let (node, organizer) = (played.node(), played.organizer());
    let own_files = "OBJ_rookery_files_evil";
    let kept = "$O.rookery_files_evil.M.x";
    let store = json!({
        "name": own_files,
        "subjects": ["$O.rookery_files_evil.C.>", "$O.rookery_files_evil.M.>"],
        "retention": "limits",
        "storage": "memory",
        "num_replicas": 1,
        "allow_direct": true,
        "discard": "new",
    });
    let subject = format!("$JS.API.STREAM.CREATE.{own_files}");
    organizer.publish_for(&subject, &store, "_INBOX_evil.1");
    organizer.flush();
    let state = json!({
        "slots": 0,
        "speed": 1,
        "playing": [],
        "refused": [{"id": played.id, "reason": "forged"}],
    });
    let report = json!({
        "id": played.id,
        "pair": 0,
        "token": "x",
        "speed": 1,
        "outcome": {"played": []},
    });
    let of_main = "OBJ_rookery_files_main";
    // The witness receives the messages that reach the organizer.
    let witness = Hostile::login(&played.nats, SERVER);
    let mut reports = witness.subscribe(REPORTS);
    let seen = played.end(|played| {
        for (subject, message) in [(REPORTS, &report), ("rookery.v1.node.n0.matches", &state)] {
            for hostile in [&node, &organizer] {
                hostile.publish_for(subject, message, "_INBOX_n0.x");
            }
        }
        let queue = format!("$JS.API.CONSUMER.INFO.ROOKERY_PAIRS_main.{}", played.id);
        for call in [
            &*queue,
            &format!("$JS.API.STREAM.INFO.{of_main}"),
            &format!("$JS.API.DIRECT.GET.{of_main}.$O.rookery_files_main.M.x"),
        ] {
            node.publish_for(call, &Value::Null, REPORTS);
        }
        organizer.publish(kept, &report);
        let direct = format!("$JS.API.DIRECT.GET.{own_files}.{kept}");
        organizer.publish_for(&direct, &Value::Null, REPORTS);
        node.flush();
        organizer.flush();
    })?;
    let arrived = witness.received(&mut reports);
    let count = |is_forged: &dyn Fn(&Value) -> bool| {
        let forged = arrived.iter().filter(|(_, report)| is_forged(report));
        forged.count()
    };
    let answers = count(&|report| report.get("type").is_some());
    let forged = count(&|report| report["token"] == "x");
    let seen =
        format!("{seen}; {answers} answers of JetStream and {forged} stored reports arrived");
    judge(answers > 0 && forged > 0, seen)
}

fn others_match(attempt: &Attempt) -> Outcome {
    let played = Played::start(attempt);
    let (node, organizer) = (played.node(), played.organizer());
    let (match_id, own) = (played.id.clone(), "ROOKERY_PAIRS_evil");
    let over = json!({"id": match_id, "description": "0".repeat(64), "over": true});
    // Creates a stream for pairs, whose subjects can end with the other organizer's name, and one
    // for direct reads.
    for (stream, subject) in [
        (own, "rookery.v1.pairs.evil.*"),
        ("OBJ_rookery_files_evil", "$O.rookery_files_evil.M.>"),
    ] {
        let config = json!({
            "name": stream,
            "subjects": [subject],
            "retention": "limits",
            "storage": "memory",
            "num_replicas": 1,
            "allow_direct": true,
            "discard": "new",
        });
        let subject = format!("$JS.API.STREAM.CREATE.{stream}");
        organizer.publish_for(&subject, &config, "_INBOX_evil.1");
    }
    let consumer = json!({
        "stream_name": own,
        "config": {
            "name": "c",
            "deliver_subject": MATCHES,
            "ack_policy": "none",
            "filter_subject": "rookery.v1.pairs.evil.main",
        },
    });
    let delivers = format!("$JS.API.CONSUMER.CREATE.{own}.c.rookery.v1.pairs.evil.main");
    organizer.publish_for(&delivers, &consumer, "_INBOX_evil.2");
    organizer.flush();
    let queue = "ROOKERY_PAIRS_main";
    let order = json!({
        "pair": 0,
        "token": "x",
        "fen": "8/8/8/8/8/8/8/8 w - - 0 1",
        "moves": [],
        "games": [],
    });
    // The witness receives the messages that reach the node.
    let witness = Hostile::login(&played.nats, NODE);
    let mut announcements = witness.subscribe(MATCHES);
    let seen = played.end(|_| {
        organizer.publish("rookery.v1.pairs.evil.main", &over);
        organizer.publish("$O.rookery_files_evil.M.x", &over);
        let direct = "$JS.API.DIRECT.GET.OBJ_rookery_files_evil.$O.rookery_files_evil.M.x";
        organizer.publish_for(direct, &Value::Null, MATCHES);
        for hostile in [&node, &organizer] {
            hostile.publish(MATCHES, &over);
            hostile.publish(&format!("rookery.v1.pairs.main.{match_id}"), &order);
            hostile.publish("$O.rookery_files_main.C.x", &json!({}));
            for call in [
                format!("STREAM.PURGE.{queue}"),
                format!("STREAM.DELETE.{queue}"),
                format!("STREAM.UPDATE.{queue}"),
                format!("STREAM.MSG.DELETE.{queue}"),
                format!("CONSUMER.DELETE.{queue}.{match_id}"),
                format!("CONSUMER.CREATE.{queue}.{}", id(7)),
                "STREAM.PURGE.OBJ_rookery_files_main".to_owned(),
                "STREAM.DELETE.OBJ_rookery_files_main".to_owned(),
                "STREAM.LIST".to_owned(),
            ] {
                hostile.publish_for(&format!("$JS.API.{call}"), &json!({}), "_INBOX_evil.3");
            }
            hostile.flush();
        }
    })?;
    let arrived = witness.received(&mut announcements);
    let forged = arrived
        .iter()
        .filter(|(_, announced)| announced["description"] == over["description"]);
    let forged: Vec<_> = forged.map(|(subject, _)| subject.as_str()).collect();
    let seen = format!("{seen}; {} forged ends arrived", forged.len());
    let by_both_ways = forged.contains(&MATCHES) && forged.contains(&"rookery.v1.pairs.evil.main");
    judge(by_both_ways, seen)
}

fn listens(attempt: &Attempt) -> Outcome {
    let played = Played::start(attempt);
    let hostile = [played.node(), played.organizer()];
    let mut heard: Vec<_> = hostile
        .iter()
        .flat_map(|hostile| {
            [
                "_INBOX_n0.>",
                "_INBOX_main.>",
                REPORTS,
                "rookery.v1.node.*.pair.*",
                "rookery.v1.pairs.>",
                "$O.>",
                "$JS.>",
                ">",
            ]
            .map(|subject| (hostile, hostile.subscribe(subject)))
        })
        .collect();
    // A user that may create a stream chooses what the stream keeps.
    let evil = &hostile[1];
    let mut answers = evil.subscribe("_INBOX_evil.>");
    let streams = ["ROOKERY_PAIRS_evil", "OBJ_rookery_files_evil"];
    for (stream, subject) in streams
        .into_iter()
        .zip(["rookery.v1.node.*.pair.*", "$KV.>"])
    {
        let config = json!({
            "name": stream,
            "subjects": [subject, "rookery.v1.pairs.evil.x", "$O.rookery_files_evil.M.x"],
            "retention": "limits",
            "storage": "memory",
            "num_replicas": 1,
            "allow_direct": true,
            "discard": "new",
        });
        let call = format!("$JS.API.STREAM.CREATE.{stream}");
        evil.publish_for(&call, &config, "_INBOX_evil.1");
        evil.flush();
    }
    let reads = |stream: &str| {
        let consumer = |name: Option<&str>, filter: Option<&str>| {
            json!({
                "stream_name": stream,
                "config": {
                    "name": name,
                    "deliver_subject": "_INBOX_evil.2",
                    "ack_policy": "none",
                    "filter_subject": filter,
                },
            })
        };
        let own = "rookery.v1.pairs.evil.x";
        for (call, message) in [
            (format!("STREAM.MSG.GET.{stream}"), json!({"seq": 1})),
            (format!("DIRECT.GET.{stream}"), json!({"seq": 1})),
            (format!("DIRECT.GET.{stream}.{REPORTS}"), Value::Null),
            (
                format!("DIRECT.GET.{stream}.$O.rookery_files_evil.M.x"),
                json!({"seq": 1}),
            ),
            (format!("CONSUMER.CREATE.{stream}"), consumer(None, None)),
            (
                format!("CONSUMER.CREATE.{stream}.c"),
                consumer(Some("c"), None),
            ),
            (
                format!("CONSUMER.CREATE.{stream}.d.{REPORTS}"),
                consumer(Some("d"), Some(REPORTS)),
            ),
            (
                format!("CONSUMER.CREATE.{stream}.e.{own}"),
                consumer(Some("e"), None),
            ),
            (
                format!("CONSUMER.CREATE.{stream}.f.{own}"),
                consumer(Some("f"), Some(REPORTS)),
            ),
            (
                format!("CONSUMER.DURABLE.CREATE.{stream}.g"),
                consumer(Some("g"), None),
            ),
        ] {
            evil.publish_for(&format!("$JS.API.{call}"), &message, "_INBOX_evil.3");
        }
        evil.flush();
    };
    let seen = played.end(|_| streams.map(reads).into_iter().collect())?;
    let answered = evil.received(&mut answers);
    let is_report = |(_, answer): &&(String, Value)| {
        let text = answer.to_string();
        text.contains("outcome") || answer.get("message").is_some()
    };
    if let Some(report) = answered.iter().find(is_report) {
        return Err(format!("it read {report:?}"));
    }
    let messages: Vec<_> = heard
        .iter_mut()
        .flat_map(|(hostile, subscriber)| hostile.received(subscriber))
        .collect();
    match messages.first() {
        None => Ok(format!("{seen}; nothing heard")),
        Some(message) => Err(format!("{} messages, such as {message:?}", messages.len())),
    }
}
