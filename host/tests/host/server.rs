//! The server as a process, over real sockets.

mod access_log;
mod clients;
mod connections;
mod disconnects;
mod http_1_0;
mod listen;
mod memory_limits;
mod observability;
mod reload;
mod requests;
mod shutdown;
mod slow_requests;
mod special_files;
mod streams;
mod systemd;
mod tls;
mod workers;

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    process::{Child, ChildStdout, Command, ExitStatus, Stdio},
    thread::JoinHandle,
    time::Duration,
};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    support::conformance::Answer,
    support::processes::{children, kill, wait_until},
    support::{ConfigFile, basic1_and, rookery},
};

/// A running server. Dropping it kills the process.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    pub(crate) fn start(file: &ConfigFile) -> Self {
        Self::spawn(listening(file).stderr(Stdio::null()))
    }

    /// Starts a server and reads its address.
    fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let reported = line
            .strip_prefix("listening on http://")
            .or(line.strip_prefix("listening on https://"));
        let address = reported
            .unwrap_or_else(|| panic!("{line:?}"))
            .trim_end()
            .parse()
            .unwrap();
        Self {
            child,
            address,
            stdout,
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(self.child.id(), signal);
    }

    /// Sends a signal, at which the server exits with success.
    #[track_caller]
    fn stop(&mut self, signal: Signal) {
        self.signal(signal);
        assert_eq!(self.wait().code(), Some(0));
    }

    /// The worker processes.
    pub(crate) fn workers(&self) -> Vec<u32> {
        children(self.child.id())
    }

    /// Waits for the exit of the server.
    fn wait(&mut self) -> ExitStatus {
        wait_until("the server exits", || {
            self.child.try_wait().unwrap().is_some()
        });
        self.child.wait().unwrap()
    }

    /// Returns standard output after the first line.
    fn rest_of_stdout(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        rest
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        self.get_with(path, &[])
    }

    fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> (u16, Value) {
        let request = agent().get(format!("http://{}{path}", self.address));
        let request = headers.iter().fold(request, |request, &(name, value)| {
            request.header(name, value)
        });
        read("GET", path, request.call().unwrap())
    }

    fn metrics(&self) -> String {
        let response = agent()
            .get(format!("http://{}/metrics", self.address))
            .call();
        response.unwrap().body_mut().read_to_string().unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let response = agent()
            .post(format!("http://{}{path}", self.address))
            .send_json(body);
        read("POST", path, response.unwrap())
    }

    /// Requests a move at depth 1 and returns the reply.
    #[track_caller]
    fn quick_move(&self) -> Value {
        let (status, body) =
            self.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 1}}));
        assert_eq!(status, 200, "{body}");
        body
    }

    fn state_of(&self, ai: &str) -> String {
        self.state_of_as(ai, "default")
    }

    /// The state of an AI, requested by this client.
    pub(crate) fn state_of_as(&self, ai: &str, client: &str) -> String {
        let (_, body) = self.get_with(&format!("/v1/ais/{ai}"), &[("X-Client-Id", client)]);
        body["state"]
            .as_str()
            .unwrap_or_else(|| panic!("{body}"))
            .to_owned()
    }

    /// Requests a move in a new thread, and waits until the AI is busy.
    pub(crate) fn post_and_wait_until_busy(
        &self,
        ai: &str,
        body: Value,
    ) -> std::thread::JoinHandle<(u16, Value)> {
        let path = "/v1/best-move";
        let url = format!("http://{}{path}", self.address);
        let pending_search = std::thread::spawn(move || {
            read("POST", path, agent().post(url).send_json(body).unwrap())
        });
        wait_until("the AI is busy", || self.state_of(ai) == "busy");
        pending_search
    }

    /// Opens a connection.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    /// Opens a connection with this request.
    fn send(&self, request: &str) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Sends a request on a new connection and reads until that closes.
    pub(crate) fn exchange(&self, request: &str) -> String {
        exchange(self.connect(), request.as_bytes())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `rookery serve` with a configuration and without environment variables.
fn command(file: &ConfigFile) -> Command {
    let mut command = Command::new(rookery());
    // The control socket is in the folder of the configuration.
    command.env("XDG_RUNTIME_DIR", file.folder());
    command.args([
        OsStr::new("serve"),
        OsStr::new("--config"),
        file.path().as_os_str(),
    ]);
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("ROOKERY_"))
        {
            command.env_remove(name);
        }
    }
    command
}

/// The same, with an address.
fn listening(file: &ConfigFile) -> Command {
    let mut command = command(file);
    command.args(["--listen", "127.0.0.1:0"]);
    command
}

/// `rookery reload` for the servers of a configuration.
fn reload_command(file: &ConfigFile, arguments: &[&str]) -> Command {
    let mut command = Command::new(rookery());
    command
        .arg("reload")
        .args(arguments)
        .arg("--config")
        .arg(file.path());
    command.env("XDG_RUNTIME_DIR", file.folder());
    command
}

/// Starts a server with these arguments. Returns its standard error too.
fn logging(file: &ConfigFile, log: &str, arguments: &[&str]) -> (Server, JoinHandle<String>) {
    let mut command = listening(file);
    let mut server = Server::spawn(
        command
            .args(arguments)
            .env("ROOKERY_LOG", log)
            .stderr(Stdio::piped()),
    );
    let mut log = server.child.stderr.take().unwrap();
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        log.read_to_string(&mut text).unwrap();
        text
    });
    (server, reading)
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder();
    config
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(30)))
        .build()
        .into()
}

fn read(method: &str, path: &str, mut response: ureq::http::Response<ureq::Body>) -> (u16, Value) {
    let text = response.body_mut().read_to_string().unwrap();
    let body = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let status = response.status().as_u16();
    let headers = response.headers().iter();
    let headers: Vec<_> = headers
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    Answer {
        method,
        path,
        status,
        headers: &headers,
        body: text.as_bytes(),
    }
    .check();
    (status, body)
}

/// Writes a request and reads until the connection closes.
fn exchange(mut stream: impl Read + Write, request: &[u8]) -> String {
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

/// The head of a JSON request with further headers.
fn post_head(path: &str, headers: &[&str]) -> String {
    let headers = headers.join("\r\n");
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: \
         application/json\r\n{headers}\r\n\r\n"
    )
}

/// A JSON request with further headers.
pub(crate) fn post_text(path: &str, headers: &[&str], body: &str) -> String {
    post_head(
        path,
        &[headers, &[&format!("Content-Length: {}", body.len())]].concat(),
    ) + body
}

/// The last request of a connection.
fn last_get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
}

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A request whose search uses all of its time.
fn timed_search(movetime_ms: u64) -> Value {
    json!({"game": {}, "limit": {"movetime_ms": movetime_ms}})
}

fn one_ai() -> ConfigFile {
    basic1_and("[server]\ndrain_delay_ms = 0")
}
