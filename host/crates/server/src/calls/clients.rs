//! `GET /v1/clients`: the configured clients and their usage, for admins.

use std::time::SystemTime;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::endpoint::Endpoint;
use crate::{
    http::{client::admin_of, reply::respond},
    state::snapshot::Snapshot,
};
use api::{
    call::{CLIENT, Call},
    problem::Code,
    replies::client_summary::ClientSummary,
    schemas::schema_of,
};

pub(crate) const CALL: Endpoint = Endpoint {
    route: || web::to(handle),
    call: Call {
        tag: "ai",
        summary: "List clients",
        description: "Lists the configured clients with their usage. Requires the key of a client \
                      with `admin = true`.",
        errors: &[CLIENT, &[Code::NotFound]],
        example: include_str!("clients/example.json"),
        ..Call::get("listClients", "/v1/clients", schema_of::<ClientsReply>)
    },
};

/// The reply of `GET /v1/clients`.
#[derive(Debug, Serialize, ToSchema)]
struct ClientsReply {
    /// The clients, sorted by id.
    clients: Vec<ClientReply>,
}

/// A configured client. Its counts start when the client is first configured and continue after
/// reloads.
#[derive(Debug, Serialize, ToSchema)]
struct ClientReply {
    #[serde(flatten)]
    client: ClientSummary,
    /// The number of finished requests.
    finished: u64,
    /// The number of requests rejected with 401, 403, 429 or 503.
    rejected: u64,
    /// The time that AIs spent on its requests.
    ai_seconds: f64,
}

async fn handle(request: HttpRequest) -> HttpResponse {
    let reply = || {
        admin_of(&request, "list the clients")?;
        let (generation, now) = (Snapshot::of(&request)?, SystemTime::now());
        let clients = generation.usages.all().filter_map(|usage| {
            let client = generation.config().clients.get(&usage.id)?;
            Some(ClientReply {
                client: ClientSummary::new(client, now),
                finished: usage.requests(),
                rejected: usage.rejections(),
                ai_seconds: usage.ai_seconds(),
            })
        });
        Ok(ClientsReply {
            clients: clients.collect(),
        })
    };
    respond(&request, reply())
}
