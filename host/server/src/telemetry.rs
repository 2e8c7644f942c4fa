//! Metrics in the `OpenMetrics` text format, which Prometheus reads.
//!
//! No metric is global: those of requests and reloads belong to the service, those of an AI to the AI. Every label has few values: a
//! route, a status, a code, a state, or the id of a served AI.

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

/// The `Content-Type` of the text of [`render`].
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The metrics of requests and reloads.
#[derive(Clone, Debug)]
pub struct ServiceMetrics {
    responses: Family<ResponseLabels, Counter>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
    open: Gauge,
    reloads: Family<ReloadLabels, Counter>,
}

/// The labels of a response.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ResponseLabels {
    route: String,
    status: u16,
    code: &'static str,
}

/// The labels of a reload.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ReloadLabels {
    outcome: &'static str,
}

/// The labels of a call; the route is its path in the documentation.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

impl Default for ServiceMetrics {
    fn default() -> Self {
        Self {
            responses: Family::default(),
            durations: Family::new_with_constructor(seconds),
            open: Gauge::default(),
            reloads: Family::default(),
        }
    }
}

impl ServiceMetrics {
    /// Counts a started request.
    pub(crate) fn request_started(&self) {
        self.open.inc();
    }

    /// Counts a successful reload.
    pub(crate) fn reload_applied(&self) {
        self.reloads.get_or_create(&ReloadLabels { outcome: "applied" }).inc();
    }

    /// Counts a failed reload.
    pub(crate) fn reload_failed(&self) {
        self.reloads.get_or_create(&ReloadLabels { outcome: "failed" }).inc();
    }

    /// Counts a finished request.
    pub(crate) fn request_finished(&self, route: &str, status: u16, code: &'static str, time: Duration) {
        self.open.dec();
        let route = route.to_owned();
        self.responses.get_or_create(&ResponseLabels { route: route.clone(), status, code }).inc();
        self.durations.get_or_create(&RouteLabels { route }).observe(time.as_secs_f64());
    }
}

/// Renders all metrics. Blocks for milliseconds to read the memory of every worker from the kernel.
///
/// # Errors
/// A metric or label cannot be encoded.
pub fn render(service: &ServiceMetrics, ais: Vec<Arc<Ai>>) -> Result<String, fmt::Error> {
    let mut registry = Registry::with_prefix("rookery");
    let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
    registry.register("build", "Version of the server", build);
    let ServiceMetrics { responses, durations, open, reloads } = service.clone();
    registry.register("http_requests", "Requests by status; 499 if the client disconnected", responses);
    registry.register(
        "http_request_duration_seconds",
        "Time from the head of a request to its response",
        durations,
    );
    registry.register("http_requests_open", "Requests in progress", open);
    registry.register("reloads", "Configuration reloads by outcome", reloads);
    registry.register_collector(Box::new(AiMetrics(ais)));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

/// The metrics of the served AIs.
#[derive(Debug)]
struct AiMetrics(Vec<Arc<Ai>>);

impl Collector for AiMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        self.counter(&mut encoder, "ai_searches", "Completed searches of the AI", |ai| {
            ai.stats.searches.get()
        })?;
        self.counter(&mut encoder, "ai_evaluations", "Completed static evaluations of the AI", |ai| {
            ai.stats.evaluations.get()
        })?;
        self.counter(&mut encoder, "ai_nodes", "Searched nodes, as the AI reports them", |ai| {
            ai.stats.nodes.get()
        })?;
        self.counter(&mut encoder, "ai_restarts", "Restarted workers of the AI", |ai| {
            ai.stats.restarts.get()
        })?;
        self.gauge(&mut encoder, "ai_queue_length", "Requests in the queue of the AI", |ai| {
            vec![(None, ai.queue_length() as u64)]
        })?;
        self.gauge(&mut encoder, "ai_workers", "Workers of the AI by state", |ai| {
            let states = ai.workers_by_state().into_iter();
            states.map(|(state, workers)| (Some(("state", state.into_str())), workers as u64)).collect()
        })?;
        self.gauge(&mut encoder, "ai_memory_bytes", "Resident memory of the AI's workers", |ai| {
            vec![(None, ai.stats.resident_bytes())]
        })?;
        self.faults(&mut encoder)?;
        self.thinking(&mut encoder)
    }
}

/// An optional label beside the id of the AI, and the value.
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
        let help = "Faults of the AI by code";
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
        let help = "Time that the AI spent on each request";
        let mut family = encoder.encode_descriptor("ai_thinking_seconds", help, None, Histogram::TYPE)?;
        self.0.iter().try_for_each(|ai| {
            let labels = [("ai", ai.id.as_str())];
            ai.stats.thinking.encode(family.encode_family(&labels)?)
        })
    }
}
