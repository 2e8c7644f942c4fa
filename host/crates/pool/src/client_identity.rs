//! The party that a request is charged to.

use std::{net::IpAddr, sync::Arc};

/// Determines a request's turn in a queue, and the party that its failures count against.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClientIdentity {
    /// A client authenticated by its key, with its id.
    Keyed(Arc<str>),
    /// A client without a key. It could claim any id, so its address is used instead (the network
    /// for IPv6).
    Keyless(IpAddr),
    /// The host itself: a command or a test.
    Local,
}

impl ClientIdentity {
    /// Returns the id of an authenticated client. The circuit breaker counts all others as one
    /// party, because one person can act as any number of them.
    pub fn keyed_id(&self) -> Option<&Arc<str>> {
        match self {
            Self::Keyed(id) => Some(id),
            Self::Keyless(_) | Self::Local => None,
        }
    }
}
