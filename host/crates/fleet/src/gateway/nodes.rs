//! The nodes that a gateway hears, and their slots.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashSet},
    rc::Rc,
    sync::{Arc, Weak},
    time::Duration,
};

use ai_api::note::is_id;
use config::{FleetSettings, is_node_name};
use pool::Ai;
use text::printable;
use tokio::{sync::watch, task::spawn_local, time::Instant};

use super::{
    described::remote_ai,
    jobs::Jobs,
    slot::{Clock, NodeSlot, Source},
};
use crate::{
    connection::Connection,
    metrics::FleetMetrics,
    status::{FleetStatus, NodeAi, NodeState, NodeStatus},
    wire::{Announcement, Description, Id, OfferedAi, OrderKind},
};

/// The most nodes, and the most AIs of one node.
const MAX_NODES: usize = 10_000;
const MAX_AIS: usize = 256;
const MAX_SLOTS: u32 = 256;
/// When a node is asked again to describe an AI.
const DESCRIPTION_TIME: Duration = Duration::from_secs(1);
/// How long a lost node is remembered.
const MEMORY: Duration = Duration::from_mins(10);

pub(super) struct Nodes {
    settings: FleetSettings,
    connection: Connection,
    gateway: Id,
    jobs: Rc<Jobs>,
    metrics: FleetMetrics,
    by_name: BTreeMap<String, Node>,
    /// The AIs of this machine.
    local: Vec<Arc<Ai>>,
    /// The AIs of nodes alone, the newest last.
    remote: Vec<Remote>,
    served: watch::Sender<Vec<Arc<Ai>>>,
}

/// An AI of nodes alone.
struct Remote {
    fingerprint: String,
    ai: Arc<Ai>,
}

impl Remote {
    fn is(&self, id: &str, fingerprint: &str) -> bool {
        self.ai.id == id && self.fingerprint == fingerprint
    }
}

struct Node {
    instance: Id,
    number: u64,
    clock: Rc<Cell<Clock>>,
    state: NodeState,
    /// By the id on the node.
    ais: BTreeMap<String, Offered>,
}

/// An AI of a node.
struct Offered {
    id: String,
    fingerprint: String,
    slots: u32,
    free: u32,
    /// Why it is not served.
    unserved: Option<String>,
    source: Option<Rc<Source>>,
    /// The AI that its slots serve.
    served: Weak<Ai>,
    described_at: Option<Instant>,
}

impl Drop for Offered {
    fn drop(&mut self) {
        self.close();
    }
}

impl Offered {
    /// Ends its slots; running jobs go on.
    fn close(&mut self) {
        if let Some(source) = self.source.take() {
            source.free.send_replace(None);
        }
    }
}

impl Nodes {
    pub(super) fn new(
        settings: FleetSettings,
        connection: Connection,
        gateway: Id,
        jobs: Rc<Jobs>,
        metrics: FleetMetrics,
        served: watch::Sender<Vec<Arc<Ai>>>,
    ) -> Self {
        let (by_name, local, remote) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { settings, connection, gateway, jobs, metrics, by_name, local, remote, served }
    }

    /// Takes in an announcement. Returns the orders that it makes necessary.
    pub(super) fn hear(&mut self, name: &str, announcement: Announcement) -> Vec<OrderKind> {
        if !is_node_name(name) || (!self.by_name.contains_key(name) && self.by_name.len() >= MAX_NODES) {
            tracing::warn!(node = %printable(name), "ignored a node: its name is not allowed, or there are too many");
            return Vec::new();
        }
        let Announcement { instance, number, tick_ms, draining, ais, jobs } = announcement;
        let clock = Clock { tick_ms, heard: Instant::now() };
        let node = self.by_name.entry(name.to_owned()).or_insert_with(|| {
            tracing::info!(node = name, "a node has joined");
            Node::new(instance.clone(), clock)
        });
        if node.instance != instance {
            tracing::info!(node = name, "a node has restarted");
            self.jobs.lose_all(name);
            *node = Node::new(instance, clock);
        } else if number <= node.number && node.number > 0 {
            return Vec::new();
        }
        if node.state == NodeState::Lost {
            tracing::info!(node = name, "a node is back");
        }
        let state = if draining { NodeState::Draining } else { NodeState::Ready };
        let is_known = node.state == state && node.offers(&ais);
        node.number = number;
        node.clock.set(clock);
        node.state = state;
        let mut orders = self.update_ais(name, &ais);
        let unknown = self.jobs.compare(name, number, &jobs, &self.gateway);
        orders.extend(unknown.into_iter().map(OrderKind::Cancel));
        if !is_known {
            self.publish();
        }
        orders
    }

