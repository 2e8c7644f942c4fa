//! The faults of a candidate with the requests that caused them, in the form that `rookery replay`
//! reads.

use std::time::SystemTime;

use api::{
    error::RequestError,
    problem::Problem,
    replies::search::LimitReply,
    served_request::{ServedAiReply, ServedRequestReply, ServedSettingsReply, leave_out},
    words::rfc3339,
};
use game::{AnsweredRequest, Limit, RolloutQuestion, SearchQuestion, ServiceError};
use pool::Fault;
use serde_json::{Map, Value, json};

/// How many requests are kept for each fault code.
const KEPT_EACH: usize = 3;
/// The longest kept request, in half-moves.
const MAX_PLIES: usize = 1000;

/// A fault, with its request.
#[derive(Debug)]
pub(crate) struct KeptFault {
    pub(crate) code: String,
    /// For operators.
    pub(crate) detail: String,
    request: ServedRequestReply,
}

/// The first few faults of each code. They are kept only in memory, because they contain clients'
/// positions.
#[derive(Debug, Default)]
pub(crate) struct FaultLog(Vec<KeptFault>);

impl FaultLog {
    pub(crate) fn add(&mut self, request: &AnsweredRequest, fault: &Fault) {
        let code = fault.code().to_string();
        let is_same = |kept: &&KeptFault| kept.code == code;
        let is_short = request.game.moves().len() <= MAX_PLIES;
        if is_short && self.0.iter().filter(is_same).count() < KEPT_EACH {
            self.0.push(KeptFault {
                code,
                detail: fault.in_full(),
                request: asked_again(request, fault),
            });
        }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, KeptFault> {
        self.0.iter()
    }
}

impl KeptFault {
    /// Returns the request in JSON.
    pub(crate) fn request(&self) -> Value {
        serde_json::to_value(&self.request).unwrap_or_default()
    }
}

/// Returns the request as if it had been sent to the candidate.
fn asked_again(request: &AnsweredRequest, fault: &Fault) -> ServedRequestReply {
    let AnsweredRequest {
        client, candidate, ..
    } = request;
    let error = ServiceError::Fault {
        ai: candidate.id.clone(),
        fault: fault.clone(),
    };
    let problem = Problem::from(RequestError::from(error)).part(None);
    let status = problem.status();
    let mut reply = serde_json::to_value(problem).unwrap_or_default();
    leave_out(&mut reply);
    let (path, body) = form(request);
    let fingerprint = candidate.known_fingerprint();
    ServedRequestReply {
        request_id: request
            .id
            .as_ref()
            .map_or_else(|| "none".to_owned(), ToString::to_string),
        time: rfc3339(SystemTime::now()),
        client: client.id.clone(),
        path: path.to_owned(),
        query: String::new(),
        body,
        asked: ServedSettingsReply::new(vec![ServedAiReply::new(candidate, fingerprint)], client),
        status: Some(status),
        reply,
    }
}

/// Returns the call's path and body.
fn form(request: &AnsweredRequest) -> (&'static str, Map<String, Value>) {
    let game = &request.game;
    let moves: Vec<_> = game.moves().iter().map(ToString::to_string).collect();
    let game = json!({"fen": rules::format_fen(game.start()), "moves": moves});
    let mut body = Map::from_iter([
        ("game".to_owned(), game),
        ("ai".to_owned(), request.candidate.id.clone().into()),
    ]);
    let RolloutQuestion::Move(question) = &request.question else {
        return ("/v1/evaluate", body);
    };
    let SearchQuestion {
        root_moves,
        options,
        limit,
        ..
    } = &**question;
    let limit = LimitReply::from(Limit {
        lines: None,
        ..*limit
    });
    body.insert("limit".to_owned(), json!(limit));
    if !root_moves.is_empty() {
        let chosen: Vec<_> = root_moves.iter().map(ToString::to_string).collect();
        body.insert("root_moves".to_owned(), json!(chosen));
    }
    if let Some(options) = api::forms::options::OptionReply::map(options) {
        body.insert("options".to_owned(), json!(options));
    }
    ("/v1/best-move", body)
}
