//! Streamed responses: progress records and heartbeats, then exactly one last record.

mod encoding;

use std::{collections::VecDeque, convert::Infallible, pin::Pin, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::HeaderName,
    web::{Bytes, Payload},
};
use futures_util::{
    future::{MaybeDone, maybe_done, poll_immediate},
    stream::{self, Stream},
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::time::{Instant, sleep_until};
use tracing::{Instrument, Span};

use crate::{
    http::{
        body, client::client_of, cross_site::reject_cross_site, problem::respond_problem, query,
        reply::respond, request_log::StreamEnd,
    },
    state::{
        request_record::request_id, served_requests::keep_reply, server_state::ServerState,
        shutdown::Shutdown, snapshot::Snapshot,
    },
};
use api::{
    problem::{Problem, ProblemBody},
    progress::Progress,
    query_form::{self, QueryField},
};
use encoding::Encoding;
use game::Client;
use pool::RequestScope;

/// The minimum time between two `info` records.
const INFO_INTERVAL: Duration = Duration::from_millis(100);
/// The time between the last record and a heartbeat.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Disables buffering in proxies. The header comes from nginx.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Reads the form of a request and responds with one body or with a stream, whichever the client
/// accepts. In both cases, a request that is rejected at once gets a problem with its status.
/// Dropping the future cancels the request.
pub async fn stream_or_reply<F: DeserializeOwned + 'static, P: Progress, T: Serialize + 'static>(
    request: HttpRequest,
    payload: Payload,
    run: impl AsyncFnOnce(Snapshot, Client, F, Option<P>) -> Result<T, Problem> + 'static,
) -> HttpResponse {
    let form = body::read(&request, payload).await;
    stream_or_reply_to(request, form, run).await
}

/// Does the same as [`stream_or_reply`] for a form in the query of a `GET`. Rejects a `GET` from
/// another site's page.
pub(crate) async fn stream_or_reply_to_query<
    F: DeserializeOwned + 'static,
    P: Progress,
    T: Serialize + 'static,
>(
    request: HttpRequest,
    fields: &'static [QueryField],
    run: impl AsyncFnOnce(Snapshot, Client, F, Option<P>) -> Result<T, Problem> + 'static,
) -> HttpResponse {
    let read = reject_cross_site(&request).and_then(|()| query::read_form(&request, fields));
    stream_or_reply_to(
        request,
        read,
        async move |generation, client, form, progress| {
            run(generation, client, form, progress)
                .await
                .map_err(|problem| query_form::located(problem, fields))
        },
    )
    .await
}

async fn stream_or_reply_to<F: 'static, P: Progress, T: Serialize + 'static>(
    request: HttpRequest,
    form: Result<(Snapshot, F), Problem>,
    run: impl AsyncFnOnce(Snapshot, Client, F, Option<P>) -> Result<T, Problem> + 'static,
) -> HttpResponse {
    match form.and_then(|form| Ok((form, client_of(&request)?))) {
        Ok(((generation, form), client)) => {
            stream_or_respond(request, async |progress| {
                run(generation, client, form, progress).await
            })
            .await
        }
        Err(problem) => respond_problem(&request, &problem),
    }
}

/// Responds with one body or with a stream, whichever the client accepts.
pub async fn stream_or_respond<P: Progress, T: Serialize + 'static>(
    request: HttpRequest,
    run: impl AsyncFnOnce(Option<P>) -> Result<T, Problem> + 'static,
) -> HttpResponse {
    let shutdown = match ServerState::of(&request) {
        Ok(state) => state.shutdown.clone(),
        Err(problem) => return respond_problem(&request, &problem),
    };
    let Some(encoding) = Encoding::accepted(&request) else {
        return respond(&request, run(None).await);
    };
    let progress = P::default();
    let running = run(Some(progress.clone()));
    // The body is polled after the middlewares return, so it needs their request id and span.
    let scoped = RequestScope::enter(RequestScope::current(), running).instrument(Span::current());
    let mut reply = maybe_done(Box::pin(scoped) as ResponseFuture<T>);
    poll_immediate(&mut reply).await;
    if let MaybeDone::Done(Err(problem)) = &reply
        && !progress.has_results()
    {
        return respond_problem(&request, problem);
    }
    let end = StreamEnd::default();
    let now = Instant::now();
    let stream = ResponseStream {
        progress,
        response: reply,
        iterations: VecDeque::new(),
        encoding,
        shutdown,
        began: now,
        last_record: now,
        next_info: now,
        request,
        end: end.clone(),
    };
    let mut response = HttpResponse::Ok()
        .content_type(encoding.content_type())
        .insert_header((BUFFERING, "no"))
        .streaming(stream.into_stream());
    response.extensions_mut().insert(end);
    response
}

