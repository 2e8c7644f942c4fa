//! Metrics in the `OpenMetrics` text format, which Prometheus reads.
//!
//! No metric is global: request and reload metrics belong to the service, and AI metrics to the AI.
//! Every label has few values: a route, a status, a code, a state, or the id of a served AI or a
//! configured client.

mod certificate;
mod process;
mod text_format;

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, text::encode},
    metrics::{
        TypedMetric,
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::{ConstGauge, Gauge},
        histogram::Histogram,
        info::Info,
    },
    registry::Registry,
};

use crate::state::{client_usage::ClientUsage, generation::Generation};
use certificate::expiry;
use text_format::text_format;

use game::{AnswerCounts, Extras};
use pool::{Ai, seconds};

/// The format of the metrics.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MetricsFormat {
    OpenMetrics,
    /// Prometheus's text format, version 0.0.4.
    Text,
}

impl MetricsFormat {
    pub(crate) const fn content_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
        }
    }
}

/// The label for requests without a configured client. It is not a valid client id.
const OTHER_CLIENTS: &str = "(other)";

/// The metrics of requests and reloads.
#[derive(Clone, Debug)]
pub(crate) struct ServiceMetrics {
    responses: Family<ResponseLabels, Counter>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
    open: Gauge,
    reloads: Family<ReloadLabels, Counter>,
    last_reload: LastReload,
    pub(crate) log_dropped: Arc<AtomicU64>,
    /// The usage of requests without a configured client.
    pub(crate) other_clients: Arc<ClientUsage>,
}

/// The outcome and the time of the last reload.
#[derive(Clone, Debug)]
struct LastReload {
    successful: Gauge,
    time: Gauge<f64, AtomicU64>,
}

impl LastReload {
    fn set(&self, is_successful: bool) {
        self.successful.set(is_successful.into());
        self.time.set(
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .as_secs_f64(),
        );
    }
}

/// Startup counts as a successful reload.
impl Default for LastReload {
    fn default() -> Self {
        let start = Self {
            successful: Gauge::default(),
            time: Gauge::default(),
        };
        start.set(true);
        start
    }
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
            last_reload: LastReload::default(),
            log_dropped: Arc::default(),
            other_clients: Arc::default(),
        }
    }
}

impl ServiceMetrics {
    pub(crate) fn request_started(&self) {
        self.open.inc();
    }

    pub(crate) fn reload_finished(&self, is_applied: bool) {
        self.last_reload.set(is_applied);
        let outcome = if is_applied { "applied" } else { "failed" };
        self.reloads.get_or_create(&ReloadLabels { outcome }).inc();
    }

    pub(crate) fn request_finished(
        &self,
        route: String,
        status: u16,
        code: &'static str,
        time: Duration,
    ) {
        self.open.dec();
        self.responses
            .get_or_create(&ResponseLabels {
                route: route.clone(),
                status,
                code,
            })
            .inc();
        self.durations
            .get_or_create(&RouteLabels { route })
            .observe(time.as_secs_f64());
    }
}

/// Renders all metrics. Blocks for milliseconds to read the memory of every worker from the kernel.
///
/// # Errors
/// A metric or label cannot be encoded.
pub(crate) fn render(
    service: &ServiceMetrics,
    extras: &Extras,
    generation: &Generation,
    clients: Vec<Arc<ClientUsage>>,
    format: MetricsFormat,
) -> Result<String, fmt::Error> {
    let mut root = Registry::default();
    process::register(&mut root);
    let registry = root.sub_registry_with_prefix("rookery");
    let config = generation.config();
    let sha256 = Info::new([("sha256", config.sha256().to_string())]);
    registry.register("config", "SHA-256 of the configuration file", sha256);
    if let Some(expiry) = config
        .server
        .tls
        .as_ref()
        .and_then(|tls| expiry(tls.own_certificate()))
    {
        let help = "Unix time at which the TLS certificate expires";
        registry.register(
            "tls_certificate_expiry_timestamp_seconds",
            help,
            ConstGauge::new(expiry),
        );
    }
    let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
    registry.register("build", "Version of the server", build);
    let ServiceMetrics {
        responses,
        durations,
        open,
        reloads,
        last_reload,
        log_dropped,
        ..
    } = service.clone();
    registry.register(
        "http_requests",
        "Requests by status; 499 if the client disconnected",
        responses,
    );
    registry.register(
        "http_request_duration_seconds",
        "Time from the head of a request to its response",
        durations,
    );
    registry.register("http_requests_open", "Requests in progress", open);
    registry.register("reloads", "Configuration reloads by outcome", reloads);
    registry.register(
        "config_last_reload_successful",
        "1 if the last reload (or the start) was successful",
        last_reload.successful,
    );
    registry.register(
        "config_last_reload_timestamp_seconds",
        "Unix time of the last reload (or the start)",
        last_reload.time,
    );
    let log_dropped = ConstCounter::new(log_dropped.load(Ordering::Relaxed));
    registry.register(
        "log_dropped",
        "Log lines dropped because the reader was too slow",
        log_dropped,
    );
    for extra in extras.iter() {
        extra.register_metrics(registry);
    }
    if let Some(counts) = generation.service().answer_counts() {
        registry.register_collector(Box::new(CacheMetrics(counts)));
    }
    registry.register_collector(Box::new(AiMetrics(generation.service().every_ai())));
    registry.register_collector(Box::new(ClientMetrics(clients)));
    let mut text = String::new();
    encode(&mut text, &root)?;
    Ok(match format {
        MetricsFormat::OpenMetrics => text,
        MetricsFormat::Text => text_format(&text),
    })
}

/// The metrics of kept answers.
#[derive(Debug)]
struct CacheMetrics(AnswerCounts);

