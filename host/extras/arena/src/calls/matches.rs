//! `POST /v1/matches` and the calls below it: matches that the server plays.

mod form;
mod live;
mod reply;

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Payload},
};
use serde_json::{Value, json};
use text::printable;

use self::{
    form::MatchForm,
    live::{MatchRecord, PlayingGameReply, follow},
    reply::{GameOfMatchReply, MatchReply, ProgressReply},
};
use crate::{
    AddMatchError, Match, Matches,
    calls::ladder::{live::LiveMoveReply, player::blocking},
};
use api::{
    call::{BODY, CLIENT, Call, GAME, ReplyType, Verb, text},
    error::Malformed,
    problem::{Code, Problem},
    record::{ERROR, HEARTBEAT, RecordRow, result},
    record_queue::RecordQueue,
    schemas::schema_of,
};
use game::Client;
use library::sha256::Sha256Sum;
use pool::ClientIdentity;
use server::{
    Endpoint,
    http::{
        body,
        client::client_of,
        cors::IDEMPOTENCY_KEY,
        problem::respond_problem,
        reply::{respond, respond_with},
    },
    state::server_state::ServerState,
    stream::stream_or_respond,
};

const MAX_KEY_CHARS: usize = 128;
const PGN: &str = "application/vnd.chess-pgn";

pub(crate) const START: Endpoint = Endpoint {
    route: || web::to(start),
    call: Call {
        tag: "arena",
        summary: "Start a match",
        description: "Starts a match between two AIs on this machine. The server plays it without \
                      further requests. Read its progress from `/v1/matches/{id}`. A client can \
                      have one match at a time. Matches take turns pair by pair, and every few \
                      seconds in long games. A match ends after 24 hours of play. Only its client \
                      and admins can see it, and its games are not rated. If the client has \
                      `fleet_matches`, nodes of the fleet play its match at the same time as other \
                      matches, and the PGN names the node of each game in the tag `Node`. With an \
                      arena, a match survives a restart of the server, and its games are stored in \
                      the arena's file. The server keeps the latest 100 matches of a client and \
                      1,000 in total. They share 64 MB, or a quarter of `max_mb` if there is an \
                      arena. A client may use a quarter of that space. A match that does not fit \
                      is rejected with `server_busy`.",
        // A match sets at most one of these two fields.
        excluded: Some(|| {
            json!({
                "required": ["limit", "time_control"],
                "properties": {"limit": {"type": "object"}, "time_control": {"type": "string"}}
            })
        }),
        status: "201",
        reply_description: "The match.",
        parameters: key_parameter,
        errors: &[
            CLIENT,
            BODY,
            GAME,
            &[Code::AiNotAllowed, Code::UnknownAi, Code::AiUnavailable],
            &[
                Code::NotFound,
                Code::MatchRunning,
                Code::IdempotencyKeyReused,
                Code::ServerBusy,
            ],
        ],
        example: include_str!("matches/start.json"),
        ..Call::post::<MatchForm>("startMatch", "/v1/matches", schema_of::<MatchReply>)
    },
};
pub(crate) const ONE: Endpoint = Endpoint {
    route: || web::to(one),
    call: Call {
        tag: "arena",
        summary: "Get a match",
        description: "Returns a match. Its games come in pairs with the same opening and colours \
                      swapped. A stream continues with finished games, the moves of the game in \
                      progress and the state until the match ends. It counts as one of the \
                      client's open requests. While nodes of the fleet play a match, its stream \
                      has no game in progress and no moves.",
        parameters: id_parameter,
        records: &[
            RecordRow {
                kind: "playing",
                name: "StreamMatchPlaying",
                fields: schema_of::<PlayingGameReply>,
            },
            RecordRow {
                kind: "move",
                name: "StreamMatchMove",
                fields: schema_of::<LiveMoveReply>,
            },
            RecordRow {
                kind: "game",
                name: "StreamMatchGame",
                fields: schema_of::<GameOfMatchReply>,
            },
            RecordRow {
                kind: "progress",
                name: "StreamMatchProgress",
                fields: schema_of::<ProgressReply>,
            },
            HEARTBEAT,
            result("StreamMatchResult", schema_of::<MatchReply>),
            ERROR,
        ],
        errors: &[CLIENT, &[Code::NotFound]],
        example: include_str!("matches/match.json"),
        ..Call::get("getMatch", "/v1/matches/{id}", schema_of::<MatchReply>)
    },
};
pub(crate) const STOP: Endpoint = Endpoint {
    route: || web::to(stop),
    call: Call {
        tag: "arena",
        summary: "Stop a match",
        description: "Stops a match and returns it. Its finished pairs of games are kept. A match \
                      that has ended does not change.",
        method: Verb::Delete,
        parameters: id_parameter,
        errors: &[CLIENT, &[Code::NotFound]],
        example: include_str!("matches/stop.json"),
        ..Call::get("stopMatch", "/v1/matches/{id}", schema_of::<MatchReply>)
    },
};
pub(crate) const GAMES: Endpoint = Endpoint {
    route: || web::to(games),
    call: Call {
        tag: "arena",
        summary: "Get match games as PGN",
        description: "Returns the finished games of a match in PGN, with evaluations, times and \
                      clocks.",
        parameters: id_parameter,
        reply: ReplyType {
            media_type: PGN,
            schema: text,
        },
        errors: &[CLIENT, &[Code::NotFound]],
        example: include_str!("matches/games.json"),
        ..Call::get("matchGames", "/v1/matches/{id}/games", text)
    },
};

