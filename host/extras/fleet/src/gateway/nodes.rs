//! The nodes that a gateway knows, and their slots.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    num::NonZeroU32,
    rc::Rc,
    sync::{Arc, Weak},
    time::Duration,
};

use crate::settings::FleetSettings;
use ai_api::note::is_id;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use pool::{Ai, LogLimit, report};
use text::printable;
use tokio::{sync::watch, task::spawn_local, time::Instant};

use super::{
    catalog::{FoundAi, Owner, RemoteCatalog},
    described::remote_ai,
    jobs::GatewayJobs,
    slot::{NodeClock, NodeSlot, SlotSource},
};
use crate::{
    connection::NatsConnection,
    metrics::FleetMetrics,
    status::{FleetStatus, NodeAi, NodeState, NodeStatus},
    wire::{Announcement, Description, Hashed, Id, MAX_AIS, OfferedAi, OrderKind},
};

/// The maximum number of slots per node.
const MAX_SLOTS: u32 = 1024;
/// The maximum number of descriptions to request from a node per second.
const MAX_DESCRIBED: NonZeroU32 = NonZeroU32::new(2 * MAX_AIS as u32).unwrap();
/// How long to wait before asking a node again to describe an AI.
const DESCRIPTION_TIME: Duration = Duration::from_secs(1);
/// How long to wait before asking again after rejecting a description, in case another process sent
/// it.
const REFUSAL_TIME: Duration = Duration::from_secs(5);
/// The shortest time between two publications of the served AIs.
const PUBLICATION_INTERVAL: Duration = Duration::from_millis(100);
/// A gap of this length between checks for silent nodes means that this process was paused and that
/// announcements are waiting.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a lost node is remembered.
const MEMORY: Duration = Duration::from_mins(10);

pub(super) struct Nodes {
    settings: FleetSettings,
    sources: GatewayContext,
    /// The hash under which nodes announce this gateway.
    hash: Hashed,
    by_name: BTreeMap<String, KnownNode>,
    logs: HashMap<String, LogLimit>,
    catalog: RemoteCatalog,
    /// Whether the served AIs or their order may have changed since the last publication.
    is_changed: bool,
    published: Instant,
    /// When NATS became reachable.
    connected: Option<Instant>,
    checked: Instant,
}

/// The data that all slots share.
pub(super) struct GatewayContext {
    pub(super) connection: NatsConnection,
    pub(super) server: Arc<str>,
    pub(super) gateway: Id,
    pub(super) jobs: Rc<GatewayJobs>,
    pub(super) metrics: FleetMetrics,
}

struct KnownNode {
    owner: Owner,
    instance: Id,
    number: u64,
    clock: Rc<Cell<NodeClock>>,
    state: NodeState,
    /// The offered AIs, by their ids on the node.
    ais: BTreeMap<String, Offered>,
    /// Limits how often the node is asked for descriptions.
    described: DefaultDirectRateLimiter,
}

/// A node's AI.
struct Offered {
    id: String,
    fingerprint: String,
    slots: u32,
    free: u32,
    /// Why it is not served.
    unserved: Option<String>,
    source: Option<Rc<SlotSource>>,
    /// The AI that its slots serve.
    served: Weak<Ai>,
    described_at: Option<Instant>,
    /// Whether a requested description has not arrived yet.
    is_asked: bool,
}

impl Drop for Offered {
    fn drop(&mut self) {
        self.close();
    }
}

impl Nodes {
    pub(super) fn new(
        settings: FleetSettings,
        sources: GatewayContext,
        published_ais: watch::Sender<Vec<Arc<Ai>>>,
    ) -> Self {
        let now = Instant::now();
        let hash = sources.gateway.hashed();
        Self {
            settings,
            sources,
            hash,
            by_name: BTreeMap::new(),
            logs: HashMap::new(),
            catalog: RemoteCatalog::new(published_ais),
            is_changed: false,
            published: now,
            connected: None,
            checked: now,
        }
    }

    /// Returns the rate limit for log messages about a node.
    pub(super) fn log(&mut self, node: &str) -> &mut LogLimit {
        self.logs.entry(node.to_owned()).or_default()
    }

