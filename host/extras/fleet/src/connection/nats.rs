//! A connection to NATS through `async-nats`.

use std::{
    fs,
    future::pending,
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use crate::{nats_address::NatsAddress, settings::FleetSettings};
use async_nats::{Client, ConnectOptions, Event};
pub use async_nats::{Message, Subscriber};
use futures_util::{
    FutureExt as _, StreamExt as _,
    future::BoxFuture,
    stream::{self, LocalBoxStream, PollNext, SelectAll, select_with_strategy},
};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use pool::{LogLimit, report};
use serde::Serialize;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use super::{FleetError, OPEN};
use crate::wire::encode;

/// How often a silent server is pinged.
const PING_INTERVAL: Duration = Duration::from_secs(1);
/// The longest delay before an attempt to reconnect.
const LONGEST_DELAY_MS: u64 = 250;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// How often to check whether NATS has introduced itself on a new connection.
const INFO_INTERVAL: Duration = Duration::from_millis(5);
/// The maximum number of waiting messages in a subscription. Further messages are dropped.
const MAX_WAITING: usize = 4096;
/// The maximum number of waiting commands, in addition to the subscriptions made before connecting.
const MAX_COMMANDS: usize = 2048;
/// How much a guest may send per second: the number of messages plus their total size in KiB.
const MAX_SENT: NonZeroU32 = NonZeroU32::new(4096).unwrap();
/// How long to ignore a guest that sends more.
const SILENCE: Duration = Duration::from_secs(1);
/// How long a message may wait to be sent.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection that restores itself.
#[derive(Clone, Debug)]
pub struct NatsConnection {
    client: Client,
    connected: watch::Receiver<bool>,
    /// Whether NATS may be used without a login, because it is on this machine or the settings
    /// allow it.
    is_open_allowed: bool,
}

impl NatsConnection {
    /// Connects. If `wait` is false, returns at once and keeps trying in the background. NATS lists
    /// the connection as `label`.
    ///
    /// # Errors
    /// NATS is not reachable or requires no login, or the credentials cannot be read.
    pub fn open<'a>(
        settings: &'a FleetSettings,
        label: &'a str,
        wait: bool,
    ) -> BoxFuture<'a, Result<Self, FleetError>> {
        // Boxed, because NATS's client would otherwise be compiled in each crate that connects.
        Self::open_with(settings, label, wait, ConnectOptions::new()).boxed()
    }

    /// Connects to make requests. NATS delivers the replies to an inbox to which only `name` may
    /// subscribe.
    ///
    /// # Errors
    /// The errors of [`open`](Self::open).
    pub fn open_for_requests<'a>(
        settings: &'a FleetSettings,
        label: &'a str,
        name: &str,
    ) -> BoxFuture<'a, Result<Self, FleetError>> {
        let inbox = format!("_INBOX_{name}");
        let options = ConnectOptions::new().custom_inbox_prefix(inbox);
        Self::open_with(settings, label, true, options).boxed()
    }

    async fn open_with(
        settings: &FleetSettings,
        label: &str,
        wait: bool,
        options: ConnectOptions,
    ) -> Result<Self, FleetError> {
        let (state, connected) = watch::channel(false);
        let log = Mutex::new(LogLimit::default());
        let mut options = options
            .name(label)
            .ping_interval(PING_INTERVAL)
            .subscription_capacity(MAX_WAITING)
            .client_capacity(MAX_COMMANDS + 2 * (settings.nodes.len() + settings.guests.len()))
            .connection_timeout(CONNECT_TIMEOUT)
            .no_echo()
            .ignore_discovered_servers()
            .reconnect_delay_callback(|_| Duration::from_millis(delay_ms()))
            .event_callback(move |event| {
                log_event(
                    &event,
                    &mut log.lock().unwrap_or_else(PoisonError::into_inner),
                );
                match event {
                    Event::Connected => _ = state.send_replace(true),
                    Event::Disconnected | Event::Closed => _ = state.send_replace(false),
                    _ => {}
                }
                async {}
            });
        if settings.nats.iter().any(|server| server.tls) {
            options = options.require_tls(true);
        }
        if let Some(file) = &settings.ca_file {
            options = options.add_root_certificates(file.clone());
        }
        if let Some(file) = &settings.credentials_file {
            let failed = |cause| FleetError::Credentials {
                file: file.clone(),
                cause,
            };
            let text = fs::read_to_string(file).map_err(failed)?;
            options = if text.contains("-----BEGIN NATS USER JWT-----") {
                options.credentials(&text).map_err(failed)?
            } else {
                options.nkey(text.trim_start_matches('\u{feff}').trim().to_owned())
            };
        }
        if !wait {
            options = options.retry_on_initial_connect();
        }
        let servers: Vec<_> = settings.nats.iter().map(ToString::to_string).collect();
        let connecting = options.connect(&servers).await;
        let servers = servers.join(", ");
        let failed = |cause: String| FleetError::Connect {
            servers: servers.clone(),
            cause,
        };
        let client = connecting.map_err(|cause| failed(cause.to_string()))?;
        let is_open_allowed = settings.insecure || settings.nats.iter().all(NatsAddress::is_local);
        let connection = Self {
            client,
            connected,
            is_open_allowed,
        };
        if wait && !connection.is_trusted() {
            return Err(FleetError::Open { servers });
        }
        Ok(connection)
    }

    /// Returns whether NATS requires a login or may be used without one. If not, its messages must
    /// be ignored.
    pub fn is_trusted(&self) -> bool {
        self.is_open_allowed || self.client.server_info().auth_required
    }

    /// Returns [`is_trusted`](Self::is_trusted) once NATS has introduced itself on a new
    /// connection.
    pub async fn becomes_trusted(&self) -> bool {
        if self.is_open_allowed {
            return true;
        }
        let told = async {
            while self.client.server_info().server_id.is_empty() {
                sleep(INFO_INTERVAL).await;
            }
        };
        let _ = timeout(CONNECT_TIMEOUT, told).await;
        let is_trusted = self.is_trusted();
        if !is_trusted {
            tracing::error!("ignoring NATS: {OPEN}");
        }
        is_trusted
    }

    pub fn is_connected(&self) -> bool {
        *self.connected.borrow() && self.is_trusted()
    }

    /// Returns the `async-nats` client, for calls that this type does not wrap.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Waits until the connection is lost or restored, and returns whether it is up.
    pub async fn changed(&mut self) -> bool {
        if self.connected.changed().await.is_err() {
            pending::<()>().await;
        }
        *self.connected.borrow_and_update()
    }

    /// # Errors
    /// The connection is closed.
    pub async fn subscribe(&self, subject: String) -> Result<Subscriber, FleetError> {
        self.client
            .subscribe(subject)
            .await
            .map_err(|error| FleetError::Subscribe(error.to_string()))
    }

    /// Sends a message, unless the connection is lost. Returns whether it was sent. An unsent
    /// message is not sent later, so a sender that needs a reply must retry.
    pub async fn publish(&self, subject: String, message: &impl Serialize) -> bool {
        if !self.is_connected() {
            return false;
        }
        let text = match encode(message) {
            Ok(text) => text,
            Err(error) => {
                tracing::error!(%error, subject, "message not sent");
                return false;
            }
        };
        matches!(
            timeout(PUBLISH_TIMEOUT, self.client.publish(subject, text.into())).await,
            Ok(Ok(()))
        )
    }

    /// Waits until the server has received everything that was published.
    pub async fn flush(&self) {
        let _ = timeout(PUBLISH_TIMEOUT, self.client.flush()).await;
    }
}

