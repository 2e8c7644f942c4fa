//! Sections of extras. They are read with the file, and each extra checks its own section.

use std::{any::Any, fmt::Debug, sync::Arc};

use crate::{
    issue::Issues,
    known_ais::KnownAis,
    section::{Section, SettingEntry, Shown},
    table::Table,
};

/// An extra's settings, in a separate section.
pub trait ExtraSettings: Section + Any + Debug + Send + Sync {
    /// The name of the section, such as `arena`.
    const NAME: &'static str;
    /// The description of the section in documents.
    const ABOUT: &'static str;
    /// The tables below the section.
    const TABLES: &'static [ExtraTable] = &[];
    /// Whether the settings exist only if the file has the section or a flag sets one of its keys.
    const IS_OPTIONAL: bool = false;
    /// Whether clients and levels may name AIs that this machine does not have.
    const BRINGS_AIS: bool = false;

    /// Reads the settings and checks the AIs and files that they name.
    fn read_checked(table: &Table<'_>, _known: &KnownAis<'_>, issues: &mut Issues<'_>) -> Self {
        Self::read_table(table, issues)
    }

    /// Returns the ids of the AIs on this machine that the settings name.
    fn named_ais(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns whether a running server applies changes to a key.
    fn is_taken_over(_key: &str) -> bool {
        true
    }
}

/// The description of a table below an extra's section, for documents.
#[derive(Clone, Copy, Debug)]
pub struct ExtraTable {
    /// The full name, such as `fleet.matches`.
    pub name: &'static str,
    pub about: &'static str,
    pub entries: fn() -> Vec<SettingEntry>,
}

/// An extra's section, as the configuration uses it.
#[derive(Clone, Copy, Debug)]
pub struct ExtraSection {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) is_optional: bool,
    pub(crate) brings_ais: bool,
    pub(crate) entries: fn() -> Vec<SettingEntry>,
    pub(crate) tables: &'static [ExtraTable],
    pub(crate) read: fn(&Table<'_>, &KnownAis<'_>, &mut Issues<'_>) -> Arc<dyn Settings>,
}

impl ExtraSection {
    pub const fn of<T: ExtraSettings>() -> Self {
        Self {
            name: T::NAME,
            about: T::ABOUT,
            is_optional: T::IS_OPTIONAL,
            brings_ais: T::BRINGS_AIS,
            entries: T::entries,
            tables: T::TABLES,
            read: |table, known, issues| Arc::new(T::read_checked(table, known, issues)),
        }
    }
}

/// A section that this build does not support.
#[derive(Clone, Copy, Debug)]
pub struct AbsentSection {
    pub name: &'static str,
    /// What the user can do about it.
    pub remedy: &'static str,
}

/// The type-erased settings of an extra.
pub(crate) trait Settings: Any + Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn brings_ais(&self) -> bool;
    fn show(&self, shown: &mut Shown);
    /// Returns the keys that differ in `new`.
    fn changed(&self, new: &dyn Settings) -> Vec<&'static str>;
    fn named_ais(&self) -> Vec<String>;
    fn is_taken_over(&self, key: &str) -> bool;
}

impl<T: ExtraSettings> Settings for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn brings_ais(&self) -> bool {
        T::BRINGS_AIS
    }

    fn show(&self, shown: &mut Shown) {
        shown.header(T::NAME);
        Section::show(self, shown);
    }

    fn changed(&self, new: &dyn Settings) -> Vec<&'static str> {
        (new as &dyn Any)
            .downcast_ref()
            .map_or_else(Vec::new, |new| Section::changed(self, new))
    }

    fn named_ais(&self) -> Vec<String> {
        ExtraSettings::named_ais(self)
    }

    fn is_taken_over(&self, key: &str) -> bool {
        T::is_taken_over(key)
    }
}