    fn update_ais(&mut self, name: &str, announced: &[OfferedAi]) -> Vec<OrderKind> {
        let mut orders = Vec::new();
        let Some(mut node) = self.by_name.remove(name) else { return orders };
        let is_draining = node.state == NodeState::Draining;
        node.ais.retain(|id, offered| {
            announced.iter().any(|ai| ai.id == *id && ai.fingerprint == offered.fingerprint)
        });
        for ai in announced.iter().take(MAX_AIS) {
            let id = self.served_id(name, &ai.id);
            let offered = node.ais.entry(ai.id.clone()).or_insert_with(|| Offered {
                id: id.clone(),
                fingerprint: ai.fingerprint.clone(),
                slots: 0,
                free: 0,
                unserved: None,
                source: None,
                served: Weak::new(),
                described_at: None,
            });
            offered.slots = ai.slots.min(MAX_SLOTS);
            offered.free = if is_draining { 0 } else { ai.free.min(offered.slots) };
            if !is_id(&id) {
                offered.unserved = Some("its id is not allowed".into());
                continue;
            }
            match find(&self.local, &self.remote, &id, &ai.fingerprint) {
                Found::Same(served) => {
                    offered.unserved = None;
                    self.serve(name, &node.clock, &ai.id, &served, offered);
                }
                Found::Other => {
                    offered.close();
                    offered.unserved = Some("this machine has another AI with this id".into());
                }
                Found::None => {
                    let is_due = offered.described_at.is_none_or(|at| at.elapsed() >= DESCRIPTION_TIME);
                    if is_due && offered.unserved.is_none() {
                        offered.described_at = Some(Instant::now());
                        orders.push(OrderKind::Describe(ai.id.clone()));
                    }
                }
            }
        }
        self.by_name.insert(name.to_owned(), node);
        orders
    }