/// Returns the next message. A subscription ends only with the process. Messages with headers are
/// dropped: they are replies from NATS, which any user can direct to any subject.
pub async fn next(subscriber: &mut Subscriber) -> Message {
    loop {
        match subscriber.next().await {
            Some(message) if message.headers.is_some() => {}
            Some(message) => return message,
            None => pending().await,
        }
    }
}

/// Pairs of subscriptions that take turns, so that a flood in one does not delay the others. Within
/// a pair, the first subscription has priority.
#[derive(Default)]
pub(crate) struct Inboxes(SelectAll<LocalBoxStream<'static, Message>>);

impl Inboxes {
    pub(crate) fn push(&mut self, first: Subscriber, second: Subscriber) {
        self.0.push(in_turns(first, second));
    }

    /// Adds a guest's two subscriptions. Whenever the guest sends too much, they end for a second.
    /// NATS then does not deliver any of the guest's messages, so these cannot delay others.
    pub(crate) fn push_guest(&mut self, connection: NatsConnection, first: String, second: String) {
        let inbox = GuestInbox {
            connection,
            subjects: [first, second],
            messages: None,
            spent: RateLimiter::direct(Quota::per_second(MAX_SENT)),
            log: LogLimit::default(),
        };
        let messages = stream::unfold(inbox, async |mut guest| Some((guest.next().await, guest)));
        self.0.push(messages.boxed_local());
    }

    /// Returns the next message from any pair.
    pub(crate) async fn next(&mut self) -> Message {
        loop {
            match self.0.next().await {
                Some(message) if message.headers.is_some() => {}
                Some(message) => return message,
                None => pending().await,
            }
        }
    }
}

fn in_turns(first: Subscriber, second: Subscriber) -> LocalBoxStream<'static, Message> {
    select_with_strategy(first, second, |(): &mut ()| PollNext::Left).boxed_local()
}

