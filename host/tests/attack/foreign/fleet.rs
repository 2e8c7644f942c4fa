//! A fleet with an honest node, and NATS users that attack it.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    process::{Command, Stdio},
    time::Duration,
};

use async_nats::{Client, ConnectOptions, Subscriber};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use test_kit::{Folder, Nats, Process, poll, rookery, run};
use tokio::{runtime::Runtime, time::timeout};

use crate::{
    library,
    runner::Attempt,
    server::{Server, Setup},
};

/// The seed and the public key of a user, made for these tests.
pub(super) type User = (&'static str, &'static str);

/// The honest node `n0`.
pub(super) const NODE: User = (
    "SUAGR4PX5G72ODVWTRZUHB723CRTDBWZ2YQY7QYOV4AVAWYDJCVFHCFFGY",
    "UDB5X3R5Q22G7MI3DBT5S6XDGTEPD2OMUVKOHBMYSED7NKOK7QUUMO54",
);
/// The honest server `main`.
pub(super) const SERVER: User = (
    "SUAAAJWSNYHI2GA2BNJFTL6RCSRGEO2QHHZ6I4YFKN3KVZLVXSKUKWM6GU",
    "UCIICRX73JETQMINKLAJLWAVFBBAN3R7JHWPCG3TESAVLMSTRE7KDTW6",
);
/// The hostile node `gpu1`.
pub(super) const HOSTILE_NODE: User = (
    "SUAKFMI5I2CKV57YE4LPPIYPHZPHE7O6PAC5DKKAOEPA7UKBG25E4ZGF7U",
    "UC5YOMP3FO4DASBSJIRSXE6B7GRZPZDC7KZS7J63RCSLRXSR3RL22AMR",
);
/// The hostile server `evil`.
pub(super) const HOSTILE_SERVER: User = (
    "SUAPY3DADM3L25HIKW3RTLM64NZT6E7QCSJ2IYO6JQEBVK4DCJPSMYKFJU",
    "UCLCPRM5A3OX5Z7MXGUL2GXERKM3WB42PJ5NO2YJ5R4NIM34JNA54GHW",
);

const PATIENCE: Duration = Duration::from_secs(20);

/// The honest node `n0` behind a NATS server. Dropping it kills both.
pub(super) struct Fleet {
    nats: Nats,
    _node: Process,
    folder: Folder,
    login: Login,
}

/// The users that NATS accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Login {
    /// Only users with the permissions that `rookery fleet permissions` prints.
    Restricted,
    /// All users.
    Open,
}

impl Fleet {
    /// Starts a node with these AIs and numbers of workers. The AIs search until their time is up.
    pub(super) fn start(attempt: &Attempt, ais: &[(&str, usize)]) -> Self {
        Self::start_with(attempt, ais, Login::Restricted)
    }

    /// Starts a node behind a NATS server without authentication.
    pub(super) fn start_open(attempt: &Attempt, ais: &[(&str, usize)]) -> Self {
        Self::start_with(attempt, ais, Login::Open)
    }

    fn start_with(attempt: &Attempt, ais: &[(&str, usize)], login: Login) -> Self {
        let folder = Folder::create();
        let users = [
            ("n0", NODE, &["n0"][..]),
            ("main", SERVER, &["--server", "main"]),
            ("gpu1", HOSTILE_NODE, &["gpu1"]),
            ("evil", HOSTILE_SERVER, &["--server", "evil"]),
        ];
        let user = |(name, (seed, key), of): (&str, User, &[&str])| {
            let file = folder.path().join(name);
            fs::write(&file, seed).unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
            let permissions = run(Command::new(rookery())
                .args(["fleet", "permissions"])
                .args(of));
            format!("{{ nkey: {key}, {permissions} }}\n")
        };
        let users: String = users.map(user).concat();
        let file = folder.path().join("nats.conf");
        fs::write(&file, format!("authorization {{ users = [\n{users}] }}\n")).unwrap();
        let nats = match login {
            Login::Restricted => Nats::start_with_file(&file),
            Login::Open => Nats::start(),
        };
        let library = library::provide("fault_injector", folder.path());
        let ai = |(id, workers): &(&str, usize)| {
            format!(
                "[ai.{id}]\nlibrary = \"./{library}\"\nworkers = {workers}\nlimit = {{ movetime_ms \
                 = 10 }}\noptions.fault = \"wait_for_stop\"\n"
            )
        };
        let ais: String = ais.iter().map(ai).collect();
        let credentials = login.credentials(&folder, "n0");
        let text = format!(
            "{ais}[fleet]\nnats = \"{}\"\nname = \"n0\"\n{credentials}",
            nats.url()
        );
        fs::write(folder.configuration(), text).unwrap();
        let mut command = Command::new(rookery());
        command
            .args(["node", "--config"])
            .arg(folder.configuration())
            .stdin(Stdio::null())
            .stderr(folder.open_log());
        let node = Process::start_adopted(&mut command, |child| attempt.adopt(child));
        assert!(
            node.first_line().starts_with("node n0 offers"),
            "the node did not start: {}",
            folder.log()
        );
        Self {
            nats,
            _node: node,
            folder,
            login,
        }
    }

