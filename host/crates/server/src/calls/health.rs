//! `GET /healthz` and `GET /readyz`: whether the server is alive, and whether it is ready.

use crate::{endpoint::Endpoint, http::problem::respond_problem, state::server_state::ServerState};
use actix_web::{HttpRequest, HttpResponse, web};
use api::{
    call::Call,
    problem::{Code, Problem},
    schemas::{Schemas, written},
};
use serde_json::{Value, json};

pub(crate) const HEALTHZ: Endpoint = Endpoint {
    route: || web::to(healthz),
    call: Call {
        tag: "server",
        summary: "Check liveness",
        description: "Returns `alive` while the server runs.",
        example: r#"{"reply": {"status": "alive"}}"#,
        ..Call::get("getHealth", "/healthz", status)
    },
};
pub(crate) const READYZ: Endpoint = Endpoint {
    route: || web::to(readyz),
    call: Call {
        tag: "server",
        summary: "Check readiness",
        description: "Returns `ready`. While the server shuts down or a configured AI is \
                      unavailable, the reply is an error.",
        example: r#"{"reply": {"status": "ready"}}"#,
        errors: &[&[Code::AiUnavailable]],
        ..Call::get("getReadiness", "/readyz", status)
    },
};

fn status(schemas: &mut Schemas) -> Value {
    let status = written(
        "HealthStatus",
        json!({"type": "string", "enum": ["alive", "ready"]}),
        schemas,
    );
    let reply = json!({"type": "object", "required": ["status"], "properties": {"status": status}});
    written("HealthReply", reply, schemas)
}

async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(json!({"status": "alive"}))
}

async fn readyz(state: web::Data<ServerState>, request: HttpRequest) -> HttpResponse {
    if state.is_ready() {
        return HttpResponse::Ok().json(json!({"status": "ready"}));
    }
    let detail = "the server is shutting down, or a configured AI is unavailable; see GET /v1/ais";
    // Not logged, because probes may come several times a second.
    respond_problem(&request, &Problem::ai_unavailable(detail).expected())
}
