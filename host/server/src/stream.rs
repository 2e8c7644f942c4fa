//! Streamed responses: one record after another, and exactly one last record.

mod encoding;
pub mod progress;
pub mod search_progress;

use std::{
    cell::Cell,
    collections::VecDeque,
    convert::Infallible,
    pin::Pin,
    rc::Rc,
    time::{Duration, Instant},
};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse, Responder,
    http::header::HeaderName,
    web::{Bytes, Data},
};
use futures_util::{
    future::poll_immediate,
    stream::{self, Stream},
};
use serde::Serialize;
use tokio::time::{Instant as TokioInstant, sleep_until};
use tracing::{Instrument, Span};

use self::{
    progress::{ProgressEvent, ProgressSender, StartReply},
    search_progress::InfoReply,
};
use crate::{
    problem::{Code, Problem, ProblemBody, respond},
    replies::{compared::ComparedAiReply, judged::JudgedRecord},
    service::Service,
    shutdown::Shutdown,
};
use encoding::Encoding;
use protocol::RequestId;

/// The least time between two `info` records.
const INFO_INTERVAL: Duration = Duration::from_millis(100);
/// The time after the last record until a heartbeat.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Disables buffering in proxies, by the header of nginx.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The outcome of a stream, for metrics; set when its body ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamEnd(Rc<Cell<Option<Code>>>);

impl StreamEnd {
    /// Returns the code of the last record, if it is an error.
    pub(crate) fn code(&self) -> Option<Code> {
        self.0.get()
    }
}

/// Responds with one body or with a stream, as the client accepts. A request that is rejected at once gets a problem with its
/// status in both cases. Dropping the future cancels the request.
pub(crate) async fn stream_or_reply<A, T: Serialize + 'static>(
    request: &HttpRequest,
    input: Result<A, Problem>,
    run: impl AsyncFnOnce(A, Option<ProgressSender>) -> Result<T, Problem> + 'static,
) -> HttpResponse
where
    A: 'static,
{
    let input = match input {
        Ok(input) => input,
        Err(problem) => return problem.respond_to(request),
    };
    let Some(encoding) = Encoding::accepted(request) else {
        return respond(request, run(input, None).await);
    };
    let Some(service) = request.app_data::<Data<Service>>() else {
        return Problem::new(Code::Internal, "the service is not set up").respond_to(request);
    };
    let progress = ProgressSender::default();
    let response = run(input, Some(progress.clone()));
    let id = RequestId::current();
    // The body is polled after the middlewares return, so it needs their request id and span.
    let response = RequestId::scope(id.clone(), response).instrument(Span::current());
    let mut response: ResponseFuture<T> = Box::pin(response);
    let outcome = match poll_immediate(&mut response).await {
        Some(Err(problem)) if !progress.has_judgements() => return problem.respond_to(request),
        Some(outcome) => Outcome::Ready(Box::new(outcome)),
        None => Outcome::Pending(response),
    };
    let end = StreamEnd::default();
    let stream = ResponseStream {
        progress,
        outcome,
        iterations: VecDeque::new(),
        encoding,
        shutdown: service.shutdown.clone(),
        began: Instant::now(),
        last_record: TokioInstant::now(),
        next_info: TokioInstant::now(),
        request: request.clone(),
        end: end.clone(),
    };
    let mut response = HttpResponse::Ok()
        .content_type(encoding.content_type())
        .insert_header((BUFFERING, "no"))
        .streaming(stream.into_stream());
    response.extensions_mut().insert(end);
    response
}

type ResponseFuture<T> = Pin<Box<dyn Future<Output = Result<T, Problem>>>>;

enum Outcome<T> {
    Pending(ResponseFuture<T>),
    Ready(Box<Result<T, Problem>>),
    Sent,
}

