//! Reports the progress of requests to their connections.

use std::{
    cell::RefCell,
    pin::Pin,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use crate::{connection::progress::RequestProgress, state::snapshot::Snapshot};
use actix_web::{
    HttpMessage as _,
    body::{BodySize, BoxBody, MessageBody},
    dev::{Payload, ServiceRequest, ServiceResponse},
    error::PayloadError,
    http::{ConnectionType, Version},
    web::Bytes,
};
use futures_util::stream::Stream;

/// How long after `body_timeout_ms` a connection with an incomplete request is closed. The error is
/// sent in this time.
const CLOSING_GRACE: Duration = Duration::from_secs(2);

/// Reports the head, the body and the reply of a request to its connection, and frames its reply
/// for HTTP/1.0. `next` does everything else.
pub(crate) async fn receive<B: MessageBody + 'static>(
    mut request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> actix_web::Result<ServiceResponse<B>>,
) -> actix_web::Result<ServiceResponse<ReplyBody>> {
    let payload = request.take_payload();
    let has_body = !matches!(payload, Payload::None);
    let request_body = RequestBody {
        progress: request.conn_data::<Arc<RequestProgress>>().cloned(),
        payload: Rc::new(RefCell::new(payload)),
    };
    if let Some(progress) = &request_body.progress {
        let body_timeout = Snapshot::of(request.request()).map_or(Duration::ZERO, |now| {
            Duration::from_millis(now.config().server.body_timeout_ms)
        });
        progress.head_read(has_body, body_timeout + CLOSING_GRACE);
    }
    let exchange = Exchange(request_body.clone());
    request.set_payload(Payload::Stream {
        payload: Box::pin(request_body),
    });
    let knows_chunks = request.version() >= Version::HTTP_11;
    let mut response = next(request).await?;
    if !knows_chunks && response.response().body().size() == BodySize::Stream {
        let head = response.response_mut().head_mut();
        head.no_chunking(true);
        head.set_connection_type(ConnectionType::Close);
    }
    Ok(response.map_body(|_, body| ReplyBody {
        body: body.boxed(),
        _exchange: exchange,
    }))
}

/// A request until its reply is handed to the connection. Keeps the body alive even if the
/// handler dropped it: actix drains a dropped chunked body without a limit, but closes the
/// connection soon after the reply if the body still exists.
struct Exchange(RequestBody);

impl Drop for Exchange {
    fn drop(&mut self) {
        // An unread body may be complete.
        let mut context = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(Ok(_))) = Pin::new(&mut self.0).poll_next(&mut context) {}
        if let Some(progress) = &self.0.progress {
            progress.replied();
        }
    }
}

/// The body of a request. Reports its end to the connection.
#[derive(Clone)]
struct RequestBody {
    progress: Option<Arc<RequestProgress>>,
    payload: Rc<RefCell<Payload>>,
}

impl Stream for RequestBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut *self.payload.borrow_mut()).poll_next(context);
        if let (Poll::Ready(None), Some(progress)) = (&polled, &self.progress) {
            progress.body_read();
        }
        polled
    }
}

/// The body of a reply. Dropping it ends the exchange.
pub(crate) struct ReplyBody {
    body: BoxBody,
    _exchange: Exchange,
}

impl MessageBody for ReplyBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
    }
}
