//! Keeps requests that use an AI, so that they can be repeated.

use std::{collections::BTreeSet, time::SystemTime};

use actix_web::{HttpRequest, http::Method, web::Query};
use serde_json::Value;

use crate::{
    http::client::client_of,
    state::{
        generation::Generation, request_record::request_id, served_requests::ServedQuestion,
        server_state::ServerState,
    },
};
use api::served_request::{ASKING, ServedAiReply, ServedSettingsReply};
use config::api_key::concealed;
use game::Client;
use pool::Ai;

/// Keeps a request with this body if the server keeps requests and the call uses an AI.
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
    // The call rejects these options, but an admin must not be able to read them in the kept
    // request.
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
    let ais = ais
        .into_iter()
        .map(|ai| ServedAiReply::new(ai, ai.known_fingerprint()))
        .collect();
    let asked = ServedSettingsReply::new(ais, &client);
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
    let question = ServedQuestion {
        request_id,
        time: SystemTime::now(),
        client: client.id.as_str().into(),
        path: path.into(),
        query: concealed(&query.join("&")).into(),
        // Serialized from its parsed form, so that no escape sequence hides a key.
        body: concealed(&body.to_string()).into(),
        asked: serde_json::to_string(&asked).unwrap_or_default().into(),
    };
    state.requests.keep(request, question);
}

/// Returns the AIs that a request names, without duplicates. The default is the client's AI.
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
