//! The record of a request, for log lines and counters.

use std::{
    cell::{Cell, OnceCell},
    net::IpAddr,
    rc::Rc,
    sync::Arc,
};

use actix_web::{HttpMessage as _, HttpRequest};

use crate::state::client_usage::ClientUsage;
use pool::RequestScope;
use protocol::RequestId;

/// The record of a request, in the request's extensions.
#[derive(Debug)]
pub(crate) struct RequestRecord {
    pub(crate) scope: Arc<RequestScope>,
    /// Set only if the access log is on.
    pub(crate) address: Option<IpAddr>,
    pub(crate) bytes_in: Cell<u64>,
    /// The configured client, once it is known.
    client: OnceCell<Arc<ClientUsage>>,
}

impl RequestRecord {
    pub(crate) fn new(scope: Arc<RequestScope>, address: Option<IpAddr>) -> Rc<Self> {
        Rc::new(Self {
            scope,
            address,
            bytes_in: Cell::new(0),
            client: OnceCell::new(),
        })
    }

    pub(crate) fn of(request: &HttpRequest) -> Option<Rc<Self>> {
        request.extensions().get().cloned()
    }

    pub(crate) fn add_bytes_in(&self, bytes: usize) {
        self.bytes_in.set(self.bytes_in.get() + bytes as u64);
    }

    /// Returns the usage of the request's client, unless the client was rejected as unknown.
    pub(crate) fn client_usage(&self) -> Option<&ClientUsage> {
        self.client.get().map(|usage| &**usage)
    }
}

/// Returns the id of a request.
pub(crate) fn request_id(request: &HttpRequest) -> Option<RequestId> {
    RequestRecord::of(request).map(|record| record.scope.id.clone())
}

/// Records the client of a request, even if the client exceeds its limits.
pub(crate) fn record_client(request: &HttpRequest, usage: Arc<ClientUsage>) {
    if let Some(record) = RequestRecord::of(request) {
        record.client.get_or_init(|| usage);
    }
}