    /// Handles an announcement. Returns the orders to send in response.
    pub(super) fn hear(&mut self, name: &str, announcement: Announcement) -> Vec<OrderKind> {
        let Announcement {
            instance,
            number,
            tick_ms,
            draining,
            ais,
            jobs,
        } = announcement;
        if ais.len() > MAX_AIS {
            let (offers, served) = (ais.len(), MAX_AIS);
            report!(
                self.log(name),
                warn,
                node = name,
                offers,
                served,
                "a node offers too many AIs"
            );
        }
        let ais = within_bounds(ais);
        let clock = NodeClock {
            tick_ms,
            heard: Instant::now(),
        };
        if !self.by_name.contains_key(name) {
            report!(self.log(name), info, node = name, "a node joined");
        }
        let owner = Owner::of(name, &self.settings);
        let node = self
            .by_name
            .entry(name.to_owned())
            .or_insert_with(|| KnownNode::new(owner.clone(), instance.clone(), clock));
        let log = self.logs.entry(name.to_owned()).or_default();
        if node.instance != instance {
            report!(log, info, node = name, "a node restarted");
            self.sources.jobs.lose_all(name);
            let before = std::mem::replace(node, KnownNode::new(owner, instance, clock));
            node.described = before.described;
        } else if number <= node.number && node.number > 0 && node.state != NodeState::Lost {
            // A forged number may be higher than the node's. The node's announcements are then
            // ignored until it counts as lost. After that, any number is accepted.
            return Vec::new();
        }
        if node.state == NodeState::Lost {
            report!(log, info, node = name, "a node returned");
        }
        let state = if draining {
            NodeState::Draining
        } else {
            NodeState::Ready
        };
        let is_known = node.state == state && node.offers(&ais);
        node.number = number;
        node.clock.set(clock);
        node.state = state;
        if !is_known {
            self.offer(name, &ais);
        }
        let mut orders = self.update_slots(name, &ais);
        let unknown = self.sources.jobs.compare(name, number, &jobs, &self.hash);
        orders.extend(unknown.into_iter().map(OrderKind::Cancel));
        orders
    }

    /// Records the AIs that a node offers.
    fn offer(&mut self, name: &str, announced: &[OfferedAi]) {
        self.is_changed = true;
        let Some(node) = self.by_name.get_mut(name) else {
            return;
        };
        node.ais.retain(|id, offered| {
            announced
                .iter()
                .any(|ai| ai.id == *id && ai.fingerprint == offered.fingerprint)
        });
        for ai in announced {
            let id = node.owner.served_id(&ai.id);
            node.ais
                .entry(ai.id.clone())
                .or_insert_with(|| Offered::new(id, ai));
        }
        if node.owner == Owner::Operator {
            let ids = node
                .ais
                .values()
                .map(|offered| offered.id.clone())
                .collect();
            if self.catalog.claim(name, ids) {
                self.reconsider();
            }
        }
    }

    /// Starts the slots of a node's AIs, or tells them how many are free. Returns requests for
    /// descriptions of unknown AIs.
    fn update_slots(&mut self, name: &str, announced: &[OfferedAi]) -> Vec<OrderKind> {
        let mut orders = Vec::new();
        let Some(node) = self.by_name.get_mut(name) else {
            return orders;
        };
        let log = self.logs.entry(name.to_owned()).or_default();
        let is_draining = node.state == NodeState::Draining;
        for ai in announced {
            let Some(offered) = node.ais.get_mut(&ai.id) else {
                continue;
            };
            offered.slots = ai.slots;
            offered.free = if is_draining { 0 } else { ai.free };
            if offered.source.is_some() {
                offered.tell_free();
                continue;
            }
            let is_recent = |at: Instant| at.elapsed() < REFUSAL_TIME;
            if offered.unserved.is_some() && offered.described_at.is_none_or(is_recent) {
                continue;
            }
            if !is_id(&offered.id) {
                offered.refuse("its id is invalid".into(), name, log);
                continue;
            }
            match self
                .catalog
                .find(&node.owner, &offered.id, &offered.fingerprint)
            {
                FoundAi::Same(served) => {
                    self.sources
                        .serve(name, &node.clock, &ai.id, &served, offered);
                    self.is_changed = true;
                }
                FoundAi::Refused(reason) => offered.refuse(reason.into(), name, log),
                FoundAi::None => {
                    let is_due = offered
                        .described_at
                        .is_none_or(|at| at.elapsed() >= DESCRIPTION_TIME);
                    if is_due && node.described.check().is_ok() {
                        (offered.described_at, offered.is_asked) = (Some(Instant::now()), true);
                        orders.push(OrderKind::Describe(ai.id.clone()));
                    }
                }
            }
        }
        orders
    }

    /// Handles the requested description of an AI.
    pub(super) fn describe(&mut self, name: &str, description: Description) {
        let Some(node) = self.by_name.get_mut(name) else {
            return;
        };
        let Some(offered) = node.ais.get_mut(&description.id) else {
            return;
        };
        let is_expected = offered.is_asked
            && offered.fingerprint == description.fingerprint
            && offered.source.is_none();
        let is_unknown = matches!(
            self.catalog
                .find(&node.owner, &offered.id, &offered.fingerprint),
            FoundAi::None
        );
        if !is_expected || !is_unknown || !self.catalog.has_room(name) {
            return;
        }
        offered.is_asked = false;
        let (id, fingerprint) = (description.id.clone(), description.fingerprint.clone());
        match remote_ai(&offered.id, description) {
            Ok(described) => {
                let ai = Ai::remote(described);
                self.catalog
                    .add(node.owner.clone(), name, fingerprint, Arc::clone(&ai));
                self.sources.serve(name, &node.clock, &id, &ai, offered);
                self.is_changed = true;
            }
            Err(reason) => {
                offered.refuse(reason, name, self.logs.entry(name.to_owned()).or_default());
            }
        }
    }

