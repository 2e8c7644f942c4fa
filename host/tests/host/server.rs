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
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    ops::{Deref, DerefMut},
    process::{Command, Stdio},
    thread::JoinHandle,
};

use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::{Connection, json_head, wait_until};

use crate::support::{ConfigFile, basic1_and, conformance::Answer, rookery};

/// A running server.
pub(crate) struct Server(test_kit::Server);

impl Server {
    pub(crate) fn start(file: &ConfigFile) -> Self {
        Self::spawn(listening(file).stderr(Stdio::null()))
    }

    #[track_caller]
    fn spawn(command: &mut Command) -> Self {
        Self(test_kit::Server::start(command))
    }

    /// Sends a signal that makes the server exit successfully.
    #[track_caller]
    pub(crate) fn stop(&mut self, signal: Signal) {
        self.signal(signal);
        assert_eq!(self.wait().code(), Some(0));
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        self.get_with(path, &[])
    }

    fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> (u16, Value) {
        let headers = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"));
        let headers: String = headers.collect();
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
        let mut connection = self.connect();
        ask(&mut connection, "GET", path, request.as_bytes())
    }

    fn metrics(&self) -> String {
        let reply = self.connect().get("/metrics").unwrap();
        String::from_utf8(reply.body).unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        post(self.address, path, body)
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

    /// Returns the state of an AI, requested by this client.
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
        let address = self.address;
        let pending_search = std::thread::spawn(move || post(address, "/v1/best-move", &body));
        wait_until("the AI is busy", || self.state_of(ai) == "busy");
        pending_search
    }

    /// Opens a connection with this request.
    fn send(&self, request: &str) -> TcpStream {
        let mut stream = self.socket();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Sends a request on a new connection and reads until the connection closes.
    pub(crate) fn exchange(&self, request: &str) -> String {
        exchange(self.socket(), request.as_bytes())
    }
}

impl Deref for Server {
    type Target = test_kit::Server;

    fn deref(&self) -> &test_kit::Server {
        &self.0
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut test_kit::Server {
        &mut self.0
    }
}

/// `rookery serve` with a configuration and without environment variables.
fn command(file: &ConfigFile) -> Command {
    let mut command = test_kit::command();
    command.args(["serve", "--config"]).arg(file.path());
    // The control socket is in the folder of the configuration.
    command.env("XDG_RUNTIME_DIR", file.folder());
    command
}

/// Like [`command`], but listens on a free port.
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

/// Starts a server with these arguments and returns it with its standard error.
pub(crate) fn logging(
    file: &ConfigFile,
    log: &str,
    arguments: &[&str],
) -> (Server, JoinHandle<String>) {
    let mut command = listening(file);
    let mut server = Server::spawn(
        command
            .args(arguments)
            .env("ROOKERY_LOG", log)
            .stderr(Stdio::piped()),
    );
    let mut log = server.take_stderr();
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        log.read_to_string(&mut text).unwrap();
        text
    });
    (server, reading)
}

fn post(address: SocketAddr, path: &str, body: &Value) -> (u16, Value) {
    post_on(&mut Connection::open(address).unwrap(), path, body)
}

fn post_on(connection: &mut Connection, path: &str, body: &Value) -> (u16, Value) {
    let request = test_kit::post(path, "", body.to_string().as_bytes());
    ask(connection, "POST", path, &request)
}

/// Sends a request, and checks the reply against the API's document.
fn ask(connection: &mut Connection, method: &str, path: &str, request: &[u8]) -> (u16, Value) {
    let reply = connection.exchange(request).unwrap();
    let headers = reply
        .headers()
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let headers: Vec<_> = headers.collect();
    Answer {
        method,
        path,
        status: reply.status,
        headers: &headers,
        body: &reply.body,
    }
    .check();
    let body = serde_json::from_slice(&reply.body)
        .unwrap_or_else(|error| panic!("{error}: {}", reply.text()));
    (reply.status, body)
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
    json_head(&format!("POST {path}"), &headers.join("\r\n"))
}

/// A JSON request with further headers.
pub(crate) fn post_text(path: &str, headers: &[&str], body: &str) -> String {
    post_head(
        path,
        &[headers, &[&format!("Content-Length: {}", body.len())]].concat(),
    ) + body
}

/// A request that closes its connection.
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
