//! What a gateway counts.

use pool::seconds;
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, histogram::Histogram},
};
use strum::IntoStaticStr;

#[derive(Clone, Debug)]
pub struct FleetMetrics {
    /// Questions to nodes, by what became of them.
    pub asks: Family<AskLabels, Counter>,
    /// The time from a question to its acceptance.
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
pub struct AskLabels {
    outcome: &'static str,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum AskOutcome {
    Answered,
    /// The node had no free slot.
    Busy,
    /// The node did not say in time that it runs the job.
    Unaccepted,
    /// The node has disappeared, or the job on it.
    Lost,
    /// The AI failed.
    Fault,
    /// The time was up.
    Late,
    /// The client has left.
    Cancelled,
}

impl FleetMetrics {
    pub(crate) fn record(&self, outcome: AskOutcome) {
        self.asks
            .get_or_create(&AskLabels {
                outcome: outcome.into_str(),
            })
            .inc();
    }
}
