//! The generation that a request uses.

use std::{ops::Deref, sync::Arc};

use crate::state::{generation::Generation, server_state::ServerState};
use actix_web::{HttpMessage, HttpRequest};
use api::problem::Problem;

/// The generation of a request. It is fixed at the start of the request, so that a reload does not
/// affect running requests.
#[derive(Clone, Debug)]
pub struct Snapshot(Arc<Generation>);

impl Snapshot {
    /// Returns the generation that serves a request.
    ///
    /// # Errors
    /// The application has no state.
    pub fn of(request: &HttpRequest) -> Result<Self, Problem> {
        if let Some(fixed) = request.extensions().get::<Self>() {
            return Ok(fixed.clone());
        }
        let current = Self::current(ServerState::of(request)?);
        request.extensions_mut().insert(current.clone());
        Ok(current)
    }

    /// Returns the generation for new requests.
    pub fn current(state: &ServerState) -> Self {
        Self(state.current.load_full())
    }
}

impl Deref for Snapshot {
    type Target = Generation;

    fn deref(&self) -> &Generation {
        &self.0
    }
}
