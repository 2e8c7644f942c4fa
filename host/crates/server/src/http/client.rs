//! Identifies and admits the client of a request.

use std::{borrow::Cow, time::SystemTime};

use actix_web::{
    HttpMessage, HttpRequest,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse},
    http::header::AUTHORIZATION,
    middleware::Next,
};

use crate::{
    connection::client_address::ClientAddress,
    http::problem::reject,
    listener::Scope,
    state::{admission::RequestSlot, request_record::record_client, snapshot::Snapshot},
};
use api::{
    openapi::CLIENT_HEADER,
    problem::{Code, Problem},
};
use config::{ClientSettings, Config, ExpiryState, api_key::concealed};
use game::Client;
use pool::ClientIdentity;
use text::printable;

/// The client of a request, as found by `identify`, with the request's slot.
#[derive(Debug)]
pub(crate) struct AdmittedClient {
    pub client: Client,
    /// Released when the request is dropped.
    _slot: RequestSlot,
}

/// Middleware: identifies and admits the client of a request before its body is read. Rejects
/// unknown clients and clients that exceed their limits.
///
/// # Errors
/// A later middleware fails.
pub async fn identify(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> actix_web::Result<ServiceResponse<BoxBody>> {
    let (generation, client) = match client_of_head(request.request()) {
        Ok(found) => found,
        Err(problem) => return Ok(reject(request.into_parts().0, &problem)),
    };
    let rate = generation.admissions.rate(&client);
    let mut response = match generation.admissions.admit(&client) {
        Ok(slot) => {
            request.extensions_mut().insert(AdmittedClient {
                client,
                _slot: slot,
            });
            next.call(request).await?.map_into_boxed_body()
        }
        Err(problem) => reject(request.into_parts().0, &problem),
    };
    if let Some(rate) = rate {
        rate.write(response.headers_mut());
    }
    Ok(response)
}

/// Admits the client of a request.
///
/// # Errors
/// The client is unknown, or exceeds its limits.
pub(crate) fn admit(request: &HttpRequest) -> Result<AdmittedClient, Problem> {
    let (generation, client) = client_of_head(request)?;
    let slot = generation.admissions.admit(&client)?;
    Ok(AdmittedClient {
        client,
        _slot: slot,
    })
}

fn client_of_head(request: &HttpRequest) -> Result<(Snapshot, Client), Problem> {
    let generation = Snapshot::of(request)?;
    let config = generation.service().config();
    // Rejected names stay out of the access log: a name may be a mistyped key, and looking it up
    // would reveal known names by response time.
    let settings = settings(config, client_id(request).as_deref(), key(request)?)?.clone();
    check_expiry(&settings)?;
    if let Some(usage) = generation.usages.get(&settings.id) {
        record_client(request, usage);
    }
    let identity = if settings.keys().is_empty() {
        let proxies = &config.server.trusted_proxies;
        ClientIdentity::Keyless(ClientAddress::of_request(request, proxies).network())
    } else {
        ClientIdentity::Keyed(settings.id.as_str().into())
    };
    Ok((generation, Client { settings, identity }))
}

/// Returns the settings of the client with the key. Without a key, returns the settings of the
/// named client, or of the default client if none is named.
///
/// # Errors
/// The client does not exist, or its key is missing or wrong.
fn settings<'a>(
    config: &'a Config,
    name: Option<&str>,
    key: Option<&[u8]>,
) -> Result<&'a ClientSettings, Problem> {
    let unknown = |detail: String| Problem::new(Code::UnknownClient, detail);
    let shown = |sent: &str| concealed(&printable(sent)).into_owned();
    let Some(key) = key else {
        let found = config
            .client(name)
            .filter(|client| client.keys().is_empty());
        // A client that needs a key gets the same error as one that does not exist.
        return found.ok_or_else(|| {
            unknown(match name {
                Some(name) => format!(
                    "no client '{}' without a key is configured; name one in the X-Client-Id \
                     header, or send a key as 'Authorization: Bearer KEY'; 'rookery client add \
                     NAME' creates a key",
                    shown(name)
                ),
                None => "the request names no client, and no default client is configured; name \
                         one in the X-Client-Id header, or send a key as 'Authorization: Bearer \
                         KEY'; 'rookery client add NAME' creates a key"
                    .into(),
            })
        });
    };
    let found = config.client_with_key(key).ok_or_else(|| {
        unknown(
            "the key in the Authorization header does not belong to any client; check the key, or \
             request a new one"
                .into(),
        )
    })?;
    match name {
        Some(name) if name != found.id => Err(unknown(format!(
            "the key in the Authorization header does not belong to the client '{}'; omit the \
             X-Client-Id header",
            shown(name)
        ))),
        _ => Ok(found),
    }
}

