//! `[ai.ID.limit]`: the limit of a search whose request sets none, and the limit of a level.

use std::ops::RangeInclusive;

use ai_api::Limits;

use crate::{
    issue::Issues,
    kinds::number,
    section::{Field, IntoField as _, Section as _, SettingEntry, Shown, section},
    table::Table,
};

/// The depths that a search may be limited to, here and in a request.
pub const DEPTHS: RangeInclusive<u64> = 1..=1000;
/// The nodes that a search may be limited to, here and in a request.
pub const NODES: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// The moves until mate that a search may look for.
pub const MATES: RangeInclusive<u64> = 1..=500;
/// The milliseconds that a search may be limited to, here and in a request.
pub const MOVETIMES_MS: RangeInclusive<u64> = 1..=3_600_000;

/// The limit of an AI whose configuration sets none.
pub(crate) const DEFAULT_LIMIT: Limits = Limits::depth(5);
/// The same as a table.
pub(crate) const DEFAULT_TABLE: &str = "{ depth = 5 }";

/// What a maximum or a limit means that is not set.
pub(crate) const NO_LIMIT: &str = "no limit";

section! {
    /// `[ai.ID.limit]` as written.
    pub(crate) struct LimitSettings {
        /// The number of plies.
        depth: Option<u32> = number(DEPTHS).optional(NO_LIMIT).example("5"),
        /// The number of positions.
        nodes: Option<u64> = number(NODES).optional(NO_LIMIT).example("1000000"),
        /// The time; it must be less than `move_timeout_ms`.
        movetime_ms: Option<u64> = number(MOVETIMES_MS).optional(NO_LIMIT).example("1000"),
        /// A mate in at most this many moves.
        mate: Option<u32> = number(MATES).optional(NO_LIMIT).example("3"),
    }
}

/// Reports the `movetime_ms` of a `limit` in `table` that is not less than the AI's
/// `move_timeout_ms`, a path with its value.
pub(crate) fn check_movetime(
    limit: Option<Limits>,
    table: &Table<'_>,
    (timeout_path, timeout_ms): (&str, u64),
    issues: &mut Issues<'_>,
) {
    if let Some(movetime) = limit
        .and_then(|limit| limit.soft_ms)
        .filter(|&ms| ms >= timeout_ms)
        && let Some(limits) = table.table("limit", "", issues)
    {
        let path = limits.path_of("movetime_ms");
        let message = format!("`{path}` is {movetime}, but `{timeout_path}` is {timeout_ms}");
        issues
            .at(&limits.span_of("movetime_ms"), &message)
            .allow("less than `move_timeout_ms`, after which the request fails");
    }
}

/// The table `limit` of an AI or of a level.
pub(crate) struct LimitTable {
    /// Which limit holds without the table.
    pub(crate) absent: &'static str,
    pub(crate) example: Option<&'static str>,
}

impl LimitTable {
    fn entry(&self, key: &'static str, doc: &'static str) -> SettingEntry {
        SettingEntry {
            example: self.example,
            ..SettingEntry::of_table(key, doc, &values(), self.absent)
        }
    }
}

impl Field for LimitTable {
    type Value = Option<Limits>;

    fn entries(&self, key: &'static str, doc: &'static str) -> Vec<SettingEntry> {
        vec![self.entry(key, doc)]
    }

    fn read(
        &self,
        key: &'static str,
        table: &Table<'_>,
        issues: &mut Issues<'_>,
    ) -> Option<Limits> {
        read(key, &self.entry(key, ""), table, issues)
    }

    fn show(&self, key: &'static str, value: &Option<Limits>, shown: &mut Shown) {
        match value {
            Some(limits) => shown.line(key, &inline(*limits)),
            None => shown.not_set(key, self.absent),
        }
    }
}

/// Describes the allowed tables.
fn values() -> String {
    format!("one or more of {}", LimitSettings::keys().join(", "))
}

/// Reads the table `key`, if it exists.
fn read(
    key: &str,
    entry: &SettingEntry,
    table: &Table<'_>,
    issues: &mut Issues<'_>,
) -> Option<Limits> {
    let allowed = entry.allowed();
    let limit = table.table(key, &allowed, issues)?;
    if limit.entries().next().is_none() {
        let message = format!("`{}` sets no limit", limit.path);
        issues.missing(&limit.span, &message).allow(&allowed);
    }
    let LimitSettings {
        depth,
        nodes,
        movetime_ms,
        mate,
    } = LimitSettings::read_table(&limit, issues);
    let mate_plies = mate.map(|moves| 2 * moves - 1);
    Some(Limits {
        depth,
        nodes,
        mate_plies,
        soft_ms: movetime_ms,
        hard_ms: movetime_ms,
        ..Limits::NONE
    })
}

/// Writes the limits as an inline table.
fn inline(limits: Limits) -> String {
    let Limits {
        depth,
        nodes,
        mate_plies,
        soft_ms: movetime_ms,
        hard_ms: _,
        ..
    } = limits;
    let mut lines = Shown::default();
    let mate = mate_plies.map(|plies| plies.div_ceil(2));
    LimitSettings {
        depth,
        nodes,
        movetime_ms,
        mate,
    }
    .show(&mut lines);
    let set: Vec<_> = lines
        .text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    format!("{{ {} }}", set.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_shown_as_it_is() {
        assert_eq!(inline(DEFAULT_LIMIT), DEFAULT_TABLE);
    }
}
