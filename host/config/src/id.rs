//! The ids of AIs and clients.

use crate::{issue::Issues, source::shortened, table::Table};

/// The allowed ids.
pub const ID_ALLOWED: &str = "1 to 64 of a-z, 0-9, `_` and `-`";

/// Returns whether `id` can be the id of an AI or a client.
pub fn is_id(id: &str) -> bool {
    let is_allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&id.len()) && id.bytes().all(is_allowed)
}

/// Reports a table whose name is not an id.
pub(crate) fn check_id(owner: &str, table: &Table<'_>, issues: &mut Issues<'_>) {
    if !is_id(table.name()) {
        let message = format!("`{}` cannot be the id of {owner}", shortened(table.name(), 80));
        issues.at(table.span(), &message).allow(ID_ALLOWED);
    }
}
