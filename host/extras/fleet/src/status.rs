//! The state of a fleet, as a gateway knows it.

use std::collections::BTreeMap;

use serde::Serialize;
use strum::{IntoStaticStr, VariantArray};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetStatus {
    /// Whether NATS is reachable.
    pub connected: bool,
    /// The nodes that were heard from recently, by name.
    pub nodes: BTreeMap<String, NodeStatus>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeStatus {
    pub state: NodeState,
    pub ais: Vec<NodeAi>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray, IntoStaticStr, Serialize)]
#[strum(serialize_all = "snake_case", const_into_str)]
#[serde(rename_all = "snake_case")]
pub enum NodeState {
    Ready,
    /// Finishes its jobs and rejects new ones.
    Draining,
    /// Silent for too long.
    Lost,
}

/// A node's AI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeAi {
    /// The id under which this server serves it.
    pub id: String,
    pub fingerprint: String,
    pub slots: usize,
    pub free: usize,
    /// Why it is not served.
    pub unserved: Option<String>,
}
