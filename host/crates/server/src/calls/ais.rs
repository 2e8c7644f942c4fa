//! `GET /v1/ais` and `GET /v1/ais/{id}`: the AIs.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data},
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::{
    endpoint::Endpoint,
    http::{
        client::client_of,
        reply::{respond, respond_tagged},
    },
    state::{
        failed_reload::FailedReload, generation::Generation, server_state::ServerState,
        snapshot::Snapshot,
    },
};
use api::{
    call::{CLIENT, Call, list},
    choice::find,
    problem::{Code, Problem},
    replies::ai_summary::AiSummary,
    schemas::schema_of,
};
use config::ClientSettings;

pub const ALL: Endpoint = Endpoint {
    route: || web::to(all),
    call: Call {
        tag: "ai",
        summary: "List AIs",
        description: "Lists the AIs of the server.",
        example: include_str!("ais/all.json"),
        ..Call::tagged("listAis", "/v1/ais", list::<AiDescription>)
    },
};
pub(crate) const ONE: Endpoint = Endpoint {
    route: || web::to(one),
    call: Call {
        tag: "ai",
        summary: "Describe an AI",
        description: "Describes an AI. For a client with a key and `admin = true`, the reply \
                      includes the AI's last fault.",
        parameters: ai_parameter,
        example: include_str!("ais/one.json"),
        errors: &[CLIENT, &[Code::UnknownAi]],
        ..Call::get("getAi", "/v1/ais/{id}", schema_of::<AiDescription>)
    },
};

/// An AI as clients see it.
#[derive(Debug, Serialize, ToSchema)]
pub struct AiDescription {
    #[serde(flatten)]
    ai: AiSummary,
    /// The time and errors of the last reload, if it failed. The AIs then differ from the
    /// configuration files.
    #[serde(skip_serializing_if = "Option::is_none")]
    reload: Option<FailedReload>,
}

async fn all(state: Data<ServerState>, request: HttpRequest) -> HttpResponse {
    let reply = || {
        let (generation, client) = (Snapshot::of(&request)?, client_of(&request)?);
        Ok::<_, Problem>(describe_all(&state, &generation, &client))
    };
    respond_tagged(&request, reply())
}

/// Describes the AIs to a client.
pub fn describe_all(
    state: &ServerState,
    generation: &Generation,
    client: &ClientSettings,
) -> Vec<AiDescription> {
    let reload = failed_reload(state, client);
    let describe = |ai| AiDescription {
        ai: AiSummary::new(ai, client),
        reload: reload.clone(),
    };
    generation
        .service()
        .ais()
        .iter()
        .filter(|ai| client.admin || generation.config().lets_see(client, &ai.id))
        .map(|ai| describe(ai))
        .collect()
}

async fn one(state: Data<ServerState>, request: HttpRequest) -> HttpResponse {
    let id = request.match_info().get("id").unwrap_or_default();
    let reply = || {
        let (generation, client) = (Snapshot::of(&request)?, client_of(&request)?);
        let ai = find(generation.service(), id)?;
        let summary = AiSummary::new(ai, &client);
        let ai = if client.admin {
            summary.with_last_fault(ai)
        } else {
            summary
        };
        Ok::<_, Problem>(AiDescription {
            ai,
            reload: failed_reload(&state, &client),
        })
    };
    respond(&request, reply())
}

/// Returns the last reload if it failed, with all details for an administrator.
fn failed_reload(state: &ServerState, client: &ClientSettings) -> Option<FailedReload> {
    let failed = state.failed_reload.load();
    failed.as_deref().map(|failed| {
        if client.admin {
            failed.in_full()
        } else {
            failed.clone()
        }
    })
}

fn ai_parameter() -> Vec<Value> {
    vec![
        json!({"name": "id", "in": "path", "required": true, "description": "The AI's id.",
                "schema": {"type": "string"}, "example": "basic1"}),
    ]
}
