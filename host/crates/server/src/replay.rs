//! Asks a served request again, from the reply of `GET /v1/requests/{request_id}`.

use ai_api::Limits;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    calls::{
        best_move, blogchess, compare, evaluate,
        forms::search::{LimitForm, TraceForm},
        replies::trace::TraceReply,
        report,
    },
    error::{Malformed, RequestError},
    http::{body::parse, query, served_request::changed_options, strict_json::Caseless},
    problem::Problem,
    state::served_requests::leave_out,
};
use config::{ClientSettings, SearchMaxima};
use game::{Client, GameService, ServiceError};
use pool::{Ai, ClientIdentity};

/// The fingerprint's digits that are shown.
const SHOWN_DIGITS: usize = 12;

/// The reply of `GET /v1/requests/{request_id}`.
#[derive(Debug, Deserialize)]
pub struct SavedRequests {
    pub requests: Vec<SavedRequest>,
}

/// A request as it was served.
#[derive(Debug, Deserialize)]
pub struct SavedRequest {
    pub request_id: String,
    pub time: String,
    pub client: String,
    pub path: String,
    #[serde(default)]
    query: String,
    body: Map<String, Value>,
    pub asked: SavedAsked,
    pub status: Option<u16>,
    pub reply: Value,
}

/// What the request left to the configuration.
#[derive(Debug, Deserialize)]
pub struct SavedAsked {
    pub ais: Vec<SavedAi>,
    max_limit: LimitForm,
}

/// An AI that the request named, as it was.
#[derive(Debug, Deserialize)]
pub struct SavedAi {
    pub id: String,
    fingerprint: Option<String>,
    options: Map<String, Value>,
    limit: LimitForm,
}

/// The reply to a repeated request.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Without what is not kept of a served reply.
    pub reply: Value,
    pub trace: Option<TraceReply>,
}

impl SavedAi {
    /// Returns the limit of a request without one.
    ///
    /// # Errors
    /// The limit is empty or out of bounds.
    pub fn limit(&self) -> Result<Limits, Malformed> {
        self.limit.read()
    }

    /// Returns in what this AI differs from one of now. Reads the files of that one.
    pub fn differences(&self, now: &Ai) -> Vec<String> {
        let mut differences = Vec::new();
        let short = |sum: Option<&str>| {
            sum.map_or("unknown".to_owned(), |sum| {
                sum.chars().take(SHOWN_DIGITS).collect()
            })
        };
        let fingerprint = pool::fingerprint(now).ok().map(|sum| sum.to_string());
        let (then, now_shown) = (self.fingerprint.as_deref(), fingerprint.as_deref());
        if then.is_none() || then != now_shown {
            differences.push(format!(
                "fingerprint {} then, {} now",
                short(then),
                short(now_shown)
            ));
        }
        let options = serde_json::to_value(changed_options(now)).unwrap_or_default();
        let names = self
            .options
            .keys()
            .chain(options.as_object().into_iter().flat_map(Map::keys));
        let mut names: Vec<_> = names.collect();
        names.sort();
        names.dedup();
        let shown = |value: Option<&Value>| value.map_or("default".to_owned(), Value::to_string);
        for name in names {
            let (then, now) = (self.options.get(name), options.get(name));
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
}

impl SavedRequest {
    /// Asks again. The request names the AIs of `asked` by their ids, or `ai` instead of its only
    /// one.
    ///
    /// # Errors
    /// The request is none that the server keeps, or cannot have a trace or another AI.
    pub async fn ask(
        &self,
        service: &GameService,
        ai: Option<&str>,
        trace: Option<TraceForm>,
    ) -> Result<Answer, Malformed> {
        let mut body = self.body.clone();
        let ai = ai.or(self.asked.ais.first().map(|ai| ai.id.as_str()));
        if let Some(Value::Array(ids)) = body.get_mut("ais") {
            // Without the fingerprints of a fleet.
            let plain = |id: &Value| Some(id.as_str()?.split('@').next()?.into());
            *ids = ids.iter().filter_map(plain).collect();
        } else if ai.is_some() {
            body.remove("ai");
        }
        let LimitForm {
            depth,
            nodes,
            movetime_ms,
            ..
        } = self.asked.max_limit;
        let depth = depth.and_then(|depth| u32::try_from(depth).ok());
        let settings = ClientSettings {
            max_search: SearchMaxima {
                depth,
                nodes,
                movetime_ms,
            },
            ..ClientSettings::unbounded(self.client.clone(), ai.unwrap_or_default().to_owned())
        };
        let client = Client {
            settings,
            identity: ClientIdentity::Local,
        };
        if trace.is_some() && self.path != "/v1/best-move" {
            let detail = format!(
                "a trace needs a request to /v1/best-move; this one was to {}",
                self.path
            );
            return Err(Malformed::new("/path", detail));
        }
        let body = Value::Object(body).to_string();
        let body = body.as_bytes();
        let mut traced = None;
        let reply = match self.path.as_str() {
            "/v1/best-move" => {
                let mut form: best_move::BestMoveForm = parse(body)?;
                form.trace = trace.or(form.trace);
                let reply = best_move::respond(service, &client, &form, None).await;
                match &reply {
                    Err(RequestError::Malformed(wrong)) if wrong.pointer == "/trace/nodes" => {
                        return Err(wrong.clone());
                    }
                    Err(error @ RequestError::Service(ServiceError::NoTrace { .. })) => {
                        return Err(Malformed::new("/trace", error.to_string()));
                    }
                    _ => {}
                }
                value(reply.map(|mut reply| {
                    traced = reply.trace.take();
                    reply
                }))
            }
            "/v1/compare" => {
                value(compare::respond(service, &client, &parse(body)?, 1, None).await)
            }
            "/v1/report" => {
                value(report::respond(service, &client, &parse(body)?, async || (), None).await)
            }
            "/v1/evaluate" => value(evaluate::respond(service, &client, &parse(body)?).await),
            "/api/BlogChess/BestMove" => {
                let Caseless(form) = parse(body)?;
                let choice = query::parse::<blogchess::ChoiceForm>(&self.query)?.of_default_ai();
                value(blogchess::best_move(service, &client, &form, &choice).await)
                    .map_err(Problem::with_legacy_status)
            }
            path => {
                return Err(Malformed::new(
                    "/path",
                    format!("'{path}' is no call that asks an AI"),
                ));
            }
        };
        let (status, mut reply) = match reply {
            Ok(reply) => (200, reply),
            Err(problem) => {
                let body = problem.part(None);
                (
                    body.status(),
                    serde_json::to_value(body).unwrap_or_default(),
                )
            }
        };
        leave_out(&mut reply);
        Ok(Answer {
            status,
            reply,
            trace: traced,
        })
    }
}

fn value(reply: Result<impl Serialize, RequestError>) -> Result<Value, Problem> {
    Ok(serde_json::to_value(reply?).unwrap_or_default())
}
