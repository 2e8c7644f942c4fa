//! Reads JSON bodies, bounded in size and time.

mod reader;

use std::{sync::Arc, time::Instant};

use actix_web::{
    HttpRequest,
    http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderName},
    web::Payload,
};
use futures_util::TryStreamExt as _;
use serde::de::DeserializeOwned;

use crate::{
    connection::{client_address::ClientAddress, progress::RequestProgress},
    http::served_request::keep,
    state::{request_record::RequestRecord, server_state::ServerState, snapshot::Snapshot},
};
use api::{
    call::is_legacy_path,
    json::parse,
    problem::{Code, Problem},
};
use reader::{Body, too_large};

/// Reads the JSON body of a request and returns it with the request's generation. Dropping the
/// future stops reading and releases the memory.
///
/// # Errors
/// The body is too large, arrives too late or does not match `T`.
pub async fn read<T: DeserializeOwned>(
    request: &HttpRequest,
    payload: Payload,
) -> Result<(Snapshot, T), Problem> {
    let (generation, body) = read_bytes(request, payload).await?;
    let form = parse(body.bytes())?;
    keep(request, &generation, body.bytes());
    Ok((generation, form))
}

/// Reads the body of a request and returns it with the request's generation. Dropping the future
/// stops reading and releases the memory.
///
/// # Errors
/// The body is not announced as JSON, is too large or arrives too late.
pub async fn read_bytes(
    request: &HttpRequest,
    payload: Payload,
) -> Result<(Snapshot, Body), Problem> {
    let generation = Snapshot::of(request)?;
    check_media_type(request)?;
    check_coding(request)?;
    let settings = &generation.config().server;
    check_announced_length(request, settings.max_body_bytes)?;
    let began = request
        .conn_data::<Arc<RequestProgress>>()
        .and_then(|progress| progress.body_since());
    let began = began.unwrap_or_else(Instant::now);
    let budget = &ServerState::of(request)?.bodies;
    let client = ClientAddress::of_request(request, &settings.trusted_proxies);
    let address = (!client.is_exempt()).then(|| client.network());
    let record = RequestRecord::of(request);
    let payload = payload.inspect_ok(|chunk| {
        if let Some(record) = &record {
            record.add_bytes_in(chunk.len());
        }
    });
    let body = Body::read(payload, settings, began, budget, address).await?;
    Ok((generation, body))
}

/// Rejects a body whose media type is not JSON. The calls of 2014 accept the older `text/json`.
fn check_media_type(request: &HttpRequest) -> Result<(), Problem> {
    check_single(request, &CONTENT_TYPE, "Content-Type")?;
    let content_type = request
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case("application/json")
        || media_type.eq_ignore_ascii_case("text/json") && is_legacy_path(request.path())
    {
        return Ok(());
    }
    let found = if media_type.is_empty() {
        "none".to_owned()
    } else {
        format!("'{}'", text::printable(media_type))
    };
    let detail =
        format!("the Content-Type is {found}; send the header 'Content-Type: application/json'");
    Err(Problem::new(Code::UnsupportedMediaType, detail))
}

fn check_coding(request: &HttpRequest) -> Result<(), Problem> {
    check_single(request, &CONTENT_ENCODING, "Content-Encoding")?;
    let Some(coding) = request.headers().get(CONTENT_ENCODING) else {
        return Ok(());
    };
    if coding.as_bytes().eq_ignore_ascii_case(b"identity") {
        return Ok(());
    }
    let found = text::printable(&String::from_utf8_lossy(coding.as_bytes()));
    let detail =
        format!("the Content-Encoding is '{found}'; send the body unencoded, without this header");
    Err(Problem::new(Code::UnsupportedMediaType, detail))
}

/// Rejects a repeated header: a proxy may have checked a different value.
fn check_single(request: &HttpRequest, header: &HeaderName, name: &str) -> Result<(), Problem> {
    match request.headers().get_all(header).count() {
        0 | 1 => Ok(()),
        count => {
            let detail = format!("the request has {count} {name} headers; send one");
            Err(Problem::new(Code::UnsupportedMediaType, detail))
        }
    }
}

/// Rejects a body whose announced length is too large, before reading it.
fn check_announced_length(request: &HttpRequest, max_bytes: usize) -> Result<(), Problem> {
    let announced = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > max_bytes as u64) {
        Err(too_large(max_bytes))
    } else {
        Ok(())
    }
}
