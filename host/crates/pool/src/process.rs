//! The host's side of a worker process: its start, its jobs, its idle time and its exit.

mod clock;
mod cpu_time;
mod exit;
mod idle;
mod idle_cpu;
mod instance;
mod lateness;
mod memory;
mod probe_flag;
mod resources;
mod run;
mod start;
mod worker_process;

pub use clock::TimeAllowed;
pub(crate) use idle::IdleFailure;
pub use run::StopReason;
pub(crate) use worker_process::WorkerProcess;
