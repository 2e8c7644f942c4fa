//! The state that NATS keeps for an organizer: the queue of its pairs, and its players' files.

use std::{fmt, io::Cursor, path::Path, time::Duration};

use async_nats::jetstream::{
    self, Context,
    consumer::{AckPolicy, PullConsumer, pull},
    object_store::{self, ObjectStore},
    stream::{self, DiscardPolicy, RetentionPolicy, Stream},
};
use fleet::{Id, NatsConnection, encode};
use futures_util::{FutureExt as _, future::BoxFuture};
use library::sha256::Sha256Sum;
use tokio::io::AsyncRead;

use crate::{subjects, wire::PairOrder};

/// How long a node may be silent before its pair goes to another node.
pub(crate) const ACK_WAIT: Duration = Duration::from_secs(10);
/// How long NATS keeps the data of an organizer that did not end its match.
const KEPT_PAIRS: Duration = Duration::from_hours(24);
const KEPT_FILES: Duration = Duration::from_hours(7 * 24);
/// How long NATS may take to answer.
const ANSWER_TIME: Duration = Duration::from_secs(3);

/// Why pairs or files cannot be kept in NATS.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    #[error(
        "NATS (nats-server {version}) has no JetStream, which matches need; start it with `-js`, \
         or add `jetstream {{}}` to its configuration"
    )]
    NoJetStream { version: String },
    #[error(
        "NATS cannot keep {what}: {cause}; `max_file_store` in the `jetstream {{}}` block of its \
         configuration limits its space, and `rookery fleet permissions --server NAME --matches` \
         prints the permissions that it needs"
    )]
    NotKept { what: &'static str, cause: String },
    #[error("cannot read {file}: {cause}")]
    File { file: String, cause: std::io::Error },
}

/// The queue of a match, and the object store of its organizer.
#[derive(Clone)]
pub(crate) struct PairQueue {
    context: Context,
    organizer: String,
    id: Id,
    stream: Stream,
    consumer: PullConsumer,
    files: ObjectStore,
}

impl PairQueue {
    /// Opens the queue of a match, and creates everything that is missing.
    pub(crate) fn open<'a>(
        connection: &'a NatsConnection,
        organizer: &'a str,
        id: &'a Id,
    ) -> BoxFuture<'a, Result<Self, QueueError>> {
        // Boxed, because `JetStream`'s client would otherwise be compiled in each crate that plays
        // matches.
        async move {
            let server = connection.client().server_info();
            if !server.jetstream {
                let version = server.version;
                return Err(QueueError::NoJetStream { version });
            }
            let context = context(connection);
            let stream = context.get_or_create_stream(stream::Config {
                name: subjects::stream(organizer),
                subjects: vec![subjects::pairs(organizer, "*")],
                retention: RetentionPolicy::WorkQueue,
                discard: DiscardPolicy::New,
                max_age: KEPT_PAIRS,
                ..stream::Config::default()
            });
            let stream = stream.await.map_err(not_kept("the queue of pairs"))?;
            let consumer = stream.get_or_create_consumer(
                id.as_str(),
                pull::Config {
                    durable_name: Some(id.to_string()),
                    filter_subject: subjects::pairs(organizer, id.as_str()),
                    ack_policy: AckPolicy::Explicit,
                    ack_wait: ACK_WAIT,
                    inactive_threshold: KEPT_PAIRS,
                    ..pull::Config::default()
                },
            );
            let consumer = consumer.await.map_err(not_kept("the queue of pairs"))?;
            let bucket = subjects::bucket(organizer);
            let files = match context.get_object_store(&bucket).await {
                Ok(files) => files,
                Err(_) => context
                    .create_object_store(object_store::Config {
                        bucket,
                        max_age: KEPT_FILES,
                        ..object_store::Config::default()
                    })
                    .await
                    .map_err(not_kept("files"))?,
            };
            let (organizer, id) = (organizer.to_owned(), id.clone());
            Ok(Self {
                context,
                organizer,
                id,
                stream,
                consumer,
                files,
            })
        }
        .boxed()
    }

    /// Uploads a file under its SHA-256, unless it exists. Returns the number of bytes sent.
    pub(crate) async fn put_file(&self, sha256: Sha256Sum, file: &Path) -> Result<u64, QueueError> {
        let opened = tokio::fs::File::open(file).await;
        let mut opened = opened.map_err(|cause| QueueError::File {
            file: file.display().to_string(),
            cause,
        })?;
        self.put(sha256, &mut opened).await
    }

    /// Uploads text in the same way.
    pub(crate) async fn put_text(&self, sha256: Sha256Sum, text: &[u8]) -> Result<u64, QueueError> {
        self.put(sha256, &mut Cursor::new(text)).await
    }

    fn put<'a>(
        &'a self,
        sha256: Sha256Sum,
        mut bytes: &'a mut (dyn AsyncRead + Send + Unpin),
    ) -> BoxFuture<'a, Result<u64, QueueError>> {
        async move {
            let name = sha256.to_string();
            if self.files.info(&name).await.is_ok_and(|info| !info.deleted) {
                return Ok(0);
            }
            let put = self.files.put(name.as_str(), &mut bytes).await;
            put.map(|info| info.size as u64).map_err(not_kept("a file"))
        }
        .boxed()
    }

    /// Appends a pair.
    pub(crate) async fn push(&self, order: &PairOrder) -> Result<(), QueueError> {
        let subject = subjects::pairs(&self.organizer, self.id.as_str());
        let text = encode(order).map_err(not_kept("a pair"))?;
        let sent = self.context.publish(subject, text.into()).await;
        let kept = sent.map_err(not_kept("a pair"))?.await;
        kept.map(drop).map_err(not_kept("a pair"))
    }

    /// Returns how many pairs wait for a node or are being played.
    pub(crate) async fn waiting(&mut self) -> Result<u64, QueueError> {
        let info = self.consumer.info().await;
        info.map(|info| info.num_pending + info.num_ack_pending as u64)
            .map_err(not_kept("the queue of pairs"))
    }

    /// Removes the pairs of the match. NATS removes the files after a week.
    pub(crate) async fn close(self) {
        let _ = self.stream.delete_consumer(self.id.as_str()).await;
        let own = subjects::pairs(&self.organizer, self.id.as_str());
        let _ = self.stream.purge().filter(own).await;
    }
}

/// Returns a `JetStream` context with a timeout of a few seconds.
pub(crate) fn context(connection: &NatsConnection) -> Context {
    let mut context = jetstream::new(connection.client().clone());
    context.set_timeout(ANSWER_TIME);
    context
}

fn not_kept<E: fmt::Display>(what: &'static str) -> impl Fn(E) -> QueueError {
    move |error| QueueError::NotKept {
        what,
        cause: text::printable(&error.to_string()),
    }
}
