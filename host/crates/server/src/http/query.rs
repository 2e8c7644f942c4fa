//! Reads queries.

use actix_web::HttpRequest;
use api::{
    error::Malformed,
    problem::Problem,
    query::parse,
    query_form::{self, QueryField},
};
use serde::de::DeserializeOwned;

use crate::{http::served_request::keep, state::snapshot::Snapshot};

/// Parses the query of a request.
///
/// # Errors
/// The query does not match `T`.
pub fn read<T: DeserializeOwned>(request: &HttpRequest) -> Result<T, Malformed> {
    parse(request.query_string())
}

/// Parses the form in the query of a request and returns it with the request's generation.
///
/// # Errors
/// The query does not match `T`.
pub(crate) fn read_form<T: DeserializeOwned>(
    request: &HttpRequest,
    fields: &[QueryField],
) -> Result<(Snapshot, T), Problem> {
    let generation = Snapshot::of(request)?;
    let (form, body) = query_form::read(request.query_string(), fields)?;
    keep(request, &generation, body.as_bytes());
    Ok((generation, form))
}
