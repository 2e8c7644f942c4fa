//! A node: offers the AIs of this machine to gateways.
//!
//! It never queues: a question that arrives while no worker is free goes back to its gateway.

mod jobs;
mod offer;
mod turns;

use std::{collections::HashMap, sync::Arc, time::Duration};

use config::FleetSettings;
use pool::Ai;
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, MissedTickBehavior, interval},
};

use crate::{
    connection::{Connection, FleetError, Message, next},
    subjects,
    wire::{Announcement, Ask, Id, Order, OrderKind, Presence, Reply, decode},
};
use jobs::{Jobs, Outcome};
use offer::Offer;
use turns::Turns;

const ANNOUNCEMENT_INTERVAL: Duration = Duration::from_secs(1);
/// How often results without an acknowledgement are sent again.
const RESULT_INTERVAL: Duration = Duration::from_millis(500);
/// How often gateways are looked for that are silent or do not use their turn.
const GATEWAY_CHECK: Duration = Duration::from_millis(250);
/// A question older than this was held up on its way, and its gateway may have given up.
const OLDEST_ASK_MS: u64 = 500;
/// The events that wait to be sent.
const EVENTS: usize = 1024;

/// A node with its connection.
#[derive(Debug)]
pub struct Node {
    name: String,
    instance: Id,
    connection: Connection,
    lost_after: Duration,
    offers: Vec<Offer>,
    jobs: Jobs,
    turns: Turns,
    started: Instant,
    announcements: u64,
    /// When each gateway was last heard.
    gateways: HashMap<Id, Instant>,
    draining: bool,
}

impl Node {
    /// Connects, and offers the AIs that the settings name.
    ///
    /// # Errors
    /// NATS is not reachable or denies the node, or an AI can't be offered.
    pub async fn connect(
        settings: &FleetSettings,
        name: &str,
        ais: Vec<Arc<Ai>>,
    ) -> Result<Self, FleetError> {
        let offers = offer::offers(settings, ais)?;
        let connection = Connection::open(settings, &format!("rookery node {name}"), true).await?;
        Ok(Self {
            name: name.to_owned(),
            instance: Id::random()?,
            connection,
            lost_after: Duration::from_millis(settings.lost_after_ms),
            offers,
            jobs: Jobs::default(),
            turns: Turns::default(),
            started: Instant::now(),
            announcements: 0,
            gateways: HashMap::new(),
            draining: false,
        })
    }

    /// The ids of the offered AIs.
    pub fn offered(&self) -> impl Iterator<Item = &str> {
        self.offers.iter().map(|offer| offer.ai.id.as_str())
    }

    /// Runs jobs until `drain` becomes true and they are finished and acknowledged.
    ///
    /// # Errors
    /// NATS denies a subscription.
    pub async fn run(mut self, mut drain: watch::Receiver<bool>) -> Result<(), FleetError> {
        let mut orders = self.connection.subscribe(subjects::orders(&self.name)).await?;
        let mut presences = self.connection.subscribe(subjects::PRESENCES.into()).await?;
        let mut namesakes = self.connection.subscribe(subjects::announcement(&self.name)).await?;
        let (events, mut outcomes) = mpsc::channel(EVENTS);
        let mut seconds = interval(ANNOUNCEMENT_INTERVAL);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut resend = interval(RESULT_INTERVAL);
        resend.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut checks = interval(GATEWAY_CHECK);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut connection = self.connection.clone();
        loop {
            tokio::select! {
                order = next(&mut orders) => self.on_order(&order, &events).await,
                Some((job, outcome)) = outcomes.recv() => self.on_outcome(job, outcome).await,
                presence = next(&mut presences) => self.on_presence(&presence).await,
                _ = seconds.tick() => self.announce().await,
                _ = checks.tick() => self.check_gateways().await,
                _ = resend.tick() => self.send_results_again().await,
                is_connected = connection.changed() => if is_connected { self.announce().await },
                announcement = next(&mut namesakes) => self.on_namesake(&announcement),
                _ = drain.wait_for(|drain| *drain), if !self.draining => {
                    self.draining = true;
                    self.announce().await;
                }
            }
            if self.draining && self.jobs.is_empty() {
                self.announce().await;
                self.connection.flush().await;
                return Ok(());
            }
        }
    }

