//! A node: offers the AIs on this machine to gateways.
//!
//! A node has no queue: if no worker is free, it returns the question to its gateway.

mod askers;
pub(crate) mod jobs;
mod offer;
mod turns;

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::settings::FleetSettings;
use pool::{Ai, LogLimit, report};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, MissedTickBehavior, interval},
};

use crate::{
    connection::{FleetError, Message, NatsConnection, next},
    subjects,
    wire::{Announcement, Ask, Id, JobReply, Order, OrderKind, Presence, WireError, decode},
};
use askers::{Asker, Askers};
use jobs::{JobOutcome, NodeJobs};
use offer::Offer;
use turns::Turns;

const ANNOUNCEMENT_INTERVAL: Duration = Duration::from_secs(1);
/// How often unacknowledged results are sent again.
const RESULT_INTERVAL: Duration = Duration::from_millis(500);
/// How often to check for gateways that are silent or do not use their turn.
const GATEWAY_CHECK: Duration = Duration::from_millis(250);
/// A question older than this was delayed in transit, and its gateway may have given up.
const OLDEST_ASK_MS: u64 = 500;
/// The maximum number of events that wait to be sent.
const EVENTS: usize = 1024;

/// A node with its connection.
#[derive(Debug)]
pub struct Node {
    name: String,
    instance: Id,
    connection: NatsConnection,
    lost_after: Duration,
    offers: Vec<Offer>,
    jobs: NodeJobs,
    turns: Turns,
    started: Instant,
    announcements: u64,
    askers: Askers,
    /// Whether a gateway waits for an announcement.
    is_awaited: bool,
    announced: Instant,
    log: LogLimit,
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
        let connection =
            NatsConnection::open(settings, &format!("rookery node {name}"), true).await?;
        Ok(Self {
            name: name.to_owned(),
            instance: Id::random()?,
            connection,
            lost_after: Duration::from_millis(settings.lost_after_ms),
            offers,
            jobs: NodeJobs::default(),
            turns: Turns::default(),
            started: Instant::now(),
            announcements: 0,
            askers: Askers::default(),
            is_awaited: false,
            announced: Instant::now(),
            log: LogLimit::default(),
            draining: false,
        })
    }

    /// Returns the ids of the offered AIs.
    pub fn offered(&self) -> impl Iterator<Item = &str> {
        self.offers.iter().map(|offer| offer.ai.id.as_str())
    }

    /// Runs jobs until `drain` becomes true and all jobs are finished and acknowledged.
    ///
    /// # Errors
    /// NATS denies a subscription.
    pub async fn run(mut self, mut drain: watch::Receiver<bool>) -> Result<(), FleetError> {
        let mut orders = self
            .connection
            .subscribe(subjects::orders(&self.name, "*"))
            .await?;
        let mut presences = self
            .connection
            .subscribe(subjects::PRESENCES.into())
            .await?;
        let mut namesakes = self
            .connection
            .subscribe(subjects::announcement(&self.name))
            .await?;
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
                order = next(&mut orders) => self.on_message(&order, Some(&events)).await,
                Some((job, outcome)) = outcomes.recv() => self.on_outcome(job, outcome).await,
                presence = next(&mut presences) => self.on_message(&presence, None).await,
                _ = seconds.tick() => self.announce().await,
                _ = checks.tick() => self.check_gateways().await,
                _ = resend.tick() => self.send_results_again().await,
                is_connected = connection.changed() => {
                    if is_connected && connection.becomes_trusted().await {
                        self.announce().await;
                    }
                }
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

    /// Handles a message from a server: an order if `events` is the channel for a job's events,
    /// otherwise the server's presence.
    async fn on_message(
        &mut self,
        message: &Message,
        events: Option<&mpsc::Sender<(Id, JobOutcome)>>,
    ) {
        if !self.connection.is_trusted() {
            return;
        }
        let Some(server) = subjects::server_of(&message.subject) else {
            return report!(
                self.log,
                warn,
                "ignored a message from a server with an invalid name"
            );
        };
        let taken = match events {
            Some(events) => self.on_order(server, &message.payload, events).await,
            None => self.on_presence(server, &message.payload).await,
        };
        if let Err(error) = taken {
            report!(self.log, warn, server, %error, "ignored a message from a server");
        }
    }

    /// Records a message from a run of a server, and returns the run unless there are too many
    /// runs.
    fn hear(&mut self, server: &str, gateway: Id) -> Option<Asker> {
        let asker = Asker {
            server: server.to_owned(),
            gateway,
        };
        if self.askers.hear(&asker, Instant::now()) {
            return Some(asker);
        }
        report!(
            self.log,
            warn,
            server,
            "ignored a server: there are too many servers, or it started too often"
        );
        None
    }

    async fn on_order(
        &mut self,
        server: &str,
        text: &[u8],
        events: &mpsc::Sender<(Id, JobOutcome)>,
    ) -> Result<(), WireError> {
        let Order { gateway, order } = decode(text)?;
        let Some(asker) = self.hear(server, gateway) else {
            return Ok(());
        };
        match order {
            OrderKind::Describe(id) => {
                for description in self
                    .offers
                    .iter()
                    .filter(|offer| offer.ai.id == id)
                    .map(Offer::description)
                {
                    self.reply(&asker, &JobReply::Description(Box::new(description)))
                        .await;
                }
            }
            OrderKind::Ask(ask) => self.on_ask(asker, *ask, events).await,
            OrderKind::Stop(job) => self.jobs.stop(&job, &asker),
            OrderKind::PonderHit(job) => self.jobs.ponder_hit(&job, &asker),
            OrderKind::Cancel(job) => {
                if self.jobs.cancel(&job, &asker) {
                    self.announce().await;
                }
            }
            OrderKind::Ack(job) => self.jobs.acknowledge(&job, &asker),
        }
        Ok(())
    }

    async fn on_ask(&mut self, asker: Asker, ask: Ask, events: &mpsc::Sender<(Id, JobOutcome)>) {
        let job = ask.job.clone();
        if self.jobs.contains(&job) {
            return;
        }
        let is_late = self.tick_ms().saturating_sub(ask.tick_ms) > OLDEST_ASK_MS;
        let offer = self
            .offers
            .iter()
            .find(|offer| offer.is(&ask.ai, &ask.fingerprint));
        let offer = offer.filter(|offer| {
            let may_start = !is_late && !self.draining;
            may_start
                && self
                    .turns
                    .take(&asker, &offer.ai.id, self.jobs.free_slots(&offer.ai))
        });
        let Some(offer) = offer else {
            self.reply(&asker, &JobReply::Busy { job }).await;
            return;
        };
        self.jobs
            .start(asker.clone(), ask, Arc::clone(&offer.ai), events.clone());
        let number = self.announcements + 1;
        self.reply(&asker, &JobReply::Accepted { job, number })
            .await;
        self.announce().await;
    }

    async fn on_outcome(&mut self, job: Id, outcome: JobOutcome) {
        let is_end = matches!(outcome, JobOutcome::Finished(_));
        if let Some((asker, reply)) = self.jobs.record(&job, outcome) {
            self.reply(&asker, &reply).await;
        }
        if is_end {
            self.announce().await;
        }
    }

    async fn on_presence(&mut self, server: &str, text: &[u8]) -> Result<(), WireError> {
        let Presence { gateway, joins } = decode(text)?;
        if self.hear(server, gateway).is_some() && joins {
            // All gateways that join between two checks share one announcement.
            self.is_awaited = true;
            if self.announced.elapsed() >= GATEWAY_CHECK {
                self.announce().await;
            }
        }
        Ok(())
    }

    /// Reports another node with this name, which would receive the same questions.
    fn on_namesake(&mut self, message: &Message) {
        if let Ok(Announcement {
            instance,
            draining: false,
            ..
        }) = decode(&message.payload)
            && instance != self.instance
        {
            report!(
                self.log,
                error,
                name = self.name,
                "another node has this name; give each node a different `name` in [fleet]"
            );
        }
    }

    /// Cancels the jobs of silent gateways, drops unused turns, and announces the node to new
    /// gateways.
    async fn check_gateways(&mut self) {
        self.askers.drop_silent(self.lost_after);
        let silent = self.jobs.cancel_unless(|asker| self.askers.contains(asker));
        for asker in &silent {
            report!(
                self.log,
                warn,
                server = asker.server,
                "cancelled the jobs of a silent server"
            );
        }
        let has_unused = self
            .turns
            .drop_unused(Instant::now(), |asker| self.askers.contains(asker));
        if has_unused || !silent.is_empty() || self.is_awaited {
            self.announce().await;
        }
    }

    async fn send_results_again(&mut self) {
        for (asker, reply) in self.jobs.unacknowledged() {
            self.reply(&asker, &reply).await;
        }
    }

    async fn announce(&mut self) {
        // Numbers follow the time, so they increase from one run to the next.
        let now_ms = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| now.as_millis() as u64);
        self.announcements = now_ms.max(self.announcements + 1);
        (self.is_awaited, self.announced) = (false, Instant::now());
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
        self.connection
            .publish(subjects::announcement(&self.name), &announcement)
            .await;
    }

    async fn reply(&self, asker: &Asker, reply: &JobReply) {
        self.connection
            .publish(subjects::replies(&self.name, &asker.server), reply)
            .await;
    }

    fn tick_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }
}
