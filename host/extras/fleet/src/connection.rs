//! The connection to the NATS servers.

mod nats;

use std::{io, path::PathBuf};

pub(crate) use nats::Inboxes;
pub use nats::{Message, NatsConnection, Subscriber, next};

/// Why a NATS server without a login is not used.
const OPEN: &str = "it is on another machine and requires no login, so any process could pose \
                    as any node or server; add an `authorization` to it, as in docs/fleet.md, or \
                    set `insecure = true` in [fleet]";

/// Why a fleet can't be used.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error(
        "cannot connect to NATS at {servers}: {cause}; check `nats` in [fleet] and that the \
         server is running"
    )]
    Connect { servers: String, cause: String },
    #[error("NATS at {servers}: {OPEN}")]
    Open { servers: String },
    #[error("cannot read {}: {cause} (credentials_file in [fleet])", file.display())]
    Credentials { file: PathBuf, cause: io::Error },
    #[error("NATS denied a subscription: {0}")]
    Subscribe(String),
    #[error("cannot get random numbers from the system: {0}")]
    Random(#[from] getrandom::Error),
    #[error("cannot start a thread or its runtime: {0}")]
    Thread(io::Error),
    #[error("{0}")]
    Offer(String),
}