    /// Ends all slots. Running jobs continue, because the connection may return soon.
    pub(super) fn disconnected(&mut self) {
        self.connected = None;
        for node in self.by_name.values_mut() {
            node.ais.clear();
        }
    }

    pub(super) fn connected(&mut self) {
        self.connected = Some(Instant::now());
    }

    /// Drops the nodes that have been silent for too long, with their jobs.
    pub(super) fn drop_silent(&mut self) {
        let pause = std::mem::replace(&mut self.checked, Instant::now()).elapsed();
        if pause >= PAUSE {
            return;
        }
        let lost_after = self.lost_after();
        for (name, node) in &mut self.by_name {
            if node.state != NodeState::Lost && node.clock.get().heard.elapsed() >= lost_after {
                if node.state == NodeState::Ready {
                    let log = self.logs.entry(name.clone()).or_default();
                    report!(log, warn, node = name, "lost a node: it is silent");
                }
                node.state = NodeState::Lost;
                node.ais.clear();
                self.sources.jobs.lose_all(name);
                self.is_changed = true;
            }
        }
        self.by_name
            .retain(|_, node| node.clock.get().heard.elapsed() < MEMORY);
    }

    /// Sets the AIs on this machine.
    pub(super) fn set_local(&mut self, local: Vec<Arc<Ai>>) {
        self.catalog.set_local(local);
        self.reconsider();
    }

    /// Looks up every offered AI again, because the AIs on this machine or of the operator's nodes
    /// have changed.
    fn reconsider(&mut self) {
        self.is_changed = true;
        for (name, node) in &mut self.by_name {
            let log = self.logs.entry(name.clone()).or_default();
            for (id, offered) in &mut node.ais {
                let found = self
                    .catalog
                    .find(&node.owner, &offered.id, &offered.fingerprint);
                let is_served = |ai: &Arc<Ai>| {
                    offered.source.is_some() && Weak::ptr_eq(&offered.served, &Arc::downgrade(ai))
                };
                match found {
                    FoundAi::Same(ai) if is_served(&ai) => {}
                    FoundAi::Same(ai) => {
                        offered.close();
                        self.sources.serve(name, &node.clock, id, &ai, offered);
                    }
                    FoundAi::Refused(reason) => {
                        offered.close();
                        offered.refuse(reason.into(), name, log);
                    }
                    FoundAi::None => {
                        offered.close();
                        (offered.unserved, offered.described_at) = (None, None);
                    }
                }
            }
        }
    }

    /// Returns when to publish the served AIs, or `None` if they have not changed.
    pub(super) fn publish_at(&self) -> Option<Instant> {
        self.is_changed
            .then(|| self.published + PUBLICATION_INTERVAL)
    }

    /// Publishes the served AIs. Forgets none while NATS is unreachable or before each node has had
    /// time to announce itself again.
    pub(super) fn publish(&mut self) {
        let mut slots = HashMap::new();
        for node in self.by_name.values() {
            let served = node.ais.values().filter(|offered| offered.source.is_some());
            for (offered, ai) in
                served.filter_map(|offered| Some((offered, offered.served.upgrade()?)))
            {
                let takes_jobs = if node.state == NodeState::Ready {
                    offered.slots
                } else {
                    0
                };
                *slots.entry(Arc::as_ptr(&ai)).or_insert(0) += takes_jobs;
            }
        }
        let remembers = self
            .connected
            .is_none_or(|at| at.elapsed() < self.lost_after());
        self.is_changed = self.catalog.publish(&slots, remembers);
        self.published = Instant::now();
    }

    const fn lost_after(&self) -> Duration {
        Duration::from_millis(self.settings.lost_after_ms)
    }

    pub(super) fn status(&self, connected: bool) -> FleetStatus {
        let ai = |offered: &Offered| NodeAi {
            id: printable(&offered.id),
            fingerprint: printable(&offered.fingerprint),
            slots: offered.slots as usize,
            free: offered.free as usize,
            unserved: offered.unserved.clone(),
        };
        let node = |(name, node): (&String, &KnownNode)| {
            (
                name.clone(),
                NodeStatus {
                    state: node.state,
                    ais: node.ais.values().map(ai).collect(),
                },
            )
        };
        FleetStatus {
            connected,
            nodes: self.by_name.iter().map(node).collect(),
        }
    }
}

