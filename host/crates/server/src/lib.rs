//! The HTTP server: calls, clients and their limits, streams, the page, hot reload.
//!
//! Converts requests to calls of the game service, and its results to replies. Contains no rules of chess and starts no workers.

pub mod calls;
pub mod error;
pub mod forms;
pub mod reload;
pub mod replies;
pub mod stream;

mod admission;
mod allowed_host;
mod app;
mod body;
mod choice;
mod client;
mod client_address;
mod connection;
mod cors;
mod generation;
mod openapi;
mod problem;
mod request_log;
mod resource;
mod schemas;
mod security_headers;
mod service;
mod snapshot;
mod shutdown;
mod static_files;
mod tagged;
mod telemetry;

pub use app::create_app;
#[doc(hidden)]
pub use app::document;
#[doc(hidden)]
pub use body::parse as parse_body;
pub use connection::{Capacity, serve};
pub use service::Service;
