//! Compresses replies for clients that accept it.

use actix_web::{
    body::{BodySize, BoxBody, MessageBody},
    dev::ServiceResponse,
    http::header::{CONTENT_ENCODING, ETAG, HeaderValue, VARY},
};
use flate2::Compression;

use crate::http::tagged::{accepts_gzip, gzip};

/// The longest body that is sent uncompressed: it fits into one packet.
const MAX_PLAIN_BYTES: u64 = 1024;

/// Compresses the body of a long reply. Streams stay uncompressed. Replies with a tag are
/// compressed where their tag is created.
pub(crate) fn compressed<B: MessageBody + 'static>(
    mut response: ServiceResponse<B>,
) -> ServiceResponse<BoxBody> {
    let size = response.response().body().size();
    let is_long = matches!(size, BodySize::Sized(bytes) if bytes > MAX_PLAIN_BYTES);
    let headers = response.headers();
    if !is_long || headers.contains_key(CONTENT_ENCODING) || headers.contains_key(ETAG) {
        return response.map_into_boxed_body();
    }
    response
        .headers_mut()
        .append(VARY, HeaderValue::from_static("Accept-Encoding"));
    if !accepts_gzip(response.request()) {
        return response.map_into_boxed_body();
    }
    response.map_body(|head, body| match body.try_into_bytes() {
        Ok(bytes) => {
            head.headers_mut()
                .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            BoxBody::new(gzip(&bytes, Compression::fast()))
        }
        Err(body) => body.boxed(),
    })
}
