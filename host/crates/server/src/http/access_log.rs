//! The access log: one line per request.

use std::{fmt, net::IpAddr, time::Duration};

use crate::{connection::client_address, state::request_record::RequestRecord};
use pool::AiUsage;

/// The target of the lines, for the log filter.
const TARGET: &str = "access";

/// Returns whether the log has the lines.
pub(crate) fn is_on() -> bool {
    tracing::enabled!(target: TARGET, tracing::Level::INFO)
}

/// A finished request.
pub(crate) struct Access<'a> {
    pub(crate) record: &'a RequestRecord,
    pub(crate) usage: Option<&'a AiUsage>,
    pub(crate) method: &'static str,
    pub(crate) route: &'a str,
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    pub(crate) bytes_out: u64,
    pub(crate) time: Duration,
    pub(crate) event: &'static str,
}

impl Access<'_> {
    /// Logs the line outside of the request's span, whose fields it has itself.
    pub(crate) fn log(&self) {
        let Self { record, usage, method, route, status, code, bytes_out, time, event } = *self;
        tracing::info!(
            target: TARGET,
            parent: None,
            message = event,
            client = record.client_usage().map(|usage| &*usage.id),
            address = record.address.map(|address| display(Address(address))),
            method,
            route,
            status,
            code,
            bytes_in = record.bytes_in.get(),
            bytes_out,
            time_ms = milliseconds(time),
            ai = usage.map(|usage| list(&usage.ais)),
            worker = usage.map(|usage| list(&usage.workers)).filter(|list| !list.is_empty()),
            node = usage.map(|usage| list(&usage.nodes)).filter(|list| !list.is_empty()),
            queue_ms = usage.map(|usage| milliseconds(usage.waiting)),
            ai_ms = usage.map(|usage| milliseconds(usage.thinking)),
            request_id = record.scope.id.as_str(),
            trace_id = record.scope.trace_id()
        );
    }
}

/// Returns milliseconds, to the microsecond.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1000.0
}

/// The address of a client in the log.
struct Address(IpAddr);

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == client_address::UNIX { f.write_str("unix") } else { self.0.fmt(f) }
    }
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(",")
}
