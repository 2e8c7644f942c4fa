//! A request that used an AI, as the server keeps it and `rookery replay` reads it.

use ai_api::{Limits, OptionKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{
    error::Malformed,
    forms::{
        options::{OptionReply, is_open},
        search::LimitForm,
    },
    replies::search::LimitReply,
};
use config::{ClientSettings, SearchMaxima};
use game::Limit;
use library::sha256::Sha256Sum;
use pool::Ai;

/// The calls whose requests are kept.
pub const ASKING: [&str; 6] = [
    "/v1/best-move",
    "/v1/compare",
    "/v1/report",
    "/v1/why",
    "/v1/evaluate",
    "/api/BlogChess/BestMove",
];
/// The keys in a reply that are not kept. The request determines the game, and repeating the
/// request returns the trace.
const LEFT_OUT: [&str; 2] = ["game", "trace"];
/// The key for the boards in a reply from the 2014 call. Only the last board is kept, because the
/// request contains the others.
const BOARDS: &str = "Positions";
/// The number of fingerprint digits to show.
const SHOWN_DIGITS: usize = 12;

/// The reply of `GET /v1/requests/{request_id}`.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ServedRequestsReply {
    /// The requests, the oldest first. Clients can choose ids, so several requests may have the
    /// same id.
    pub requests: Vec<ServedRequestReply>,
}

/// A request that used an AI.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ServedRequestReply {
    /// The id.
    pub request_id: String,
    /// The time at which the body had arrived (RFC 3339).
    pub time: String,
    /// The id of the client.
    pub client: String,
    /// The path of the call.
    pub path: String,
    /// The query, decoded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// The body, with API keys redacted.
    #[schema(value_type = Object)]
    pub body: Map<String, Value>,
    /// The AIs and maxima that the configuration determined.
    pub asked: ServedSettingsReply,
    /// The status of the reply, or the status that it would have without a stream. `null` while the
    /// request runs, or if its client disconnected.
    #[schema(required)]
    pub status: Option<u16>,
    /// The reply or the error, without `game` and `trace`. `null` if there is no status or the
    /// reply is larger than `replay_kb`.
    #[schema(value_type = Option<Object>, required)]
    pub reply: Value,
}

/// The AIs and the client's maxima at the time of the request.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ServedSettingsReply {
    /// The AIs that the request named, or the client's AI.
    pub ais: Vec<ServedAiReply>,
    /// The client's search maxima, if it has any.
    pub(crate) max_limit: LimitReply,
}

/// An AI that was asked.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ServedAiReply {
    /// The id.
    pub id: String,
    /// The version.
    version: String,
    /// The hash of the library, the options and the files that the AI may read.
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    /// The options that differ from the AI's defaults, without secrets and server paths.
    #[schema(value_type = BTreeMap<String, OptionReply>)]
    options: Map<String, Value>,
    /// The limit for a request without `limit`.
    limit: LimitReply,
}

impl ServedSettingsReply {
    pub fn new(ais: Vec<ServedAiReply>, client: &ClientSettings) -> Self {
        let SearchMaxima {
            depth,
            nodes,
            movetime_ms,
        } = client.max_search;
        let max_limit = LimitReply {
            depth,
            nodes,
            movetime_ms,
            mate: None,
            lines: None,
        };
        Self { ais, max_limit }
    }
}

impl ServedAiReply {
    pub fn new(ai: &Ai, fingerprint: Option<Sha256Sum>) -> Self {
        Self {
            id: ai.id.clone(),
            version: ai.about.version.clone(),
            fingerprint: fingerprint.map(|sum| sum.to_string()),
            options: changed_options(ai),
            limit: Limit::of(&ai.limit).into(),
        }
    }

    /// Returns the limit for a request without a limit.
    ///
    /// # Errors
    /// The limit is empty or out of bounds.
    pub fn limit(&self) -> Result<Limits, Malformed> {
        LimitForm::from(self.limit).read()
    }

    /// Returns the differences between this AI and the current AI. Reads the current AI's files.
    pub fn differences(&self, now: &Ai) -> Vec<String> {
        let mut differences = Vec::new();
        let fingerprint = pool::fingerprint(now).ok();
        let now = Self::new(now, fingerprint);
        if self.fingerprint.is_none() || self.fingerprint != now.fingerprint {
            differences.push(format!(
                "fingerprint {} then, {} now",
                self.short_fingerprint(),
                now.short_fingerprint()
            ));
        }
        let mut names: Vec<_> = self.options.keys().chain(now.options.keys()).collect();
        names.sort();
        names.dedup();
        let shown = |value: Option<&Value>| value.map_or("default".to_owned(), Value::to_string);
        for name in names {
            let (then, now) = (self.options.get(name), now.options.get(name));
            if then != now {
                differences.push(format!(
                    "option {name}: {} then, {} now",
                    shown(then),
                    shown(now)
                ));
            }
        }
        differences
    }

    fn short_fingerprint(&self) -> String {
        self.fingerprint
            .as_ref()
            .map_or("unknown".to_owned(), |sum| {
                sum.chars().take(SHOWN_DIGITS).collect()
            })
    }
}

/// Returns an AI's configured options that differ from their defaults, without secrets and paths.
fn changed_options(ai: &Ai) -> Map<String, Value> {
    let shown = ai.about.options.iter().filter_map(|spec| {
        let setting = ai
            .options()
            .iter()
            .find(|setting| setting.name == spec.name)?;
        let may_be_path = spec.kind == OptionKind::Text || spec.names_files();
        let is_hidden =
            spec.secret || may_be_path && !is_open(spec, &ai.settings.overridable_options);
        let is_shown = !is_hidden && setting.value != spec.default;
        let value = serde_json::to_value(OptionReply::from(&setting.value));
        is_shown.then(|| (setting.name.clone(), value.unwrap_or_default()))
    });
    shown.collect()
}

/// Removes the parts of a reply that are not kept.
pub fn leave_out(reply: &mut Value) {
    if let Some(fields) = reply.as_object_mut() {
        let kept = std::mem::take(fields)
            .into_iter()
            .filter(|(key, _)| !LEFT_OUT.contains(&key.as_str()));
        *fields = kept.collect::<Map<_, _>>();
        if let Some(Value::Array(boards)) = fields.get_mut(BOARDS) {
            boards.drain(..boards.len().saturating_sub(1));
        }
    }
}
