//! The AIs that a gateway serves: the AIs on this machine and the AIs that nodes describe.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use crate::settings::FleetSettings;
use pool::Ai;
use tokio::{sync::watch, time::Instant};

use crate::wire::MAX_AIS;

/// How long an AI that no node offers is still served, so that requests can wait for a node that
/// restarts.
const MEMORY: Duration = Duration::from_secs(10);

/// The owner of a node's AIs. Slots join only AIs of the same owner, because a lying node can claim
/// any fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// This machine and the nodes in `nodes`.
    Operator,
    /// The name of a node in `guests`.
    Guest(String),
}

impl Owner {
    pub(super) fn of(node: &str, settings: &FleetSettings) -> Self {
        if settings.nodes.contains(node) {
            Self::Operator
        } else {
            Self::Guest(node.to_owned())
        }
    }

    /// Returns the id under which this server serves an AI.
    pub(super) fn served_id(&self, id: &str) -> String {
        match self {
            Self::Operator => id.to_owned(),
            Self::Guest(node) => format!("{node}-{id}"),
        }
    }
}

/// The result of looking up an offered AI.
pub(super) enum FoundAi {
    Same(Arc<Ai>),
    /// Its id belongs to another AI.
    Refused(&'static str),
    None,
}

pub(super) struct RemoteCatalog {
    local: HashMap<String, Arc<Ai>>,
    /// The AIs that exist only on nodes, by id.
    remote: HashMap<String, Vec<Remote>>,
    /// The ids that each of the operator's nodes last offered. A node keeps its ids while it is
    /// offline.
    claims: BTreeMap<String, BTreeSet<String>>,
    /// The number of AIs that nodes have described.
    described: u64,
    served: watch::Sender<Vec<Arc<Ai>>>,
}

/// An AI that exists only on nodes.
struct Remote {
    owner: Owner,
    /// The node that described it.
    node: String,
    fingerprint: String,
    /// Increases with each described AI.
    number: u64,
    /// When a node last offered it.
    offered: Instant,
    ai: Arc<Ai>,
}

impl RemoteCatalog {
    pub(super) fn new(served: watch::Sender<Vec<Arc<Ai>>>) -> Self {
        let (local, remote, claims) = (HashMap::new(), HashMap::new(), BTreeMap::new());
        Self {
            local,
            remote,
            claims,
            described: 0,
            served,
        }
    }

    pub(super) fn set_local(&mut self, local: Vec<Arc<Ai>>) {
        self.local = local.into_iter().map(|ai| (ai.id.clone(), ai)).collect();
    }

    /// Records the ids that one of the operator's nodes offers. Returns whether they have changed.
    pub(super) fn claim(&mut self, node: &str, ids: BTreeSet<String>) -> bool {
        let is_new = self.claims.get(node) != Some(&ids);
        self.claims.insert(node.to_owned(), ids);
        is_new
    }

    pub(super) fn find(&self, owner: &Owner, id: &str, fingerprint: &str) -> FoundAi {
        if let Some(ai) = self.local.get(id) {
            let is_same = ai
                .fingerprint
                .get()
                .is_some_and(|own| own.to_string() == fingerprint);
            return match owner {
                Owner::Operator if is_same => FoundAi::Same(Arc::clone(ai)),
                Owner::Operator => FoundAi::Refused("this machine has another AI with this id"),
                Owner::Guest(_) => FoundAi::Refused("this machine has an AI with this id"),
            };
        }
        if *owner != Owner::Operator && self.is_claimed(id) {
            return FoundAi::Refused("one of `nodes` has an AI with this id");
        }
        let mut of_id = self.remote.get(id).into_iter().flatten();
        match of_id.find(|remote| remote.owner == *owner && remote.fingerprint == fingerprint) {
            Some(remote) => FoundAi::Same(Arc::clone(&remote.ai)),
            None => FoundAi::None,
        }
    }

    /// Returns whether the operator has an AI with this id.
    fn is_claimed(&self, id: &str) -> bool {
        self.local.contains_key(id) || self.claims.values().any(|ids| ids.contains(id))
    }

    /// Returns whether another of a node's AIs can be added. A node may have each AI twice, since
    /// one version may replace another.
    pub(super) fn has_room(&self, node: &str) -> bool {
        self.remote
            .values()
            .flatten()
            .filter(|remote| remote.node == node)
            .count()
            < 2 * MAX_AIS
    }

    /// Adds an AI that a node has described.
    pub(super) fn add(&mut self, owner: Owner, node: &str, fingerprint: String, ai: Arc<Ai>) {
        self.described += 1;
        let (node, number, offered) = (node.to_owned(), self.described, Instant::now());
        let remote = Remote {
            owner,
            node,
            fingerprint,
            number,
            offered,
            ai,
        };
        self.remote
            .entry(remote.ai.id.clone())
            .or_default()
            .push(remote);
    }

