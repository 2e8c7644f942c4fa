//! Replies in JSON.

use std::cell::RefCell;

use actix_web::{
    HttpRequest, HttpResponse, HttpResponseBuilder,
    http::header::{CONTENT_TYPE, HeaderValue},
    web::Bytes,
};
use flate2::Compression;
use library::sha256::Sha256Sum;

use super::tagged::{self, PRIVATE_REVALIDATE, gzip};
use crate::{http::problem::respond_problem, state::served_requests::keep_reply};
use api::{
    problem::{Code, Problem},
    reply::JsonReply,
};

/// The media type for JSON.
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Returns the reply as JSON, or the problem with its status.
pub fn respond<T: JsonReply>(request: &HttpRequest, reply: Result<T, Problem>) -> HttpResponse {
    respond_with(HttpResponse::Ok(), request, reply)
}

/// Returns the reply in this response, or the problem with its status.
pub fn respond_with<T: JsonReply>(
    mut response: HttpResponseBuilder,
    request: &HttpRequest,
    reply: Result<T, Problem>,
) -> HttpResponse {
    match reply.and_then(|reply| text_of(&reply)) {
        Ok(text) => {
            let response = response
                .insert_header((CONTENT_TYPE, JSON))
                .body(text.clone());
            keep_reply(request, response.status().as_u16(), || {
                serde_json::from_slice(&text).ok()
            });
            response
        }
        Err(problem) => respond_problem(request, &problem),
    }
}

/// Returns the reply as JSON that the client may cache while it is current, or the problem with its
/// status.
pub fn respond_tagged<T: JsonReply>(
    request: &HttpRequest,
    reply: Result<T, Problem>,
) -> HttpResponse {
    match reply.and_then(|reply| text_of(&reply)) {
        Ok(text) => respond_text(request, text, "application/json"),
        Err(problem) => respond_problem(request, &problem),
    }
}

/// Returns text that the client may cache while it is current.
pub fn respond_text(
    request: &HttpRequest,
    text: Bytes,
    content_type: &'static str,
) -> HttpResponse {
    let hash = Sha256Sum::of(&text).to_string();
    let body = |is_compressed| {
        if is_compressed {
            gzip(&text, Compression::fast())
        } else {
            text
        }
    };
    tagged::respond(request, hash, PRIVATE_REVALIDATE, content_type, body)
}

fn text_of(reply: &impl JsonReply) -> Result<Bytes, Problem> {
    json_text(reply).map_err(|error| Problem::new(Code::Internal, error.to_string()))
}

/// Writes a reply into a thread-local buffer: most replies are as large as the previous one.
fn json_text(reply: &impl JsonReply) -> serde_json::Result<Bytes> {
    const MAX_KEPT_BYTES: usize = 64 << 10;
    thread_local! {
        static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.shrink_to(MAX_KEPT_BYTES);
        reply.write_json(buffer)?;
        Ok(Bytes::copy_from_slice(buffer))
    })
}
