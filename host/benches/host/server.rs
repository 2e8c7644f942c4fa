//! Servers, and connections to them.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
};

use host_benches::{built, rookery};

use crate::child_of;

/// A running server and a connection to it.
pub(crate) struct Server {
    process: Child,
    address: String,
    connection: Connection,
    folder: tempfile::TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with("policy = \"configured\"\n", 1)
    }

    /// Starts a server with these lines in `[plugins]` and this number of workers.
    pub(crate) fn with(plugins: &str, workers: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("ais")).unwrap();
        fs::write(
            folder.path().join("rookery.toml"),
            configuration(plugins, workers, 16),
        )
        .unwrap();
        let mut command = Command::new(rookery());
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--config"])
            .arg(folder.path().join("rookery.toml"));
        command.env("XDG_RUNTIME_DIR", folder.path());
        let mut process = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.trim().rsplit('/').next().unwrap().to_owned();
        Self {
            process,
            connection: Connection::open(&address),
            address,
            folder,
        }
    }

    /// Sends a request on the open connection and reads the whole reply.
    pub(crate) fn call(&mut self, request: &str) -> Reply {
        self.connection.call(request)
    }

    /// Opens another connection.
    pub(crate) fn connect(&self) -> Connection {
        Connection::open(&self.address)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the resident memory of the server and of its worker, in kB.
    pub(crate) fn resident_kb(&self) -> (u64, u64) {
        let server = self.process.id();
        let resident = |process: u32| {
            let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("VmRSS:"))
                .unwrap();
            line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
        };
        (resident(server), child_of(server).map_or(0, resident))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        assert!(self.folder.path().exists());
    }
}

/// A request without an AI.
pub(crate) const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// A request for the best move in the start position.
pub(crate) fn best_move(depth: u32) -> String {
    post(&format!(
        "{{\"game\":{{}},\"limit\":{{\"depth\":{depth}}}}}"
    ))
}

/// A best-move request with this body.
pub(crate) fn post(body: &str) -> String {
    let length = body.len();
    format!(
        "POST /v1/best-move HTTP/1.1\r\nHost: localhost\r\nContent-Type: \
         application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// A configuration with one AI and a plugin directory.
pub(crate) fn configuration(plugins: &str, workers: u32, hash_mb: u32) -> String {
    let library = built().join("libai_basic1.so");
    format!(
        "[plugins]\ndirectories = [\"ais\"]\n{plugins}[ai.own]\nlibrary = '{}'\nworkers = \
         {workers}\nlimit = {{ depth = 1 }}\nmove_timeout_ms = 60000\n[ai.own.options]\nhash_mb = \
         {hash_mb}\n[client.default]\nai = \"own\"\n",
        library.display()
    )
}

pub(crate) struct Connection(BufReader<TcpStream>);

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Connection {
    fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    pub(crate) fn send(&mut self, request: &str) {
        self.0.get_mut().write_all(request.as_bytes()).unwrap();
    }

    /// Sends a request on the open connection and reads the whole reply.
    pub(crate) fn call(&mut self, request: &str) -> Reply {
        self.send(request);
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            let line = line.trim().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if let Some(line) = line.strip_prefix("http/1.1 ") {
                status = line[..3].parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        Reply {
            status,
            body: String::from_utf8(body).unwrap(),
        }
    }
}
