//! The calls of the 2014 project.

use actix_web::{
    HttpRequest, HttpResponse,
    http::Method,
    web::{self, Payload},
};

use super::{body::json, client::client_of, generation::Snapshot, problem::Problem, v1::respond};
use crate::app::resource;

pub(super) fn routes(config: &mut web::ServiceConfig) {
    config.service(resource("/BestMove", Method::POST, web::to(best_move))).service(resource(
        "/ValidMoves",
        Method::POST,
        web::to(valid_moves),
    ));
}

async fn best_move(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = Snapshot::of(&request)?;
        let client = client_of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.blogchess_best_move(&client, &form).await?)
    };
    respond(&request, answer.await.map_err(Problem::with_status_of_2014))
}

async fn valid_moves(request: HttpRequest, payload: Payload) -> HttpResponse {
    let answer = async {
        let now = Snapshot::of(&request)?;
        let form = json(&now, &request, payload).await?;
        Ok(now.arbiter.blogchess_valid_moves(&form)?)
    };
    respond(&request, answer.await.map_err(Problem::with_status_of_2014))
}
