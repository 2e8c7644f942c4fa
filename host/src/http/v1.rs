//! The calls below `/v1`.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    http::Method,
    web::{self, Data, Payload},
};

use super::{Service, body::json, client::client_of, problem::Problem, resource};

pub(super) fn routes(config: &mut web::ServiceConfig) {
    config
        .service(resource("/best-move", Method::POST, web::to(best_move)))
        .service(resource("/legal-moves", Method::POST, web::to(legal_moves)))
        .service(resource("/validate", Method::POST, web::to(validate)))
        .service(resource("/evaluate", Method::POST, web::to(evaluate)))
        .service(resource("/ais", Method::GET, web::to(ais)))
        .service(resource("/ais/{id}", Method::GET, web::to(ai)));
}

async fn best_move(service: Data<Service>, request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let client = client_of(&request)?;
        let form = json(&service, &request, payload).await?;
        Ok(service.arbiter.best_move(&client, &form, None).await?)
    };
    respond(&request, answer.await)
}

async fn legal_moves(service: Data<Service>, request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let form = json(&service, &request, payload).await?;
        Ok(service.arbiter.legal_moves(&form)?)
    };
    respond(&request, answer.await)
}

async fn validate(service: Data<Service>, request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let form = json(&service, &request, payload).await?;
        Ok(service.arbiter.validate(&form)?)
    };
    respond(&request, answer.await)
}

async fn evaluate(service: Data<Service>, request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let client = client_of(&request)?;
        let form = json(&service, &request, payload).await?;
        Ok(service.arbiter.evaluate(&client, &form).await?)
    };
    respond(&request, answer.await)
}

async fn ais(service: Data<Service>) -> HttpResponse {
    HttpResponse::Ok().json(service.arbiter.ais())
}

async fn ai(service: Data<Service>, request: HttpRequest) -> HttpResponse {
    let id = request.match_info().get("id").unwrap_or_default();
    respond(&request, service.arbiter.ai(id).map_err(Problem::from))
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
