//! Numbers for a monitoring system, in the text format of `OpenMetrics`, which Prometheus reads.
//!
//! Nothing here is global: the numbers of requests and reloads live in the service, those of an AI with the AI, and go with them. What
//! stands in a label is one of few: a route, a status, a code, a state, or the id of an AI that is there.

use std::{fmt, sync::Arc, time::Duration};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, text::encode},
    metrics::{
        MetricType, TypedMetric,
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::{ConstGauge, Gauge},
        histogram::Histogram,
        info::Info,
    },
    registry::Registry,
};

use pool::{Ai, seconds};

/// The `Content-Type` of [`render`]'s text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What is counted of requests and reloads.
#[derive(Clone, Debug)]
pub struct ServiceMetrics {
    answers: Family<Answer, Counter>,
    times: Family<Route, Histogram, fn() -> Histogram>,
    open: Gauge,
    reloads: Family<Reload, Counter>,
}

/// How a request was answered.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answer {
    route: String,
    status: u16,
    code: &'static str,
}

/// How a reload went.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Reload {
    outcome: &'static str,
}

/// A call, by its path in the documentation.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Route {
    route: String,
}

impl Default for ServiceMetrics {
    fn default() -> Self {
        Self {
            answers: Family::default(),
            times: Family::new_with_constructor(seconds),
            open: Gauge::default(),
            reloads: Family::default(),
        }
    }
}

impl ServiceMetrics {
    /// A request has come.
    pub(crate) fn request_started(&self) {
        self.open.inc();
    }

    /// A changed configuration has been taken over.
    pub(crate) fn taken_over(&self) {
        self.reloads.get_or_create(&Reload { outcome: "applied" }).inc();
    }

    /// A changed configuration could not be taken over.
    pub(crate) fn not_taken_over(&self) {
        self.reloads.get_or_create(&Reload { outcome: "failed" }).inc();
    }

    /// A request that had come is done with.
    pub(crate) fn request_finished(&self, route: &str, status: u16, code: &'static str, time: Duration) {
        self.open.dec();
        let route = route.to_owned();
        self.answers.get_or_create(&Answer { route: route.clone(), status, code }).inc();
        self.times.get_or_create(&Route { route }).observe(time.as_secs_f64());
    }
}

/// All numbers, now. Reads the memory of every worker from the kernel, so it may take milliseconds.
///
/// # Errors
/// A number or label that can't be written.
pub fn render(service: &ServiceMetrics, ais: Vec<Arc<Ai>>) -> Result<String, fmt::Error> {
    let mut registry = Registry::with_prefix("rookery");
    let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
    registry.register("build", "The version that runs", build);
    let ServiceMetrics { answers, times, open, reloads } = service.clone();
    registry.register(
        "http_requests",
        "Requests that were answered, or left by their clients (499)",
        answers,
    );
    registry.register("http_request_duration_seconds", "Time from a request's head to its answer", times);
    registry.register("http_requests_open", "Requests that are being answered", open);
    registry.register(
        "reloads",
        "Times that a changed configuration was taken over, or could not be",
        reloads,
    );
    registry.register_collector(Box::new(AiMetrics(ais)));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

/// The numbers of the AIs that there are.
#[derive(Debug)]
struct AiMetrics(Vec<Arc<Ai>>);

impl Collector for AiMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        self.counter(&mut encoder, "ai_searches", "Searches that the AI answered", |ai| {
            ai.stats.searches.get()
        })?;
        self.counter(&mut encoder, "ai_evaluations", "Judgements that the AI answered", |ai| {
            ai.stats.evaluations.get()
        })?;
        self.counter(&mut encoder, "ai_nodes", "Positions that the AI says it looked at", |ai| {
            ai.stats.nodes.get()
        })?;
        self.counter(&mut encoder, "ai_restarts", "Workers started in the place of others", |ai| {
            ai.stats.restarts.get()
        })?;
        self.gauge(&mut encoder, "ai_queue_length", "Requests that wait for the AI", |ai| {
            vec![(None, ai.queue_length() as u64)]
        })?;
        self.gauge(&mut encoder, "ai_workers", "Workers of the AI by what they are doing", |ai| {
            let states = ai.workers_by_state().into_iter();
            states.map(|(state, workers)| (Some(("state", state.into_str())), workers as u64)).collect()
        })?;
        self.gauge(&mut encoder, "ai_memory_bytes", "Memory that the AI's workers hold", |ai| {
            vec![(None, ai.stats.resident_bytes())]
        })?;
        self.faults(&mut encoder)?;
        self.thinking(&mut encoder)
    }
}

/// A label beside the AI's id, and the value.
type Labelled = (Option<(&'static str, &'static str)>, u64);

impl AiMetrics {
    fn counter(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        value: impl Fn(&Ai) -> u64,
    ) -> fmt::Result {
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        self.0.iter().try_for_each(|ai| {
            let labels = [("ai", ai.id.as_str())];
            ConstCounter::new(value(ai)).encode(family.encode_family(&labels)?)
        })
    }

    fn gauge(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        values: impl Fn(&Ai) -> Vec<Labelled>,
    ) -> fmt::Result {
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for ai in &self.0 {
            for (label, value) in values(ai) {
                let labels: Vec<_> = [("ai", ai.id.as_str())].into_iter().chain(label).collect();
                ConstGauge::new(value).encode(family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }

    fn faults(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Times that the AI did something else than answering";
        let mut family = encoder.encode_descriptor("ai_faults", help, None, MetricType::Counter)?;
        for ai in &self.0 {
            for (code, times) in ai.stats.faults_by_code() {
                let labels = [("ai", ai.id.as_str()), ("code", code.into_str())];
                ConstCounter::new(times).encode(family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }

    fn thinking(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Time that the AI had each question";
        let mut family = encoder.encode_descriptor("ai_thinking_seconds", help, None, Histogram::TYPE)?;
        self.0.iter().try_for_each(|ai| {
            let labels = [("ai", ai.id.as_str())];
            ai.stats.thinking.encode(family.encode_family(&labels)?)
        })
    }
}
