//! The signals that stop a server or a node.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

pub(super) enum StopSignal {
    /// SIGINT, from Ctrl-C.
    Interrupt,
    /// SIGTERM, from a supervisor.
    Terminate,
}

pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// SIGUSR1, which would otherwise end the process.
    _ignored: Signal,
}

impl Signals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            _ignored: signal(SignalKind::user_defined1())?,
        })
    }

    pub(super) async fn next(&mut self) -> StopSignal {
        tokio::select! {
            _ = self.interrupt.recv() => StopSignal::Interrupt,
            _ = self.terminate.recv() => StopSignal::Terminate,
        }
    }
}
