//! A worker between two questions.

use std::{future::pending, time::Duration};

use tokio::time::{Instant, sleep_until};

use super::{ComputingWatch, Fault, FrameError, WorkerProcess, out_of_turn};

/// How a worker failed between two questions.
pub(crate) enum FailedIdle {
    /// Its socket or a frame did.
    Frame(FrameError),
    /// It sent a reply that nobody had asked for.
    OutOfTurn,
    /// It computed for so long.
    Computing(Duration),
}

impl WorkerProcess {
    /// How much it has computed, where it is confined.
    pub(crate) fn computed(&mut self) -> Option<Duration> {
        self.computing.as_mut()?.used().ok()
    }

    /// Waits, as long as no question is open, until the process ends, says something out of turn or computes for long.
    pub(crate) async fn failed_idle(&mut self) -> FailedIdle {
        loop {
            if let Some(used) = self.computing.as_ref().and_then(ComputingWatch::exceeded) {
                return FailedIdle::Computing(used);
            }
            let period = self.computing.as_ref().map(ComputingWatch::period);
            let next_look = async {
                match period {
                    Some(period) => sleep_until(Instant::now() + period).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                received = self.receive() => {
                    return received.err().map_or(FailedIdle::OutOfTurn, FailedIdle::Frame);
                }
                () = next_look => self.computing.iter_mut().for_each(ComputingWatch::look),
            }
        }
    }

    /// What came to an end there, and the end of what the process had written. Kills and reaps the process.
    pub(crate) async fn fault_when_idle(mut self, failed: FailedIdle) -> (Fault, String) {
        let fault = match failed {
            FailedIdle::OutOfTurn => out_of_turn(),
            FailedIdle::Frame(error) => self.fault_of(error).await,
            FailedIdle::Computing(used) => {
                let reason = format!(
                    "it computed for {} ms although nobody had asked it anything; an AI rests between two questions",
                    used.as_millis()
                );
                Fault::Protocol(reason.into())
            }
        };
        let output = self.output();
        self.kill().await;
        (fault, output)
    }
}
