//! A child process and the process group that it leads. Both are killed together, then reaped.

use std::{io, os::fd::OwnedFd, process::ExitStatus, time::Duration};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, pidfd_open,
    pidfd_send_signal, waitid,
};
use tokio::{
    process::{Child, ChildStderr, ChildStdout, Command},
    signal::unix::{Signal as SignalStream, SignalKind, signal},
    time::timeout,
};

/// How long a child may take to exit after the process that it mirrors.
const MIRRORING_TIMEOUT: Duration = Duration::from_secs(1);

/// A child that leads its own process group. Dropping it kills the group.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    child: Child,
    /// The process whose exit the child mirrors, if it is a different one.
    mirrored: Option<OwnedFd>,
    /// Receives SIGCHLD for any child.
    child_signals: SignalStream,
}

impl ProcessGroup {
    /// Starts the command, which must become a session leader before it starts other processes.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Self> {
        let child_signals = signal(SignalKind::child())?;
        let child = command.kill_on_drop(true).spawn()?;
        Ok(Self {
            child,
            mirrored: None,
            child_signals,
        })
    }

    /// Returns the child's process id; `None` once it is reaped, because another process may then
    /// have the id.
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Declares that the child exits after all its descendants, with the status of the descendant
    /// with this process id.
    pub(crate) fn mirror(&mut self, process: u32) {
        if self.id() != Some(process) {
            // Without a descriptor, the child is killed, and the kernel kills its descendants.
            let process = Pid::from_raw(process.cast_signed());
            self.mirrored =
                process.and_then(|process| pidfd_open(process, PidfdFlags::empty()).ok());
        }
    }

    /// Returns the pipes of its standard output and error; `None` if they have been taken.
    pub(crate) fn take_output(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdout.take(), self.child.stderr.take())
    }

    /// Waits until the child has exited, without reaping it, so that no other process gets its id.
    /// Dropping the future loses nothing.
    pub(crate) async fn exited(&mut self) {
        // If the child exits after the check, a signal arrives later.
        while !self.has_exited() {
            if self.child_signals.recv().await.is_none() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Kills the entire group and reaps the child.
    pub(crate) async fn end(&mut self) -> io::Result<ExitStatus> {
        self.kill();
        if self.mirrored.take().is_some()
            && timeout(MIRRORING_TIMEOUT, self.exited()).await.is_err()
        {
            self.kill();
        }
        self.child.wait().await
    }

    /// Kills the child, even if it has joined another group, and its own group. If the child
    /// mirrors a process, kills only that process, and the child waits for all descendants to exit.
    fn kill(&self) {
        if let Some(mirrored) = &self.mirrored {
            let _ = pidfd_send_signal(mirrored, Signal::KILL);
            return;
        }
        if let Some(pid) = self.pid() {
            let _ = kill_process_group(pid, Signal::KILL);
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    fn has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.pid()
            .is_none_or(|pid| matches!(waitid(WaitId::Pid(pid), options), Ok(Some(_))))
    }

    fn pid(&self) -> Option<Pid> {
        self.child
            .id()
            .and_then(|id| Pid::from_raw(id.cast_signed()))
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}
