//! `GET /metrics`: metrics for Prometheus.

use crate::{
    containment::contained,
    endpoint::Endpoint,
    http::{
        accept::preferred,
        client::{admit, ensure_answered_here, not_admin},
        problem::respond_problem,
    },
    state::{
        server_state::ServerState,
        snapshot::Snapshot,
        telemetry::{MetricsFormat, render},
    },
};
use actix_web::{
    HttpRequest, HttpResponse,
    http::header::AUTHORIZATION,
    web::{self, Data},
};
use api::{
    call::{Call, ReplyType, text},
    problem::{Code, Problem},
};
use config::MetricsAccess;

const FORMATS: [(MetricsFormat, &str, &str); 2] = [
    (
        MetricsFormat::OpenMetrics,
        "application",
        "openmetrics-text",
    ),
    (MetricsFormat::Text, "text", "plain"),
];

pub(crate) const CALL: Endpoint = Endpoint {
    route: || web::to(metrics),
    call: Call {
        tag: "server",
        summary: "Get Prometheus metrics",
        description: "`metrics` in the configuration sets which clients may read them. Metrics \
                      per client require the key of a client with `admin = true`.",
        reply_description: "The metrics as OpenMetrics text, or as Prometheus text 0.0.4 if \
            `Accept` prefers `text/plain`.",
        reply: ReplyType {
            media_type: MetricsFormat::OpenMetrics.content_type(),
            schema: text,
        },
        alternative: Some(ReplyType {
            media_type: MetricsFormat::Text.content_type(),
            schema: text,
        }),
        example: include_str!("metrics/example.json"),
        errors: &[&[
            Code::UnknownClient,
            Code::RateLimited,
            Code::NotFound,
            Code::Internal,
        ]],
        ..Call::get("getMetrics", "/metrics", text)
    },
};

/// Returns the generation of a request whose client may read the metrics, and whether the client
/// may read the `client_…` metrics.
fn check(request: &HttpRequest) -> Result<(Snapshot, bool), Problem> {
    ensure_answered_here(request)?;
    let generation = Snapshot::of(request)?;
    let access = generation.config().server.metrics;
    if access == MetricsAccess::Off {
        let detail =
            "the metrics are disabled; the server's operator can enable them with `metrics`";
        return Err(Problem::new(Code::NotFound, detail));
    }
    let is_open = access == MetricsAccess::Open;
    let is_anonymous = is_open && !request.headers().contains_key(AUTHORIZATION);
    let is_admin = !is_anonymous && admit(request)?.client.admin;
    if is_open || is_admin {
        Ok((generation, is_admin))
    } else {
        Err(not_admin("read the metrics"))
    }
}

async fn metrics(state: Data<ServerState>, request: HttpRequest) -> HttpResponse {
    let (generation, is_admin) = match check(&request) {
        Ok(checked) => checked,
        Err(problem) => return respond_problem(&request, &problem),
    };
    let format = preferred(&request, &FORMATS).unwrap_or(MetricsFormat::OpenMetrics);
    // Reading the memory of each worker from the kernel must not block other requests.
    let rendered = web::block(move || {
        let clients = generation
            .usages
            .all()
            .chain([&state.metrics.other_clients]);
        let clients = if is_admin {
            clients.cloned().collect()
        } else {
            Vec::new()
        };
        contained(|| render(&state.metrics, &state.extras, &generation, clients, format))
    })
    .await;
    match rendered {
        Ok(Ok(text)) => HttpResponse::Ok()
            .content_type(format.content_type())
            .body(text),
        Ok(Err(_)) | Err(_) => respond_problem(
            &request,
            &Problem::new(Code::Internal, "the metrics could not be read"),
        ),
    }
}