impl Collector for CacheMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let AnswerCounts {
            searched,
            joined,
            kept,
            bytes,
        } = self.0;
        let help = "Repeatable searches by result: a kept answer (hit), another request's \
                    search (joined) or a new search (miss)";
        let requests = ConstCounter::<u64>::TYPE;
        let mut family = encoder.encode_descriptor("cache_requests", help, None, requests)?;
        for (result, count) in [("hit", kept), ("joined", joined), ("miss", searched)] {
            ConstCounter::new(count).encode(family.encode_family(&[("result", result)])?)?;
        }
        let size = ConstGauge::new(bytes);
        let (name, kind) = ("cache_bytes", size.metric_type());
        size.encode(encoder.encode_descriptor(name, "Memory of the kept answers", None, kind)?)
    }
}

/// The metrics of clients.
#[derive(Debug)]
struct ClientMetrics(Vec<Arc<ClientUsage>>);

impl Collector for ClientMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let encoder = &mut encoder;
        self.family(
            encoder,
            "client_requests",
            "Finished requests of the client",
            |usage| ConstCounter::new(usage.requests()),
        )?;
        self.family(
            encoder,
            "client_rejections",
            "Rejected requests of the client",
            |usage| ConstCounter::new(usage.rejections()),
        )?;
        self.family(
            encoder,
            "client_ai_seconds",
            "Time that AIs spent on the client's requests",
            |usage| ConstCounter::new(usage.ai_seconds()),
        )
    }
}

impl ClientMetrics {
    fn family<M: EncodeMetric + TypedMetric>(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        metric: impl Fn(&ClientUsage) -> M,
    ) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut family = encoder.encode_descriptor(name, help, None, M::TYPE)?;
        for usage in &self.0 {
            let client = if usage.id.is_empty() {
                OTHER_CLIENTS
            } else {
                &usage.id
            };
            metric(usage).encode(family.encode_family(&[("client", client)])?)?;
        }
        Ok(())
    }
}

/// The metrics of the served AIs.
#[derive(Debug)]
struct AiMetrics(Vec<Arc<Ai>>);

impl Collector for AiMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let encoder = &mut encoder;
        self.family(
            encoder,
            "ai_searches",
            "Completed searches of the AI",
            |ai| [(None, ai.stats.searches.clone())],
        )?;
        self.family(
            encoder,
            "ai_evaluations",
            "Completed static evaluations of the AI",
            |ai| [(None, ai.stats.evaluations.clone())],
        )?;
        self.family(
            encoder,
            "ai_nodes",
            "Nodes searched, as reported by the AI",
            |ai| [(None, ai.stats.nodes.clone())],
        )?;
        self.family(encoder, "ai_restarts", "Worker restarts of the AI", |ai| {
            [(None, ai.stats.restarts.clone())]
        })?;
        self.family(
            encoder,
            "ai_queue_length",
            "Requests in the AI's queue",
            |ai| [(None, ConstGauge::new(ai.queue_length() as u64))],
        )?;
        self.family(
            encoder,
            "ai_longest_wait_seconds",
            "Time that the AI's oldest queued request has waited",
            |ai| [(None, ConstGauge::new(ai.longest_wait().as_secs_f64()))],
        )?;
        self.slots(encoder)?;
        self.family(encoder, "ai_workers", "Workers of the AI by state", |ai| {
            let states = ai.workers_by_state().into_iter();
            states.map(|(state, workers)| {
                (
                    Some(("state", state.into_str())),
                    ConstGauge::new(workers as u64),
                )
            })
        })?;
        self.family(
            encoder,
            "ai_memory_bytes",
            "Resident memory of the AI's workers",
            |ai| [(None, ConstGauge::new(ai.stats.resident_bytes()))],
        )?;
        self.family(encoder, "ai_faults", "Faults of the AI by code", |ai| {
            let faults = ai.stats.faults_by_code().into_iter();
            faults.map(|(code, times)| (Some(("code", code.into_str())), ConstCounter::new(times)))
        })?;
        self.family(
            encoder,
            "ai_thinking_seconds",
            "Time that the AI spent on each request",
            |ai| [(None, ai.stats.thinking.clone())],
        )?;
        self.family(
            encoder,
            "ai_waiting_seconds",
            "Time that each request waited in the AI's queue",
            |ai| [(None, ai.stats.waiting.clone())],
        )
    }
}

type Label = (&'static str, &'static str);

impl AiMetrics {
    /// Encodes the slots of nodes.
    fn slots(&self, encoder: &mut DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Slots of nodes that serve the AI, by state";
        let mut family =
            encoder.encode_descriptor("ai_slots", help, None, ConstGauge::<u64>::TYPE)?;
        for ai in &self.0 {
            let Some(fingerprint) = ai.fingerprint.get().map(ToString::to_string) else {
                continue;
            };
            let (slots, busy) = ai.nodes().values().fold((0, 0), |(slots, busy), count| {
                (slots + count.slots as u64, busy + count.busy as u64)
            });
            for (state, count) in [("busy", busy), ("free", slots - busy)] {
                let labels = [
                    ("ai", ai.id.as_str()),
                    ("fingerprint", fingerprint.as_str()),
                    ("state", state),
                ];
                ConstGauge::new(count).encode(family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }

    /// Encodes the metrics of each AI, with the AI's id and an optional label.
    fn family<M: EncodeMetric + TypedMetric, I: IntoIterator<Item = (Option<Label>, M)>>(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        metrics: impl Fn(&Ai) -> I,
    ) -> fmt::Result {
        let mut family = encoder.encode_descriptor(name, help, None, M::TYPE)?;
        for ai in &self.0 {
            for (label, metric) in metrics(ai) {
                let labels: Vec<_> = [("ai", ai.id.as_str())].into_iter().chain(label).collect();
                metric.encode(family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}
