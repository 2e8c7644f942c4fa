//! Assigns an isolated AI's processes to clients: a process serves one client with a key, or one
//! request from a client without a key.

use crate::client_identity::ClientIdentity;

/// How well a process fits a job, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// It has served this client.
    Own,
    /// It has served no client.
    Fresh,
    /// It must be replaced first.
    Replaced,
}

impl Fit {
    /// Returns the fit of a process that has served this client, or none.
    pub(super) fn of(served: Option<&ClientIdentity>, client: &ClientIdentity) -> Self {
        match served {
            None => Self::Fresh,
            Some(served) if served == client && may_share(client) => Self::Own,
            Some(_) => Self::Replaced,
        }
    }
}

/// Returns whether a process may serve several requests from the client. Requests without a key may
/// come from different clients.
pub(super) const fn may_share(client: &ClientIdentity) -> bool {
    match client {
        ClientIdentity::Keyed(_) | ClientIdentity::Local => true,
        ClientIdentity::Keyless(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    const KEYLESS: ClientIdentity = ClientIdentity::Keyless(IpAddr::V4(Ipv4Addr::LOCALHOST));

    fn keyed(id: &str) -> ClientIdentity {
        ClientIdentity::Keyed(id.into())
    }

    #[test]
    fn assigns_a_process_to_only_one_client() {
        for (served, client, fit) in [
            (None, keyed("a"), Fit::Fresh),
            (None, KEYLESS, Fit::Fresh),
            (Some(keyed("a")), keyed("a"), Fit::Own),
            (Some(keyed("a")), keyed("b"), Fit::Replaced),
            (Some(keyed("a")), KEYLESS, Fit::Replaced),
            (Some(KEYLESS), KEYLESS, Fit::Replaced),
            (Some(KEYLESS), keyed("a"), Fit::Replaced),
        ] {
            assert_eq!(
                Fit::of(served.as_ref(), &client),
                fit,
                "{served:?}, {client:?}"
            );
        }
    }
}
