//! Nodes of a fleet.

use std::process::Command;

use rustix::process::Signal;
use test_kit::{Folder, Process, rookery};

use crate::server::folder_with;

/// A running `rookery node`.
pub(crate) struct Node {
    process: Process,
    nats: String,
    pub(crate) folder: Folder,
}

impl Node {
    /// Starts a node with these AIs and with copies of these libraries.
    pub(crate) fn start(name: &str, nats: &str, ais: &str, libraries: &[&str]) -> Self {
        Self::start_with(name, nats, ais, "", libraries)
    }

    /// Starts a node with further lines in its `[fleet]`.
    pub(crate) fn start_with(
        name: &str,
        nats: &str,
        ais: &str,
        fleet: &str,
        libraries: &[&str],
    ) -> Self {
        let folder = folder_with(
            &format!("{ais}[fleet]\nname = \"{name}\"\n{fleet}"),
            libraries,
        );
        Self {
            process: spawn(nats, &folder),
            nats: nats.to_owned(),
            folder,
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    pub(crate) fn workers(&self) -> Vec<u32> {
        self.process.children()
    }

    /// Kills the node with SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Stops the node with SIGTERM. It finishes its jobs first.
    pub(crate) fn stop(&mut self) {
        self.signal(Signal::TERM);
        assert!(self.process.wait().success(), "{}", self.folder.log());
    }

    pub(crate) fn restart(&mut self) {
        self.process = spawn(&self.nats, &self.folder);
    }
}

fn spawn(nats: &str, folder: &Folder) -> Process {
    let mut command = Command::new(rookery());
    command
        .arg("node")
        .arg("--config")
        .arg(folder.configuration())
        .args(["--nats", nats])
        // The node caches the files of matches there.
        .env("XDG_CACHE_HOME", folder.path())
        .env_remove("CACHE_DIRECTORY");
    let process = crate::server::spawn(&mut command, folder);
    assert!(
        process.first_line().starts_with("node "),
        "the node did not start: {}",
        folder.log()
    );
    process
}