/// The messages from a guest, within its limit.
struct GuestInbox {
    connection: NatsConnection,
    subjects: [String; 2],
    messages: Option<LocalBoxStream<'static, Message>>,
    /// Counts what the guest sends against [`MAX_SENT`].
    spent: DefaultDirectRateLimiter,
    log: LogLimit,
}

impl GuestInbox {
    async fn next(&mut self) -> Message {
        loop {
            let Some(messages) = &mut self.messages else {
                self.subscribe().await;
                continue;
            };
            let Some(message) = messages.next().await else {
                self.messages = None;
                sleep(SILENCE).await;
                continue;
            };
            let kib = u32::try_from(message.payload.len() / 1024).unwrap_or(u32::MAX);
            if let Ok(Ok(())) = self.spent.check_n(NonZeroU32::MIN.saturating_add(kib)) {
                return message;
            }
            report!(
                self.log,
                warn,
                subject = self.subjects[1],
                "a guest sends too much; ignoring it for a second"
            );
            self.messages = None;
            sleep(SILENCE).await;
        }
    }

    async fn subscribe(&mut self) {
        let [first, second] = &self.subjects;
        let connection = &self.connection;
        match (
            connection.subscribe(first.clone()).await,
            connection.subscribe(second.clone()).await,
        ) {
            (Ok(first), Ok(second)) => self.messages = Some(in_turns(first, second)),
            (Err(error), _) | (_, Err(error)) => {
                report!(self.log, warn, %error, "cannot subscribe to a guest");
                sleep(SILENCE).await;
            }
        }
    }
}

/// Returns a random delay, so that a fleet does not reconnect all at once.
fn delay_ms() -> u64 {
    getrandom::u32().map_or(LONGEST_DELAY_MS, |number| {
        u64::from(number) % LONGEST_DELAY_MS
    })
}

fn log_event(event: &Event, limit: &mut LogLimit) {
    match event {
        Event::Connected => tracing::info!("connected to NATS"),
        Event::Disconnected => tracing::warn!("lost the connection to NATS; reconnecting"),
        Event::ServerError(_) | Event::ClientError(_) | Event::SlowConsumer(_) => {
            report!(limit, warn, event = %text::printable(&event.to_string()), "NATS");
        }
        _ => {}
    }
}
