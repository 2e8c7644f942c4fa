//! Streamed responses: one record after another, and exactly one last record.

mod encoding;
pub mod progress;
pub mod search_progress;

use std::{cell::Cell, collections::VecDeque, convert::Infallible, pin::Pin, rc::Rc, time::Duration};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse, Responder,
    http::header::HeaderName,
    web::{Bytes, Payload},
};
use futures_util::{
    future::{MaybeDone, maybe_done, poll_immediate},
    stream::{self, Stream},
};
use serde::{Serialize, de::DeserializeOwned};
use strum::IntoStaticStr;
use tokio::time::{Instant, sleep_until};
use tracing::{Instrument, Span};

use self::{
    progress::{ProgressEvent, ProgressSender, StartReply},
    search_progress::InfoReply,
};
use crate::{
    body,
    client::client_of,
    problem::{Code, Problem, ProblemBody, respond},
    replies::{compared::ComparedAiReply, judged::JudgedRecord},
    service::Service,
    shutdown::Shutdown,
    snapshot::Snapshot,
};
use encoding::Encoding;
use game::Caller;
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

/// Reads the form of a request and responds with one body or with a stream, as the client accepts. A request that is rejected at
/// once gets a problem with its status in both cases. Dropping the future cancels the request.
pub(crate) async fn stream_or_reply<F: DeserializeOwned + 'static, T: Serialize + 'static>(
    request: HttpRequest,
    payload: Payload,
    run: impl AsyncFnOnce(Snapshot, Caller, F, Option<ProgressSender>) -> Result<T, Problem> + 'static,
) -> HttpResponse {
    let read = async {
        let shutdown = Service::of(&request)?.shutdown.clone();
        let client = client_of(&request)?;
        let (generation, form) = body::read(&request, payload).await?;
        Ok::<_, Problem>((shutdown, generation, client, form))
    };
    let (shutdown, generation, client, form) = match read.await {
        Ok(read) => read,
        Err(problem) => return problem.respond_to(&request),
    };
    let Some(encoding) = Encoding::accepted(&request) else {
        return respond(&request, run(generation, client, form, None).await);
    };
    let progress = ProgressSender::default();
    let response = run(generation, client, form, Some(progress.clone()));
    // The body is polled after the middlewares return, so it needs their request id and span.
    let response = RequestId::scope(RequestId::current(), response).instrument(Span::current());
    let response: ResponseFuture<T> = Box::pin(response);
    let mut response = maybe_done(response);
    poll_immediate(&mut response).await;
    let response = match response {
        MaybeDone::Done(Err(problem)) if !progress.has_judgements() => return problem.respond_to(&request),
        response => response,
    };
    let end = StreamEnd::default();
    let now = Instant::now();
    let stream = ResponseStream {
        progress,
        response,
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

type ResponseFuture<T> = Pin<Box<dyn Future<Output = Result<T, Problem>>>>;

/// A running response. Dropping it cancels the request and its searches.
struct ResponseStream<T> {
    progress: ProgressSender,
    response: MaybeDone<ResponseFuture<T>>,
    /// Iterations to write.
    iterations: VecDeque<InfoReply>,
    encoding: Encoding,
    shutdown: Shutdown,
    began: Instant,
    last_record: Instant,
    next_info: Instant,
    /// Holds the slot of the client until the last record is written.
    request: HttpRequest,
    end: StreamEnd,
}

#[derive(Serialize, IntoStaticStr)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
enum StreamRecord<T> {
    Start(Box<StartReply>),
    Info(InfoReply),
    Heartbeat { time_ms: u64 },
    Answer(Box<ComparedAiReply>),
    Judged(Box<JudgedRecord>),
    Result(T),
    Error(ProblemBody),
}

impl<T: Serialize + 'static> ResponseStream<T> {
    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, async |mut stream| {
            let record = stream.next().await?;
            Some((Ok(stream.write(&record)), stream))
        })
    }

    /// Returns the next record; `None` after the last one. Dropping the future loses no record.
    async fn next(&mut self) -> Option<StreamRecord<T>> {
        loop {
            if let Some(event) = self.progress.next_record() {
                return Some(self.partial(event));
            }
            if !matches!(self.response, MaybeDone::Future(_)) {
                let reply = Pin::new(&mut self.response).take_output()?;
                return Some(self.last(reply));
            }
            if let Some(info) = self.iterations.pop_front() {
                return Some(StreamRecord::Info(info));
            }
            let has_iterations = self.progress.has_iterations();
            tokio::select! {
                biased;
                () = &mut self.response => {}
                () = self.shutdown.deadline_near() => {
                    let detail = "the server is shutting down; try again after its restart";
                    self.response = MaybeDone::Done(Err(Problem::new(Code::AiUnavailable, detail)));
                }
                () = sleep_until(self.next_info), if has_iterations => {
                    self.next_info = Instant::now() + INFO_INTERVAL;
                    self.iterations = self.progress.iterations().into();
                }
                () = self.progress.changed() => {}
                () = sleep_until(self.last_record + HEARTBEAT_INTERVAL) => {
                    return Some(StreamRecord::Heartbeat { time_ms: self.began.elapsed().as_millis() as u64 });
                }
            }
        }
    }

    fn partial(&self, event: ProgressEvent) -> StreamRecord<T> {
        match event {
            ProgressEvent::Start(start) => StreamRecord::Start(start),
            ProgressEvent::Judged(judged) => StreamRecord::Judged(judged),
            ProgressEvent::Compared(compared) => {
                let extensions = self.request.extensions();
                StreamRecord::Answer(Box::new(ComparedAiReply::new(&compared, extensions.get())))
            }
        }
    }

    fn last(&self, reply: Result<T, Problem>) -> StreamRecord<T> {
        match reply {
            Ok(reply) => StreamRecord::Result(reply),
            Err(problem) => {
                self.end.0.set(Some(problem.code()));
                StreamRecord::Error(problem.record(self.request.extensions().get()))
            }
        }
    }

    fn write(&mut self, record: &StreamRecord<T>) -> Bytes {
        self.last_record = Instant::now();
        let written = self.encoding.write(record.into_str(), record);
        written.expect("the keys of records are strings and their numbers are finite")
    }
}
