//! Metrics of rollouts.

use std::fmt;

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric as _},
    metrics::{MetricType, counter::ConstCounter},
    registry::Registry,
};

use crate::{state::RolloutState, tallies::Tallies};

/// The tallies by AI.
#[derive(Debug)]
struct RolloutMetrics(Vec<(String, Tallies)>);

pub(crate) fn register(state: &RolloutState, registry: &mut Registry) {
    let running = state.running();
    let tallies = running
        .iter()
        .map(|(ai, rollout)| (ai.clone(), rollout.tallies.clone()));
    registry.register_collector(Box::new(RolloutMetrics(tallies.collect())));
}

impl Collector for RolloutMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let encoder = &mut encoder;
        self.family(
            encoder,
            (
                "rollout_requests",
                "Clients' requests by the side that was asked",
            ),
            "side",
            |tallies| {
                [
                    ("ai", tallies.ai.requests),
                    ("candidate", tallies.candidate.requests),
                ]
            },
        )?;
        self.family(
            encoder,
            (
                "rollout_faults",
                "Faults in rollouts, those of shadow requests counted",
            ),
            "side",
            |tallies| {
                [
                    ("ai", tallies.ai.failed()),
                    ("candidate", tallies.candidate.failed()),
                ]
            },
        )?;
        self.family(
            encoder,
            ("rollout_shadows", "Copied requests by what became of them"),
            "outcome",
            |tallies| {
                [
                    ("asked", tallies.shadow.asked),
                    ("dropped", tallies.shadow.dropped),
                ]
            },
        )
    }
}

impl RolloutMetrics {
    fn family(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        (name, help): (&str, &str),
        label: &str,
        counts: impl Fn(&Tallies) -> [(&'static str, u64); 2],
    ) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        for (ai, tallies) in &self.0 {
            for (value, count) in counts(tallies) {
                let labels = [("ai", ai.as_str()), (label, value)];
                ConstCounter::new(count).encode(family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}