    /// Starts the server `main` with additional lines in its `[fleet]` section, and waits for the
    /// node's AI `good`.
    pub(super) fn server(&self, attempt: &Attempt, lines: &str) -> Server {
        self.server_with(Setup::new().client("default", "good", ""), attempt, lines)
    }

    /// Starts the server `main` with its own AIs.
    pub(super) fn server_with(&self, setup: Setup, attempt: &Attempt, lines: &str) -> Server {
        let credentials = self.login.credentials(&self.folder, "main");
        let url = self.nats.url();
        let fleet =
            format!("nats = \"{url}\"\nname = \"main\"\nnodes = [\"n0\"]\n{credentials}{lines}");
        let server = setup.fleet(&fleet).start(attempt);
        let answers = || (server.best_move("good").status == 200).then_some(());
        assert!(poll(PATIENCE, answers).is_some(), "{}", server.log());
        server
    }

    pub(super) fn hostile_node(&self) -> Hostile {
        self.connect(HOSTILE_NODE)
    }

    pub(super) fn hostile_server(&self) -> Hostile {
        self.connect(HOSTILE_SERVER)
    }

    fn connect(&self, user: User) -> Hostile {
        match self.login {
            Login::Restricted => Hostile::login(&self.nats, user),
            Login::Open => Hostile::connect(&self.nats, ConnectOptions::new()),
        }
    }

    pub(super) fn node_log(&self) -> String {
        self.folder.log()
    }
}

impl Login {
    /// Returns the configuration line with a user's credentials.
    fn credentials(self, folder: &Folder, user: &str) -> String {
        match self {
            Self::Restricted => format!(
                "credentials_file = '{}'\n",
                folder.path().join(user).display()
            ),
            Self::Open => String::new(),
        }
    }
}

/// A NATS connection that sends what no real node or server sends.
pub(super) struct Hostile {
    runtime: Runtime,
    client: Client,
}

impl Hostile {
    pub(super) fn login(nats: &Nats, (seed, _): User) -> Self {
        Self::connect(nats, ConnectOptions::new().nkey(seed.to_owned()))
    }

    fn connect(nats: &Nats, options: ConnectOptions) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let client = runtime.block_on(options.connect(nats.url())).unwrap();
        Self { runtime, client }
    }

    /// Sends a message whose answer goes to a different subject. Null sends an empty message.
    pub(super) fn publish_for(&self, subject: &str, message: &Value, reply: &str) {
        let (subject, reply) = (subject.to_owned(), reply.to_owned());
        let message = match message {
            Value::Null => Vec::new(),
            message => message.to_string().into_bytes(),
        };
        let sent = self
            .client
            .publish_with_reply(subject, reply, message.into());
        self.runtime.block_on(sent).unwrap();
    }

    pub(super) fn publish(&self, subject: &str, message: &Value) {
        self.publish_bytes(subject, message.to_string().into_bytes());
    }

    pub(super) fn publish_bytes(&self, subject: &str, message: Vec<u8>) {
        self.runtime
            .block_on(self.client.publish(subject.to_owned(), message.into()))
            .unwrap();
    }

    /// Waits until NATS has received everything.
    pub(super) fn flush(&self) {
        self.runtime.block_on(self.client.flush()).unwrap();
    }

    pub(super) fn subscribe(&self, subject: &str) -> Subscriber {
        let subscriber = self
            .runtime
            .block_on(self.client.subscribe(subject.to_owned()))
            .unwrap();
        self.flush();
        subscriber
    }

    /// Returns the subject and the content of the next message that arrives in time.
    pub(super) fn next(
        &self,
        subscriber: &mut Subscriber,
        within: Duration,
    ) -> Option<(String, Value)> {
        let message = self
            .runtime
            .block_on(async { timeout(within, subscriber.next()).await })
            .ok()??;
        let value = serde_json::from_slice(&message.payload).unwrap_or(Value::Null);
        Some((message.subject.to_string(), value))
    }

    /// Returns the messages that have arrived.
    pub(super) fn received(&self, subscriber: &mut Subscriber) -> Vec<(String, Value)> {
        std::iter::from_fn(|| self.next(subscriber, Duration::from_millis(100))).collect()
    }
}

