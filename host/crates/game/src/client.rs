//! The client behind a request.

use std::ops::Deref;

use config::ClientSettings;
use pool::{Ai, ClientIdentity, RequestContext};

/// A client that sends a request: its settings, and the party that the request is charged to.
#[derive(Clone, Debug)]
pub struct Client {
    pub settings: ClientSettings,
    pub identity: ClientIdentity,
}

impl Client {
    /// Returns how many searches of one request an AI runs in parallel for this client: one per
    /// slot, up to the client's `max_concurrent`.
    pub fn searches_at_once(&self, ai: &Ai) -> usize {
        let most = self.settings.max_concurrent.unwrap_or(usize::MAX);
        ai.slots(self.settings.local_only).min(most).max(1)
    }

    pub(crate) fn context(&self) -> RequestContext {
        RequestContext {
            local_only: self.settings.local_only,
            ..RequestContext::of(self.identity.clone())
        }
    }
}

impl Deref for Client {
    type Target = ClientSettings;

    fn deref(&self) -> &ClientSettings {
        &self.settings
    }
}
