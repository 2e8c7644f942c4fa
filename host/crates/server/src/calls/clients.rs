//! `GET /v1/clients`: the configured clients and their usage, for admins.

use std::time::SystemTime;

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
use config::ClientSettings;

pub(crate) const CALL: Call = Call {
    tag: "ai",
    summary: "Clients",
    description: "Lists the configured clients with their usage, for a client with a key and \
        `admin = true`.",
    errors: &[CLIENT, &[Code::NotFound]],
    example: include_str!("clients/example.json"),
    ..Call::get(
        "listClients",
        "/v1/clients",
        || web::to(handle),
        schema_of::<ClientsReply>,
    )
};

/// The reply of `GET /v1/clients`.
#[derive(Debug, Serialize, ToSchema)]
struct ClientsReply {
    /// The clients by their ids.
    clients: Vec<ClientReply>,
}

/// A configured client. Its counts start when the server first has it, and continue through
/// reloads.
#[derive(Debug, Serialize, ToSchema)]
struct ClientReply {
    #[serde(flatten)]
    client: ClientSummary,
    /// Finished requests.
    finished: u64,
    /// Those that were rejected: 401, 403, 429 and 503.
    rejected: u64,
    /// The time that AIs spent on its requests.
    ai_seconds: f64,
}

/// What the configuration says of a client.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClientSummary {
    /// The id.
    pub id: String,
    /// The AI that answers when a request names none.
    pub ai: String,
    /// Whether the client has a key.
    pub has_key: bool,
    /// Valid keys: two while the client changes its key.
    pub keys: usize,
    /// Whether the client is an administrator.
    pub admin: bool,
    /// The configured rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// The configured maximum of open requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<usize>,
    /// The time from which the client is rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// `active`, `expires_soon` (within 14 days) or `expired`, for a client that expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiry: Option<&'static str>,
}

impl ClientSummary {
    pub fn new(client: &ClientSettings, now: SystemTime) -> Self {
        let keys = client.keys().len();
        Self {
            id: client.id.clone(),
            ai: client.ai.clone(),
            has_key: keys > 0,
            keys,
            admin: client.admin,
            rate: client.rate.map(|rate| rate.to_string()),
            max_concurrent: client.max_concurrent,
            expires: client.expires.map(|expiry| expiry.to_string()),
            expiry: client.expires.map(|expiry| expiry.state(now).into()),
        }
    }
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
