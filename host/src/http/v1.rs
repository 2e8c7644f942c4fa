//! The calls below `/v1`.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    http::Method,
    web::{self, Payload},
};

use super::{body::json, client::client_of, generation::InForce, problem::Problem, resource};

pub(super) fn routes(config: &mut web::ServiceConfig) {
    config
        .service(resource("/best-move", Method::POST, web::to(best_move)))
        .service(resource("/legal-moves", Method::POST, web::to(legal_moves)))
        .service(resource("/reachable", Method::POST, web::to(reachable)))
        .service(resource("/validate", Method::POST, web::to(validate)))
        .service(resource("/evaluate", Method::POST, web::to(evaluate)))
        .service(resource("/ais", Method::GET, web::to(ais)))
        .service(resource("/ais/{id}", Method::GET, web::to(ai)));
}

async fn best_move(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = InForce::of(&request)?;
        let client = client_of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.best_move(&client, &form, None).await?)
    };
    respond(&request, answer.await)
}

async fn legal_moves(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = InForce::of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.legal_moves(&form)?)
    };
    respond(&request, answer.await)
}

async fn reachable(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = InForce::of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.reachable(&form)?)
    };
    respond(&request, answer.await)
}

async fn validate(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = InForce::of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.validate(&form)?)
    };
    respond(&request, answer.await)
}

async fn evaluate(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = InForce::of(&request)?;
        let client = client_of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.evaluate(&client, &form).await?)
    };
    respond(&request, answer.await)
}

async fn ais(request: HttpRequest) -> HttpResponse {
    respond(&request, InForce::of(&request).map(|now| now.arbiter.ais()))
}

async fn ai(request: HttpRequest) -> HttpResponse {
    let id = request.match_info().get("id").unwrap_or_default();
    let answer = InForce::of(&request).and_then(|now| {
        let client = client_of(&request)?;
        Ok(now.arbiter.ai(&client, id)?)
    });
    respond(&request, answer)
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
