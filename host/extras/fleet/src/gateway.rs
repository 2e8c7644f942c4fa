//! A gateway: makes the AIs of nodes available to a server.
//!
//! It runs on its own thread. Each slot of a known node serves a pool, like a worker.

mod catalog;
mod described;
mod jobs;
mod nodes;
mod slot;

use std::{future::pending, rc::Rc, sync::Arc, thread, time::Duration};

use crate::settings::FleetSettings;
use game::Extra;
use pool::{Ai, fingerprint, report};
use prometheus_client::registry::Registry;
use tokio::{
    runtime,
    sync::{oneshot, watch},
    task::LocalSet,
    time::{Instant, MissedTickBehavior, interval, sleep_until},
};

use crate::{
    connection::{FleetError, Inboxes, Message, NatsConnection},
    metrics::FleetMetrics,
    status::FleetStatus,
    subjects,
    wire::{
        Announcement, Id, JobReply, MAX_DESCRIPTION_BYTES, Order, OrderKind, Presence, WireError,
        decode,
    },
};
use jobs::GatewayJobs;
use nodes::{GatewayContext, Nodes};

const PRESENCE_INTERVAL: Duration = Duration::from_secs(1);
const SILENCE_CHECK: Duration = Duration::from_millis(250);

/// The handle of a gateway. Dropping it stops the gateway.
#[derive(Debug)]
pub struct Gateway {
    local: watch::Sender<Vec<Arc<Ai>>>,
    ais: watch::Receiver<Vec<Arc<Ai>>>,
    status: watch::Receiver<FleetStatus>,
    metrics: FleetMetrics,
    _stop: oneshot::Sender<()>,
}

impl Gateway {
    /// Starts looking for nodes as the server `name`, as soon as NATS is reachable.
    ///
    /// # Errors
    /// The settings can't be used, or no thread can be started.
    pub fn start(settings: FleetSettings, name: String) -> Result<Self, FleetError> {
        let (local, of_this_machine) = watch::channel(Vec::new());
        let (served, ais) = watch::channel(Vec::new());
        let (seen, status) = watch::channel(FleetStatus::default());
        let metrics = FleetMetrics::default();
        let counted = metrics.clone();
        let (stop, stopped) = oneshot::channel();
        let (started, starting) = std::sync::mpsc::channel();
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(FleetError::Thread)?;
        let name: Arc<str> = name.into();
        let run = async move || match Hub::connect(
            settings,
            name,
            of_this_machine,
            served,
            seen,
            counted,
        )
        .await
        {
            Ok((hub, messages)) => {
                let _ = started.send(Ok(()));
                tokio::select! {
                    () = hub.run(messages) => {}
                    _ = stopped => {}
                }
            }
            Err(error) => _ = started.send(Err(error)),
        };
        let on_thread = move || LocalSet::new().block_on(&runtime, run());
        thread::Builder::new()
            .name("fleet".into())
            .spawn(on_thread)
            .map_err(FleetError::Thread)?;
        let ended = || FleetError::Thread(std::io::Error::other("the fleet thread has ended"));
        starting.recv().map_err(|_| ended())??;
        Ok(Self {
            local,
            ais,
            status,
            metrics,
            _stop: stop,
        })
    }

    pub fn status(&self) -> FleetStatus {
        self.status.borrow().clone()
    }
}

impl Extra for Gateway {
    fn feature(&self) -> &'static str {
        "fleet"
    }

    /// Lets the slots of a node join these AIs if the node offers the same AIs. Reads the AIs'
    /// files.
    fn set_local_ais(&self, ais: Vec<Arc<Ai>>) {
        for ai in ais.iter().filter(|ai| ai.fingerprint.get().is_none()) {
            match ai.read_fingerprint().map_or_else(|| fingerprint(ai), Ok) {
                Ok(sum) => _ = ai.fingerprint.set(sum),
                Err(error) => {
                    tracing::warn!(ai = ai.id, %error, "cannot hash an AI on this machine; nodes \
                        cannot add slots to it");
                }
            }
        }
        self.local.send_replace(ais);
    }

    /// The AIs change when a node offers a new AI or a new fingerprint.
    fn remote_ais(&self) -> Option<watch::Receiver<Vec<Arc<Ai>>>> {
        Some(self.ais.clone())
    }

    fn register_metrics(&self, registry: &mut Registry) {
        self.metrics.register(&self.status(), registry);
    }
}

struct Hub {
    connection: NatsConnection,
    server: Arc<str>,
    gateway: Id,
    jobs: Rc<GatewayJobs>,
    nodes: Nodes,
    local: watch::Receiver<Vec<Arc<Ai>>>,
    status: watch::Sender<FleetStatus>,
}

