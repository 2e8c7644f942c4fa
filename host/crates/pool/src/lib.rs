//! The worker pools of the AIs: worker processes, fair queues, circuit breakers and the supervisor.
//!
//! Passes jobs and results between games and workers. Knows nothing about chess or HTTP, and knows
//! a client only by its id or address.

pub mod cgroup;

mod about;
mod activity;
mod ai;
mod ais;
mod changes;
mod client_identity;
mod fault;
mod fingerprint;
mod frame_decoder;
mod inspection;
mod listener;
mod log_limit;
mod manifest_check;
mod outdated;
mod process;
mod process_group;
mod procfs;
mod request_context;
mod request_scope;
mod slot;
mod smoke;
mod start;
mod stats;
mod stdio_capture;
mod supervisor;
mod tablebases;
mod trace;
mod worker_pool;
mod worker_program;
mod worker_session;

pub use about::About;
pub use activity::{ActiveJob, Activity};
pub use ai::{Ai, RemoteAi};
pub use ais::{Ais, NextGeneration, Retry};
pub use changes::Changes;
pub use client_identity::ClientIdentity;
pub use fault::{Fault, FaultCode, FaultReason, Shortage, Stall};
pub use fingerprint::fingerprint;
#[doc(hidden)]
pub use frame_decoder::FrameDecoder;
pub use inspection::{Inspection, Inspections, inspect};
pub use listener::Listener;
pub use log_limit::LogLimit;
pub use manifest_check::check as check_manifest;
pub use outdated::{Outdated, OutdatedAi};
pub use procfs::{OwnProcess, RunQueue};
pub use request_context::{RequestContext, RetryPolicy};
pub use request_scope::{AiUsage, RequestScope};
pub use slot::{Question, RemoteSlot, Slot, StopReason, TimeAllowed};
pub use smoke::{Expectation, SmokeTest};
pub use start::ais::{AiStartError, StartErrors};
pub use start::error::{FailedSmokeTest, StartError};
pub use stats::{AiStats, LastFault, seconds};
pub use tablebases::{TablebaseError, Tablebases};
pub use trace::{Denied, Trace};
pub use worker_pool::{SlotCount, WorkerState};
pub use worker_program::WorkerProgram;
pub use worker_session::{Interruption, JobResult, WorkerSession};
