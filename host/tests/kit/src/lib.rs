//! Shared helpers for the host's tests and benchmarks: the programs of this build, running servers,
//! connections to them, and processes.
#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test that can't go on has failed"
)]
#![expect(
    clippy::missing_errors_doc,
    reason = "each error says what was read instead of a reply"
)]

mod client;
#[cfg(feature = "configuration")]
pub mod configuration;
mod folder;
mod nats;
pub mod processes;
mod programs;
mod server;
#[cfg(feature = "tls")]
pub mod tls;

pub use client::{Connection, Reply, connect_from, is_closed, json_head, post};
pub use folder::Folder;
pub use nats::Nats;
pub use processes::{poll, wait_until};
pub use programs::{
    NO_CONFIG_HOME, build, built, command, copy_program, example, is_release, rookery, run,
    write_program,
};
pub use server::{Process, Server};
