//! The id, tracing span, access log line and metrics of a request.

use std::{
    cell::Cell,
    mem,
    net::IpAddr,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use actix_web::{
    HttpMessage,
    body::{BodySize, BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{HeaderName, HeaderValue},
    },
    web::{Bytes, Data},
};
use tracing::Instrument;

use super::compression::compressed;
use crate::{
    connection::client_address::{ClientAddress, ShownAddress},
    state::{
        request_record::RequestRecord, server_state::ServerState, snapshot::Snapshot,
        telemetry::ServiceMetrics,
    },
};
use api::problem::Code;
use config::api_key;
use pool::{AiUsage, RequestScope};
use protocol::{RequestId, TraceParent};

/// The header for the request id, in requests and responses.
pub(crate) static REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The header for a trace (W3C Trace Context).
static TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// The status of a request whose client disconnected, as in nginx. It is never sent.
const CLIENT_GONE: (u16, &str) = (499, "client_gone");
/// The code of a response without an error.
const NO_ERROR: &str = "ok";
/// The target of the access log, for the log filter.
const ACCESS: &str = "access";
/// The route for unknown paths.
const NO_ROUTE: &str = "none";

/// How many bytes of a response are copied to a connection at a time. A client that does not read
/// keeps at most this many bytes in memory.
const PIECE_BYTES: usize = 16 << 10;

/// The outcome of a stream, for metrics; set when its body ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamEnd(Rc<Cell<Option<Code>>>);

impl StreamEnd {
    /// Records the code of the last record, which is an error.
    pub(crate) fn set(&self, code: Code) {
        self.0.set(Some(code));
    }

    /// Returns the code of the last record, if it is an error.
    pub(crate) fn code(&self) -> Option<Code> {
        self.0.get()
    }
}

/// Sets the request id, logs the request and counts it.
pub(crate) async fn request_log<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> actix_web::Result<ServiceResponse<B>>,
) -> actix_web::Result<ServiceResponse<LoggedBody>> {
    let scope = RequestScope::new(request_id(&request), trace_parent(&request));
    let (route, method) = (
        request
            .match_pattern()
            .unwrap_or_else(|| NO_ROUTE.to_owned()),
        method(&request),
    );
    // The path and the query are not logged, because they may contain secrets.
    let span = tracing::info_span!(
        "request",
        request_id = scope.id.as_str(),
        trace_id = scope.trace_id(),
        method,
        route
    );
    let record = RequestRecord::new(Arc::clone(&scope), logged_address(&request));
    request.extensions_mut().insert(Rc::clone(&record));
    let metrics = request
        .app_data::<Data<ServerState>>()
        .map(|state| state.metrics.clone());
    let mut request_guard = OpenRequest::new(metrics, record, method, route);
    let result = RequestScope::enter(Some(Arc::clone(&scope)), next(request))
        .instrument(span)
        .await;
    match result {
        Ok(response) => {
            let mut response = compressed(response);
            let code = response
                .response()
                .extensions()
                .get::<Code>()
                .map_or(NO_ERROR, |code| code.into_str());
            let stream = response.response().extensions().get::<StreamEnd>().cloned();
            if let Ok(value) = HeaderValue::from_str(scope.id.as_str()) {
                response
                    .headers_mut()
                    .insert(REQUEST_ID_HEADER.clone(), value);
            }
            let status = response.status().as_u16();
            let stream = if let Some(end) = stream {
                Some((request_guard, status, end))
            } else {
                if let BodySize::Sized(bytes) = response.response().body().size() {
                    request_guard.bytes_out = bytes;
                }
                request_guard.finish(status, code);
                None
            };
            Ok(response.map_body(|_, body| LoggedBody {
                body,
                rest: Bytes::new(),
                stream,
            }))
        }
        Err(error) => {
            request_guard.finish(
                error.as_response_error().status_code().as_u16(),
                Code::Internal.into_str(),
            );
            Err(error)
        }
    }
}

/// The body of a response, in pieces. A stream is finished when its body has ended.
pub(crate) struct LoggedBody {
    body: BoxBody,
    /// The part of the body that has not been sent.
    rest: Bytes,
    stream: Option<(OpenRequest, u16, StreamEnd)>,
}

impl MessageBody for LoggedBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_next(context)) {
                Some(Ok(bytes)) => {
                    if let Some((open, ..)) = &mut self.stream {
                        open.bytes_out += bytes.len() as u64;
                    }
                    self.rest = bytes;
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    if let Some((open, status, end)) = self.stream.take() {
                        open.finish(status, end.code().map_or(NO_ERROR, |code| code.into_str()));
                    }
                    return Poll::Ready(None);
                }
            }
        }
        let length = self.rest.len().min(PIECE_BYTES);
        Poll::Ready(Some(Ok(self.rest.split_to(length))))
    }

    fn try_into_bytes(self) -> Result<Bytes, Self> {
        let Self { body, rest, stream } = self;
        body.try_into_bytes()
            .map_err(|body| Self { body, rest, stream })
    }
}

