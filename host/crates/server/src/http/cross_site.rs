//! Rejects requests that a page of another site makes a browser send.

use actix_web::{
    HttpRequest,
    http::header::{HeaderName, ORIGIN},
};

use crate::state::snapshot::Snapshot;
use api::problem::{Code, Problem};

/// Where a browser sends a request from (W3C Fetch Metadata).
const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Rejects a request of a page of another site, unless its origin is allowed. A `GET` needs it:
/// browsers send one without a preflight, even for a picture.
///
/// # Errors
/// Such a request.
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
    let detail = "a page of another site sent this GET, which asks an AI; open the URL itself, \
                  send a POST, or have the operator allow the origin of the page with \
                  `cors_origins`";
    Err(Problem::new(Code::CrossSiteRequest, detail))
}
