//! `[ai.ID.limit]`: the limit for searches whose request sets none, and the limit of a level.

use std::ops::RangeInclusive;

use ai_api::Limits;

use crate::{
    issue::Issues,
    kinds::{Flag, number},
    section::{Field, IntoField as _, Section as _, SettingEntry, Shown, section},
    table::Table,
};

/// The allowed depth limits in plies, here and in a request.
pub const DEPTHS: RangeInclusive<u64> = 1..=1000;
/// The allowed node limits, here and in a request.
pub const NODES: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// The allowed lengths of a mate to search for, in moves.
pub const MATES: RangeInclusive<u64> = 1..=500;
/// The allowed time limits in milliseconds, here and in a request.
pub const MOVETIMES_MS: RangeInclusive<u64> = 1..=3_600_000;

/// The default limit, for an AI whose configuration sets none.
pub(crate) const DEFAULT_LIMIT: Limits = Limits::depth(5);
/// [`DEFAULT_LIMIT`] in TOML.
pub(crate) const DEFAULT_TABLE: &str = "{ depth = 5 }";

/// The effect of leaving out a maximum or a limit.
pub(crate) const NO_LIMIT: &str = "no limit";

/// An AI's or a level's configured limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetLimit {
    pub limits: Limits,
    /// Whether it overrides the limits that a request asks for.
    pub binds: bool,
}

impl SetLimit {
    /// Creates a limit that applies only to searches whose request sets none.
    pub const fn default(limits: Limits) -> Self {
        Self {
            limits,
            binds: false,
        }
    }

    /// Returns the limits for a search that asks for `asked`. If the configured limit binds, only a
    /// shorter time can end the search earlier.
    pub fn hold(&self, asked: Limits) -> Limits {
        if !self.binds {
            return asked;
        }
        let shorter = |own: Option<u64>, of_caller| own.into_iter().chain(of_caller).min();
        Limits {
            soft_ms: shorter(self.limits.soft_ms, asked.soft_ms),
            hard_ms: shorter(self.limits.hard_ms, asked.hard_ms),
            ..self.limits
        }
    }
}

section! {
    /// `[ai.ID.limit]` as written.
    pub(crate) struct LimitSettings {
        /// The number of plies.
        depth: Option<u32> = number(DEPTHS).optional(NO_LIMIT).example("5"),
        /// The number of positions.
        nodes: Option<u64> = number(NODES).optional(NO_LIMIT).example("1000000"),
        /// The time, less than `move_timeout_ms`.
        movetime_ms: Option<u64> = number(MOVETIMES_MS).optional(NO_LIMIT).example("1000"),
        /// A mate in at most this many moves.
        mate: Option<u32> = number(MATES).optional(NO_LIMIT).example("3"),
        /// Whether this limit replaces the limits of requests, chess programs, matches and the
        /// arena, except for a shorter time or a stop. Not allowed in a level.
        bind: bool = Flag.or(false),
    }
}

/// Reports a `limit` in `table` whose `movetime_ms` is not less than the AI's `move_timeout_ms`,
/// which is given as a path and a value.
pub(crate) fn check_movetime(
    limit: Option<SetLimit>,
    table: &Table<'_>,
    (timeout_path, timeout_ms): (&str, u64),
    issues: &mut Issues<'_>,
) {
    if let Some(movetime) = limit
        .and_then(|limit| limit.limits.soft_ms)
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
    /// The limit that applies if the table is missing.
    pub(crate) absent: &'static str,
    pub(crate) example: Option<&'static str>,
    pub(crate) may_bind: bool,
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
    type Value = Option<SetLimit>;

    fn entries(&self, key: &'static str, doc: &'static str) -> Vec<SettingEntry> {
        vec![self.entry(key, doc)]
    }

    fn read(
        &self,
        key: &'static str,
        table: &Table<'_>,
        issues: &mut Issues<'_>,
    ) -> Option<SetLimit> {
        let limit = read(key, &self.entry(key, ""), table, issues)?;
        if limit.binds && !self.may_bind {
            let limits = table.table(key, "", issues)?;
            let message = format!("`{}` is true", limits.path_of("bind"));
            issues
                .at(&limits.span_of("bind"), &message)
                .allow("false; to bind every search of an AI, set `bind` in its [ai.ID]");
        }
        Some(limit)
    }

    fn show(&self, key: &'static str, value: &Option<SetLimit>, shown: &mut Shown) {
        match value {
            Some(limit) => shown.line(key, &inline(*limit)),
            None => shown.not_set(key, self.absent),
        }
    }
}

/// Describes the allowed tables.
fn values() -> String {
    let mut limits = LimitSettings::keys();
    limits.retain(|key| *key != "bind");
    format!("one or more of {}", limits.join(", "))
}

/// Reads the table `key`, if it exists.
fn read(
    key: &str,
    entry: &SettingEntry,
    table: &Table<'_>,
    issues: &mut Issues<'_>,
) -> Option<SetLimit> {
    let allowed = entry.allowed();
    let limit = table.table(key, &allowed, issues)?;
    if limit.entries().all(|(name, _)| name.get_ref() == "bind") {
        let message = format!("`{}` sets no limit", limit.path);
        issues.missing(&limit.span, &message).allow(&allowed);
    }
    let LimitSettings {
        depth,
        nodes,
        movetime_ms,
        mate,
        bind: binds,
    } = LimitSettings::read_table(&limit, issues);
    let mate_plies = mate.map(|moves| 2 * moves - 1);
    let limits = Limits {
        depth,
        nodes,
        mate_plies,
        soft_ms: movetime_ms,
        hard_ms: movetime_ms,
        ..Limits::NONE
    };
    Some(SetLimit { limits, binds })
}

/// Writes the limits as an inline table.
fn inline(limit: SetLimit) -> String {
    let Limits {
        depth,
        nodes,
        mate_plies,
        soft_ms: movetime_ms,
        hard_ms: _,
        ..
    } = limit.limits;
    let mut lines = Shown::default();
    let mate = mate_plies.map(|plies| plies.div_ceil(2));
    LimitSettings {
        depth,
        nodes,
        movetime_ms,
        mate,
        bind: limit.binds,
    }
    .show(&mut lines);
    let set: Vec<_> = lines
        .text
        .lines()
        .filter(|line| !line.starts_with('#') && *line != "bind = false")
        .collect();
    format!("{{ {} }}", set.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_table_is_the_default_limit() {
        assert_eq!(inline(SetLimit::default(DEFAULT_LIMIT)), DEFAULT_TABLE);
    }
}
