//! The calls of a server, with their document.

use std::sync::{Arc, LazyLock};

use crate::{
    calls::{
        CALLS,
        call::Call,
        openapi::{Document, EncodedDocument},
    },
    openapi,
};

/// The calls of the core, then those of extras.
#[derive(Clone, Debug)]
pub struct Catalog {
    calls: Arc<[Call]>,
    document: Document,
}

impl Catalog {
    /// Calls of one path must be adjacent.
    pub fn with(extras: &[&[Call]]) -> Self {
        let calls: Arc<[Call]> = CALLS
            .iter()
            .chain(extras.iter().copied().flatten())
            .copied()
            .collect();
        let documented = Arc::clone(&calls);
        let write = move || EncodedDocument::of(openapi::document(&documented).to_string());
        Self {
            calls,
            document: Arc::new(LazyLock::new(Box::new(write))),
        }
    }

    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// Returns the `OpenAPI` document in JSON. The first call writes it.
    pub fn document(&self) -> &str {
        &self.document.text
    }

    pub(crate) fn encoded_document(&self) -> &Document {
        &self.document
    }
}
