//! The protocol between the host and a worker: frames, the sandbox's settings, and bounds for whatever an AI returns.
//!
//! Knows neither side of the socket, no files and no chess.

pub mod descriptor;
pub mod sanitize;

mod frames;
mod request_id;
mod sandbox;

pub use frames::*;
pub use request_id::RequestId;
pub use sandbox::{Executable, SandboxMode, SandboxSettings};

/// The signals by which others end a process. A worker cannot send them to itself, by a timer neither, so the host knows
/// that such an end came from outside.
pub const SIGNALS_OF_OTHERS: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGKILL, libc::SIGTERM];
