//! Rejects requests that a browser sends on behalf of another site's page.

use actix_web::{
    HttpRequest,
    http::header::{HeaderName, ORIGIN},
};

use crate::state::snapshot::Snapshot;
use api::problem::{Code, Problem};

/// How the site that sends a request relates to this one (W3C Fetch Metadata).
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Rejects a request from another site's page, unless its origin is allowed. A `GET` needs this
/// check: browsers send it without a preflight, even for a picture.
///
/// # Errors
/// The request comes from another site, and its origin is not allowed.
pub(crate) fn reject_cross_site(request: &HttpRequest) -> Result<(), Problem> {
    if !request
        .headers()
        .get_all(SITE)
        .any(|site| site == "cross-site")
    {
        return Ok(());
    }
    let now = Snapshot::of(request)?;
    let origin = request
        .headers()
        .get(ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    let is_allowed = |allowed: &String| allowed == "*" || origin == Some(allowed);
    if now.config().server.cors_origins.iter().any(is_allowed) {
        return Ok(());
    }
    let detail = "a page from another site sent this GET, which uses an AI; open the URL directly, \
                  send a POST, or ask the server's operator to allow the page's origin with \
                  `cors_origins`";
    Err(Problem::new(Code::CrossSiteRequest, detail))
}
