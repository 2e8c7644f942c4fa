//! The calls of the 2014 project.

use actix_web::{
    HttpRequest, HttpResponse,
    http::Method,
    web::{self, Data, Payload},
};

use super::{Service, body::json, client::client_of, problem::Problem, resource, v1::respond};

pub(super) fn routes(config: &mut web::ServiceConfig) {
    config.service(resource("/BestMove", Method::POST, web::to(best_move))).service(resource(
        "/ValidMoves",
        Method::POST,
        web::to(valid_moves),
    ));
}

async fn best_move(service: Data<Service>, request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let client = client_of(&request)?;
        let form = json(&service, &request, payload).await?;
        Ok(service.arbiter.blogchess_best_move(&client, &form).await?)
    };
    respond(&request, answer.await.map_err(Problem::with_status_of_2014))
}

async fn valid_moves(service: Data<Service>, request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let form = json(&service, &request, payload).await?;
        Ok(service.arbiter.blogchess_valid_moves(&form)?)
    };
    respond(&request, answer.await.map_err(Problem::with_status_of_2014))
}
