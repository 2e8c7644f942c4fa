//! Reads queries.

use serde::de::DeserializeOwned;
use text::printable;

use crate::{
    error::{Malformed, pointer_part},
    explained::{Explained, explained},
};

/// Parses query parameters.
///
/// # Errors
/// The parameters do not match `T`.
pub fn parse<T: DeserializeOwned>(query: &str) -> Result<T, Malformed> {
    serde_urlencoded::from_str(query).map_err(|error| {
        let Explained { field, detail } = explained(&error.to_string());
        let pointer = field.map(|field| pointer_part(&field)).unwrap_or_default();
        Malformed::new(
            pointer,
            format!("the query is invalid: {}", printable(&detail)),
        )
    })
}