pub(super) fn id(number: usize) -> String {
    format!("{number:032x}")
}

/// Returns an announcement from a node's first run.
pub(super) fn announcement(number: usize, ais: &[Value]) -> Value {
    json!({"instance": id(1), "number": number, "tick_ms": number, "ais": ais, "jobs": []})
}

/// Returns an AI that a node offers.
pub(super) fn offered(ai: &str, fingerprint: &str) -> Value {
    json!({"id": ai, "fingerprint": fingerprint, "slots": 4, "free": 4})
}

/// Returns the fingerprint with this number.
pub(super) fn fingerprint(number: usize) -> String {
    format!("{number:064x}")
}

/// Returns a good description of an AI.
pub(super) fn description(ai: &str, fingerprint: &str) -> Value {
    json!({
        "description": {
            "id": ai,
            "fingerprint": fingerprint,
            "name": "A",
            "version": "1",
            "author": "A",
            "searcher": true,
            "evaluator": false,
            "capabilities": {
                "chess960": false,
                "root_moves": false,
                "ponder": false,
                "manages_time": false,
                "max_lines": 1,
                "max_trace_nodes": 0,
                "threads": 0,
                "memory_mb": 0,
            },
            "options": [],
            "values": [],
            "overridable_options": [],
            "limit": {
                "depth": 1,
                "nodes": null,
                "mate_plies": null,
                "soft_ms": null,
                "hard_ms": null,
            },
            "move_timeout_ms": 5000,
            "new_game_timeout_ms": 5000,
            "library": {
                "file": "liba.so",
                "sha256": fingerprint,
            },
            "sandbox": {
                "mode": "required",
                "memory_mb": 64,
                "threads": 0,
                "confined": {
                    "enforced": [],
                    "missing": [],
                },
            },
        },
    })
}

/// Returns invalid messages: an empty one, invalid bytes, deep nesting, parts of a valid message,
/// and terminal sequences in an unknown field.
pub(super) fn garbage(good: &Value) -> Vec<Vec<u8>> {
    let text = good.to_string().into_bytes();
    let forged = format!(
        "{{\"\\u001b[2J\\r\\n2026-01-01 ERROR forged {}\": 1}}",
        "x".repeat(900_000)
    );
    let halves = (1..8).map(|part| text[..text.len() * part / 8].to_vec());
    let others = [
        Vec::new(),
        b"\xff\0".to_vec(),
        b"{}".to_vec(),
        b"[".repeat(100_000),
        vec![b' '; 1_000_000],
    ];
    halves.chain(others).chain([forged.into_bytes()]).collect()
}

/// # Errors
/// The log contains control characters, or its lines other than the access log exceed 64 KiB.
pub(super) fn is_calm(log: &str) -> Result<(), String> {
    // Test AIs and a loaded machine cause extra lines, and each request has one in the access log.
    let own = log.lines().filter(|line| !line.contains(" INFO access: "));
    let (most, bytes) = (64 << 10, own.map(|line| line.len() + 1).sum::<usize>());
    if bytes > most {
        return Err(format!(
            "a log of {bytes} bytes: {}",
            log.chars().take(300).collect::<String>()
        ));
    }
    match log
        .lines()
        .find(|line| line.contains(char::is_control) || line.starts_with("2026-01-01 ERROR"))
    {
        Some(line) => Err(format!(
            "in the log: {:?}",
            line.chars().take(300).collect::<String>()
        )),
        None => Ok(()),
    }
}

/// # Errors
/// A request to an AI fails.
pub(super) fn answers(server: &Server, ai: &str, count: usize) -> Result<Duration, String> {
    let mut slowest = Duration::ZERO;
    for number in 0..count {
        let reply = server.best_move(ai);
        if reply.status != 200 {
            return Err(format!(
                "request {number} of {count}: {} {}",
                reply.status,
                reply.text()
            ));
        }
        slowest = slowest.max(reply.time);
    }
    Ok(slowest)
}
