//! CORS: only pages of the configured origins may call the server from a browser.

use crate::{
    http::{problem::reject, request_log::REQUEST_ID_HEADER},
    state::{
        client_rate::{RATE_LIMIT, RATE_LIMIT_POLICY},
        snapshot::Snapshot,
    },
};
use actix_cors::{Cors, CorsError};
use actix_web::{
    body::{BoxBody, MessageBody},
    dev::{Service as _, ServiceRequest, ServiceResponse, Transform as _},
    http::{
        Method,
        header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER},
    },
    middleware::Next,
};
use api::{
    openapi::CLIENT_HEADER,
    problem::{Code, Problem},
};

/// How long a browser may cache a preflight response.
const MAX_AGE_SECONDS: usize = 3600;

/// The header that makes a repeated request return the first reply.
pub const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// The headers that assistants send to `/mcp`.
const MCP_HEADERS: [&str; 3] = ["mcp-protocol-version", "mcp-method", "mcp-name"];

/// Middleware: allows the configured origins, and turns a rejection into a problem. Does nothing if
/// no origins are configured.
pub(crate) async fn allow_origins(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<BoxBody>> {
    let now = match Snapshot::of(request.request()) {
        Ok(now) => now,
        Err(problem) => return Ok(reject(request.into_parts().0, &problem)),
    };
    let origins = &now.config().server.cors_origins;
    if origins.is_empty() {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    // Created for each request, because a reload may change the origins.
    let Ok(cors) = cors(origins).new_transform(next).await else {
        let problem = Problem::new(Code::Internal, "the configured cors_origins are invalid");
        return Ok(reject(request.into_parts().0, &problem));
    };
    let response = cors.call(request).await?;
    let Some(rejection) = response
        .response()
        .error()
        .and_then(actix_web::Error::as_error::<CorsError>)
    else {
        return Ok(response.map_into_boxed_body());
    };
    let detail =
        format!("{rejection}; the server's operator can allow an origin with `cors_origins`");
    Ok(reject(
        response.into_parts().0,
        &Problem::new(Code::MalformedRequest, detail),
    ))
}

fn cors(origins: &[String]) -> Cors {
    let cors = Cors::default()
        .allowed_methods([Method::GET, Method::POST, Method::DELETE])
        .allowed_headers([AUTHORIZATION, CONTENT_TYPE])
        .allowed_header(CLIENT_HEADER)
        .allowed_header(IDEMPOTENCY_KEY)
        .allowed_header(REQUEST_ID_HEADER.clone())
        .allowed_headers(MCP_HEADERS)
        .expose_headers([
            RETRY_AFTER,
            RATE_LIMIT,
            RATE_LIMIT_POLICY,
            REQUEST_ID_HEADER.clone(),
        ])
        .max_age(MAX_AGE_SECONDS);
    if origins.iter().any(|origin| origin == "*") {
        cors.allow_any_origin().send_wildcard()
    } else {
        origins
            .iter()
            .fold(cors, |cors, origin| cors.allowed_origin(origin))
    }
}