/// # Errors
/// The client's access has ended. Only a client without a key, or one with the right key, gets this
/// far.
fn check_expiry(client: &ClientSettings) -> Result<(), Problem> {
    let expired = client
        .expires
        .filter(|expiry| expiry.state(SystemTime::now()) == ExpiryState::Expired);
    expired.map_or(Ok(()), |expiry| {
        let detail = format!(
            "the access of the client '{}' expired at {expiry}; ask the server's operator to \
             extend it",
            client.id
        );
        Err(Problem::new(Code::UnknownClient, detail))
    })
}

/// Returns the client id of the request. Repeated headers form one list, as usual in HTTP, and a
/// list is not a client id: a proxy must not see a different client than the server.
fn client_id(request: &HttpRequest) -> Option<String> {
    let names = request
        .headers()
        .get_all(CLIENT_HEADER)
        .map(|name| String::from_utf8_lossy(name.as_bytes()));
    names
        .map(Cow::into_owned)
        .reduce(|list, name| format!("{list}, {name}"))
}

/// Returns the API key of the request.
///
/// # Errors
/// The `Authorization` header does not have the form `Bearer KEY`.
fn key(request: &HttpRequest) -> Result<Option<&[u8]>, Problem> {
    let mut headers = request.headers().get_all(AUTHORIZATION);
    let Some(header) = headers.next() else {
        return Ok(None);
    };
    let bytes = header.as_bytes();
    let key = bytes
        .split_at_checked(b"Bearer ".len())
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"Bearer "))
        .map(|(_, key)| key.trim_ascii());
    match (key, headers.next()) {
        (Some(key), None) if !key.is_empty() => Ok(Some(key)),
        // The value is not shown, because it may be a secret.
        _ => Err(Problem::new(
            Code::UnknownClient,
            "the Authorization header does not have the form 'Bearer KEY'; send it once in this \
             form, or omit it",
        )),
    }
}

/// Ensures that an operator call arrived at a listener that answers it.
///
/// # Errors
/// Only the listeners of `admin_listen` answer the call.
pub fn ensure_answered_here(request: &HttpRequest) -> Result<(), Problem> {
    if request.conn_data::<Scope>() == Some(&Scope::Public) {
        let detail = "this server answers this call only at the addresses of `admin_listen`; ask \
            its operator for one of them";
        return Err(Problem::new(Code::NotFound, detail));
    }
    Ok(())
}

/// Returns the client that `identify` found.
///
/// # Errors
/// The call does not identify its client.
pub fn client_of(request: &HttpRequest) -> Result<Client, Problem> {
    let client = request
        .extensions()
        .get::<AdmittedClient>()
        .map(|client| client.client.clone());
    client.ok_or_else(|| {
        Problem::new(
            Code::Internal,
            "the client of the request was not identified",
        )
    })
}

/// Returns the client of a request that only administrators may send.
///
/// # Errors
/// The client is not an administrator (`action` says what it may not do), or the request arrived
/// at a listener that does not answer such calls.
pub fn admin_of(request: &HttpRequest, action: &str) -> Result<Client, Problem> {
    ensure_answered_here(request)?;
    let client = client_of(request)?;
    if client.admin {
        Ok(client)
    } else {
        Err(not_admin(action))
    }
}

/// Returns the error for a client that is not an administrator.
pub fn not_admin(action: &str) -> Problem {
    let detail =
        format!("only clients with `admin = true` may {action}; send the key of such a client");
    Problem::new(Code::NotFound, detail)
}
