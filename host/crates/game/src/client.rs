//! The client behind a request.

use std::ops::Deref;

use config::ClientSettings;
use pool::{ClientIdentity, RequestContext};

/// A client with a request: its settings, and the party that the request counts as.
#[derive(Clone, Debug)]
pub struct Client {
    pub settings: ClientSettings,
    pub identity: ClientIdentity,
}

impl Client {
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
