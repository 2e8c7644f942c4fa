//! A `rookery serve` under attack.

use std::{
    fmt::Write as _,
    fs,
    ops::{Deref, DerefMut},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use config::api_key::KeyDigest;
use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::{Folder, Process, Reply, copy_program, poll, processes::kill_if_running, rookery};

use crate::{library, runner::Attempt};

/// The user and group `nobody`.
pub(crate) const NOBODY: u32 = 65534;

/// The configuration of a server.
pub(crate) struct Setup {
    folder: Folder,
    server: String,
    ais: String,
    clients: String,
    environment: Vec<(String, String)>,
    files: Option<u64>,
    nobody: bool,
    under: Option<PathBuf>,
    unread_log: bool,
}

impl Setup {
    pub(crate) fn new() -> Self {
        Self {
            folder: Folder::create(),
            server: String::new(),
            ais: String::new(),
            clients: String::new(),
            environment: Vec::new(),
            files: None,
            nobody: false,
            under: None,
            unread_log: false,
        }
    }

    /// Prepares a server with only `ai_basic1`, as the AI `good`.
    pub(crate) fn good() -> Self {
        Self::new().with_good()
    }

    pub(crate) fn with_good(self) -> Self {
        self.ai("good", "ai_basic1", "limit = { depth = 1 }")
    }

    /// Adds the AI `good` and a hostile AI `bad`, whose option names its attack.
    pub(crate) fn hostile(self, library: &str, attack: &str, lines: &str) -> Self {
        self.ai(
            "bad",
            library,
            &format!("{lines}\noptions = {{ attack = \"{attack}\" }}"),
        )
        .with_good()
    }

    /// Adds lines to `[server]`.
    pub(crate) fn server(mut self, lines: &str) -> Self {
        writeln!(self.server, "{lines}").unwrap();
        self
    }

    /// Adds an AI from a C source or an example, with further lines for its section.
    pub(crate) fn ai(mut self, id: &str, library: &str, lines: &str) -> Self {
        let file = library::provide(library, self.folder());
        // A second worker would start whenever requests wait and would count as a leak.
        let workers = if lines.contains("workers") {
            ""
        } else {
            "workers = 1\n"
        };
        writeln!(
            self.ais,
            "[ai.{id}]\nlibrary = \"./{file}\"\n{workers}{lines}"
        )
        .unwrap();
        if self.clients.is_empty() {
            self.clients = format!("[client.default]\nai = \"{id}\"\n");
        }
        self
    }

    /// Adds a client other than `default`, with extra lines in its section.
    pub(crate) fn client(mut self, id: &str, ai: &str, lines: &str) -> Self {
        writeln!(self.clients, "[client.{id}]\nai = \"{ai}\"\n{lines}").unwrap();
        self
    }

    /// Adds a client whose key is its id.
    pub(crate) fn keyed_client(self, id: &str, ai: &str) -> Self {
        let sha256 = KeyDigest::of(id.as_bytes());
        self.client(id, ai, &format!("api_key_sha256 = \"{sha256}\""))
    }

    /// Puts tablebases into a folder next to the configuration, to use instead of the shipped ones.
    /// Workers may read nothing else.
    pub(crate) fn with_tables(mut self) -> Self {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/syzygy");
        fs::create_dir(self.tables()).unwrap();
        for table in ["KQvK.rtbw", "KQvK.rtbz"] {
            fs::copy(shipped.join(table), self.tables().join(table)).unwrap();
        }
        writeln!(
            self.clients,
            "[tablebases]\ndirectories = ['{}']",
            self.tables().display()
        )
        .unwrap();
        self
    }

    /// Adds lines to `[fleet]`.
    pub(crate) fn fleet(mut self, lines: &str) -> Self {
        writeln!(self.clients, "[fleet]\n{lines}").unwrap();
        self
    }

    pub(crate) fn tables(&self) -> PathBuf {
        self.folder.path().join("tables")
    }

    pub(crate) fn environment(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Limits the file descriptors of the server.
    pub(crate) fn files(self, files: u64) -> Self {
        Self {
            files: Some(files),
            ..self
        }
    }

    /// Runs the server as the user `nobody` if the test runs as root.
    pub(crate) fn run_as_nobody(self) -> Self {
        Self {
            nobody: rustix::process::geteuid().is_root(),
            ..self
        }
    }

    /// Runs the server through a program that gets its command as arguments.
    pub(crate) fn run_under(self, program: PathBuf) -> Self {
        Self {
            under: Some(program),
            ..self
        }
    }

    /// Logs to a pipe that nobody reads.
    pub(crate) fn unread_log(self) -> Self {
        Self {
            unread_log: true,
            ..self
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn start(self, attempt: &Attempt) -> Server {
        self.try_start(attempt)
            .unwrap_or_else(|log| panic!("the server did not start: {log}"))
    }

    /// # Errors
    /// The server exited or did not listen in time. The error contains its log.
    pub(crate) fn try_start(self, attempt: &Attempt) -> Result<Server, String> {
        fs::write(self.folder.configuration(), self.text()).unwrap();
        let mut command = self.command();
        command
            .arg("serve")
            .arg("--config")
            .arg(self.folder.configuration())
            .args(["--listen", "127.0.0.1:0"]);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if self.nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.stdin(Stdio::null()).stderr(self.folder.open_log());
        if self.unread_log {
            // The child keeps its end open.
            command.stderr(Stdio::piped());
        }
        let started = Instant::now();
        let process = Process::start_adopted(&mut command, |child| attempt.adopt(child));
        let start = started.elapsed();
        match test_kit::Server::of(process) {
            Ok(running) => Ok(Server {
                running,
                folder: self.folder,
                start,
            }),
            Err(_) => Err(self.folder.log_tail()),
        }
    }

    pub(crate) fn text(&self) -> String {
        format!("[server]\n{}\n{}{}", self.server, self.ais, self.clients)
    }

    /// Returns a shell that leaves a descriptor open, as many supervisors do.
    fn command(&self) -> Command {
        let files = self
            .files
            .map_or_else(String::new, |files| format!("ulimit -n {files} && "));
        let mut shell = Command::new("bash");
        let script = format!("{files}exec 20</etc/hostname && exec \"$0\" \"$@\"");
        let mut program = rookery().to_path_buf();
        if self.nobody {
            // Another user might not have access to the build's folders.
            program = self.folder.path().join("rookery");
            copy_program(rookery(), &program);
        }
        shell.args(["-c", &script]).args(&self.under).arg(program);
        shell
    }
}

/// A running server with its folder.
pub(crate) struct Server {
    running: test_kit::Server,
    folder: Folder,
    /// How long it took until the server listened.
    pub(crate) start: Duration,
}

impl Server {
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Replaces a library with one that differs in unused bytes.
    pub(crate) fn replace_library(&self, name: &str, number: u64) {
        self.folder.replace_library(name, name, number);
    }

    pub(crate) fn configuration(&self) -> PathBuf {
        self.folder.configuration()
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.connect()
            .get(path)
            .unwrap_or_else(|error| panic!("GET {path}: {error}"))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_with(path, "", body)
    }

    /// Posts with further header lines, each ending in CRLF.
    pub(crate) fn post_with(&self, path: &str, headers: &str, body: &Value) -> Reply {
        self.connect()
            .post(path, headers, body.to_string().as_bytes())
            .unwrap_or_else(|error| panic!("POST {path}: {error}"))
    }

    pub(crate) fn best_move(&self, ai: &str) -> Reply {
        let body = json!({"game": {}, "ai": ai, "fresh": true});
        self.post("/v1/best-move", &body)
    }

    /// Returns the terms of an evaluation, in which a hostile AI reports its success.
    pub(crate) fn terms(&self, ai: &str) -> Result<Vec<(String, i64)>, String> {
        let reply = self.post("/v1/evaluate", &json!({"game": {}, "ai": ai}));
        let body = reply.json();
        if reply.status != 200 {
            return Err(format!("{} {body}", reply.status));
        }
        let terms = body["terms"].as_array().map_or(&[][..], Vec::as_slice);
        let term = |term: &Value| {
            (
                term["name"].as_str().unwrap().to_owned(),
                term["score"]["cp"].as_i64().unwrap_or(-1),
            )
        };
        Ok(terms.iter().map(term).collect())
    }

    /// Returns the term with this name.
    pub(crate) fn term(&self, ai: &str, name: &str) -> Result<i64, String> {
        let terms = self.terms(ai)?;
        let found = terms.iter().find(|(found, _)| found == name);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| format!("no {name} in {terms:?}"))
    }

    /// Waits until all workers of an AI are searching.
    pub(crate) fn await_search(&self, ai: &str) {
        let is_busy = || self.get(&format!("/v1/ais/{ai}")).json()["state"] == "busy";
        poll(Duration::from_secs(20), || is_busy().then_some(())).expect("the AI searches");
    }

    /// Measures a health check.
    pub(crate) fn health(&self) -> Duration {
        let started = Instant::now();
        let reply = self.get("/healthz");
        assert_eq!(reply.status, 200, "{}", reply.text());
        started.elapsed()
    }

    /// # Errors
    /// The good AI or the health check fails.
    pub(crate) fn is_unharmed(&self, good: &str) -> Result<(), String> {
        let reply = self.best_move(good);
        if self.get("/healthz").status != 200 || reply.status != 200 {
            return Err(format!("the good AI: {} {}", reply.status, reply.text()));
        }
        Ok(())
    }

    /// Kills all descendants, some of which may have ended.
    pub(crate) fn kill_descendants(&self) {
        for process in self.descendants() {
            kill_if_running(process, Signal::KILL);
        }
    }

    pub(crate) fn log(&self) -> String {
        self.folder.log()
    }

    /// Sends SIGTERM. Returns the exit status, if the server exits in time.
    pub(crate) fn stop(&mut self, within: Duration) -> Option<ExitStatus> {
        self.signal(Signal::TERM);
        self.ended(within)
    }
}

impl Deref for Server {
    type Target = test_kit::Server;

    fn deref(&self) -> &test_kit::Server {
        &self.running
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut test_kit::Server {
        &mut self.running
    }
}
