//! Nodes of a fleet.

use std::process::{Child, Command};

use rustix::process::Signal;

use crate::{
    processes::{children, kill, wait_until},
    server::{Folder, rookery},
};

/// A running `rookery node`. Dropping it kills the process.
pub(crate) struct Node {
    child: Child,
    nats: String,
    pub(crate) folder: Folder,
}

impl Node {
    /// Starts a node with these AIs and with copies of these libraries.
    pub(crate) fn start(name: &str, nats: &str, ais: &str, libraries: &[&str]) -> Self {
        Self::start_with(name, nats, ais, "", libraries)
    }

    /// Starts a node with further lines of its `[fleet]`.
    pub(crate) fn start_with(
        name: &str,
        nats: &str,
        ais: &str,
        fleet: &str,
        libraries: &[&str],
    ) -> Self {
        let folder = Folder::new(
            &format!("{ais}[fleet]\nname = \"{name}\"\n{fleet}"),
            libraries,
        );
        Self {
            child: spawn(nats, &folder),
            nats: nats.to_owned(),
            folder,
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(self.child.id(), signal);
    }

    pub(crate) fn workers(&self) -> Vec<u32> {
        children(self.child.id())
    }

    /// Kills it by SIGKILL.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }

    /// Stops it by SIGTERM, after its jobs.
    pub(crate) fn stop(&mut self) {
        self.signal(Signal::TERM);
        wait_until("the node ends", || self.child.try_wait().unwrap().is_some());
        assert!(
            self.child.wait().unwrap().success(),
            "{}",
            self.folder.log()
        );
    }

    pub(crate) fn restart(&mut self) {
        self.child = spawn(&self.nats, &self.folder);
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(nats: &str, folder: &Folder) -> Child {
    let mut command = Command::new(rookery());
    command
        .arg("node")
        .arg("--config")
        .arg(folder.configuration())
        .args(["--nats", nats]);
    let (child, line) = folder.spawn(&mut command);
    assert!(
        line.starts_with("node "),
        "the node did not start: {}",
        folder.log()
    );
    child
}