    async fn on_order(&mut self, message: &Message, events: &mpsc::Sender<(Id, Outcome)>) {
        let Order { gateway, order } = match decode(&message.payload) {
            Ok(order) => order,
            Err(error) => return tracing::warn!(%error, "ignored an order"),
        };
        self.gateways.insert(gateway.clone(), Instant::now());
        match order {
            OrderKind::Describe(id) => {
                for description in
                    self.offers.iter().filter(|offer| offer.ai.id == id).map(Offer::description)
                {
                    self.reply(&gateway, &Reply::Description(Box::new(description))).await;
                }
            }
            OrderKind::Ask(ask) => self.on_ask(gateway, *ask, events).await,
            OrderKind::Stop(job) => self.jobs.stop(&job, &gateway),
            OrderKind::PonderHit(job) => self.jobs.ponder_hit(&job, &gateway),
            OrderKind::Cancel(job) => {
                if self.jobs.cancel(&job, &gateway) {
                    self.announce().await;
                }
            }
            OrderKind::Ack(job) => self.jobs.acknowledge(&job, &gateway),
        }
    }

    async fn on_ask(&mut self, gateway: Id, ask: Ask, events: &mpsc::Sender<(Id, Outcome)>) {
        let job = ask.job.clone();
        if self.jobs.contains(&job) {
            return;
        }
        let is_late = self.tick_ms().saturating_sub(ask.tick_ms) > OLDEST_ASK_MS;
        let offer = self.offers.iter().find(|offer| offer.is(&ask.ai, &ask.fingerprint));
        let offer = offer.filter(|offer| {
            let may_start = !is_late && !self.draining;
            may_start && self.turns.take(&gateway, &offer.ai.id, self.jobs.free_slots(&offer.ai))
        });
        let Some(offer) = offer else {
            self.reply(&gateway, &Reply::Busy { job }).await;
            return;
        };
        self.jobs.start(gateway.clone(), ask, Arc::clone(&offer.ai), events.clone());
        let number = self.announcements + 1;
        self.reply(&gateway, &Reply::Accepted { job, number }).await;
        self.announce().await;
    }

    async fn on_outcome(&mut self, job: Id, outcome: Outcome) {
        let is_end = matches!(outcome, Outcome::Finished(_));
        if let Some((gateway, reply)) = self.jobs.record(&job, outcome) {
            self.reply(&gateway, &reply).await;
        }
        if is_end {
            self.announce().await;
        }
    }

    async fn on_presence(&mut self, message: &Message) {
        if let Ok(Presence { gateway, joins }) = decode(&message.payload) {
            self.gateways.insert(gateway, Instant::now());
            if joins {
                self.announce().await;
            }
        }
    }

    /// Another node with this name takes its questions, and gateways would see two.
    fn on_namesake(&self, message: &Message) {
        if let Ok(Announcement { instance, draining: false, .. }) = decode(&message.payload)
            && instance != self.instance
        {
            tracing::error!(
                name = self.name,
                "another node has this name; give each a `name` of its own in [fleet]"
            );
        }
    }

    /// Cancels the jobs of silent gateways, and drops the turns that are not used.
    async fn check_gateways(&mut self) {
        let lost_after = self.lost_after;
        self.gateways.retain(|_, heard| heard.elapsed() < lost_after);
        let silent = self.jobs.cancel_unless(|gateway| self.gateways.contains_key(gateway));
        for gateway in &silent {
            tracing::warn!(%gateway, "cancelled the jobs of a gateway that is silent");
        }
        let has_unused =
            self.turns.drop_unused(Instant::now(), |gateway| self.gateways.contains_key(gateway));
        if has_unused || !silent.is_empty() {
            self.announce().await;
        }
    }

    async fn send_results_again(&mut self) {
        for (gateway, reply) in self.jobs.unacknowledged() {
            self.reply(&gateway, &reply).await;
        }
    }

    async fn announce(&mut self) {
        self.announcements += 1;
        let mut ais = Vec::new();
        for offer in &self.offers {
            let free = self.jobs.free_slots(&offer.ai);
            self.turns.keep(&offer.ai.id, free, Instant::now());
            ais.push(offer.state(free));
        }
        let announcement = Announcement {
            instance: self.instance.clone(),
            number: self.announcements,
            tick_ms: self.tick_ms(),
            draining: self.draining,
            ais,
            jobs: self.jobs.list(),
        };
        self.connection.publish(subjects::announcement(&self.name), &announcement).await;
    }

    async fn reply(&self, gateway: &Id, reply: &Reply) {
        self.connection.publish(subjects::replies(&self.name, gateway), reply).await;
    }

    fn tick_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }
}