async fn start(request: HttpRequest, payload: Payload) -> HttpResponse {
    let reply = async {
        let (matches, client) = (matches_of(&request)?, client_of(&request)?);
        let key = idempotency_key(&request)?;
        let (generation, form) = body::read::<MatchForm>(&request, payload).await?;
        let wanted = form.read(generation.service(), &client)?;
        let (owner, config) = (owner(&client), Arc::new(generation.config().clone()));
        blocking(move || {
            Ok(MatchReply::of(&*matches.add(
                &owner,
                wanted,
                key.as_deref(),
                config,
            )?))
        })
        .await
    };
    respond_with(HttpResponse::Created(), &request, reply.await)
}

async fn one(request: HttpRequest) -> HttpResponse {
    let found = find(&request).await;
    let run = async move |records: Option<RecordQueue<MatchRecord>>| {
        let (_, found) = found?;
        if let Some(records) = records {
            follow(&found, &records).await;
        }
        Ok(MatchReply::of(&found))
    };
    stream_or_respond(request, run).await
}

async fn stop(request: HttpRequest) -> HttpResponse {
    let reply = async {
        let (matches, found) = find(&request).await?;
        blocking(move || {
            matches.stop(&found)?;
            Ok(MatchReply::of(&found))
        })
        .await
    };
    respond(&request, reply.await)
}

async fn games(request: HttpRequest) -> HttpResponse {
    let pgn = async {
        let (matches, found) = find(&request).await?;
        blocking(move || Ok(matches.pgn(&found)?)).await
    };
    match pgn.await {
        Ok(pgn) => HttpResponse::Ok().content_type(PGN).body(pgn),
        Err(problem) => respond_problem(&request, &problem),
    }
}

impl From<AddMatchError> for Problem {
    fn from(error: AddMatchError) -> Self {
        match error {
            AddMatchError::Running(_) => Self::new(Code::MatchRunning, error.to_string()),
            AddMatchError::OtherRequest(_) => {
                Self::new(Code::IdempotencyKeyReused, error.to_string())
            }
            AddMatchError::TooMany
            | AddMatchError::TooManyWithoutKey
            | AddMatchError::Busy
            | AddMatchError::NoRoom => Self::server_busy(error.to_string()),
            AddMatchError::Store(error) => error.into(),
        }
    }
}

/// Returns the server's matches.
fn matches_of(request: &HttpRequest) -> Result<Arc<Matches>, Problem> {
    let matches = ServerState::of(request)?.extras.get();
    matches.ok_or_else(|| Problem::new(Code::NotFound, "this server does not play matches"))
}

/// Finds the match that the request's path names.
///
/// # Errors
/// The match is unknown, or the client may not see it.
async fn find(request: &HttpRequest) -> Result<(Arc<Matches>, Arc<Match>), Problem> {
    let (matches, client) = (matches_of(request)?, client_of(request)?);
    let id = request
        .match_info()
        .get("id")
        .unwrap_or_default()
        .to_owned();
    let shown = printable(&id.chars().take(64).collect::<String>());
    let server = id.split('-').next().unwrap_or_default();
    if server != matches.server() {
        let detail = format!(
            "the match '{shown}' belongs to another server; ids of this server begin with '{}-'; \
             ask the server that started it",
            matches.server()
        );
        return Err(Problem::new(Code::NotFound, detail));
    }
    let reading = Arc::clone(&matches);
    let found = blocking(move || Ok(reading.find(&id)?)).await?;
    let found = found.filter(|found| client.admin || found.client == owner(&client));
    let found = found.ok_or_else(|| {
        let detail = format!(
            "this client has no match '{shown}', or the server no longer keeps it; POST \
             /v1/matches starts another"
        );
        Problem::new(Code::NotFound, detail)
    })?;
    Ok((matches, found))
}

/// Returns the name under which a client's matches are kept. Any sender can use the id of a client
/// without a key, so the name of such a client ends with a space and a hash of the sender's
/// address.
pub(crate) fn owner(client: &Client) -> String {
    match &client.identity {
        ClientIdentity::Keyless(address) => {
            let hash = Sha256Sum::of(address.to_string().as_bytes()).to_string();
            format!("{} {}", client.id, &hash[..16])
        }
        ClientIdentity::Keyed(_) | ClientIdentity::Local => client.id.clone(),
    }
}

/// # Errors
/// The header is repeated, or is not 1 to 128 printable ASCII characters.
fn idempotency_key(request: &HttpRequest) -> Result<Option<String>, Problem> {
    let mut headers = request.headers().get_all(IDEMPOTENCY_KEY);
    let Some(header) = headers.next() else {
        return Ok(None);
    };
    let is_key = |key: &&str| {
        (1..=MAX_KEY_CHARS).contains(&key.len())
            && key.bytes().all(|byte| matches!(byte, b' '..=b'~'))
    };
    let key = header.to_str().ok().filter(is_key);
    if let (Some(key), None) = (key, headers.next()) {
        return Ok(Some(key.to_owned()));
    }
    let detail = format!(
        "the header {IDEMPOTENCY_KEY} must be sent once, with 1 to {MAX_KEY_CHARS} printable \
         ASCII characters; correct it, or omit it"
    );
    Err(Malformed::new("", detail).into())
}

fn key_parameter() -> Vec<Value> {
    vec![
        json!({"name": IDEMPOTENCY_KEY, "in": "header", "required": false,
               "schema": {"type": "string", "pattern": format!("^[ -~]{{1,{MAX_KEY_CHARS}}}$")},
               "description": "Up to 128 printable ASCII characters. A repeated request with the \
                   same key returns the first match."}),
    ]
}

fn id_parameter() -> Vec<Value> {
    vec![
        json!({"name": "id", "in": "path", "required": true, "description": "The id of the match.",
               "schema": {"type": "string"}, "example": "5f0c7a1e-0b1c2d3e4f5a6b7c"}),
    ]
}