    /// For each id, serves the AI with the most slots, or the newest of several, so that an old AI
    /// can finish its waiting requests. The other AIs come last. As long as they have slots, they
    /// serve requests that pin their fingerprint. An AI without slots is forgotten after a while,
    /// unless `keeps_all` is set. Returns whether an AI without slots is still served.
    pub(super) fn publish(&mut self, slots: &HashMap<*const Ai, u32>, keeps_all: bool) -> bool {
        let slots_of = |remote: &Remote| slots.get(&Arc::as_ptr(&remote.ai)).copied();
        let mut has_unoffered = false;
        let mut remotes = std::mem::take(&mut self.remote);
        remotes.retain(|id, of_id| {
            of_id.retain(|remote| remote.owner == Owner::Operator || !self.is_claimed(id));
            of_id.sort_by_key(|remote| std::cmp::Reverse((slots_of(remote), remote.number)));
            let mut is_first = true;
            of_id.retain_mut(|remote| {
                let is_served = std::mem::take(&mut is_first);
                let is_offered = slots_of(remote).is_some();
                if is_offered || keeps_all {
                    remote.offered = Instant::now();
                }
                let is_kept = is_offered || (is_served && remote.offered.elapsed() < MEMORY);
                has_unoffered |= is_kept && !is_offered;
                is_kept
            });
            !of_id.is_empty()
        });
        self.remote = remotes;
        let mut by_id: Vec<_> = self.remote.values().collect();
        by_id.sort_by(|one, other| one[0].ai.id.cmp(&other[0].ai.id));
        let first = by_id.iter().map(|of_id| &of_id[0]);
        let others = by_id.iter().flat_map(|of_id| &of_id[1..]);
        let ais: Vec<_> = first
            .chain(others)
            .map(|remote| Arc::clone(&remote.ai))
            .collect();
        self.served.send_if_modified(|before| {
            let is_same = before.len() == ais.len()
                && before
                    .iter()
                    .zip(&ais)
                    .all(|(one, other)| Arc::ptr_eq(one, other));
            *before = ais;
            !is_same
        });
        has_unoffered
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::described::remote_ai, *};

    fn guest() -> Owner {
        Owner::Guest("anna".into())
    }

    fn ai(id: &str) -> Arc<Ai> {
        let sum = "0".repeat(64);
        let described = json!({
            "id": id,
            "fingerprint": sum,
            "name": "A",
            "version": "1",
            "author": "A",
            "searcher": true,
            "evaluator": false,
            "capabilities": {
                "chess960": false,
                "root_moves": false,
                "ponder": false,
                "manages_time": false,
                "max_lines": 1,
                "max_trace_nodes": 0,
                "threads": 0,
                "memory_mb": 0,
            },
            "options": [],
            "values": [],
            "overridable_options": [],
            "limit": {
                "depth": 1,
                "nodes": null,
                "mate_plies": null,
                "soft_ms": null,
                "hard_ms": null,
            },
            "move_timeout_ms": 1000,
            "new_game_timeout_ms": 1000,
            "library": {"file": "liba.so", "sha256": sum},
            "sandbox": {
                "mode": "required",
                "memory_mb": 64,
                "threads": 0,
                "confined": {"enforced": [], "missing": []},
            },
        });
        Ai::remote(remote_ai(id, serde_json::from_value(described).unwrap()).unwrap())
    }

    fn is_same(catalog: &RemoteCatalog, owner: &Owner, id: &str) -> bool {
        matches!(catalog.find(owner, id, "f"), FoundAi::Same(_))
    }

    #[test]
    fn equal_fingerprints_do_not_join_a_guests_ai_to_the_operators() {
        let (served, _) = watch::channel(Vec::new());
        let mut catalog = RemoteCatalog::new(served);
        catalog.add(Owner::Operator, "big", "f".into(), ai("anna-a"));
        assert!(is_same(&catalog, &Owner::Operator, "anna-a"));
        assert!(matches!(
            catalog.find(&guest(), "anna-a", "f"),
            FoundAi::None
        ));
        assert!(catalog.claim("big", ["anna-a".to_owned()].into()));
        assert!(!catalog.claim("big", ["anna-a".to_owned()].into()));
        assert!(matches!(
            catalog.find(&guest(), "anna-a", "f"),
            FoundAi::Refused(_)
        ));
        catalog.set_local(vec![ai("anna-b")]);
        assert!(matches!(
            catalog.find(&guest(), "anna-b", &"0".repeat(64)),
            FoundAi::Refused(_)
        ));
    }

    #[test]
    fn a_guest_loses_an_id_that_the_operator_claims() {
        let (served, ais) = watch::channel(Vec::new());
        let mut catalog = RemoteCatalog::new(served);
        let of_guest = ai("anna-a");
        catalog.add(guest(), "anna", "f".into(), Arc::clone(&of_guest));
        let slots = HashMap::from([(Arc::as_ptr(&of_guest), 1)]);
        catalog.publish(&slots, false);
        assert_eq!(ais.borrow().len(), 1);
        catalog.claim("big", ["anna-a".to_owned()].into());
        catalog.publish(&slots, true);
        assert_eq!(ais.borrow().len(), 0);
    }

    #[test]
    fn forgets_an_ai_that_no_node_offers_after_a_while() {
        let (served, ais) = watch::channel(Vec::new());
        let mut catalog = RemoteCatalog::new(served);
        catalog.add(guest(), "anna", "f".into(), ai("anna-a"));
        let pass = |catalog: &mut RemoteCatalog| {
            catalog
                .remote
                .values_mut()
                .flatten()
                .for_each(|remote| remote.offered -= MEMORY);
        };
        pass(&mut catalog);
        assert!(catalog.publish(&HashMap::new(), true), "NATS is away");
        assert!(
            catalog.publish(&HashMap::new(), false),
            "it may be back soon"
        );
        assert_eq!(ais.borrow().len(), 1);
        pass(&mut catalog);
        assert!(!catalog.publish(&HashMap::new(), false));
        assert_eq!(ais.borrow().len(), 0);
        assert!(!is_same(&catalog, &guest(), "anna-a"));
    }

    #[test]
    fn has_room_for_twice_the_ais_of_a_node() {
        let (served, _) = watch::channel(Vec::new());
        let mut catalog = RemoteCatalog::new(served);
        for number in 0..2 * MAX_AIS {
            assert!(catalog.has_room("anna"));
            catalog.add(guest(), "anna", "f".into(), ai(&format!("anna-{number}")));
        }
        assert!(!catalog.has_room("anna"));
        assert!(catalog.has_room("big"));
    }
}
