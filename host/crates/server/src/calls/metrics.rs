//! `GET /metrics`: metrics for Prometheus.

use crate::{
    calls::call::{Call, Reply, text},
    http::client::admit,
    problem::{Code, Problem},
    state::{
        server_state::ServerState,
        snapshot::Snapshot,
        telemetry::{CONTENT_TYPE, render},
    },
};
use actix_web::{
    HttpRequest, HttpResponse, Responder,
    web::{self, Data},
};
use config::MetricsAccess;

pub(crate) const CALL: Call = Call {
    tag: "server",
    summary: "Metrics for Prometheus",
    description: "`metrics` in the configuration sets which clients may read them.",
    reply_description: "The metrics in the text format of OpenMetrics.",
    reply: Reply { media_type: CONTENT_TYPE, schema: text },
    example: include_str!("metrics/example.json"),
    errors: &[&[Code::UnknownClient, Code::RateLimited, Code::NotFound, Code::Internal]],
    ..Call::get("metrics", "/metrics", || web::to(metrics), text)
};

/// Returns the generation of a request whose client may read the metrics.
fn check(request: &HttpRequest) -> Result<Snapshot, Problem> {
    let generation = Snapshot::of(request)?;
    let detail = match generation.config().server.metrics {
        MetricsAccess::Open => return Ok(generation),
        MetricsAccess::Admin if admit(request)?.client.admin => return Ok(generation),
        MetricsAccess::Admin => {
            "only clients with `admin = true` may read the metrics; send the key of such a client"
        }
        MetricsAccess::Off => {
            "the metrics are disabled; the operator of the server can enable them with `metrics`"
        }
    };
    Err(Problem::new(Code::NotFound, detail))
}

async fn metrics(state: Data<ServerState>, request: HttpRequest) -> HttpResponse {
    let generation = match check(&request) {
        Ok(generation) => generation,
        Err(problem) => return problem.respond_to(&request),
    };
    // Reading the memory of each worker from the kernel must not block other requests.
    let rendered =
        web::block(move || render(&state.metrics, state.fleet.as_deref(), generation.service().every_ai()))
            .await;
    match rendered {
        Ok(Ok(text)) => HttpResponse::Ok().content_type(CONTENT_TYPE).body(text),
        Ok(Err(_)) | Err(_) => {
            Problem::new(Code::Internal, "the metrics could not be read").respond_to(&request)
        }
    }
}
