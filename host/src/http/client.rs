//! Who is asking.

use std::borrow::Cow;

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
        let header = client_id(&request);
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

/// What the request says who it is from. Several headers are one list, as everywhere in HTTP, and so no client's name:
/// a proxy must not see another client than the server does.
fn client_id(request: &ServiceRequest) -> Option<String> {
    let names = request.headers().get_all("X-Client-Id").map(|name| String::from_utf8_lossy(name.as_bytes()));
    names.map(Cow::into_owned).reduce(|list, name| format!("{list}, {name}"))
}

/// The client that [`identify`] has found.
pub(super) fn client_of(request: &HttpRequest) -> Result<ClientSettings, Problem> {
    let client = request.extensions().get::<Client>().map(|client| client.0.clone());
    client.ok_or_else(|| Problem::new(Code::Internal, "the request's client was not looked up"))
}
