//! The client behind a request.

use std::ops::Deref;

use config::ClientSettings;
use pool::{RequestContext, Requester};

/// A client with a request: its settings, and the party that the request counts as.
#[derive(Clone, Debug)]
pub struct Caller {
    pub settings: ClientSettings,
    pub requester: Requester,
}

impl Caller {
    pub(crate) fn context(&self) -> RequestContext {
        RequestContext { local_only: self.settings.local_only, ..RequestContext::of(self.requester.clone()) }
    }
}

impl Deref for Caller {
    type Target = ClientSettings;

    fn deref(&self) -> &ClientSettings {
        &self.settings
    }
}
