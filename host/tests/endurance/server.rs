//! The server process, and the folder of a process.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

use rustix::process::Signal;
use tempfile::TempDir;

use crate::processes::{children, is_running, kill, status_kb, wait_until};

/// A running server with a folder of its configuration and libraries. Dropping it kills the
/// process.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    folder: Folder,
}

/// The configuration, the libraries and the log of a process.
pub(crate) struct Folder(TempDir);

/// The program under test: that of a release if `make test-fleet` names one.
pub(crate) fn rookery() -> PathBuf {
    std::env::var_os("FLEET_ROOKERY")
        .map_or_else(|| env!("CARGO_BIN_EXE_rookery").into(), PathBuf::from)
}

impl Server {
    /// Starts a server with this configuration and with copies of these libraries.
    pub(crate) fn start(configuration: &str, libraries: &[&str]) -> Self {
        Self::spawn(Command::new(rookery()), configuration, libraries)
    }

    /// Starts a server with this limit of open files.
    pub(crate) fn start_with_files(files: u64, configuration: &str, libraries: &[&str]) -> Self {
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            &format!("ulimit -n {files} && exec \"$0\" \"$@\""),
            env!("CARGO_BIN_EXE_rookery"),
        ]);
        Self::spawn(shell, configuration, libraries)
    }

    fn spawn(mut command: Command, configuration: &str, libraries: &[&str]) -> Self {
        let folder = Folder::new(configuration, libraries);
        command
            .arg("serve")
            .arg("--config")
            .arg(folder.configuration())
            .args(["--listen", "127.0.0.1:0"]);
        let (child, line) = folder.spawn(&mut command);
        let address = line
            .strip_prefix("listening on http://")
            .map(|address| address.parse().unwrap());
        let address =
            address.unwrap_or_else(|| panic!("the server did not start: {}", folder.log()));
        Self {
            child,
            address,
            folder,
        }
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

    pub(crate) fn signal(&self, signal: Signal) {
        kill(self.child.id(), signal);
    }

    /// The children of the server that have not been reaped.
    pub(crate) fn children(&self) -> Vec<u32> {
        children(self.child.id())
    }

    /// All descendants of the server that have not been reaped.
    pub(crate) fn descendants(&self) -> Vec<u32> {
        let mut found = self.children();
        let mut next = 0;
        while let Some(&process) = found.get(next) {
            found.extend(children(process));
            next += 1;
        }
        found
    }

    /// The children that have ended.
    pub(crate) fn zombies(&self) -> Vec<u32> {
        self.children()
            .into_iter()
            .filter(|&child| !is_running(child))
            .collect()
    }

    pub(crate) fn open_files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.child.id()))
            .unwrap()
            .count()
    }

    /// The resident memory of the server, in MiB.
    pub(crate) fn resident_mb(&self) -> u64 {
        status_kb(self.child.id(), "VmRSS") >> 10
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
        wait_until("the server ends", || {
            self.child.try_wait().unwrap().is_some()
        });
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Folder {
    pub(crate) fn new(configuration: &str, libraries: &[&str]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for library in libraries {
            fs::copy(built(library), folder.library(library)).unwrap();
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
        let mut bytes = fs::read(built(name)).unwrap();
        bytes.extend(number.to_le_bytes());
        let new = self.0.path().join("new");
        fs::write(&new, bytes).unwrap();
        fs::rename(new, self.library(name)).unwrap();
    }

    /// Starts a process that logs to this folder. Returns it with its first line, which is empty if
    /// it has ended.
    pub(crate) fn spawn(&self, command: &mut Command) -> (Child, String) {
        let log = fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.0.path().join("log"))
            .unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        (child, line.trim_end().to_owned())
    }

    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.0.path().join("log")).unwrap()).into_owned()
    }
}

/// The library that cargo has built for an AI of this name: `fault_injector` for all but those that
/// ship.
pub(crate) fn built(name: &str) -> PathBuf {
    let build = Path::new(env!("CARGO_BIN_EXE_rookery")).parent().unwrap();
    let name = if name.starts_with("ai_") {
        name
    } else {
        "fault_injector"
    };
    let file = format!("lib{name}.so");
    let places = ["", "deps", "examples"].map(|folder| build.join(folder).join(&file));
    places
        .into_iter()
        .find(|place| place.exists())
        .unwrap_or_else(|| panic!("no {file} below {}", build.display()))
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
