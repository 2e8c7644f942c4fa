//! `GET /v1/rollouts`: the AIs with a candidate, for admins.

use actix_web::{HttpRequest, HttpResponse, web};
use api::{
    call::{CLIENT, Call},
    problem::{Code, Problem},
    schemas::schema_of,
};
use server::{
    Endpoint,
    http::{client::admin_of, reply::respond},
    state::server_state::ServerState,
};

use crate::{reply::RolloutsReply, rollouts::Rollouts};

/// The calls, in the order of the `OpenAPI` document.
pub const ENDPOINTS: &[Endpoint] = &[Endpoint {
    route: || web::to(handle),
    call: Call {
        tag: "ai",
        summary: "List rollouts",
        description: "Returns what is known about each candidate that may replace an AI, as \
                      `rookery rollout` shows it. Requires the key of a client with `admin = \
                      true`.",
        errors: &[CLIENT, &[Code::NotFound]],
        example: include_str!("calls/example.json"),
        ..Call::get("listRollouts", "/v1/rollouts", schema_of::<RolloutsReply>)
    },
}];

async fn handle(request: HttpRequest) -> HttpResponse {
    let reply = || {
        admin_of(&request, "see rollouts")?;
        let rollouts = ServerState::of(&request)?.extras.get::<Rollouts>();
        let unknown = || Problem::new(Code::NotFound, "this server has no rollouts");
        Ok(rollouts.ok_or_else(unknown)?.reply())
    };
    respond(&request, reply())
}
