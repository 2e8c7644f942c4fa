//! `POST /mcp`: the protocol over HTTP. Requests are independent: there are no sessions.

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method, StatusCode,
        header::{CONTENT_TYPE, HOST, ORIGIN},
    },
    middleware::from_fn,
    web::{self, Payload},
};
use http_body_util::BodyExt as _;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};

use crate::{assistant::Assistant, job::run_during, settings::McpSettings, tools::ToolSession};
use api::{
    error::Malformed,
    problem::{Code, Problem},
};
use config::shortened;
use server::{
    http::{
        body,
        client::{self, client_of},
        problem::respond_problem,
        resource::resource,
    },
    state::{server_state::ServerState, snapshot::Snapshot},
};

const JSON: &str = "application/json";
/// The prefix of the protocol's headers, which are passed on.
const PREFIX: &str = "mcp-";
/// The maximum length of an origin in an error, in characters.
const MAX_SHOWN_CHARS: usize = 80;

/// Registers `POST /mcp`.
pub fn route(config: &mut web::ServiceConfig) {
    let endpoint = resource("/mcp", [(Method::POST, web::to(handle))]);
    config.service(endpoint.wrap(from_fn(client::identify)));
}

async fn handle(request: HttpRequest, payload: Payload) -> HttpResponse {
    answer(&request, payload)
        .await
        .unwrap_or_else(|problem| respond_problem(&request, &problem))
}

/// Answers one message. Dropping the future cancels the call and its searches.
async fn answer(request: &HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let now = Snapshot::of(request)?;
    if !now
        .config()
        .extra::<McpSettings>()
        .is_some_and(|settings| settings.enabled)
    {
        let detail = "this server has no tools for assistants; the operator can set `enabled = \
            true` in [mcp]";
        return Err(Problem::new(Code::NotFound, detail));
    }
    check_origin(request, &now.config().server.cors_origins)?;
    let client = client_of(request)?;
    let (generation, body) = body::read_bytes(request, payload).await?;
    let session = ToolSession::new(ServerState::of(request)?, generation, client);
    let (assistant, jobs) = Assistant::new();
    let message = message(request, body.bytes())?;
    let service = StreamableHttpService::new(
        move || Ok(assistant.clone()),
        Arc::new(NeverSessionManager::default()),
        StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(usize::MAX)
            // The middleware has checked the host.
            .disable_allowed_hosts(),
    );
    let reply = run_during(service.handle(message), &session, jobs).await;
    let (head, reply) = reply.into_parts();
    // The message contains a copy of the body, but the body's memory is counted until here.
    drop(body);
    let Ok(reply) = reply
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes);
    let status: Result<StatusCode, _> = head.status.as_u16().try_into();
    let status = status.map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
    let is_json = head
        .headers
        .get(http::header::CONTENT_TYPE)
        .is_some_and(|kind| kind == JSON);
    if !is_json && (status.is_client_error() || status.is_server_error()) {
        let detail = String::from_utf8_lossy(&reply).into_owned();
        return Err(if status.is_client_error() {
            Malformed::new("", detail).into()
        } else {
            Problem::new(Code::Internal, detail)
        });
    }
    let mut response = HttpResponse::build(status);
    if is_json {
        response.insert_header((CONTENT_TYPE, JSON));
    }
    let mut response = response.body(reply);
    if let Some(code) = session.failed.get() {
        response.extensions_mut().insert(code);
    }
    Ok(response)
}

/// Returns the message with the protocol's headers.
fn message(request: &HttpRequest, body: &[u8]) -> Result<http::Request<String>, Problem> {
    let body = String::from_utf8(body.to_vec())
        .map_err(|_| Malformed::new("", "the body is not UTF-8; send one JSON object"))?;
    // Every client gets JSON, whatever it accepts. The host and the media type have been checked.
    let message = http::Request::post("/mcp")
        .header(http::header::HOST, "localhost")
        .header(http::header::ACCEPT, "application/json, text/event-stream")
        .header(http::header::CONTENT_TYPE, JSON);
    let own = request
        .headers()
        .iter()
        .filter(|(name, _)| name.as_str().starts_with(PREFIX));
    let message = own.fold(message, |message, (name, value)| {
        message.header(name.as_str(), value.as_bytes())
    });
    message
        .body(body)
        .map_err(|error| Malformed::new("", error.to_string()).into())
}

/// Rejects requests from pages on other sites, because a browser would let them start searches.
/// Other programs send no origin.
fn check_origin(request: &HttpRequest, allowed: &[String]) -> Result<(), Problem> {
    let Some(origin) = request.headers().get(ORIGIN) else {
        return Ok(());
    };
    let origin = String::from_utf8_lossy(origin.as_bytes());
    let host = request
        .headers()
        .get(HOST)
        .and_then(|host| host.to_str().ok());
    let is_own = || {
        let authority = origin.split_once("://").map(|(_, authority)| authority);
        authority
            .zip(host)
            .is_some_and(|(authority, host)| authority.eq_ignore_ascii_case(host))
    };
    if allowed
        .iter()
        .any(|allowed| allowed == "*" || allowed == &*origin)
        || is_own()
    {
        return Ok(());
    }
    let detail = format!(
        "the request comes from a page of '{}', which is not in `cors_origins` in [server]; the \
         operator of the server can add it",
        shortened(&origin, MAX_SHOWN_CHARS)
    );
    Err(Problem::new(Code::CrossSiteRequest, detail))
}
