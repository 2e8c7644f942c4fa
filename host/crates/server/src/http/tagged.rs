//! Replies that clients may cache. Each reply has a tag, becomes a 304 while the client's copy is
//! current, and is compressed for clients that accept gzip.

use std::io::Write;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{
        self, AcceptEncoding, ContentEncoding, Encoding, EntityTag, Header, HeaderValue,
        IfNoneMatch, Preference, Quality,
    },
    web::Bytes,
};
use flate2::{Compression, write::GzEncoder};

/// The `Cache-Control` for replies that may change: clients revalidate them by their tag.
pub(crate) const REVALIDATE: &str = "no-cache";
/// The `Cache-Control` for replies that may change and depend on the client.
pub(crate) const PRIVATE_REVALIDATE: &str = "private, no-cache";

/// Returns 304 if the client has the body with this hash, else the body. The argument of `body`
/// says whether to compress the body.
pub(crate) fn respond(
    request: &HttpRequest,
    hash: String,
    caching: &'static str,
    content_type: &'static str,
    body: impl FnOnce(bool) -> Bytes,
) -> HttpResponse {
    let is_compressed = accepts_gzip(request);
    // Each encoding has its own tag, because a strong tag identifies exact bytes.
    let tag = EntityTag::new_strong(if is_compressed {
        format!("{hash}-gzip")
    } else {
        hash
    });
    let is_known = has(request, &tag);
    let mut response = if is_known {
        HttpResponse::NotModified()
    } else {
        HttpResponse::Ok()
    };
    response
        .insert_header((header::CACHE_CONTROL, caching))
        .insert_header(header::ETag(tag))
        .insert_header((header::VARY, HeaderValue::from_static("Accept-Encoding")));
    if is_known {
        return response.finish();
    }
    if is_compressed {
        response.insert_header(ContentEncoding::Gzip);
    }
    response
        .content_type(content_type)
        .body(body(is_compressed))
}

/// Returns whether the client has the reply with this tag.
pub(crate) fn has(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => request.headers().contains_key(header::IF_NONE_MATCH),
        Ok(IfNoneMatch::Items(tags)) => tags.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    }
}

/// Compresses a body with gzip.
pub(crate) fn gzip(body: &[u8], level: Compression) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    let bytes = encoder.write_all(body).and_then(|()| encoder.finish());
    bytes.expect("writing to a Vec succeeds").into()
}

/// Returns whether the client accepts gzip.
pub(crate) fn accepts_gzip(request: &HttpRequest) -> bool {
    // Without the header there is nothing to parse.
    let is_given = request.headers().contains_key(header::ACCEPT_ENCODING);
    let gzip = Preference::Specific(Encoding::Known(ContentEncoding::Gzip));
    is_given
        && AcceptEncoding::parse(request).is_ok_and(|accepted| {
            accepted
                .iter()
                .any(|accepted| accepted.item == gzip && accepted.quality > Quality::ZERO)
        })
}
