//! The server process, and the folder of a process.

use std::{
    fs,
    ops::{Deref, DerefMut},
    path::PathBuf,
    process::{Command, ExitStatus},
    time::Duration,
};

use rustix::process::Signal;
use tempfile::TempDir;
use test_kit::{Process, built, processes::is_running, rookery};

/// A running server with a folder of its configuration and libraries.
pub(crate) struct Server {
    running: test_kit::Server,
    folder: Folder,
}

/// The configuration, the libraries and the log of a process.
pub(crate) struct Folder(TempDir);

impl Server {
    /// Starts a server with this configuration and with copies of these libraries.
    pub(crate) fn start(configuration: &str, libraries: &[&str]) -> Self {
        Self::spawn(Command::new(rookery()), configuration, libraries)
    }

    /// Starts a server with this limit of open files.
    pub(crate) fn start_with_files(files: u64, configuration: &str, libraries: &[&str]) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")]);
        shell.arg(rookery());
        Self::spawn(shell, configuration, libraries)
    }

    fn spawn(mut command: Command, configuration: &str, libraries: &[&str]) -> Self {
        let folder = Folder::new(configuration, libraries);
        command
            .arg("serve")
            .arg("--config")
            .arg(folder.configuration())
            .args(["--listen", "127.0.0.1:0"]);
        let running = test_kit::Server::of(folder.spawn(&mut command))
            .unwrap_or_else(|_| panic!("the server did not start: {}", folder.log()));
        Self { running, folder }
    }

    pub(crate) fn library(&self, name: &str) -> PathBuf {
        self.folder.library(name)
    }

    /// Replaces a library by one that differs in unused bytes.
    pub(crate) fn replace_library(&self, name: &str, number: u64) {
        self.folder.replace_library(name, number);
    }

    /// Runs `rookery reload`, which returns when the new configuration is served.
    ///
    /// # Errors
    /// What it reports.
    pub(crate) async fn reload(&self) -> Result<(), String> {
        let mut command = tokio::process::Command::new(rookery());
        let output = command
            .arg("reload")
            .arg("--config")
            .arg(self.folder.configuration())
            .output()
            .await
            .unwrap();
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    /// The children that have ended.
    pub(crate) fn zombies(&self) -> Vec<u32> {
        self.children()
            .into_iter()
            .filter(|&child| !is_running(child))
            .collect()
    }

    /// The end of the log.
    pub(crate) fn log_tail(&self) -> String {
        let log = self.folder.log();
        log.chars()
            .skip(log.chars().count().saturating_sub(4000))
            .collect()
    }

    /// Stops the server by SIGTERM.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        self.wait()
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

impl Folder {
    pub(crate) fn new(configuration: &str, libraries: &[&str]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for name in libraries {
            fs::copy(library(name), folder.library(name)).unwrap();
        }
        fs::write(folder.configuration(), configuration).unwrap();
        folder
    }

    pub(crate) fn configuration(&self) -> PathBuf {
        self.0.path().join("rookery.toml")
    }

    fn library(&self, name: &str) -> PathBuf {
        self.0.path().join(format!("lib{name}.so"))
    }

    pub(crate) fn replace_library(&self, name: &str, number: u64) {
        let mut bytes = fs::read(library(name)).unwrap();
        bytes.extend(number.to_le_bytes());
        let new = self.0.path().join("new");
        fs::write(&new, bytes).unwrap();
        fs::rename(new, self.library(name)).unwrap();
    }

    /// Starts a process that logs to this folder.
    pub(crate) fn spawn(&self, command: &mut Command) -> Process {
        let mut log = fs::OpenOptions::new();
        let log = log
            .create(true)
            .append(true)
            .open(self.0.path().join("log"));
        Process::start(command.stderr(log.unwrap()))
    }

    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.0.path().join("log")).unwrap()).into_owned()
    }
}

/// The library that cargo has built for an AI of this name: `fault_injector` for all but those that
/// ship.
pub(crate) fn library(name: &str) -> PathBuf {
    built(if name.starts_with("ai_") {
        name
    } else {
        "fault_injector"
    })
}

/// Polls a condition. Returns whether it became true in time.
pub(crate) async fn becomes_true(within: Duration, mut is_true: impl AsyncFnMut() -> bool) -> bool {
    let poll = async {
        while !is_true().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(within, poll).await.is_ok()
}
