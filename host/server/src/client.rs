//! Who is asking, and whether now.

use std::borrow::Cow;

use actix_web::{
    HttpMessage, HttpRequest,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::header::AUTHORIZATION,
    middleware::Next,
};

use super::{
    admission::Place,
    client_address::ClientAddress,
    generation::Snapshot,
    problem::{Code, Problem, refuse},
};
use crate::arbiter::Caller;
use pool::Requester;

/// The header in which a client names itself.
pub(super) const CLIENT_HEADER: &str = "X-Client-Id";

/// The client that a request comes from, as found by [`identify`], and the place that it takes.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) caller: Caller,
    /// Goes with the request, so that it is free once the answer is made.
    _place: Place,
}

/// Finds the client of a request and lets it in, before anything else is read of it; refuses one that is not known or
/// asks too much.
pub(super) async fn identify(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<BoxBody>> {
    match admit(&request) {
        Ok(client) => {
            request.extensions_mut().insert(client);
            Ok(next.call(request).await?.map_into_boxed_body())
        }
        Err(problem) => Ok(refuse(request.into_parts().0, problem)),
    }
}

/// The client of a request, with a place for it.
pub(super) fn admit(request: &ServiceRequest) -> Result<Client, Problem> {
    let now = Snapshot::of(request.request())?;
    let settings = now.arbiter.client(client_id(request).as_deref(), key(request)?)?.clone();
    let requester = if settings.api_key_sha256.is_some() {
        Requester::Keyed(settings.id.as_str().into())
    } else {
        let proxies = &now.config().server.trusted_proxies;
        Requester::Keyless(ClientAddress::of_request(request.request(), proxies).network())
    };
    let caller = Caller { settings, requester };
    let place = now.admissions.admit(&caller)?;
    Ok(Client { caller, _place: place })
}

/// What the request says who it is from. Several headers are one list, as everywhere in HTTP, and so no client's name:
/// a proxy must not see another client than the server does.
fn client_id(request: &ServiceRequest) -> Option<String> {
    let names = request.headers().get_all(CLIENT_HEADER).map(|name| String::from_utf8_lossy(name.as_bytes()));
    names.map(Cow::into_owned).reduce(|list, name| format!("{list}, {name}"))
}

/// The key that the request proves itself with.
fn key(request: &ServiceRequest) -> Result<Option<&[u8]>, Problem> {
    let mut headers = request.headers().get_all(AUTHORIZATION);
    let Some(header) = headers.next() else { return Ok(None) };
    let bytes = header.as_bytes();
    let key = bytes
        .split_at_checked(b"Bearer ".len())
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"Bearer "))
        .map(|(_, key)| key.trim_ascii());
    match (key, headers.next()) {
        (Some(key), None) if !key.is_empty() => Ok(Some(key)),
        // What was sent may be a secret all the same.
        _ => Err(Problem::new(
            Code::UnknownClient,
            "the header Authorization is not one 'Bearer KEY'; send it once in this form, or leave it out",
        )),
    }
}

/// The client that [`identify`] has found.
pub(super) fn client_of(request: &HttpRequest) -> Result<Caller, Problem> {
    let client = request.extensions().get::<Client>().map(|client| client.caller.clone());
    client.ok_or_else(|| Problem::new(Code::Internal, "the request's client was not looked up"))
}
