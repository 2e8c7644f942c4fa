//! The host from the outside: its calls through the real application, its command as a real process.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod bad_input;
mod capabilities;
mod calls;
mod clients;
mod command;
mod request_context;
mod disclosure;
mod document;
mod engines;
mod errors;
mod examples;
mod faults;
mod frozen;
mod extensions;
mod hostile;
mod isolation;
mod life;
mod in_c;
mod loading;
mod matches;
mod openapi;
mod options;
mod processes;
mod metrics;
mod readme;
mod overridable_options;
mod requests;
mod sandbox;
mod seed;
mod server;
mod streams;
mod support;
mod time_limits;
mod traces;
mod uci;