impl GatewayContext {
    /// Starts the slots of an AI.
    fn serve(
        &self,
        name: &str,
        clock: &Rc<Cell<NodeClock>>,
        id: &str,
        ai: &Arc<Ai>,
        offered: &mut Offered,
    ) {
        let (free, frees) = watch::channel(Some(offered.free as usize));
        let source = Rc::new(SlotSource {
            connection: self.connection.clone(),
            server: Arc::clone(&self.server),
            gateway: self.gateway.clone(),
            jobs: Rc::clone(&self.jobs),
            metrics: self.metrics.clone(),
            node: name.to_owned(),
            clock: Rc::clone(clock),
            ai: id.to_owned(),
            fingerprint: offered.fingerprint.clone(),
            unanswered: Rc::default(),
            is_contested: Cell::new(false),
            free,
        });
        for _ in 0..offered.slots {
            let slot = NodeSlot {
                source: Rc::clone(&source),
                free: frees.clone(),
            };
            spawn_local(ai.serve(name.to_owned(), slot));
        }
        offered.unserved = None;
        offered.source = Some(source);
        offered.served = Arc::downgrade(ai);
    }
}

impl KnownNode {
    fn new(owner: Owner, instance: Id, clock: NodeClock) -> Self {
        Self {
            owner,
            instance,
            number: 0,
            clock: Rc::new(Cell::new(clock)),
            state: NodeState::Ready,
            ais: BTreeMap::new(),
            described: descriptions(),
        }
    }

    /// Returns whether the announced AIs are the known AIs, with the same fingerprints and slots.
    fn offers(&self, announced: &[OfferedAi]) -> bool {
        let is_same = |ai: &OfferedAi| {
            let known = self
                .ais
                .get(&ai.id)
                .filter(|known| known.fingerprint == ai.fingerprint);
            known.is_some_and(|known| known.slots == ai.slots)
        };
        announced.len() == self.ais.len() && announced.iter().all(is_same)
    }
}

impl Offered {
    fn new(id: String, ai: &OfferedAi) -> Self {
        Self {
            id,
            fingerprint: ai.fingerprint.clone(),
            slots: ai.slots,
            free: ai.free,
            unserved: None,
            source: None,
            served: Weak::new(),
            described_at: None,
            is_asked: false,
        }
    }

    /// Tells its slots how many are free.
    fn tell_free(&self) {
        let Some(source) = &self.source else { return };
        let free = Some((self.free as usize).saturating_sub(source.unanswered.get()));
        source.free.send_if_modified(|before| {
            let is_new = *before != free;
            *before = free;
            is_new
        });
    }

    /// Ends its slots. Running jobs continue.
    fn close(&mut self) {
        if let Some(source) = self.source.take() {
            source.free.send_replace(None);
        }
    }

    fn refuse(&mut self, reason: String, node: &str, log: &mut LogLimit) {
        let id = printable(&self.id);
        if self.unserved.as_ref() != Some(&reason) {
            report!(log, warn, node, ai = %id, reason, "not serving a node's AI");
        }
        self.unserved = Some(reason);
    }
}

/// Returns the rate limit for description requests to a node.
fn descriptions() -> DefaultDirectRateLimiter {
    RateLimiter::direct(Quota::per_second(MAX_DESCRIBED))
}

/// Returns the first AIs, each id once, with no more slots than a node may have.
fn within_bounds(mut ais: Vec<OfferedAi>) -> Vec<OfferedAi> {
    ais.truncate(MAX_AIS);
    ais.sort_by(|one, other| one.id.cmp(&other.id));
    ais.dedup_by(|one, other| one.id == other.id);
    let mut left = MAX_SLOTS;
    for ai in &mut ais {
        ai.slots = ai.slots.min(left);
        ai.free = ai.free.min(ai.slots);
        left -= ai.slots;
    }
    ais
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_the_ais_slots_and_descriptions_of_a_node() {
        let offered = |number: u32| OfferedAi {
            id: format!("a{}", number / 2),
            fingerprint: "f".into(),
            slots: u32::MAX,
            free: u32::MAX,
        };
        let ais = within_bounds((0..10_000).map(offered).collect());
        assert_eq!(ais.len(), MAX_AIS / 2, "each id once");
        assert_eq!(ais.iter().map(|ai| ai.slots).sum::<u32>(), MAX_SLOTS);
        assert_eq!(ais.iter().map(|ai| ai.free).sum::<u32>(), MAX_SLOTS);
        let descriptions = descriptions();
        let asked = (0..1000).filter(|_| descriptions.check().is_ok()).count();
        assert!((2 * MAX_AIS..3 * MAX_AIS).contains(&asked), "{asked}");
    }
}
