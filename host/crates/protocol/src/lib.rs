//! The protocol between the host and a worker: messages, frames, the sandbox's settings, and limits
//! on everything an AI returns.
//!
//! This crate does not depend on either side of the socket, on files or on chess.

pub mod descriptor;
pub mod sanitize;

mod frames;
mod job;
mod messages;
mod request_id;
mod sandbox;
mod trace_parent;

pub use frames::{
    FrameError, MAX_FRAME_BYTES, body_length, decode, encode, read_frame, write_frame,
};
pub use job::{Iteration, Job, MAX_LINES, MAX_TRACE_NODES, Probed, Response, SearchParams, Task};
pub use messages::{
    Control, Loaded, MAX_LOG_MESSAGES, Manifest, PROTOCOL_VERSION, Refusal, Request, Wanted,
    WorkerReply,
};
pub use request_id::RequestId;
pub use sandbox::{
    ALLOCATION_FAILED, Confined, EXTERNAL_SIGNALS, Executable, Missing, Protection,
    RESERVED_BY_PROGRAMS, SandboxMode, SandboxSettings,
};
pub use trace_parent::TraceParent;