impl Hub {
    /// Returns a hub and the messages from the nodes in the settings. Other nodes are ignored.
    async fn connect(
        settings: FleetSettings,
        server: Arc<str>,
        local: watch::Receiver<Vec<Arc<Ai>>>,
        ais: watch::Sender<Vec<Arc<Ai>>>,
        status: watch::Sender<FleetStatus>,
        metrics: FleetMetrics,
    ) -> Result<(Self, Inboxes), FleetError> {
        let gateway = Id::random()?;
        let connection = NatsConnection::open(&settings, "rookery serve", false).await?;
        let mut messages = Inboxes::default();
        // A result must be read before the announcement that no longer lists its job.
        for node in &settings.nodes {
            let replies = connection
                .subscribe(subjects::replies(node, &server))
                .await?;
            messages.push(
                replies,
                connection.subscribe(subjects::announcement(node)).await?,
            );
        }
        for guest in &settings.guests {
            let replies = subjects::replies(guest, &server);
            messages.push_guest(connection.clone(), replies, subjects::announcement(guest));
        }
        let jobs = Rc::new(GatewayJobs::default());
        let sources = GatewayContext {
            connection: connection.clone(),
            server: Arc::clone(&server),
            gateway: gateway.clone(),
            jobs: Rc::clone(&jobs),
            metrics,
        };
        let nodes = Nodes::new(settings, sources, ais);
        Ok((
            Self {
                connection,
                server,
                gateway,
                jobs,
                nodes,
                local,
                status,
            },
            messages,
        ))
    }

    async fn run(mut self, mut messages: Inboxes) {
        let mut seconds = interval(PRESENCE_INTERVAL);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut checks = interval(SILENCE_CHECK);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut connection = self.connection.clone();
        loop {
            // Messages come last, because nodes decide how many they send.
            tokio::select! {
                biased;
                is_connected = connection.changed() => {
                    self.jobs.end_unanswered();
                    if is_connected && self.connection.becomes_trusted().await {
                        self.nodes.connected();
                        self.announce_presence(true).await;
                    } else {
                        self.nodes.disconnected();
                    }
                    self.update_status();
                }
                _ = seconds.tick() => self.announce_presence(false).await,
                _ = checks.tick() => {
                    self.nodes.drop_silent();
                    self.update_status();
                }
                Ok(()) = self.local.changed() => {
                    let local = self.local.borrow_and_update().clone();
                    self.nodes.set_local(local);
                }
                () = at(self.nodes.publish_at()) => self.nodes.publish(),
                message = messages.next() => self.on_message(&message).await,
            }
        }
    }

    fn update_status(&self) {
        self.status
            .send_replace(self.nodes.status(self.connection.is_connected()));
    }

    async fn announce_presence(&self, joins: bool) {
        let presence = Presence {
            gateway: self.gateway.clone(),
            joins,
        };
        self.connection
            .publish(subjects::presence(&self.server), &presence)
            .await;
    }

    async fn on_message(&mut self, message: &Message) {
        let Some(node) =
            subjects::node_of(&message.subject).filter(|_| self.connection.is_trusted())
        else {
            return;
        };
        let taken = if subjects::is_announcement(&message.subject) {
            self.on_announcement(node, &message.payload).await
        } else {
            self.on_reply(node, &message.payload).await
        };
        if let Err(error) = taken {
            report!(self.nodes.log(node), warn, node, %error, "ignored a message from a node");
        }
    }

    async fn on_announcement(&mut self, node: &str, text: &[u8]) -> Result<(), WireError> {
        let announcement: Announcement = decode(text)?;
        for order in self.nodes.hear(node, announcement) {
            self.order(node, order).await;
        }
        Ok(())
    }

    async fn on_reply(&mut self, node: &str, text: &[u8]) -> Result<(), WireError> {
        match decode(text)? {
            JobReply::Description(_) if text.len() > MAX_DESCRIPTION_BYTES => {
                return Err(WireError::LongDescription(text.len()));
            }
            JobReply::Description(description) => self.nodes.describe(node, *description),
            reply => {
                if let Some(job) = self.jobs.deliver(node, reply) {
                    self.order(node, OrderKind::Ack(job)).await;
                }
            }
        }
        Ok(())
    }

    async fn order(&self, node: &str, order: OrderKind) {
        let order = Order {
            gateway: self.gateway.clone(),
            order,
        };
        self.connection
            .publish(subjects::orders(node, &self.server), &order)
            .await;
    }
}

/// Waits until `time`, or forever if it is `None`.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}
