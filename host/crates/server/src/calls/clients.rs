//! `GET /v1/clients`: the configured clients and their usage, for admins.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    calls::{
        call::{CLIENT, Call},
        schemas::schema_of,
    },
    http::{client::admin_of, reply::respond},
    problem::Code,
    state::snapshot::Snapshot,
};

pub(crate) const CALL: Call = Call {
    tag: "AIs",
    summary: "Clients",
    description: "Lists the configured clients with their usage, for a client with a key and `admin = true`.",
    errors: &[CLIENT, &[Code::NotFound]],
    example: include_str!("clients/example.json"),
    ..Call::get("clients", "/v1/clients", || web::to(handle), schema_of::<ClientsReply>)
};

/// The reply of `GET /v1/clients`.
#[derive(Debug, Serialize, ToSchema)]
struct ClientsReply {
    /// The clients by their ids.
    clients: Vec<ClientReply>,
}

/// A configured client. Its counts start when the server first has it, and continue through reloads.
#[derive(Debug, Serialize, ToSchema)]
struct ClientReply {
    /// The id.
    id: String,
    /// The AI that answers when a request names none.
    ai: String,
    /// Whether the client has a key.
    has_key: bool,
    /// Whether the client is an administrator.
    admin: bool,
    /// The configured rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<String>,
    /// The configured maximum of open requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_concurrent: Option<usize>,
    /// Finished requests.
    finished: u64,
    /// Those that were rejected: 401, 403, 429 and 503.
    rejected: u64,
    /// The time that AIs spent on its requests.
    ai_seconds: f64,
}

async fn handle(request: HttpRequest) -> HttpResponse {
    let reply = || {
        admin_of(&request, "list the clients")?;
        let generation = Snapshot::of(&request)?;
        let clients = generation.usages.all().filter_map(|usage| {
            let client = generation.config().clients.get(&usage.id)?;
            Some(ClientReply {
                id: client.id.clone(),
                ai: client.ai.clone(),
                has_key: client.api_key_sha256.is_some(),
                admin: client.admin,
                rate: client.rate.map(|rate| rate.to_string()),
                max_concurrent: client.max_concurrent,
                finished: usage.requests(),
                rejected: usage.rejections(),
                ai_seconds: usage.ai_seconds(),
            })
        });
        Ok(ClientsReply { clients: clients.collect() })
    };
    respond(&request, reply())
}
