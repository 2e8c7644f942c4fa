//! `GET /v1/requests/{request_id}`: a kept request, for admins.

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Data},
};
use serde_json::{Value, json};
use text::printable;

use crate::endpoint::Endpoint;
use crate::{
    http::{client::admin_of, reply::respond},
    state::{
        served_requests::{NotKept, ServedQuestion, ServedRequest},
        server_state::ServerState,
    },
};
use api::{
    call::{CLIENT, Call},
    problem::{Code, Problem},
    schemas::schema_of,
    served_request::{ServedRequestReply, ServedRequestsReply},
    words::rfc3339,
};

pub(crate) const CALL: Endpoint = Endpoint {
    route: || web::to(handle),
    call: Call {
        tag: "ai",
        summary: "Look up a served request",
        description: "Returns the requests with this `X-Request-Id` that used an AI. The server \
                      keeps the latest requests in `replay_kb` of memory, by default none. \
                      `rookery replay` repeats them. Requires the key of a client with `admin = \
                      true`.",
        parameters: id_parameter,
        reply_description: "The requests with this id, oldest first.",
        errors: &[CLIENT, &[Code::NotFound]],
        example: include_str!("served_request/example.json"),
        ..Call::get(
            "servedRequests",
            "/v1/requests/{request_id}",
            schema_of::<ServedRequestsReply>,
        )
    },
};

async fn handle(state: Data<ServerState>, request: HttpRequest) -> HttpResponse {
    let id = request.match_info().get("request_id").unwrap_or_default();
    let reply = || {
        admin_of(&request, "read requests")?;
        let not_kept = |reason| Problem::new(Code::NotFound, not_kept(id, reason));
        let served = state.requests.with_id(id).map_err(not_kept)?;
        Ok(ServedRequestsReply {
            requests: served.into_iter().map(reply_of).collect(),
        })
    };
    respond(&request, reply())
}

fn reply_of(ServedRequest { question, answer }: ServedRequest) -> ServedRequestReply {
    let ServedQuestion {
        request_id,
        time,
        client,
        path,
        query,
        body,
        asked,
    } = &*question;
    ServedRequestReply {
        request_id: request_id.to_string(),
        time: rfc3339(*time),
        client: client.to_string(),
        path: path.to_string(),
        query: query.to_string(),
        body: serde_json::from_str(body).unwrap_or_default(),
        asked: serde_json::from_str(asked).expect("it was written from this type"),
        status: answer.as_ref().map(|(status, _)| *status),
        reply: answer.map_or(Value::Null, |(_, reply)| {
            serde_json::from_str(&reply).unwrap_or_default()
        }),
    }
}

fn not_kept(id: &str, reason: NotKept) -> String {
    let id = printable(&id.chars().take(128).collect::<String>());
    match reason {
        NotKept::Off => {
            "requests are not kept; set `replay_kb` in [server], for example to 1024, to keep new \
             ones"
                .to_owned()
        }
        NotKept::Unknown => format!(
            "no request with the id '{id}' has used an AI since the server started; use the id in \
             the X-Request-Id header of a reply (batches are not kept)"
        ),
        NotKept::Forgotten {
            forgotten,
            too_large,
            max_kb,
        } => format!(
            "no request with the id '{id}' is kept; since startup, {forgotten} older requests have \
             been forgotten and {too_large} have been too large for `replay_kb = {max_kb}`; raise \
             it to keep more"
        ),
    }
}

fn id_parameter() -> Vec<Value> {
    vec![
        json!({"name": "request_id", "in": "path", "required": true, "description": "The \
            `X-Request-Id` of the request's reply.",
                "schema": {"type": "string"}, "example": "trace-7"}),
    ]
}
