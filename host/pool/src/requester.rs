//! The party that a request is counted for.

use std::{net::IpAddr, sync::Arc};

/// The party that a request counts as: whose turn it takes in a queue, and whose failures it adds to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Requester {
    /// A client that has proved by its key who it is; its id.
    Keyed(Arc<str>),
    /// A client without a key. Anybody can give its name, so what counts is the address (of IPv6, the network).
    Keyless(IpAddr),
    /// The host itself, which has no clients: a command, or a test.
    Local,
}

impl Requester {
    /// The id of a client that has proved who it is. All others are one party to the circuit breaker, since one person can
    /// be any number of them.
    pub fn keyed_id(&self) -> Option<&Arc<str>> {
        match self {
            Self::Keyed(id) => Some(id),
            Self::Keyless(_) | Self::Local => None,
        }
    }
}
