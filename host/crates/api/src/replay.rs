//! Repeats a served request, given the reply of `GET /v1/requests/{request_id}`.

use serde::Serialize;
use serde_json::Value;

use crate::{
    calls::{best_move, blogchess, compare, evaluate, report, why},
    error::{Malformed, RequestError},
    forms::search::TraceForm,
    json::{Caseless, parse},
    problem::Problem,
    query,
    replies::{search::LimitReply, trace::TraceReply},
    served_request::{ServedRequestReply, leave_out},
};
use config::{ClientSettings, SearchMaxima};
use game::{Client, GameService, ServiceError};
use pool::ClientIdentity;

/// The reply to a repeated request.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The reply without the fields that the server does not keep.
    pub reply: Value,
    pub trace: Option<TraceReply>,
}

impl ServedRequestReply {
    /// Repeats the request with the AIs in `asked`, chosen by id, or with `other_ai` instead of the
    /// only AI.
    ///
    /// # Errors
    /// The server does not keep requests to this path, or this request cannot have a trace or a
    /// different AI.
    pub async fn ask(
        &self,
        service: &GameService,
        other_ai: Option<&str>,
        trace: Option<TraceForm>,
    ) -> Result<Answer, Malformed> {
        let mut body = self.body.clone();
        let ai = other_ai.or(self.asked.ais.first().map(|ai| ai.id.as_str()));
        if let Some(Value::Array(ids)) = body.get_mut("ais") {
            // Removes the fleet's fingerprints from the ids.
            let plain = |id: &Value| Some(id.as_str()?.split('@').next()?.into());
            *ids = ids.iter().filter_map(plain).collect();
        } else if ai.is_some() {
            body.remove("ai");
        }
        let LimitReply {
            depth,
            nodes,
            movetime_ms,
            ..
        } = self.asked.max_limit;
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
                "a trace requires a request to /v1/best-move; this one was to {}",
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
            "/v1/why" => value(why::respond(service, &client, &parse(body)?, async || ()).await),
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
                    format!("'{path}' does not ask an AI"),
                ));
            }
        };
        let (status, mut reply) = match reply {
            Ok(reply) => (200, reply),
            Err(problem) => {
                let part = problem.part(None);
                (
                    part.status(),
                    serde_json::to_value(part).unwrap_or_default(),
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
