//! Security headers for every reply.

use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CROSS_ORIGIN_OPENER_POLICY,
    CROSS_ORIGIN_RESOURCE_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};

/// The policy for the pages and their files: nothing from other origins, and nothing inline.
pub(crate) const PAGE_POLICY: &str = "default-src 'self'; object-src 'none'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";
/// The policy for a picture, which runs and fetches nothing.
pub(crate) const PICTURE_POLICY: &str = "default-src 'none'; frame-ancestors 'self'";
/// The policy for all other replies, which are data.
const DATA_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The default values of the headers that a reply does not set itself.
const DEFAULTS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, DATA_POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    // Does not apply to CORS requests, so pages of the configured `cors_origins` are not affected.
    (CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
    (CROSS_ORIGIN_OPENER_POLICY, "same-origin"),
    // Replies contain games and depend on the client, which is not part of the URL.
    (CACHE_CONTROL, "no-store"),
];
/// HSTS for a year.
const TRANSPORT_SECURITY: &str = "max-age=31536000";

/// Adds the security headers that a reply does not set itself.
pub(crate) fn add(headers: &mut HeaderMap, is_encrypted: bool) {
    headers.reserve(DEFAULTS.len());
    for (name, value) in DEFAULTS {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if is_encrypted {
        headers.insert(
            STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static(TRANSPORT_SECURITY),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_hsts_only_with_tls() {
        for is_encrypted in [false, true] {
            let mut headers = HeaderMap::new();
            add(&mut headers, is_encrypted);
            assert_eq!(
                headers.contains_key(STRICT_TRANSPORT_SECURITY),
                is_encrypted
            );
        }
    }

    #[test]
    fn keeps_headers_of_the_reply() {
        let mut headers = HeaderMap::new();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        add(&mut headers, false);
        assert_eq!(headers.get(CACHE_CONTROL).unwrap(), "no-cache");
        assert_eq!(headers.get(CONTENT_SECURITY_POLICY).unwrap(), DATA_POLICY);
    }
}
