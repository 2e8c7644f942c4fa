//! Middleware: request id, tracing span, metrics.

use std::{
    cell::Cell,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
    time::Instant,
};

use actix_web::{
    HttpMessage,
    body::{BodySize, BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{HeaderName, HeaderValue},
    },
    middleware::Next,
    web::{Bytes, Data},
};
use tracing::Instrument;

use crate::{
    problem::Code,
    state::{server_state::ServerState, telemetry::ServiceMetrics},
};
use config::api_key;
use protocol::RequestId;

/// The header of the request id, in requests and responses.
pub(crate) static REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// The status of a request whose client disconnected, as in nginx. It is never sent.
const CLIENT_GONE: (u16, &str) = (499, "client_gone");
/// The code of a response without an error.
const NO_ERROR: &str = "ok";
/// The route of unknown paths.
const NO_ROUTE: &str = "none";

/// The bytes of a response that are copied to a connection at a time, so that a client that does not read holds no more.
const PIECE_BYTES: usize = 16 << 10;

/// The outcome of a stream, for metrics; set when its body ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamEnd(Rc<Cell<Option<Code>>>);

impl StreamEnd {
    /// Records that the last record is an error.
    pub(crate) fn set(&self, code: Code) {
        self.0.set(Some(code));
    }

    /// Returns the code of the last record, if it is an error.
    pub(crate) fn code(&self) -> Option<Code> {
        self.0.get()
    }
}

/// Sets the request id, logs the request and counts it. The outermost middleware.
pub(crate) async fn request_log<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> actix_web::Result<ServiceResponse<LoggedBody>> {
    let id = request_id(&request);
    request.extensions_mut().insert(id.clone());
    let route = request.match_pattern().unwrap_or_else(|| NO_ROUTE.to_owned());
    // The path and the query are not logged, because they may contain secrets.
    let span = tracing::info_span!("request", request_id = %id, method = method(&request), route);
    let metrics = request.app_data::<Data<ServerState>>().map(|state| state.metrics.clone());
    let request_guard = OpenRequest::new(metrics, route, span.clone());
    let result = RequestId::scope(Some(id.clone()), next.call(request)).instrument(span).await;
    match result {
        Ok(mut response) => {
            let code =
                response.response().extensions().get::<Code>().map_or(NO_ERROR, |code| code.into_str());
            let stream = response.response().extensions().get::<StreamEnd>().cloned();
            if let Ok(value) = HeaderValue::from_str(id.as_str()) {
                response.headers_mut().insert(REQUEST_ID_HEADER.clone(), value);
            }
            let status = response.status().as_u16();
            let stream = if let Some(end) = stream {
                Some((request_guard, status, end))
            } else {
                request_guard.finish(status, code);
                None
            };
            Ok(response.map_body(|_, body| LoggedBody { body: body.boxed(), rest: Bytes::new(), stream }))
        }
        Err(error) => {
            request_guard.finish(error.as_response_error().status_code().as_u16(), Code::Internal.into_str());
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
                Some(Ok(bytes)) => self.rest = bytes,
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
        body.try_into_bytes().map_err(|body| Self { body, rest, stream })
    }
}

/// Returns the valid request id of the header, or a new one. An API key is not accepted as an id, because ids are logged.
fn request_id(request: &ServiceRequest) -> RequestId {
    let mut given = request.headers().get_all(&REQUEST_ID_HEADER);
    match (given.next(), given.next()) {
        (Some(name), None) => RequestId::given(name.as_bytes()).filter(|id| !api_key::has_key(id.as_str())),
        _ => None,
    }
    .unwrap_or_else(RequestId::generate)
}

/// Returns the method, if it is a standard one.
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

/// A request without a response yet. Dropping it means that its client has disconnected.
struct OpenRequest {
    metrics: Option<ServiceMetrics>,
    route: String,
    span: tracing::Span,
    began: Instant,
    outcome: (u16, &'static str),
}

impl OpenRequest {
    fn new(metrics: Option<ServiceMetrics>, route: String, span: tracing::Span) -> Self {
        if let Some(metrics) = &metrics {
            metrics.request_started();
        }
        Self { metrics, route, span, began: Instant::now(), outcome: CLIENT_GONE }
    }

    fn finish(mut self, status: u16, code: &'static str) {
        self.outcome = (status, code);
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let ((status, code), time) = (self.outcome, self.began.elapsed());
        let time_ms = time.as_secs_f64() * 1000.0;
        let event = if self.outcome == CLIENT_GONE { "client disconnected" } else { "request finished" };
        // To the microsecond.
        let time_ms = (time_ms * 1000.0).round() / 1000.0;
        self.span.in_scope(|| tracing::debug!(status, code, time_ms, "{event}"));
        if let Some(metrics) = &self.metrics {
            metrics.request_finished(&self.route, status, code, time);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{poll_fn, ready};

    use actix_web::{App, middleware::from_fn, test, web};

    use super::*;

    #[actix_web::test]
    async fn streams_a_large_reply_in_chunks() {
        let text = "0123456789".repeat(10_000);
        let sent = text.clone();
        let app =
            App::new().wrap(from_fn(request_log)).route("/", web::get().to(move || ready(sent.clone())));
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
