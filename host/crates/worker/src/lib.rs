//! The worker: a child process of the server that loads one AI in a sandbox and runs its jobs.
//!
//! It is the server's binary, run as `rookery worker` with a private socket as its standard input.
//! It has no network access and can open only the granted files.

mod allocation_failure;
mod built_in;
mod error;
mod event_loop;
mod extensions;
mod flags;
mod idle_host;
mod loading;
mod outgoing;
mod probe_flag;
mod sandbox;
mod session;
mod startup;
mod tablebase;
mod trace;

pub use error::WorkerError;
pub use sandbox::Priority;
pub use startup::run;
pub use trace::trace;
