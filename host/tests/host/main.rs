//! The host from the outside: its calls through the real application, its command as a real process.

mod calls;
mod command;
mod errors;
mod faults;
mod seed;
mod server;
mod support;
