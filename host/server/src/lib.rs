//! The calls over HTTP: read the request, call the arbiter, write the reply.

pub mod arbiter;
pub mod reload;
pub mod telemetry;

mod admission;
mod app;
mod service;
mod allowed_host;
mod blogchess;
mod body;
mod client;
mod client_address;
mod compare;
mod connection;
mod cors;
mod shutdown;
mod generation;
mod health;
mod metrics;
mod docs;
mod request_log;
mod openapi;
mod static_files;
mod problem;
mod security_headers;
mod stream;
mod v1;

pub use app::create_app;
#[doc(hidden)]
pub use body::parse as parse_body;
pub use connection::{Capacity, serve};
#[doc(hidden)]
pub use openapi::text as document;
pub use service::Service;
