//! The worker: a child process of the server that loads one AI in a sandbox and runs its jobs.
//!
//! It is the server's binary, run as `rookery worker` with a private socket as its standard input. Knows no network and no files
//! but those that are granted.

mod startup;
mod sandbox;
mod loading;
mod event_loop;
mod session;
mod built_in;
mod extensions;
mod tablebase;
mod probe_flag;
mod allocation_failure;
mod flags;
mod idle_host;
mod outgoing;
mod trace;
mod error;

pub use error::WorkerError;
pub use sandbox::Priority;
pub use startup::run;
pub use trace::trace;
