//! Keeps requests that ask an AI, so that they can be asked again.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::SystemTime,
};

use actix_web::{HttpRequest, http::Method, web::Query};
use ai_api::OptionKind;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{
    calls::{
        forms::options::{OptionReply, is_open},
        replies::search::LimitReply,
    },
    http::client::client_of,
    state::{
        generation::Generation, request_record::request_id, served_requests::Question,
        server_state::ServerState,
    },
};
use config::{SearchMaxima, api_key::concealed};
use game::{Client, Limit};
use pool::Ai;

/// The calls whose requests are kept.
pub(crate) const ASKING: [&str; 5] = [
    "/v1/best-move",
    "/v1/compare",
    "/v1/report",
    "/v1/evaluate",
    "/api/BlogChess/BestMove",
];

/// The AIs that a request named and the maxima of its client, as they were when the request was
/// served.
#[derive(Serialize, ToSchema)]
pub(crate) struct ServedSettingsReply {
    /// The AIs that the request named; by default the client's.
    ais: Vec<ServedAiReply>,
    /// The client's maxima of a search, where it has some.
    max_limit: LimitReply,
}

/// An AI that a request named.
#[derive(Serialize, ToSchema)]
struct ServedAiReply {
    /// The id.
    id: String,
    /// The version.
    version: String,
    /// The hash of all that determines its moves: the library, the options and the files that it
    /// may read.
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    /// The AI's options that differ from its defaults, without secret options and server paths.
    options: BTreeMap<String, OptionReply>,
    /// The limit of a request without one.
    limit: LimitReply,
}

impl ServedAiReply {
    fn new(ai: &Ai, generation: &Generation) -> Self {
        Self {
            id: ai.id.clone(),
            version: ai.about.version.clone(),
            fingerprint: generation.fingerprint(ai).map(|sum| sum.to_string()),
            options: changed_options(ai),
            limit: Limit::of(&ai.limit).into(),
        }
    }
}

/// Returns the configured options of an AI that differ from their own defaults, without secrets and
/// paths.
pub(crate) fn changed_options(ai: &Ai) -> BTreeMap<String, OptionReply> {
    let shown = ai.about.options.iter().filter_map(|spec| {
        let setting = ai
            .options()
            .iter()
            .find(|setting| setting.name == spec.name)?;
        let may_be_path = spec.kind == OptionKind::Text || spec.names_files();
        let is_hidden =
            spec.secret || may_be_path && !is_open(spec, &ai.settings.overridable_options);
        let is_shown = !is_hidden && setting.value != spec.default;
        is_shown.then(|| (setting.name.clone(), OptionReply::from(&setting.value)))
    });
    shown.collect()
}

/// Keeps a request with this body if the server keeps requests and its call asks an AI.
pub(crate) fn keep(request: &HttpRequest, generation: &Generation, body: &[u8]) {
    if generation.config().server.replay_kb == 0 {
        return;
    }
    let Some(path) = request
        .match_pattern()
        .filter(|path| ASKING.contains(&path.as_str()))
    else {
        return;
    };
    let (Ok(state), Ok(client)) = (ServerState::of(request), client_of(request)) else {
        return;
    };
    if !state.requests.has_room(body.len()) {
        return;
    }
    let Ok(mut body) = serde_json::from_slice::<Value>(body) else {
        return;
    };
    let query = Query::<Vec<(String, String)>>::from_query(request.query_string());
    let query = query.map(Query::into_inner).unwrap_or_default();
    let ais = named(generation, &client, &body, &query);
    // The call rejects these options, but its error must not be the place where an admin reads
    // them.
    let secrets = ais
        .iter()
        .flat_map(|ai| &ai.about.options)
        .filter(|spec| spec.secret);
    for spec in secrets {
        if let Some(value) = body
            .get_mut("options")
            .and_then(|options| options.get_mut(spec.name.as_str()))
        {
            *value = "***".into();
        }
    }
    let SearchMaxima {
        depth,
        nodes,
        movetime_ms,
    } = client.max_search;
    let asked = ServedSettingsReply {
        ais: ais
            .into_iter()
            .map(|ai| ServedAiReply::new(ai, generation))
            .collect(),
        max_limit: LimitReply {
            depth,
            nodes,
            movetime_ms,
            mate: None,
            lines: None,
        },
    };
    // The form of a `GET` is its query.
    let query = if request.method() == Method::POST {
        query
    } else {
        Vec::new()
    };
    let query: Vec<_> = query
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let Some(request_id) = request_id(request) else {
        return;
    };
    let question = Question {
        request_id,
        time: SystemTime::now(),
        client: client.id.as_str().into(),
        path: path.into(),
        query: concealed(&query.join("&")).into(),
        // The parsed body is written as JSON again, so that no escape sequence hides a key.
        body: concealed(&body.to_string()).into(),
        asked: serde_json::to_string(&asked).unwrap_or_default().into(),
    };
    state.requests.keep(request, question);
}

/// Returns the AIs that a request names, each once; by default the client's.
fn named<'a>(
    generation: &'a Generation,
    client: &Client,
    body: &Value,
    query: &[(String, String)],
) -> Vec<&'a Ai> {
    let several = body["ais"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let of_query = query
        .iter()
        .filter(|(name, _)| name == "ai")
        .map(|(_, id)| id.as_str());
    let mut ids: BTreeSet<_> = several.chain(body["ai"].as_str()).chain(of_query).collect();
    if ids.is_empty() {
        ids.insert(&client.ai);
    }
    let ais = generation.service().ais();
    let find = |id: &str| match id.split_once('@') {
        Some((id, fingerprint)) => ais.pinned(id, fingerprint),
        None => ais.get(id),
    };
    ids.into_iter()
        .filter_map(find)
        .map(AsRef::as_ref)
        .collect()
}
