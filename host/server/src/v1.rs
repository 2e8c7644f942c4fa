//! The calls below `/v1`.

mod picture;

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    http::Method,
    web::{self, Data, Payload},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    body::json,
    client::client_of,
    compare::CompareBody,
    generation::Snapshot,
    problem::{Code, Problem},
    stream::answer,
};
use crate::{app::resource, service::Service};
use crate::{
    arbiter::{AiSummary, BestMoveForm, CompareForm, ReportForm},
    reload::FailedReload,
};

pub(super) fn routes(config: &mut web::ServiceConfig) {
    config
        .service(resource("/best-move", Method::POST, web::to(best_move)))
        .service(resource("/compare", Method::POST, web::to(compare)))
        .service(resource("/report", Method::POST, web::to(report)))
        .service(resource("/legal-moves", Method::POST, web::to(legal_moves)))
        .service(resource("/reachable", Method::POST, web::to(reachable)))
        .service(resource("/validate", Method::POST, web::to(validate)))
        .service(resource("/evaluate", Method::POST, web::to(evaluate)))
        .service(resource("/convert", Method::POST, web::to(convert)))
        .service(resource("/board.svg", Method::GET, web::to(picture::board)))
        .service(resource("/ais", Method::GET, web::to(ais)))
        .service(resource("/ais/{id}", Method::GET, web::to(ai)));
}

async fn best_move(request: HttpRequest, payload: Payload) -> HttpResponse {
    let asked = async {
        let now = Snapshot::of(&request)?;
        let client = client_of(&request)?;
        let form: BestMoveForm = json(&now, &request, payload).await?;
        Ok((now, client, form))
    };
    answer(&request, asked.await, async |(now, client, form), progress| {
        Ok(now.arbiter.best_move(&client, &form, progress.as_ref()).await?)
    })
    .await
}

async fn compare(request: HttpRequest, payload: Payload) -> HttpResponse {
    let asked = async {
        let now = Snapshot::of(&request)?;
        let client = client_of(&request)?;
        let form: CompareForm = json(&now, &request, payload).await?;
        let further = now.admissions.admit_further(&client, form.ais.len().saturating_sub(1))?;
        Ok((now, client, form, further))
    };
    answer(&request, asked.await, async |(now, client, form, further), progress| {
        let at_a_time = 1 + further.len();
        CompareBody::new(now.arbiter.compare(&client, &form, at_a_time, progress.as_ref()).await?)
    })
    .await
}

async fn report(request: HttpRequest, payload: Payload) -> HttpResponse {
    let asked = async {
        let now = Snapshot::of(&request)?;
        let client = client_of(&request)?;
        let form: ReportForm = json(&now, &request, payload).await?;
        Ok((now, client, form))
    };
    answer(&request, asked.await, async |(now, client, form), progress| {
        let turn = async || now.admissions.turn(&client).await;
        Ok(now.arbiter.report(&client, &form, turn, progress.as_ref()).await?)
    })
    .await
}

async fn legal_moves(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = Snapshot::of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.legal_moves(&form)?)
    };
    respond(&request, answer.await)
}

async fn reachable(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = Snapshot::of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.reachable(&form)?)
    };
    respond(&request, answer.await)
}

async fn validate(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = Snapshot::of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.validate(&form)?)
    };
    respond(&request, answer.await)
}

async fn evaluate(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = Snapshot::of(&request)?;
        let client = client_of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.evaluate(&client, &form).await?)
    };
    respond(&request, answer.await)
}

async fn convert(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = Snapshot::of(&request)?;
        let form = json(&now, &request, payload).await?;
        // A long text with many variations must not keep other requests waiting.
        let converted = web::block(move || now.arbiter.convert(&form)).await;
        let stopped = |_| Problem::new(Code::Internal, "the conversion was not finished");
        Ok(converted.map_err(stopped)??)
    };
    respond(&request, answer.await)
}

async fn ais(service: Data<Service>, request: HttpRequest) -> HttpResponse {
    let answer = || {
        let (now, reload) = (Snapshot::of(&request)?, failed_reload(&service, &request)?);
        let told = |ai| ToldAi { ai, reload: reload.clone() };
        Ok::<Vec<_>, Problem>(now.arbiter.ais(&client_of(&request)?.settings).into_iter().map(told).collect())
    };
    respond(&request, answer())
}

async fn ai(service: Data<Service>, request: HttpRequest) -> HttpResponse {
    let id = request.match_info().get("id").unwrap_or_default();
    let answer = || {
        let (now, reload) = (Snapshot::of(&request)?, failed_reload(&service, &request)?);
        Ok::<_, Problem>(ToldAi { ai: now.arbiter.ai(&client_of(&request)?.settings, id)?, reload })
    };
    respond(&request, answer())
}

/// An AI as clients are told of it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ToldAi {
    #[serde(flatten)]
    ai: AiSummary,
    /// Why what is served is not what the files now say.
    #[serde(skip_serializing_if = "Option::is_none")]
    reload: Option<FailedReload>,
}

/// The last reload if it failed, in full for an administrator.
fn failed_reload(service: &Service, request: &HttpRequest) -> Result<Option<FailedReload>, Problem> {
    let admin = client_of(request)?.admin;
    let failed = service.failed_reload.load();
    Ok(failed.as_deref().map(|failed| if admin { failed.in_full() } else { failed.clone() }))
}

/// The reply, or the problem, which is never a 200.
pub(super) fn respond<T: serde::Serialize>(
    request: &HttpRequest,
    answer: Result<T, Problem>,
) -> HttpResponse {
    match answer {
        Ok(reply) => HttpResponse::Ok().json(reply),
        Err(problem) => problem.respond_to(request),
    }
}
