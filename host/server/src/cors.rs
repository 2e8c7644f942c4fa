//! Which web pages may call the server from a browser: none, unless the configuration names them.

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

use super::{
    client::CLIENT_HEADER,
    problem::{Code, Problem, refuse},
    request_log::REQUEST_ID_HEADER,
    snapshot::Snapshot,
};

/// For a browser to remember what it was told.
const MAX_AGE_SECONDS: usize = 3600;

/// Lets the pages of the configured origins in; does nothing where there are none.
pub(super) async fn let_pages_in(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<BoxBody>> {
    let now = match Snapshot::of(request.request()) {
        Ok(now) => now,
        Err(problem) => return Ok(refuse(request.into_parts().0, problem)),
    };
    let origins = &now.config().server.cors_origins;
    if origins.is_empty() {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    // Made for each request, because the origins may have changed since the last one.
    let Ok(guarded) = cors(origins).new_transform(next).await else {
        let problem = Problem::new(Code::Internal, "the origins of the configuration can't be used");
        return Ok(refuse(request.into_parts().0, problem));
    };
    Ok(guarded.call(request).await?.map_into_boxed_body())
}

fn cors(origins: &[String]) -> Cors {
    let cors = Cors::default()
        .allowed_methods([Method::GET, Method::POST])
        .allowed_headers([AUTHORIZATION, CONTENT_TYPE])
        .allowed_header(CLIENT_HEADER)
        .allowed_header(REQUEST_ID_HEADER.clone())
        .expose_headers([RETRY_AFTER, REQUEST_ID_HEADER.clone()])
        .max_age(MAX_AGE_SECONDS);
    if origins.iter().any(|origin| origin == "*") {
        cors.allow_any_origin().send_wildcard()
    } else {
        origins.iter().fold(cors, |cors, origin| cors.allowed_origin(origin))
    }
}

/// Tells a page that is not let in so in the words of every other error.
pub(super) async fn tell_refusal(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<BoxBody>> {
    let response = next.call(request).await?;
    let refusal = response.response().error().and_then(actix_web::Error::as_error::<CorsError>);
    match refusal {
        Some(refusal) => {
            let detail =
                format!("{refusal}; the server's operator can let a page's origin in with `cors_origins`");
            Ok(refuse(response.into_parts().0, Problem::new(Code::MalformedRequest, detail)))
        }
        None => Ok(response.map_into_boxed_body()),
    }
}
