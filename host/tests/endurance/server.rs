//! The server process, and the folder of a process.

use std::{
    fs,
    ops::{Deref, DerefMut},
    path::PathBuf,
    process::{Command, ExitStatus},
    time::Duration,
};

use rustix::process::Signal;
use test_kit::{Folder, Process, built, processes::is_running, rookery};

/// A running server, with the folder of its configuration and libraries.
pub(crate) struct Server {
    running: test_kit::Server,
    folder: Folder,
}

impl Server {
    /// Starts a server with this configuration and with copies of these libraries.
    pub(crate) fn start(configuration: &str, libraries: &[&str]) -> Self {
        Self::spawn(Command::new(rookery()), configuration, libraries)
    }

    /// Starts a server with this limit on open files.
    pub(crate) fn start_with_files(files: u64, configuration: &str, libraries: &[&str]) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")]);
        shell.arg(rookery());
        Self::spawn(shell, configuration, libraries)
    }

    fn spawn(mut command: Command, configuration: &str, libraries: &[&str]) -> Self {
        let folder = folder_with(configuration, libraries);
        command
            .arg("serve")
            .arg("--config")
            .arg(folder.configuration())
            .args(["--listen", "127.0.0.1:0"]);
        let running = test_kit::Server::of(spawn(&mut command, &folder))
            .unwrap_or_else(|_| panic!("the server did not start: {}", folder.log()));
        Self { running, folder }
    }

    pub(crate) fn library(&self, name: &str) -> PathBuf {
        self.folder.library(name)
    }

    /// Replaces a library with one that differs in unused bytes.
    pub(crate) fn replace_library(&self, name: &str, number: u64) {
        self.folder.replace_library(name, library_for(name), number);
    }

    /// Runs `rookery reload`, which returns when the new configuration is served.
    ///
    /// # Errors The reload failed. The error is the command's report.
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

    /// Returns the children that have exited but have not been reaped.
    pub(crate) fn zombies(&self) -> Vec<u32> {
        self.children()
            .into_iter()
            .filter(|&child| !is_running(child))
            .collect()
    }

    /// Returns the end of the log.
    pub(crate) fn log_tail(&self) -> String {
        self.folder.log_tail()
    }

    /// Stops the server with SIGTERM.
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

/// Creates a folder with a configuration and copies of these libraries.
pub(crate) fn folder_with(configuration: &str, libraries: &[&str]) -> Folder {
    let folder = Folder::create();
    for name in libraries {
        fs::copy(built(library_for(name)), folder.library(name)).unwrap();
    }
    fs::write(folder.configuration(), configuration).unwrap();
    folder
}

/// Starts a process that logs to its folder.
pub(crate) fn spawn(command: &mut Command, folder: &Folder) -> Process {
    Process::start(command.stderr(folder.open_log()))
}

/// Returns the library for an AI with this name: `fault_injector`, except for the shipped AIs.
pub(crate) fn library_for(name: &str) -> &str {
    if name.starts_with("ai_") {
        name
    } else {
        "fault_injector"
    }
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
