//! A NATS user that speaks the node protocol.

use std::time::Duration;

use async_nats::{Client, Subscriber, jetstream::object_store::ObjectStore};
use futures_util::StreamExt as _;
use rules::{Game, legal_moves};
use serde_json::{Value, json};
use tokio::{io::AsyncReadExt as _, runtime::Runtime, time::timeout};

use super::SOON;

/// How long to wait for a verdict.
const VERDICT_TIME: Duration = Duration::from_secs(4);

/// A stranger that poses as a node.
pub(super) struct Stranger {
    runtime: Runtime,
    client: Client,
    name: String,
}

/// A pair that a stranger has received, and where its acknowledgement goes.
pub(super) struct Pulled {
    pub(super) order: Value,
    acknowledgement: String,
}

impl Stranger {
    pub(super) fn connect(nats: &str, name: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let options =
            async_nats::ConnectOptions::new().custom_inbox_prefix(format!("_INBOX_{name}"));
        let client = runtime.block_on(options.connect(nats)).unwrap();
        Self {
            runtime,
            client,
            name: name.to_owned(),
        }
    }

    pub(super) fn subscribe(&self, subject: &str) -> Subscriber {
        self.runtime.block_on(async {
            let subscriber = self.client.subscribe(subject.to_owned()).await.unwrap();
            self.client.flush().await.unwrap();
            subscriber
        })
    }

    pub(super) fn publish(&self, subject: &str, message: impl Into<Vec<u8>>) {
        let message = message.into().into();
        let sent = self.client.publish(subject.to_owned(), message);
        self.runtime.block_on(sent).unwrap();
    }

    pub(super) fn flush(&self) {
        self.runtime.block_on(self.client.flush()).unwrap();
    }

    /// Returns the next message of a subscription.
    pub(super) fn next(&self, subscriber: &mut Subscriber, within: Duration) -> Option<Value> {
        let next = async { timeout(within, subscriber.next()).await };
        let message = self.runtime.block_on(next).ok()??;
        Some(serde_json::from_slice(&message.payload).unwrap_or_default())
    }

    /// Waits for one of anna's matches and returns its announcement.
    #[track_caller]
    pub(super) fn hear_match(&self) -> Value {
        let mut announcements = self.subscribe("rookery.v1.match.anna");
        std::iter::from_fn(|| self.next(&mut announcements, SOON))
            .find(|announced| announced["over"] != true)
            .expect("an announced match")
    }

    /// Takes a pair of a match from its queue.
    #[track_caller]
    pub(super) fn pull(&self, id: &str) -> Pulled {
        let subject = format!("$JS.API.CONSUMER.MSG.NEXT.ROOKERY_PAIRS_anna.{id}");
        let wanted = json!({"batch": 1, "expires": 5_000_000_000_u64}).to_string();
        // The pair keeps its own subject, so the client's `request` would not recognize it as a
        // reply.
        let inbox = self.client.new_inbox();
        let mut pairs = self.subscribe(&inbox);
        let pulling = async {
            let sent = self
                .client
                .publish_with_reply(subject, inbox, wanted.into());
            sent.await.unwrap();
            timeout(SOON, pairs.next()).await
        };
        let message = self.runtime.block_on(pulling).ok().flatten();
        let message = message.expect("a pair in the queue");
        Pulled {
            order: serde_json::from_slice(&message.payload).unwrap_or_default(),
            acknowledgement: message
                .reply
                .expect("an acknowledgement subject")
                .to_string(),
        }
    }

    /// Gives a pair back to the queue.
    pub(super) fn put_back(&self, pulled: &Pulled) {
        self.publish(&pulled.acknowledgement, "-NAK");
        self.flush();
    }

    /// Returns the verdict on a report, or none if nothing answers.
    pub(super) fn report(&self, report: &Value) -> Option<Value> {
        let subject = format!("rookery.v1.node.{}.pair.anna", self.name);
        let reply = self.request(&subject, report.to_string().into_bytes(), VERDICT_TIME)?;
        serde_json::from_slice(&reply.payload).ok()
    }

    /// Sends a message as a report, without waiting for an answer.
    pub(super) fn send_report(&self, message: &[u8]) {
        let subject = format!("rookery.v1.node.{}.pair.anna", self.name);
        let inbox = self.client.new_inbox();
        let sent = self
            .client
            .publish_with_reply(subject, inbox, message.to_vec().into());
        self.runtime.block_on(sent).unwrap();
    }

    /// Writes a file of anna's matches into the object store.
    pub(super) fn put_file(&self, name: &str, mut bytes: &[u8]) {
        self.runtime.block_on(async {
            let files = self.files().await;
            files.put(name, &mut bytes).await.unwrap();
        });
    }

    /// Reads a file of anna's matches from the object store.
    pub(super) fn get_file(&self, name: &str) -> Vec<u8> {
        self.runtime.block_on(async {
            let mut object = self.files().await.get(name).await.unwrap();
            let mut bytes = Vec::new();
            object.read_to_end(&mut bytes).await.unwrap();
            bytes
        })
    }

    async fn files(&self) -> ObjectStore {
        let context = async_nats::jetstream::new(self.client.clone());
        context
            .get_object_store("rookery_files_anna")
            .await
            .unwrap()
    }

    fn request(
        &self,
        subject: &str,
        message: Vec<u8>,
        within: Duration,
    ) -> Option<async_nats::Message> {
        let asking = self.client.request(subject.to_owned(), message.into());
        let reply = self
            .runtime
            .block_on(async { timeout(within, asking).await });
        reply.ok()?.ok()
    }
}

impl Pulled {
    /// Returns a report of this pair with these games.
    pub(super) fn report(&self, id: &str, games: &[Value]) -> Value {
        json!({
            "id": id,
            "pair": self.order["pair"],
            "token": self.order["token"],
            "speed": 100_000,
            "outcome": {"played": games},
        })
    }

    /// Returns the record of a random game from this pair's opening that is drawn after this number
    /// of full moves.
    pub(super) fn drawn_game(&self, max_moves: usize) -> Value {
        loop {
            let moves = self.order["moves"].as_array().unwrap();
            let moves: Vec<_> = moves.iter().map(|text| text.as_str().unwrap()).collect();
            let mut game = Game::from_moves(self.order["fen"].as_str(), &moves).unwrap();
            let first = game.moves().len();
            while game.moves().len() < 2 * max_moves && game.outcome().is_none() {
                let legal = legal_moves(game.position());
                let chosen = legal[fastrand::usize(..legal.len())];
                game.play(chosen).unwrap();
            }
            let status = game.status();
            if game.outcome().is_none() && status.claims.is_empty() {
                return record(&game.uci_moves()[first..]);
            }
        }
    }
}

/// Returns the record of a drawn game with these moves.
pub(super) fn record<Text: AsRef<str>>(moves: &[Text]) -> Value {
    let half_move = |text: &Text| {
        json!({
            "uci": text.as_ref(),
            "score": null,
            "depth": 1,
            "time_us": fastrand::u64(100..100_000),
        })
    };
    let moves: Vec<_> = moves.iter().map(half_move).collect();
    json!({"moves": moves, "end": "played", "result": "draw"})
}
