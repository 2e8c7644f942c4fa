//! A worker between two jobs.

use std::time::Duration;

use super::{idle_cpu::IdleCpuWatch, memory::pause, worker_process::WorkerProcess};
use crate::fault::Fault;
use protocol::FrameError;

/// How a worker failed between two jobs.
pub(crate) enum IdleFailure {
    Frame(FrameError),
    UnexpectedReply,
    /// It used this much processor time.
    Cpu(Duration),
    /// It exceeded its memory limit.
    Memory(Fault),
}

impl WorkerProcess {
    /// Returns the worker's processor time if it is confined.
    pub(crate) fn cpu_time(&mut self) -> Option<Duration> {
        self.idle_cpu.as_mut()?.used().ok()
    }

    /// Resolves when the idle process exits, sends a reply or uses too much processor time.
    /// Dropping the future loses nothing.
    pub(crate) async fn idle_failure(&mut self) -> IdleFailure {
        loop {
            if let Some(used) = self.idle_cpu.as_ref().and_then(IdleCpuWatch::exceeded) {
                return IdleFailure::Cpu(used);
            }
            // One timer serves both measurements. Two timers would each restart when the other
            // fires.
            let periods = [
                self.idle_cpu.as_ref().map(IdleCpuWatch::period),
                self.memory_period(),
            ];
            let period = periods.into_iter().flatten().min();
            tokio::select! {
                received = self.receive() => {
                    return received.err().map_or(IdleFailure::UnexpectedReply, IdleFailure::Frame);
                }
                () = pause(period) => {
                    self.idle_cpu.iter_mut().for_each(IdleCpuWatch::measure);
                    if let Err(fault) = self.measure_memory() {
                        return IdleFailure::Memory(fault);
                    }
                }
            }
        }
    }

    /// Returns the fault of a failed idle process and the end of its output. Kills and reaps the
    /// process.
    pub(crate) async fn into_idle_fault(mut self, failure: IdleFailure) -> (Fault, String) {
        let fault = match failure {
            IdleFailure::UnexpectedReply => Fault::unexpected_reply(),
            IdleFailure::Frame(error) => self.fault_of(error).await,
            IdleFailure::Memory(fault) => fault,
            IdleFailure::Cpu(used) => {
                let reason = format!(
                    "it used {} ms of processor time without a request; an AI must be idle \
                     between requests",
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