    /// Starts the slots of an AI, or tells them how many are free.
    fn serve(&self, name: &str, clock: &Rc<Cell<Clock>>, id: &str, ai: &Arc<Ai>, offered: &mut Offered) {
        let free = Some(offered.free as usize);
        if let Some(source) = &offered.source {
            let free = free.map(|free| free.saturating_sub(source.unanswered.get()));
            source.free.send_if_modified(|before| {
                let is_new = *before != free;
                *before = free;
                is_new
            });
            return;
        }
        let (free, frees) = watch::channel(free);
        let source = Rc::new(Source {
            connection: self.connection.clone(),
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
            let slot = NodeSlot { source: Rc::clone(&source), free: frees.clone() };
            spawn_local(ai.serve(name.to_owned(), slot));
        }
        offered.source = Some(source);
        offered.served = Arc::downgrade(ai);
    }

    /// Takes in the description of an AI.
    pub(super) fn describe(&mut self, name: &str, description: Description) {
        let id = self.served_id(name, &description.id);
        let Some(node) = self.by_name.get_mut(name) else { return };
        let Some(offered) = node.ais.get_mut(&description.id) else { return };
        if offered.fingerprint != description.fingerprint || offered.source.is_some() {
            return;
        }
        let fingerprint = description.fingerprint.clone();
        if self.remote.iter().any(|remote| remote.is(&id, &fingerprint)) {
            return;
        }
        match remote_ai(&id, description) {
            Ok(described) => {
                self.remote.push(Remote { fingerprint, ai: Ai::remote(described) });
                let clock = Rc::clone(&node.clock);
                self.serve_waiting(name, &clock);
                self.publish();
            }
            Err(reason) => {
                tracing::warn!(node = name, ai = %id, reason, "an AI of a node is not served");
                offered.unserved = Some(reason);
            }
        }
    }

    /// Starts the slots of the AIs that are known now.
    fn serve_waiting(&mut self, name: &str, clock: &Rc<Cell<Clock>>) {
        let Some(mut node) = self.by_name.remove(name) else { return };
        for (id, offered) in &mut node.ais {
            if offered.source.is_none()
                && let Found::Same(ai) = find(&self.local, &self.remote, &offered.id, &offered.fingerprint)
            {
                self.serve(name, clock, id, &ai, offered);
            }
        }
        self.by_name.insert(name.to_owned(), node);
    }

    /// Ends all slots; running jobs go on, since the connection may be back soon.
    pub(super) fn disconnected(&mut self) {
        for node in self.by_name.values_mut() {
            node.ais.clear();
        }
    }

    /// Drops the nodes that have been silent for too long, with their jobs.
    pub(super) fn drop_silent(&mut self) {
        let lost_after = Duration::from_millis(self.settings.lost_after_ms);
        let mut is_any_lost = false;
        for (name, node) in &mut self.by_name {
            if node.state != NodeState::Lost && node.clock.get().heard.elapsed() >= lost_after {
                if node.state == NodeState::Ready {
                    tracing::warn!(node = name, "a node is lost: it is silent");
                }
                node.state = NodeState::Lost;
                node.ais.clear();
                self.jobs.lose_all(name);
                is_any_lost = true;
            }
        }
        if is_any_lost {
            self.publish();
        }
        self.by_name.retain(|_, node| node.clock.get().heard.elapsed() < MEMORY);
    }

    /// Takes in the AIs of this machine.
    pub(super) fn set_local(&mut self, local: Vec<Arc<Ai>>) {
        self.local = local;
        for offered in self.by_name.values_mut().flat_map(|node| node.ais.values_mut()) {
            let found = find(&self.local, &self.remote, &offered.id, &offered.fingerprint);
            let is_served =
                matches!(found, Found::Same(ai) if Weak::ptr_eq(&offered.served, &Arc::downgrade(&ai)));
            if !is_served {
                offered.close();
                (offered.unserved, offered.described_at) = (None, None);
            }
        }
        let clocks: Vec<_> =
            self.by_name.iter().map(|(name, node)| (name.clone(), Rc::clone(&node.clock))).collect();
        for (name, clock) in clocks {
            self.serve_waiting(&name, &clock);
        }
    }

    /// Serves of each id the AI with the most slots, the newest among equals, so that an old one can finish what waits for it. The
    /// others come after them, for requests that pin their fingerprint.
    fn publish(&mut self) {
        let mut ranked: Vec<_> = std::mem::take(&mut self.remote)
            .into_iter()
            .enumerate()
            .map(|(age, remote)| (self.slots_of(&remote), age, remote))
            .collect();
        ranked.sort_by(|(slots, age, one), (other_slots, other_age, other)| {
            one.ai.id.cmp(&other.ai.id).then((other_slots, other_age).cmp(&(slots, age)))
        });
        let mut ids = HashSet::new();
        let (served, others): (Vec<_>, Vec<_>) =
            ranked.into_iter().partition(|(_, _, remote)| ids.insert(remote.ai.id.clone()));
        let mut kept: Vec<_> =
            served.into_iter().chain(others.into_iter().filter(|(slots, ..)| slots.is_some())).collect();
        let ais: Vec<_> = kept.iter().map(|(_, _, remote)| Arc::clone(&remote.ai)).collect();
        self.served.send_if_modified(|before| {
            let is_same = before.len() == ais.len()
                && before.iter().zip(&ais).all(|(one, other)| Arc::ptr_eq(one, other));
            *before = ais;
            !is_same
        });
        kept.sort_by_key(|(_, age, _)| *age);
        self.remote = kept.into_iter().map(|(_, _, remote)| remote).collect();
    }

    /// Returns the slots of the nodes that take jobs for an AI; none if no node offers it, not even a draining one.
    fn slots_of(&self, remote: &Remote) -> Option<u32> {
        let offered =
            self.by_name.values().flat_map(|node| node.ais.values().map(move |ai| (node.state, ai)));
        offered
            .filter(|(_, offered)| remote.is(&offered.id, &offered.fingerprint))
            .map(|(state, offered)| if state == NodeState::Ready { offered.slots } else { 0 })
            .reduce(|sum, slots| sum + slots)
    }

    /// Returns the id under which this server serves an AI of a node. Only the nodes that the operator names may serve an AI under
    /// its own id, so that a stranger can't pose as another.
    fn served_id(&self, node: &str, id: &str) -> String {
        if self.settings.nodes.contains(node) { id.to_owned() } else { format!("{node}-{id}") }
    }

    pub(super) fn status(&self, connected: bool) -> FleetStatus {
        let ai = |offered: &Offered| NodeAi {
            id: printable(&offered.id),
            fingerprint: printable(&offered.fingerprint),
            slots: offered.slots as usize,
            free: offered.free as usize,
            unserved: offered.unserved.clone(),
        };
        let node = |(name, node): (&String, &Node)| {
            (name.clone(), NodeStatus { state: node.state, ais: node.ais.values().map(ai).collect() })
        };
        FleetStatus { connected, nodes: self.by_name.iter().map(node).collect() }
    }
}

impl Node {
    fn new(instance: Id, clock: Clock) -> Self {
        Self {
            instance,
            number: 0,
            clock: Rc::new(Cell::new(clock)),
            state: NodeState::Ready,
            ais: BTreeMap::new(),
        }
    }

    /// Returns whether it offers these AIs already.
    fn offers(&self, announced: &[OfferedAi]) -> bool {
        let is_same = |ai: &OfferedAi| {
            let known = self.ais.get(&ai.id).filter(|known| known.fingerprint == ai.fingerprint);
            known.is_some_and(|known| known.slots == ai.slots.min(MAX_SLOTS))
        };
        announced.len() == self.ais.len() && announced.iter().all(is_same)
    }
}

/// The AI that an offered one is.
enum Found {
    Same(Arc<Ai>),
    /// This machine has another AI with this id.
    Other,
    None,
}

fn find(local: &[Arc<Ai>], remote: &[Remote], id: &str, fingerprint: &str) -> Found {
    if let Some(ai) = local.iter().find(|ai| ai.id == id) {
        let is_same = ai.fingerprint.get().is_some_and(|own| own.to_string() == fingerprint);
        return if is_same { Found::Same(Arc::clone(ai)) } else { Found::Other };
    }
    match remote.iter().find(|remote| remote.is(id, fingerprint)) {
        Some(remote) => Found::Same(Arc::clone(&remote.ai)),
        None => Found::None,
    }
}
