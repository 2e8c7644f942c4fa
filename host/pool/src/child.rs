//! A child process that is killed with the group that it leads, and only then reaped.

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

/// For a child that has nothing to do but to end.
const MIRRORING_TIMEOUT: Duration = Duration::from_secs(1);

/// A child that leads a process group of its own. Dropping it kills the group.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    child: Child,
    /// The process whose end the child mirrors, if it is another one.
    mirrored: Option<OwnedFd>,
    /// Comes when any child has ended.
    child_signals: SignalStream,
}

impl ProcessGroup {
    /// Starts the command, which makes itself the leader of a session, and so of a process group, before it starts anything.
    pub(super) fn spawn(command: &mut Command) -> io::Result<Self> {
        let child_signals = signal(SignalKind::child())?;
        let child = command.kill_on_drop(true).spawn()?;
        Ok(Self { child, mirrored: None, child_signals })
    }

    /// The number of the child, which is its own until it is reaped.
    pub(super) fn number(&self) -> Option<u32> {
        self.child.id()
    }

    /// Has the child end as the process of this number does, which comes from it, and so that nothing is left of that.
    pub(super) fn mirrors(&mut self, number: u32) {
        if self.number() != Some(number) {
            // Without, the child is killed, and the kernel kills that one.
            let process = Pid::from_raw(number.cast_signed());
            self.mirrored = process.and_then(|process| pidfd_open(process, PidfdFlags::empty()).ok());
        }
    }

    /// What the child writes to its standard output and error, once.
    pub(super) fn take_output(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdout.take(), self.child.stderr.take())
    }

    /// Waits until the child itself has ended, without reaping it: until then nobody else gets its number.
    pub(super) async fn ended(&mut self) {
        // One that ends after the look is announced after it.
        while !self.has_ended() {
            if self.child_signals.recv().await.is_none() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Kills the whole group and reaps the child.
    pub(super) async fn end(&mut self) -> io::Result<ExitStatus> {
        self.kill();
        if self.mirrored.take().is_some() && timeout(MIRRORING_TIMEOUT, self.ended()).await.is_err() {
            self.kill();
        }
        self.child.wait().await
    }

    /// Kills the child, even if it has joined another group, and all that it left in its own; or the process that the child
    /// mirrors, so that it waits for the end of all that comes from that.
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

    fn has_ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.pid().is_none_or(|pid| matches!(waitid(WaitId::Pid(pid), look), Ok(Some(_))))
    }

    /// None once the child is reaped: its number may then be somebody else's.
    pub(super) fn pid(&self) -> Option<Pid> {
        self.child.id().and_then(|id| Pid::from_raw(id.cast_signed()))
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}
