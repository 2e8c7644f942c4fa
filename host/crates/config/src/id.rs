//! The ids of AIs, clients and levels.

use ai_api::note::is_id;

use crate::{issue::Issues, source::shortened, table::Table};

/// The allowed ids of AIs, clients and levels.
pub const ID_ALLOWED: &str = "1 to 64 of a-z, 0-9, `_` and `-`";

/// Reports a table whose name is not a valid id.
pub(crate) fn check_id(owner: &str, table: &Table<'_>, issues: &mut Issues<'_>) {
    if !is_id(table.name) {
        let message = format!(
            "`{}` is not a valid id for {owner}",
            shortened(table.name, 80)
        );
        issues.at(&table.span, &message).allow(ID_ALLOWED);
    }
}
