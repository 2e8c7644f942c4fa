//! The AI that answers a request.

use pool::{Ai, RequestContext, RetryPolicy};

use crate::client::Client;

/// The AI that answers a request.
#[derive(Clone, Copy, Debug)]
pub struct Responder<'a> {
    pub ai: &'a Ai,
    /// The id of the unavailable AI that this one replaces.
    pub fallback_for: Option<&'a str>,
    /// The id of the AI whose candidate this is.
    pub canary_for: Option<&'a str>,
}

impl<'a> Responder<'a> {
    /// Creates the responder for an AI that answers for itself.
    pub const fn of(ai: &'a Ai) -> Self {
        Self {
            ai,
            fallback_for: None,
            canary_for: None,
        }
    }

    /// Returns the context of the AI's job. A candidate is asked only once, because its AI can
    /// answer.
    pub(crate) fn context(&self, client: &Client) -> RequestContext {
        let context = client.context();
        RequestContext {
            retry: match self.canary_for {
                Some(_) => RetryPolicy::Never,
                None => context.retry,
            },
            ..context
        }
    }
}
