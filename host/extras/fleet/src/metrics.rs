//! The metrics of a gateway.

use pool::seconds;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};
use strum::{IntoStaticStr, VariantArray as _};

use crate::status::{FleetStatus, NodeState};

#[derive(Clone, Debug)]
pub(crate) struct FleetMetrics {
    /// Questions to nodes by outcome.
    pub asks: Family<AskLabels, Counter>,
    /// The time until a node accepts a question.
    pub dispatch: Histogram,
}

impl Default for FleetMetrics {
    fn default() -> Self {
        Self {
            asks: Family::default(),
            dispatch: seconds(),
        }
    }
}

#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(crate) struct AskLabels {
    outcome: &'static str,
}

/// The labels of nodes.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct NodeLabels {
    state: &'static str,
}

/// The outcome of a question.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum AskOutcome {
    Answered,
    /// The node had no free slot.
    Busy,
    /// The node did not accept the job in time.
    Unaccepted,
    /// The node or its job has disappeared.
    Lost,
    /// The AI failed.
    Fault,
    /// The job ran out of time.
    Late,
    /// The client has left.
    Cancelled,
}

impl FleetMetrics {
    pub(crate) fn register(&self, status: &FleetStatus, registry: &mut Registry) {
        let connected: Gauge = Gauge::default();
        connected.set(status.connected.into());
        registry.register("fleet_connected", "1 if NATS is reachable", connected);
        let nodes = Family::<NodeLabels, Gauge>::default();
        for &state in NodeState::VARIANTS {
            let in_state = status
                .nodes
                .values()
                .filter(|node| node.state == state)
                .count();
            nodes
                .get_or_create(&NodeLabels {
                    state: state.into_str(),
                })
                .set(in_state as i64);
        }
        registry.register("fleet_nodes", "Nodes by state", nodes);
        registry.register(
            "fleet_asks",
            "Jobs sent to nodes by outcome",
            self.asks.clone(),
        );
        registry.register(
            "fleet_dispatch_seconds",
            "Time until a node accepts a job",
            self.dispatch.clone(),
        );
    }

    pub(crate) fn record(&self, outcome: AskOutcome) {
        self.asks
            .get_or_create(&AskLabels {
                outcome: outcome.into_str(),
            })
            .inc();
    }
}
