//! What is recorded of a request, for its log lines and its counts.

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

/// The record of a request. The request has it among its extensions.
#[derive(Debug)]
pub(crate) struct RequestRecord {
    pub(crate) scope: Arc<RequestScope>,
    /// Known if the access log is on.
    pub(crate) address: Option<IpAddr>,
    pub(crate) bytes_in: Cell<u64>,
    client: OnceCell<NamedClient>,
}

/// A client that a request named.
#[derive(Debug)]
enum NamedClient {
    Admitted(Arc<ClientUsage>),
    /// Of the configuration, without its key.
    Rejected(String),
}

impl RequestRecord {
    pub(crate) fn new(scope: Arc<RequestScope>, address: Option<IpAddr>) -> Rc<Self> {
        Rc::new(Self { scope, address, bytes_in: Cell::new(0), client: OnceCell::new() })
    }

    pub(crate) fn of(request: &HttpRequest) -> Option<Rc<Self>> {
        request.extensions().get().cloned()
    }

    pub(crate) fn add_bytes_in(&self, bytes: usize) {
        self.bytes_in.set(self.bytes_in.get() + bytes as u64);
    }

    pub(crate) fn client_name(&self) -> Option<&str> {
        self.client.get().map(|client| match client {
            NamedClient::Admitted(usage) => &*usage.id,
            NamedClient::Rejected(name) => name,
        })
    }

    /// Returns the usage of its client, if that is configured.
    pub(crate) fn client_usage(&self) -> Option<&ClientUsage> {
        match self.client.get()? {
            NamedClient::Admitted(usage) => Some(usage),
            NamedClient::Rejected(_) => None,
        }
    }
}

/// Returns the id of a request.
pub(crate) fn request_id(request: &HttpRequest) -> Option<RequestId> {
    RequestRecord::of(request).map(|record| record.scope.id.clone())
}

/// Records the client of a request, which may exceed its limits.
pub(crate) fn record_client(request: &HttpRequest, usage: Arc<ClientUsage>) {
    record(request, || NamedClient::Admitted(usage));
}

/// Records the configured client that a rejected request named. Other names may be misplaced keys.
pub(crate) fn record_rejected_client(request: &HttpRequest, name: &str) {
    record(request, || NamedClient::Rejected(name.to_owned()));
}

fn record(request: &HttpRequest, client: impl FnOnce() -> NamedClient) {
    if let Some(record) = RequestRecord::of(request) {
        record.client.get_or_init(client);
    }
}
