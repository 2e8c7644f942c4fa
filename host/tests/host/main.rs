//! The host from the outside: calls through the real application, and commands as real processes.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod access;
mod bad_input;
mod calls;
mod cli;
mod compatibility;
mod docs;
mod errors;
mod mcp;
mod observability;
mod openapi;
mod player_files;
mod plugins;
mod pool;
mod replay;
mod sandbox;
mod server;
mod support;
mod tournament;
mod venue;
