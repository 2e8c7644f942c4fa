//! A server's calls and the document that describes them.

use std::sync::{Arc, LazyLock};

use actix_web::web::ServiceConfig;
use api::{call::Call, openapi::document};

use crate::{
    calls::{
        ENDPOINTS,
        openapi::{EncodedDocument, SharedDocument},
    },
    endpoint::Endpoint,
};

/// The calls of the core and of extras, and the routes that no document describes.
#[derive(Clone, Debug)]
pub struct Catalog {
    endpoints: Arc<[Endpoint]>,
    document: SharedDocument,
    pub(crate) routes: &'static [fn(&mut ServiceConfig)],
}

impl Catalog {
    /// Creates a catalog of the core's calls, the calls of extras and the other routes. Calls with
    /// the same path must be adjacent.
    pub fn with(extras: &[&[Endpoint]], routes: &'static [fn(&mut ServiceConfig)]) -> Self {
        let endpoints: Arc<[Endpoint]> = ENDPOINTS
            .iter()
            .chain(extras.iter().copied().flatten())
            .copied()
            .collect();
        let calls: Vec<Call> = endpoints.iter().map(|endpoint| endpoint.call).collect();
        let write = move || EncodedDocument::of(document(&calls).to_string());
        Self {
            endpoints,
            document: Arc::new(LazyLock::new(Box::new(write))),
            routes,
        }
    }

    pub(crate) fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.endpoints.iter().map(|endpoint| &endpoint.call)
    }

    /// Returns the `OpenAPI` document in JSON. The first call generates it.
    pub fn document(&self) -> &str {
        &self.document.text
    }

    pub(crate) fn encoded_document(&self) -> &SharedDocument {
        &self.document
    }
}
