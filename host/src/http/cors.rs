//! Which web pages may call the server from a browser: none, unless the configuration names them.

use actix_cors::{Cors, CorsError};
use actix_web::{
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::{
        Method,
        header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER},
    },
    middleware::{Condition, Next},
};

use super::{
    client::CLIENT_HEADER,
    problem::{Code, Problem, refuse},
};

/// For a browser to remember what it was told.
const MAX_AGE_SECONDS: usize = 3600;

/// Lets the pages of these origins in; does nothing where there are none.
pub(super) fn cors(origins: &[String]) -> Condition<Cors> {
    let cors = Cors::default()
        .allowed_methods([Method::GET, Method::POST])
        .allowed_headers([AUTHORIZATION, CONTENT_TYPE])
        .allowed_header(CLIENT_HEADER)
        .expose_headers([RETRY_AFTER])
        .max_age(MAX_AGE_SECONDS);
    let cors = if origins.iter().any(|origin| origin == "*") {
        cors.allow_any_origin().send_wildcard()
    } else {
        origins.iter().fold(cors, |cors, origin| cors.allowed_origin(origin))
    };
    Condition::new(!origins.is_empty(), cors)
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
