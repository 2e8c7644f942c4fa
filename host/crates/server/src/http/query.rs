//! Reads queries.

use actix_web::{HttpRequest, error::QueryPayloadError, web::Query};
use serde::de::DeserializeOwned;
use text::printable;

use super::explained::{Explained, explained};
use crate::error::{Malformed, pointer_part};

/// Returns the parameters of a request's query.
///
/// # Errors
/// They do not match `T`.
pub fn read<T: DeserializeOwned>(request: &HttpRequest) -> Result<T, Malformed> {
    parse(request.query_string())
}

/// Returns the parameters of a query.
///
/// # Errors
/// They do not match `T`.
pub fn parse<T: DeserializeOwned>(query: &str) -> Result<T, Malformed> {
    Query::from_query(query)
        .map(Query::into_inner)
        .map_err(|error| {
            let text = match error {
                QueryPayloadError::Deserialize(error) => error.to_string(),
                other => other.to_string(),
            };
            let Explained { field, detail } = explained(&text);
            let pointer = field.map(|field| pointer_part(&field)).unwrap_or_default();
            Malformed::new(
                pointer,
                format!("the query is invalid: {}", printable(&detail)),
            )
        })
}
