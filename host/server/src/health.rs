//! Whether the server lives, and whether it can answer.

use actix_web::{HttpRequest, HttpResponse, Responder, http::Method, web};
use serde_json::json;

use crate::{
    app::resource,
    problem::{Code, Problem},
    service::Service,
};

pub(super) fn routes(config: &mut web::ServiceConfig) {
    config.service(resource("/healthz", Method::GET, web::to(healthz))).service(resource(
        "/readyz",
        Method::GET,
        web::to(readyz),
    ));
}

async fn healthz() -> HttpResponse {
    HttpResponse::Ok().json(json!({"status": "alive"}))
}

async fn readyz(service: web::Data<Service>, request: HttpRequest) -> HttpResponse {
    if service.is_ready() {
        return HttpResponse::Ok().json(json!({"status": "ready"}));
    }
    let detail =
        "the server is starting, ending, or one of its AIs can't be started; GET /v1/ais tells which";
    Problem::new(Code::AiUnavailable, detail).respond_to(&request)
}
