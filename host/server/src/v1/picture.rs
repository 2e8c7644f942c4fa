//! Pictures of positions, which browsers and caches may keep.

use actix_web::{
    HttpRequest, HttpResponse, Responder,
    http::header::{self, CacheDirective, ETag, EntityTag},
    web::Query,
};

use super::super::{problem::Problem, security_headers::PICTURE_POLICY, static_files::has};
use crate::arbiter::{Arbiter, Malformed, PictureForm};
use library::sha256::Sha256Sum;
use text::printable;

/// The same query has the same picture, until another version of the server draws it.
const MAX_AGE_SECONDS: u32 = 24 * 60 * 60;

/// `GET /v1/board.svg`
pub(super) async fn board(request: HttpRequest) -> HttpResponse {
    match draw(&request) {
        Ok(svg) => picture(&request, svg),
        Err(problem) => problem.respond_to(&request),
    }
}

fn draw(request: &HttpRequest) -> Result<String, Problem> {
    let malformed = |error: &dyn std::fmt::Display| Malformed {
        pointer: String::new(),
        detail: format!("the query is not understood: {}", printable(&error.to_string())),
    };
    let form = Query::<PictureForm>::from_query(request.query_string()).map_err(|error| malformed(&error))?;
    Ok(Arbiter::picture(&form)?)
}

fn picture(request: &HttpRequest, svg: String) -> HttpResponse {
    let tag = EntityTag::new_strong(Sha256Sum::of(svg.as_bytes()).to_string());
    let is_known = has(request, &tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response
        .insert_header(header::CacheControl(vec![
            CacheDirective::Public,
            CacheDirective::MaxAge(MAX_AGE_SECONDS),
        ]))
        .insert_header(ETag(tag))
        .insert_header((header::CONTENT_SECURITY_POLICY, PICTURE_POLICY))
        .insert_header((header::X_FRAME_OPTIONS, "SAMEORIGIN"))
        // Pages of others may show it; it tells what stands in its address and nothing else.
        .insert_header((header::CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin"));
    if is_known { response.finish() } else { response.content_type("image/svg+xml").body(svg) }
}