/// A running response. Dropping it cancels the request and its searches.
struct ResponseStream<T> {
    progress: ProgressSender,
    outcome: Outcome<T>,
    /// Iterations to write.
    iterations: VecDeque<InfoReply>,
    encoding: Encoding,
    shutdown: Shutdown,
    began: Instant,
    last_record: TokioInstant,
    next_info: TokioInstant,
    /// Holds the slot of the client until the last record is written.
    request: HttpRequest,
    end: StreamEnd,
}

/// One record.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum StreamRecord<'a, T> {
    Start(&'a StartReply),
    Info(&'a InfoReply),
    Heartbeat { time_ms: u64 },
    Result(&'a T),
    Answer(Box<ComparedAiReply>),
    Judged(&'a JudgedRecord),
    Error(ProblemBody),
}

impl<T> StreamRecord<'_, T> {
    /// Returns the name that `serde` uses.
    const fn name(&self) -> &'static str {
        match self {
            Self::Start(_) => "start",
            Self::Info(_) => "info",
            Self::Heartbeat { .. } => "heartbeat",
            Self::Answer(_) => "answer",
            Self::Judged(_) => "judged",
            Self::Result(_) => "result",
            Self::Error(_) => "error",
        }
    }
}

/// The next record to write.
enum Next<T> {
    Event(ProgressEvent),
    Info(InfoReply),
    Heartbeat,
    Last(Result<T, Problem>),
}

impl<T: Serialize + 'static> ResponseStream<T> {
    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, async |mut stream| {
            let next = stream.next().await?;
            Some((Ok(stream.write(&next)), stream))
        })
    }

    /// Returns the next record; `None` after the last one. Dropping the future loses no record.
    async fn next(&mut self) -> Option<Next<T>> {
        loop {
            if let Some(event) = self.progress.next_record() {
                return Some(Next::Event(event));
            }
            let response = match &mut self.outcome {
                Outcome::Pending(response) => response,
                Outcome::Ready(_) | Outcome::Sent => {
                    let Outcome::Ready(outcome) = std::mem::replace(&mut self.outcome, Outcome::Sent) else {
                        return None;
                    };
                    return Some(Next::Last(*outcome));
                }
            };
            if let Some(info) = self.iterations.pop_front() {
                return Some(Next::Info(info));
            }
            let has_iterations = self.progress.has_iterations();
            tokio::select! {
                biased;
                outcome = response => self.outcome = Outcome::Ready(Box::new(outcome)),
                () = self.shutdown.deadline_near() => {
                    let detail = "the server is shutting down; try again after its restart";
                    let ended = Problem::new(Code::AiUnavailable, detail);
                    self.outcome = Outcome::Ready(Box::new(Err(ended)));
                }
                () = sleep_until(self.next_info), if has_iterations => {
                    self.next_info = TokioInstant::now() + INFO_INTERVAL;
                    self.iterations = self.progress.iterations().into();
                }
                () = self.progress.changed() => {}
                () = sleep_until(self.last_record + HEARTBEAT_INTERVAL) => return Some(Next::Heartbeat),
            }
        }
    }

    fn write(&mut self, next: &Next<T>) -> Bytes {
        self.last_record = TokioInstant::now();
        let extensions = self.request.extensions();
        let request_id = extensions.get::<RequestId>();
        let record = match next {
            Next::Event(ProgressEvent::Start(start)) => StreamRecord::Start(start),
            Next::Event(ProgressEvent::Compared(compared)) => {
                StreamRecord::Answer(ComparedAiReply::new(compared, request_id).into())
            }
            Next::Event(ProgressEvent::Judged(judged)) => StreamRecord::Judged(judged),
            Next::Info(info) => StreamRecord::Info(info),
            Next::Heartbeat => StreamRecord::Heartbeat { time_ms: self.began.elapsed().as_millis() as u64 },
            Next::Last(Ok(reply)) => StreamRecord::Result(reply),
            Next::Last(Err(problem)) => {
                self.end.0.set(Some(problem.code()));
                StreamRecord::Error(problem.record(request_id))
            }
        };
        let written = self.encoding.write(record.name(), &record);
        written.expect("the keys of records are strings and their numbers are finite")
    }
}
