//! The HTTP server: calls, clients and their limits, streams, the page, and hot reload.
//!
//! Converts requests into calls of the game service, and its results into replies. Contains no
//! chess rules and starts no workers.

pub mod calls;
pub mod http;
pub mod reload;
pub mod systemd;
pub mod text_fields;

mod app;
mod catalog;
mod connection;
mod containment;
mod endpoint;
mod listener;
mod serve;
pub mod state;
pub mod stream;

pub use app::create_app;
pub use catalog::Catalog;
pub use containment::{contained, is_contained};
pub use endpoint::Endpoint;
pub use listener::{BoundAddress, ListeningSocket, Scope, SocketFile};
pub use serve::{Capacity, serve};
pub use state::{
    failed_reload::{FailedReload, ReloadError},
    server_state::ServerState,
};
