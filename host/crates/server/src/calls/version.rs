//! `GET /v1/version`: the server's version and features.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::endpoint::Endpoint;
use crate::state::server_state::ServerState;
use api::{call::Call, schemas::schema_of};
use game::Extra;

pub(crate) const CALL: Endpoint = Endpoint {
    route: || web::to(handle),
    call: Call {
        tag: "server",
        summary: "Get the server version",
        description: "Returns the versions of the server and of its contract with AIs, and the \
                      server's features. Requires no client.",
        example: include_str!("version/example.json"),
        ..Call::get("getVersion", "/v1/version", schema_of::<ServerVersionReply>)
    },
};

/// The reply of `GET /v1/version`.
#[derive(Debug, Serialize, ToSchema)]
struct ServerVersionReply {
    /// `rookery`.
    name: &'static str,
    /// The version of the server.
    version: &'static str,
    /// The latest version of the contract with AIs that the server supports.
    contract: &'static str,
    /// Optional features of the server: `arena`, `fleet`, `matches` and `tablebases`. Ignore words
    /// that you don't know.
    features: Vec<&'static str>,
}

async fn handle(state: web::Data<ServerState>) -> HttpResponse {
    let mut features: Vec<_> = state.extras.iter().map(Extra::feature).collect();
    if !state.service().ais().tablebases().is_off() {
        features.push("tablebases");
    }
    features.sort_unstable();
    HttpResponse::Ok().json(ServerVersionReply {
        name: "rookery",
        version: env!("CARGO_PKG_VERSION"),
        contract: ai_api::note::API_VERSION,
        features,
    })
}