impl<P: AsRef<str>, T> StreamRecord<P, T> {
    fn kind(&self) -> &str {
        match self {
            Self::Heartbeat { .. } => "heartbeat",
            Self::Result(_) => "result",
            Self::Error(_) => "error",
            Self::Progress(record) => record.as_ref(),
        }
    }
}

type ResponseFuture<T> = Pin<Box<dyn Future<Output = Result<T, Problem>>>>;

/// A running response. Dropping it cancels the request and its searches.
struct ResponseStream<P: Progress, T> {
    progress: P,
    response: MaybeDone<ResponseFuture<T>>,
    /// Iterations to write.
    iterations: VecDeque<P::Record>,
    encoding: Encoding,
    shutdown: Shutdown,
    began: Instant,
    last_record: Instant,
    next_info: Instant,
    /// Holds the client's slot until the last record is written.
    request: HttpRequest,
    end: StreamEnd,
}

/// A record. The names of the variants are the values of `type`.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StreamRecord<P, T> {
    Heartbeat {
        time_ms: u64,
    },
    Result(T),
    Error(ProblemBody),
    /// The record sets `type` itself.
    #[serde(untagged)]
    Progress(P),
}

impl<P: Progress, T: Serialize + 'static> ResponseStream<P, T> {
    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, async |mut stream| {
            let record = stream.next().await?;
            Some((Ok(stream.write(&record)), stream))
        })
    }

    /// Returns the next record; `None` after the last one. Dropping the future loses no record.
    async fn next(&mut self) -> Option<StreamRecord<P::Record, T>> {
        loop {
            if let Some(record) = self.progress.next_record() {
                return Some(StreamRecord::Progress(record));
            }
            if !matches!(self.response, MaybeDone::Future(_)) {
                let reply = Pin::new(&mut self.response).take_output()?;
                return Some(self.last(reply));
            }
            if let Some(record) = self.iterations.pop_front() {
                return Some(StreamRecord::Progress(record));
            }
            let has_iterations = self.progress.has_iterations();
            tokio::select! {
                biased;
                () = &mut self.response => {}
                () = self.shutdown.deadline_near() => {
                    let detail = "the server is shutting down; try again after it restarts";
                    self.response = MaybeDone::Done(Err(Problem::ai_unavailable(detail)));
                }
                () = sleep_until(self.next_info), if has_iterations => {
                    self.next_info = Instant::now() + INFO_INTERVAL;
                    self.iterations = self.progress.iterations().into();
                }
                () = self.progress.changed() => {}
                () = sleep_until(self.last_record + HEARTBEAT_INTERVAL) => {
                    let time_ms = self.began.elapsed().as_millis() as u64;
                    return Some(StreamRecord::Heartbeat { time_ms });
                }
            }
        }
    }

    fn last(&self, reply: Result<T, Problem>) -> StreamRecord<P::Record, T> {
        match reply {
            Ok(reply) => {
                keep_reply(&self.request, 200, || serde_json::to_value(&reply).ok());
                StreamRecord::Result(reply)
            }
            Err(problem) => {
                self.end.set(problem.code());
                let body = problem.record(request_id(&self.request).as_ref());
                keep_reply(&self.request, body.status(), || {
                    serde_json::to_value(&body).ok()
                });
                StreamRecord::Error(body)
            }
        }
    }

    fn write(&mut self, record: &StreamRecord<P::Record, T>) -> Bytes {
        self.last_record = Instant::now();
        let written = self.encoding.write(record.kind(), record);
        written.expect("the keys of records are strings and their numbers are finite")
    }
}
