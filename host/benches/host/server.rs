//! Servers, and connections to them.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use tempfile::TempDir;
use test_kit::{Connection, Reply, built, processes::status_kb, rookery};

/// A running server and a connection to it.
pub(crate) struct Server {
    running: test_kit::Server,
    connection: Connection,
    folder: TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with("policy = \"configured\"\n", 1)
    }

    /// Starts a server with these lines in `[plugins]` and this number of workers.
    pub(crate) fn with(plugins: &str, workers: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("ais")).unwrap();
        let file = folder.path().join("rookery.toml");
        fs::write(&file, configuration(plugins, workers, 16)).unwrap();
        let mut command = Command::new(rookery());
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--config"])
            .arg(file)
            .env("XDG_RUNTIME_DIR", folder.path())
            .stderr(Stdio::null());
        let running = test_kit::Server::start(&mut command);
        Self {
            connection: running.connect(),
            running,
            folder,
        }
    }

    /// Sends a request on the open connection and reads the complete reply.
    pub(crate) fn call(&mut self, request: &str) -> Reply {
        self.connection.exchange(request).unwrap()
    }

    /// Opens another connection.
    pub(crate) fn connect(&self) -> Connection {
        self.running.connect()
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the resident memory of the server and of its worker, in kB.
    pub(crate) fn resident_kb(&self) -> (u64, u64) {
        let workers = self.running.children();
        let resident = |process: u32| status_kb(process, "VmRSS");
        (
            resident(self.running.id()),
            workers.first().map_or(0, |&worker| resident(worker)),
        )
    }
}

/// A request without an AI.
pub(crate) const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Returns a request for the best move in the start position.
pub(crate) fn best_move(depth: u32) -> String {
    post(&format!(
        "{{\"game\":{{}},\"limit\":{{\"depth\":{depth}}},\"fresh\":true}}"
    ))
}

/// Returns a best-move request with this body.
pub(crate) fn post(body: &str) -> String {
    String::from_utf8(test_kit::post("/v1/best-move", "", body.as_bytes())).unwrap()
}

/// Returns a configuration with one AI and a plugin directory.
pub(crate) fn configuration(plugins: &str, workers: u32, hash_mb: u32) -> String {
    let library = built("ai_basic1");
    format!(
        "[plugins]\ndirectories = [\"ais\"]\n{plugins}[ai.own]\nlibrary = '{}'\nworkers = \
         {workers}\nlimit = {{ depth = 1 }}\nmove_timeout_ms = 60000\n[ai.own.options]\nhash_mb = \
         {hash_mb}\n[client.default]\nai = \"own\"\n",
        library.display()
    )
}
