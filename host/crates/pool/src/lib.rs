//! The worker pools of the AIs: worker processes, fair queues, circuit breakers and the supervisor.
//!
//! Passes jobs and results between game and worker. Knows no chess, no HTTP and no clients beyond an id or an address.

pub mod cgroup;

mod ai;
mod generation;
mod changes;
mod supervisor;
mod inspection;
mod starting;
mod tablebases;
mod smoke_test;
mod worker_pool;
mod worker_session;
mod worker_start;
mod process;
mod manifest_check;
mod start_error;
mod fault;
mod request_context;
mod requester;
mod listener;
mod slot;
mod stats;
mod about;
mod worker_program;
mod process_group;
mod frame_decoder;
mod stdio_capture;
mod procfs;

pub use about::About;
pub use ai::{Ai, RemoteAi};
pub use changes::Changes;
pub use fault::{Fault, FaultCode, FaultReason, Stall};
#[doc(hidden)]
pub use frame_decoder::FrameDecoder;
pub use generation::{Ais, NextGeneration, Retry};
pub use inspection::{Inspection, Inspections, inspect};
pub use listener::Listener;
pub use manifest_check::check as check_manifest;
pub use request_context::{RequestContext, RetryPolicy};
pub use requester::Requester;
pub use slot::{Question, RemoteSlot, Slot, StopReason, TimeAllowed};
pub use smoke_test::{Expectation, SmokeTest};
pub use start_error::{FailedSmokeTest, StartError};
pub use starting::{AiStartError, StartErrors};
pub use stats::{AiStats, LastFault, seconds};
pub use tablebases::{TablebaseError, Tablebases};
pub use worker_pool::{SlotCount, State};
pub use worker_program::WorkerProgram;
pub use worker_session::{Interruption, JobResult, WorkerSession};
