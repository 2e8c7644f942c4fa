//! Who is asking.

use actix_web::{
    HttpMessage,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    middleware::Next,
    web::Data,
};
use actix_web::{HttpRequest, Responder};

use super::{
    Service,
    problem::{Code, Problem},
};
use crate::config::ClientSettings;

/// The client that a request comes from, as found by [`identify`].
#[derive(Clone, Debug)]
struct Client(ClientSettings);

/// Finds the client of a request, before anything else is read of it, and refuses one that is not known.
pub(super) async fn identify(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<BoxBody>> {
    let found = {
        let header =
            request.headers().get("X-Client-Id").map(|value| String::from_utf8_lossy(value.as_bytes()));
        match request.app_data::<Data<Service>>() {
            Some(service) => service.arbiter.client(header.as_deref()).cloned().map_err(Problem::from),
            None => Err(Problem::new(Code::Internal, "the service is not set up")),
        }
    };
    match found {
        Ok(client) => {
            request.extensions_mut().insert(Client(client));
            Ok(next.call(request).await?.map_into_boxed_body())
        }
        Err(problem) => {
            let (request, _) = request.into_parts();
            let response = problem.respond_to(&request);
            Ok(ServiceResponse::new(request, response))
        }
    }
}

/// The client that [`identify`] has found.
pub(super) fn client_of(request: &HttpRequest) -> Result<ClientSettings, Problem> {
    let client = request.extensions().get::<Client>().map(|client| client.0.clone());
    client.ok_or_else(|| Problem::new(Code::Internal, "the request's client was not looked up"))
}
