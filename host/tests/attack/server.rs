//! A `rookery serve` under attack.

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead as _, BufReader},
    net::{SocketAddr, TcpStream},
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use config::api_key::KeyDigest;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::{Connection, Reply},
    library,
    runner::Arena,
};

/// The user and group `nobody`.
pub(crate) const NOBODY: u32 = 65534;
/// Long enough for a server that starts on a loaded machine.
const START: Duration = Duration::from_secs(50);

/// The configuration of a server.
pub(crate) struct Setup {
    folder: TempDir,
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
        let folder = tempfile::Builder::new()
            .prefix("under-attack-")
            .tempdir()
            .unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Self {
            folder,
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

    /// A server with only `ai_basic1`, as the AI `good`.
    pub(crate) fn good() -> Self {
        Self::new().with_good()
    }

    pub(crate) fn with_good(self) -> Self {
        self.ai("good", "ai_basic1", "limit = { depth = 1 }")
    }

    /// Adds a hostile AI, as `bad`, whose option names its attack, and the AI `good`.
    pub(crate) fn hostile(self, library: &str, attack: &str, lines: &str) -> Self {
        self.ai(
            "bad",
            library,
            &format!("{lines}\noptions = {{ attack = \"{attack}\" }}"),
        )
        .with_good()
    }

    /// Lines of `[server]`.
    pub(crate) fn server(mut self, lines: &str) -> Self {
        writeln!(self.server, "{lines}").unwrap();
        self
    }

    /// An AI: a source in C or an example, and further lines of its section.
    pub(crate) fn ai(mut self, id: &str, library: &str, lines: &str) -> Self {
        let file = library::provide(library, &self.folder);
        writeln!(self.ais, "[ai.{id}]\nlibrary = \"./{file}\"\n{lines}").unwrap();
        if self.clients.is_empty() {
            self.clients = format!("[client.default]\nai = \"{id}\"\n");
        }
        self
    }

    /// A client beside `default`, and further lines of its section.
    pub(crate) fn client(mut self, id: &str, ai: &str, lines: &str) -> Self {
        writeln!(self.clients, "[client.{id}]\nai = \"{ai}\"\n{lines}").unwrap();
        self
    }

    /// A client with its id as its key.
    pub(crate) fn keyed_client(self, id: &str, ai: &str) -> Self {
        let sha256 = KeyDigest::of(id.as_bytes());
        self.client(id, ai, &format!("api_key_sha256 = \"{sha256}\""))
    }

    /// A folder of tablebases beside the configuration, instead of the shipped ones. It is all that
    /// every worker may read.
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

    /// Lines of `[fleet]`.
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

    /// Runs the server with the user `nobody`, if this user is root.
    pub(crate) fn run_as_nobody(self) -> Self {
        Self {
            nobody: rustix::process::geteuid().is_root(),
            ..self
        }
    }

    /// Runs the server by a program, which gets its command as arguments.
    pub(crate) fn run_under(self, program: PathBuf) -> Self {
        Self {
            under: Some(program),
            ..self
        }
    }

    /// Logs into a pipe that nobody reads.
    pub(crate) fn unread_log(self) -> Self {
        Self {
            unread_log: true,
            ..self
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn start(self, arena: &Arena) -> Server {
        self.try_start(arena)
            .unwrap_or_else(|log| panic!("the server did not start: {log}"))
    }

    /// # Errors
    /// The server ended or did not listen in time: its log.
    pub(crate) fn try_start(self, arena: &Arena) -> Result<Server, String> {
        let file = self.folder.path().join("rookery.toml");
        fs::write(&file, self.text()).unwrap();
        let log = self.folder.path().join("log");
        let mut command = self.command();
        command
            .arg("serve")
            .arg("--config")
            .arg(&file)
            .args(["--listen", "127.0.0.1:0"]);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if self.nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&log).unwrap());
        if self.unread_log {
            // The child keeps its end open.
            command.stderr(Stdio::piped());
        }
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        arena.adopt(&child);
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = std::sync::mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let address = lines.recv_timeout(START).ok().and_then(|line| {
            line.strip_prefix("listening on ")?
                .split_once("://")?
                .1
                .parse()
                .ok()
        });
        let server = |address| Server {
            child,
            address,
            folder: self.folder,
            start: started.elapsed(),
        };
        match address {
            Some(address) => Ok(server(address)),
            None => Err(server(SocketAddr::from(([127, 0, 0, 1], 0))).log_tail()),
        }
    }

    pub(crate) fn text(&self) -> String {
        format!("[server]\n{}\n{}{}", self.server, self.ais, self.clients)
    }

    /// A shell that leaves a descriptor open, as many supervisors do.
    fn command(&self) -> Command {
        let files = self
            .files
            .map_or_else(String::new, |files| format!("ulimit -n {files} && "));
        let mut shell = Command::new("bash");
        let script = format!("{files}exec 20</etc/hostname && exec \"$0\" \"$@\"");
        let mut program = Arena::binary();
        if self.nobody {
            // Another user may not enter every folder of the build.
            let own = self.folder.path().join("rookery");
            assert!(
                Command::new("cp")
                    .args([&program, &own])
                    .status()
                    .unwrap()
                    .success()
            );
            program = own;
        }
        shell.args(["-c", &script]).args(&self.under).arg(program);
        shell
    }
}

/// A running server. Dropping it kills the process.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    folder: TempDir,
    /// The time until the server listened.
    pub(crate) start: Duration,
}

