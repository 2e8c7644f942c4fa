//! A table of the parsed file: finds values, sub-tables and unknown keys.

use std::{ops::Range, path::Path};

use text::suggest;
use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
};

use crate::{
    issue::Issues,
    kinds::description,
    source::{SHOWN_VALUE, shortened},
};

/// Keys from earlier versions and their current names.
const RENAMED: &[(&str, &str)] = &[
    ("may_use", "allowed_ais"),
    ("queue", "queue_capacity"),
    ("read", "allow_read"),
    ("exec", "allow_exec"),
    ("request_options", "overridable_options"),
];

/// The data that all tables of a file share.
pub struct Document<'t> {
    /// The folder that paths are relative to.
    pub folder: &'t Path,
    pub sections: &'t [SectionKeys],
}

/// The header of a section, such as `[ai.ID]`, and its keys.
pub type SectionKeys = (String, Vec<&'static str>);

/// A value from a flag or an environment variable.
#[derive(Clone, Debug)]
pub struct Override {
    pub key: &'static str,
    /// The flag or the variable.
    pub origin: String,
    /// Separates `origin` and `value` on a command line.
    pub separator: char,
    pub value: String,
}

/// A table of the file and its name.
pub struct Table<'t> {
    pub document: &'t Document<'t>,
    /// Values that take precedence over the table's values.
    pub overrides: &'t [Override],
    pub name: &'t str,
    /// The full name, such as `ai.basic1`; empty for the file itself.
    pub path: String,
    /// The place of the name in the file.
    pub span: Range<usize>,
    entries: &'t DeTable<'t>,
}

impl<'t> Table<'t> {
    /// Creates the table for the file itself.
    pub fn root(document: &'t Document<'t>, table: &'t DeTable<'t>) -> Self {
        Self {
            document,
            overrides: &[],
            name: "",
            path: String::new(),
            span: 0..0,
            entries: table,
        }
    }

    /// Creates an empty section `name`, for a file without that section.
    pub fn absent(document: &'t Document<'t>, name: &'t str, empty: &'t DeTable<'t>) -> Self {
        Self {
            name,
            path: name.to_owned(),
            ..Self::root(document, empty)
        }
    }

    /// Returns the full name of a key.
    pub fn path_of(&self, key: &str) -> String {
        let key = shortened(key, SHOWN_VALUE);
        if self.path.is_empty() {
            key
        } else {
            format!("{}.{key}", self.path)
        }
    }

    pub fn entries(
        &self,
    ) -> impl Iterator<Item = (&'t Spanned<DeString<'t>>, &'t Spanned<DeValue<'t>>)> {
        self.entries.iter()
    }

    pub fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.entries.get(key)
    }

    /// Returns the place of the value of `key` in the file, or the table's place if it lacks `key`.
    pub fn span_of(&self, key: &str) -> Range<usize> {
        self.get(key)
            .map_or_else(|| self.span.clone(), Spanned::span)
    }

    /// Returns the string at `key`, or `None` if it is missing, empty or not a string.
    pub fn text(&self, key: &str) -> Option<&'t str> {
        self.get(key)?
            .get_ref()
            .as_str()
            .filter(|text| !text.is_empty())
    }

    /// Returns the strings in the list `key` with their places.
    pub fn texts(&self, key: &str) -> impl Iterator<Item = (&'t str, Range<usize>)> {
        let items = self.get(key).and_then(|value| value.get_ref().as_array());
        items
            .into_iter()
            .flatten()
            .filter_map(|item| Some((item.get_ref().as_str()?, item.span())))
    }

    /// Returns the table `key`, if the key exists.
    pub fn table(&self, key: &str, allowed: &str, issues: &mut Issues<'_>) -> Option<Table<'t>> {
        let (name, value) = self.entries.get_key_value(key)?;
        self.enter(name, value, allowed, issues)
    }

    /// Returns all tables in this one, such as each AI in `ai`.
    pub fn tables(&self, allowed: &str, issues: &mut Issues<'_>) -> Vec<Table<'t>> {
        self.entries()
            .filter_map(|(name, value)| self.enter(name, value, allowed, issues))
            .collect()
    }

    fn enter(
        &self,
        name: &'t Spanned<DeString<'t>>,
        value: &'t Spanned<DeValue<'t>>,
        allowed: &str,
        issues: &mut Issues<'_>,
    ) -> Option<Table<'t>> {
        let path = self.path_of(name.get_ref());
        let Some(table) = value.get_ref().as_table() else {
            let message = format!("`{path}` is {}", description(value.get_ref()));
            issues.at(&value.span(), &message).allow(allowed);
            return None;
        };
        Some(Table {
            document: self.document,
            overrides: &[],
            name: name.get_ref(),
            path,
            span: name.span(),
            entries: table,
        })
    }

    /// Returns whether the table has the same values as `other`, regardless of their order and
    /// position in the file.
    pub fn is_same(&self, other: &DeTable<'_>) -> bool {
        are_same(self.entries, other)
    }

    /// Reports every key that is not in `known`, and suggests its new name, its section or the most
    /// similar key.
    pub fn reject_unknown(&self, known: &[&str], issues: &mut Issues<'_>) {
        for (key, _) in self.entries {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let message = match self.path.as_str() {
                "" => format!("unknown key `{}`", shortened(name, SHOWN_VALUE)),
                path => format!("unknown key `{}` in [{path}]", shortened(name, SHOWN_VALUE)),
            };
            let issue = issues.at(&key.span(), &message).allow(&known.join(", "));
            let mut sections = self.document.sections.iter();
            if let Some((_, new)) = RENAMED
                .iter()
                .find(|(old, new)| *old == name && known.contains(new))
            {
                issue.note(&format!("`{name}` is now `{new}`"));
            } else if let Some((header, _)) = sections.find(|(_, keys)| keys.contains(&name)) {
                issue.note(&format!("`{name}` belongs in {header}"));
            } else {
                issue.suggest(suggest(name, known.iter().copied()));
            }
        }
    }
}

fn are_same(one: &DeTable<'_>, other: &DeTable<'_>) -> bool {
    let is_in_other = |(key, value): (&Spanned<DeString<'_>>, &Spanned<DeValue<'_>>)| {
        other
            .get(key.get_ref().as_ref())
            .is_some_and(|found| is_same(value.get_ref(), found.get_ref()))
    };
    one.len() == other.len() && one.iter().all(is_in_other)
}

fn is_same(one: &DeValue<'_>, other: &DeValue<'_>) -> bool {
    match (one, other) {
        (DeValue::Table(one), DeValue::Table(other)) => are_same(one, other),
        (DeValue::Array(one), DeValue::Array(other)) => {
            let mut pairs = one.iter().zip(other.iter());
            one.len() == other.len() && pairs.all(|(a, b)| is_same(a.get_ref(), b.get_ref()))
        }
        // The parser keeps numbers as text.
        (one, other) => format!("{one:?}") == format!("{other:?}"),
    }
}
