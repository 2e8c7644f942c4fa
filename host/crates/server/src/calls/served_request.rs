//! `GET /v1/requests/{request_id}`: a request as it was asked, for admins.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data},
};
use serde::Serialize;
use serde_json::{Value, json};
use text::printable;
use utoipa::ToSchema;

use crate::{
    calls::{
        call::{CLIENT, Call},
        schemas::schema_of,
    },
    http::{client::admin_of, reply::respond, served_request::ServedSettingsReply},
    problem::{Code, Problem},
    state::{
        served_requests::{NotKept, Question, ServedRequest},
        server_state::ServerState,
    },
    words::rfc3339,
};

pub(crate) const CALL: Call = Call {
    tag: "ai",
    summary: "Served requests",
    description: "Returns the requests with this `X-Request-Id` that asked an AI, for a client \
                  with a key and `admin = true`. The server keeps the latest ones in the memory of \
                  `replay_kb`, by default none. `rookery replay` asks them again.",
    parameters: id_parameter,
    reply_description: "The requests with this id, the oldest first.",
    errors: &[CLIENT, &[Code::NotFound]],
    example: include_str!("served_request/example.json"),
    ..Call::get(
        "servedRequests",
        "/v1/requests/{request_id}",
        || web::to(handle),
        schema_of::<ServedRequestsReply>,
    )
};

/// The reply of `GET /v1/requests/{request_id}`.
#[derive(Debug, Serialize, ToSchema)]
struct ServedRequestsReply {
    /// The requests, the oldest first. Several have the same id if their clients chose it.
    requests: Vec<ServedRequestReply>,
}

/// A request that asked an AI.
#[derive(Debug, Serialize, ToSchema)]
struct ServedRequestReply {
    /// The id.
    request_id: String,
    /// When its body had arrived (RFC 3339).
    time: String,
    /// The id of the client.
    client: String,
    /// The path of the call.
    path: String,
    /// The query, decoded.
    #[serde(skip_serializing_if = "String::is_empty")]
    query: String,
    /// The body. API keys in it are concealed.
    #[schema(value_type = Object)]
    body: Value,
    /// What the request left to the configuration.
    #[schema(value_type = ServedSettingsReply)]
    asked: Value,
    /// The status that the reply has without a stream; `null` while it runs and after a client has
    /// disconnected.
    #[schema(required)]
    status: Option<u16>,
    /// The reply or the error, without `game` and `trace`; `null` without a status, or if it is
    /// larger than `replay_kb`.
    #[schema(value_type = Option<Object>, required)]
    reply: Value,
}

impl From<ServedRequest> for ServedRequestReply {
    fn from(ServedRequest { question, answer }: ServedRequest) -> Self {
        let Question {
            request_id,
            time,
            client,
            path,
            query,
            body,
            asked,
        } = &*question;
        let json = |text: &str| serde_json::from_str(text).unwrap_or_default();
        Self {
            request_id: request_id.to_string(),
            time: rfc3339(*time),
            client: client.to_string(),
            path: path.to_string(),
            query: query.to_string(),
            body: json(body),
            asked: json(asked),
            status: answer.as_ref().map(|(status, _)| *status),
            reply: answer.map_or(Value::Null, |(_, reply)| json(&reply)),
        }
    }
}

async fn handle(state: Data<ServerState>, request: HttpRequest) -> HttpResponse {
    let id = request.match_info().get("request_id").unwrap_or_default();
    let reply = || {
        admin_of(&request, "read requests")?;
        let not_kept = |reason| Problem::new(Code::NotFound, not_kept(id, reason));
        let served = state.requests.with_id(id).map_err(not_kept)?;
        Ok(ServedRequestsReply {
            requests: served.into_iter().map(Into::into).collect(),
        })
    };
    respond(&request, reply())
}

fn not_kept(id: &str, reason: NotKept) -> String {
    let id = printable(&id.chars().take(128).collect::<String>());
    match reason {
        NotKept::Off => {
            "requests are not kept; set `replay_kb` in [server], such as to 1024, for later ones"
                .to_owned()
        }
        NotKept::Unknown => format!(
            "no request with the id '{id}' has asked an AI since the server started; the header \
             X-Request-Id of a reply has its id; batches are not kept"
        ),
        NotKept::Forgotten {
            forgotten,
            too_large,
            max_kb,
        } => format!(
            "no request with the id '{id}' is kept any more, if there was one; since the start \
             {forgotten} older requests were forgotten and {too_large} were too large for \
             `replay_kb`, {max_kb}"
        ),
    }
}

fn id_parameter() -> Vec<Value> {
    vec![
        json!({"name": "request_id", "in": "path", "required": true, "description": "The \
            `X-Request-Id` of the reply.",
                "schema": {"type": "string"}, "example": "trace-7"}),
    ]
}