impl Server {
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn configuration(&self) -> PathBuf {
        self.folder.path().join("rookery.toml")
    }

    pub(crate) fn connect(&self) -> Connection {
        Connection::open(self.address).unwrap()
    }

    pub(crate) fn socket(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.connect()
            .get(path)
            .unwrap_or_else(|error| panic!("GET {path}: {error}"))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_with(path, "", body)
    }

    /// Posts with further header lines, each ended by CRLF.
    pub(crate) fn post_with(&self, path: &str, headers: &str, body: &Value) -> Reply {
        self.connect()
            .post(path, headers, body.to_string().as_bytes())
            .unwrap_or_else(|error| panic!("POST {path}: {error}"))
    }

    pub(crate) fn best_move(&self, ai: &str) -> Reply {
        self.post("/v1/best-move", &json!({"game": {}, "ai": ai}))
    }

    /// The terms of an evaluation, in which a hostile AI reports its success.
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

    /// Returns the term of this name.
    pub(crate) fn term(&self, ai: &str, name: &str) -> Result<i64, String> {
        let terms = self.terms(ai)?;
        let found = terms.iter().find(|(found, _)| found == name);
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| format!("no {name} in {terms:?}"))
    }

    /// Waits until all workers of an AI search.
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
        self.descendants().into_iter().for_each(kill);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// The process of each worker that the server itself has started.
    pub(crate) fn workers(&self) -> Vec<u32> {
        let of_server = |(process, parent)| (parent == self.child.id()).then_some(process);
        processes().into_iter().filter_map(of_server).collect()
    }

    /// All descendants of the server.
    pub(crate) fn descendants(&self) -> Vec<u32> {
        let mut parents = vec![self.child.id()];
        let mut found = Vec::new();
        let all = processes();
        while let Some(parent) = parents.pop() {
            let children: Vec<_> = all
                .iter()
                .filter(|(_, of)| *of == parent)
                .map(|(child, _)| *child)
                .collect();
            parents.extend(&children);
            found.extend(children);
        }
        found
    }

    /// The resident memory of the server, in MiB.
    pub(crate) fn resident_mb(&self) -> u64 {
        status_kb(self.child.id(), "VmRSS") >> 10
    }

    /// The peak memory of the server, in MiB.
    pub(crate) fn peak_mb(&self) -> u64 {
        status_kb(self.child.id(), "VmHWM") >> 10
    }

    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.folder.path().join("log")).unwrap()).into_owned()
    }

    fn log_tail(&self) -> String {
        let log = self.log();
        log.chars()
            .skip(log.chars().count().saturating_sub(1500))
            .collect()
    }

    /// Sends SIGTERM. Returns the exit status, if the server exits in time.
    pub(crate) fn stop(&mut self, within: Duration) -> Option<ExitStatus> {
        self.signal(Signal::TERM);
        self.ended(within)
    }

    /// Returns the exit status, if the server exits in time.
    pub(crate) fn ended(&mut self, within: Duration) -> Option<ExitStatus> {
        poll(within, || self.child.try_wait().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kills a process, which may have ended.
pub(crate) fn kill(process: u32) {
    let _ = kill_process(Pid::from_raw(process.cast_signed()).unwrap(), Signal::KILL);
}

/// Polls until `look` returns a value.
pub(crate) fn poll<T>(within: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + within;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() > deadline {
            return None;
        }
        thread::park_timeout(Duration::from_millis(5));
    }
}

/// A field of `/proc/PROCESS/status` in kB; 0 after the end of the process.
pub(crate) fn status_kb(process: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or_default()
}

/// Every process with its parent.
fn processes() -> Vec<(u32, u32)> {
    let numbers = fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parent = |process: u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let fields = stat.rsplit_once(')')?.1;
        Some((process, fields.split_whitespace().nth(1)?.parse().ok()?))
    };
    numbers.filter_map(parent).collect()
}

/// The processor time that a process and its threads have used.
pub(crate) fn computed(process: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let Some((_, fields)) = stat.rsplit_once(')') else {
        return Duration::ZERO;
    };
    let ticks: u64 = fields
        .split_whitespace()
        .skip(11)
        .take(4)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
}
