//! Metrics of rollouts.

use std::fmt;

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric as _},
    metrics::{MetricType, counter::ConstCounter},
    registry::Registry,
};

use crate::{
    state::RolloutState,
    tallies::{ShadowCounts, Tallies, TrafficSide},
};

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
        let sides = |of: fn(&TrafficSide) -> u64| {
            move |tallies: &Tallies| {
                [
                    ("ai", of(&tallies.ai)),
                    ("candidate", of(&tallies.candidate)),
                ]
            }
        };
        let encoder = &mut encoder;
        let requests = (
            "rollout_requests",
            "Clients' requests to the AI and to its candidate",
        );
        self.family(encoder, requests, "side", sides(|side| side.requests))?;
        let faults = (
            "rollout_faults",
            "Faults in rollouts, including shadow requests",
        );
        self.family(encoder, faults, "side", sides(TrafficSide::failed))?;
        let copies = ("rollout_shadows", "Copied requests by outcome");
        self.family(encoder, copies, "outcome", |tallies| {
            let ShadowCounts { asked, dropped } = tallies.shadow;
            [("asked", asked), ("dropped", dropped)]
        })
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
