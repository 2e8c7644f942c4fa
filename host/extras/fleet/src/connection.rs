//! The connection to the NATS servers.

mod nats;

use std::{io, path::PathBuf};

pub(crate) use nats::Inboxes;
pub use nats::{Message, NatsConnection, Subscriber, next};

/// Why a NATS server that lets everybody in is not used.
const OPEN: &str = "it is beyond this machine and lets everybody in without a login, so any \
                    process could be any node and any server; give it an `authorization`, as in \
                    docs/fleet.md, or set `insecure = true` in [fleet]";

/// Why a fleet can't be used.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error(
        "cannot connect to NATS at {servers}: {cause}; check `nats` in [fleet], and whether the \
         server runs"
    )]
    Connect { servers: String, cause: String },
    #[error("NATS at {servers}: {OPEN}")]
    Open { servers: String },
    #[error("cannot read {}: {cause} (credentials_file in [fleet])", file.display())]
    Credentials { file: PathBuf, cause: io::Error },
    #[error("NATS denies a subscription: {0}")]
    Subscribe(String),
    #[error("the system has no random numbers: {0}")]
    Random(#[from] getrandom::Error),
    #[error("a thread or its runtime can't be started: {0}")]
    Thread(io::Error),
    #[error("{0}")]
    Offer(String),
}
