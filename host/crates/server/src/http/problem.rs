//! Error responses: `application/problem+json` (RFC 9457).

use actix_web::{
    HttpRequest, HttpResponse,
    body::BoxBody,
    dev::ServiceResponse,
    http::{
        StatusCode,
        header::{ALLOW, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
    },
};
use api::problem::Problem;
use serde_json::json;

use crate::state::{request_record::request_id, served_requests::keep_reply};

/// The header that lists the accepted media types of a body (W3C Linked Data Platform).
const ACCEPT_POST: HeaderName = HeaderName::from_static("accept-post");

/// Returns the response of a middleware that rejects a request.
pub(crate) fn reject(request: HttpRequest, problem: &Problem) -> ServiceResponse<BoxBody> {
    let response = respond_problem(&request, problem);
    ServiceResponse::new(request, response)
}

pub fn respond_problem(request: &HttpRequest, problem: &Problem) -> HttpResponse {
    problem.log();
    let body = problem.body(request_id(request).as_ref());
    keep_reply(request, body.status(), || serde_json::to_value(&body).ok());
    let text =
        serde_json::to_string(&body).unwrap_or_else(|_| json!({"code": "internal"}).to_string());
    let status = StatusCode::from_u16(body.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = HttpResponse::build(status)
        .content_type("application/problem+json")
        .body(text);
    response.extensions_mut().insert(problem.code());
    let headers = response.headers_mut();
    if let Some(seconds) = problem.retry_after_s() {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if status == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        headers.insert(ACCEPT_POST, HeaderValue::from_static("application/json"));
    }
    if let Some(allow) = problem
        .allow()
        .and_then(|allow| HeaderValue::try_from(allow).ok())
    {
        headers.insert(ALLOW, allow);
    }
    response
}