/// Returns the request id in the header if it is valid, or a new id. An API key is not accepted as
/// an id, because ids are logged.
fn request_id(request: &ServiceRequest) -> RequestId {
    let mut given = request.headers().get_all(&REQUEST_ID_HEADER);
    match (given.next(), given.next()) {
        (Some(name), None) => {
            RequestId::given(name.as_bytes()).filter(|id| !api_key::has_key(id.as_str()))
        }
        _ => None,
    }
    .unwrap_or_else(RequestId::generate)
}

/// Returns the name of a standard method, or `other`.
fn method(request: &ServiceRequest) -> &'static str {
    match *request.method() {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Returns the trace of a request; a malformed header is treated as missing.
fn trace_parent(request: &ServiceRequest) -> Option<TraceParent> {
    let mut given = request.headers().get_all(&TRACE_PARENT);
    match (given.next(), given.next()) {
        (Some(value), None) => TraceParent::parse(value.as_bytes()),
        _ => None,
    }
}

/// Returns the client's address, if the access log needs it.
fn logged_address(request: &ServiceRequest) -> Option<IpAddr> {
    let now = tracing::enabled!(target: ACCESS, tracing::Level::INFO)
        .then(|| Snapshot::of(request.request()).ok())
        .flatten()?;
    Some(
        ClientAddress::of_request(request.request(), &now.config().server.trusted_proxies)
            .address(),
    )
}

/// A request that has no response yet. Dropping it means that its client has disconnected.
struct OpenRequest {
    metrics: Option<ServiceMetrics>,
    record: Rc<RequestRecord>,
    method: &'static str,
    route: String,
    began: Instant,
    outcome: (u16, &'static str),
    bytes_out: u64,
}

impl OpenRequest {
    fn new(
        metrics: Option<ServiceMetrics>,
        record: Rc<RequestRecord>,
        method: &'static str,
        route: String,
    ) -> Self {
        if let Some(metrics) = &metrics {
            metrics.request_started();
        }
        Self {
            metrics,
            record,
            method,
            route,
            began: Instant::now(),
            outcome: CLIENT_GONE,
            bytes_out: 0,
        }
    }

    fn finish(mut self, status: u16, code: &'static str) {
        self.outcome = (status, code);
    }

    /// Writes the access log line, outside the request's span, because the line contains the
    /// span's fields.
    fn log(&self, usage: Option<&AiUsage>, time: Duration) {
        let Self {
            record,
            method,
            route,
            outcome: (status, code),
            bytes_out,
            ..
        } = self;
        tracing::info!(
            target: ACCESS,
            parent: None,
            message = if self.outcome == CLIENT_GONE { "client disconnected" } else { "request \
                finished" },
            client = record.client_usage().map(|client| &*client.id),
            address = record.address.map(|address| tracing::field::display(ShownAddress(address))),
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
            cached = usage.map(|usage| usage.cached).filter(|count| *count > 0),
            joined = usage.map(|usage| usage.joined).filter(|count| *count > 0),
            queue_ms = usage.map(|usage| milliseconds(usage.waiting)),
            ai_ms = usage.map(|usage| milliseconds(usage.thinking)),
            request_id = record.scope.id.as_str(),
            trace_id = record.scope.trace_id()
        );
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let ((status, code), time) = (self.outcome, self.began.elapsed());
        let usage = self.record.scope.usage();
        self.log(usage.as_ref(), time);
        if let Some(metrics) = &self.metrics {
            let thinking = usage.map(|usage| usage.thinking).unwrap_or_default();
            self.record
                .client_usage()
                .unwrap_or(&metrics.other_clients)
                .add(status, thinking);
            metrics.request_finished(mem::take(&mut self.route), status, code, time);
        }
    }
}

/// Returns milliseconds with microsecond precision.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1000.0
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items
        .into_iter()
        .map(|item| item.to_string())
        .collect::<Vec<_>>()
        .join(",")
}

#[cfg(test)]
mod tests {
    use std::future::{poll_fn, ready};

    use actix_web::{
        App,
        middleware::{Next, from_fn},
        test, web,
    };

    use super::*;

    async fn logged(
        request: ServiceRequest,
        next: Next<impl MessageBody + 'static>,
    ) -> actix_web::Result<ServiceResponse<LoggedBody>> {
        request_log(request, |request| next.call(request)).await
    }

    #[actix_web::test]
    async fn streams_a_large_reply_in_chunks() {
        let text = "0123456789".repeat(10_000);
        let sent = text.clone();
        let app = App::new()
            .wrap(from_fn(logged))
            .route("/", web::get().to(move || ready(sent.clone())));
        let app = test::init_service(app).await;
        let response = test::call_service(&app, test::TestRequest::get().to_request()).await;
        let mut body = response.into_body();
        assert_eq!(body.size(), BodySize::Sized(text.len() as u64));
        let mut whole = Vec::new();
        while let Some(piece) = poll_fn(|context| Pin::new(&mut body).poll_next(context)).await {
            let piece = piece.unwrap();
            assert!(piece.len() <= 16384, "{}", piece.len());
            whole.extend(piece);
        }
        assert!(whole == text.as_bytes());
    }
}
