//! Reads the tables of a parsed file, key by key.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    issue::Issues,
    keys::{Confidence, Key, Kind, RENAMED, SECTIONS, Setting, Text, Texts},
    source::shortened,
};
use text::suggest;

/// Characters of a value that a message repeats.
const SHOWN_VALUE: usize = 60;

/// A table of the file and its name in it.
pub(super) struct TableReader<'t, 'i> {
    /// Such as `ai.basic1`; empty for the file itself.
    path: String,
    /// Where the name of the table stands.
    span: Range<usize>,
    table: &'t DeTable<'i>,
}

impl<'t, 'i> TableReader<'t, 'i> {
    /// The file itself.
    pub(super) fn root(table: &'t DeTable<'i>) -> Self {
        Self { path: String::new(), span: 0..0, table }
    }

    /// Where the name of the table stands.
    pub(super) fn span(&self) -> &Range<usize> {
        &self.span
    }

    /// The full name of a key of this table.
    pub(super) fn path_of(&self, key: &str) -> String {
        let key = shortened(key, SHOWN_VALUE);
        if self.path.is_empty() { key } else { format!("{}.{key}", self.path) }
    }

    /// Every key and value.
    pub(super) fn entries(
        &self,
    ) -> impl Iterator<Item = (&'t Spanned<toml::de::DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
        self.table.iter()
    }

    /// Where the value of `key` stands.
    pub(super) fn span_of(&self, key: &str) -> Option<Range<usize>> {
        self.table.get(key).map(Spanned::span)
    }

    /// Whether `key` is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// The value of `key`, if it is there and right.
    pub(super) fn read<K: Kind>(&self, key: &Key<K>, issues: &mut Issues<'_>) -> Option<Spanned<K::Value>> {
        let value = self.table.get(key.name)?;
        let read = key.kind.read(value.get_ref());
        if read.is_none() {
            let path = self.path_of(key.name);
            let issue = match key.kind.confidence() {
                Confidence::Open => {
                    issues.at(&value.span(), &format!("`{path}` is {}", description(value.get_ref())))
                }
                Confidence::Secret => {
                    let message =
                        format!("`{path}` is something else, which is not shown: it may be a secret");
                    issues.at(&value.span(), &message).conceal()
                }
            };
            issue.allow(&key.kind.allowed());
        }
        read.map(|read| Spanned::new(value.span(), read))
    }

    /// The value of `key`; its default where it is left out or wrong.
    pub(super) fn setting<K: Setting>(&self, key: &Key<K>, issues: &mut Issues<'_>) -> K::Value {
        self.setting_if_right(key, issues).unwrap_or_else(|| key.kind.default())
    }

    /// The value of `key`; its default where it is left out, nothing where it is wrong.
    pub(super) fn setting_if_right<K: Setting>(
        &self,
        key: &Key<K>,
        issues: &mut Issues<'_>,
    ) -> Option<K::Value> {
        if !self.has(key.name) {
            return Some(key.kind.default());
        }
        self.read(key, issues).map(Spanned::into_inner)
    }

    /// The value of `key`, which must not be left out.
    pub(super) fn required(&self, key: &Key<Text>, issues: &mut Issues<'_>) -> Option<Spanned<String>> {
        if !self.has(key.name) {
            let message = format!("[{}] has no `{}`", self.path, key.name);
            issues.missing(&self.span, &message).allow(key.kind.allowed);
        }
        self.read(key, issues)
    }

    /// The right elements of the list `key`, if it is there.
    pub(super) fn texts(&self, key: &Key<Texts>, issues: &mut Issues<'_>) -> Option<Vec<Spanned<String>>> {
        let value = self.table.get(key.name)?;
        let path = self.path_of(key.name);
        let Some(elements) = value.get_ref().as_array() else {
            let message = format!("`{path}` is {}", description(value.get_ref()));
            issues.at(&value.span(), &message).allow(key.kind.allowed);
            return None;
        };
        let mut texts = Vec::new();
        for element in elements {
            if let Some(text) = element.get_ref().as_str().filter(|text| (key.kind.fits)(text)) {
                texts.push(Spanned::new(element.span(), text.to_owned()));
            } else {
                let message = format!("`{path}` holds {}", description(element.get_ref()));
                issues.at(&element.span(), &message).allow(key.kind.allowed);
            }
        }
        Some(texts)
    }

    /// The table `key`, if it is there; `allowed` is said where it is something else.
    pub(super) fn table(
        &self,
        key: &str,
        allowed: &str,
        issues: &mut Issues<'_>,
    ) -> Option<TableReader<'t, 'i>> {
        let (name, value) = self.table.get_key_value(key)?;
        self.enter(name, value, allowed, issues)
    }

    /// The tables in this one, such as each AI in `ai`.
    pub(super) fn tables(
        &self,
        allowed: &str,
        issues: &mut Issues<'_>,
    ) -> Vec<(&'t str, TableReader<'t, 'i>)> {
        let entries = self.table.iter();
        entries
            .filter_map(|(name, value)| {
                Some((name.get_ref().as_ref(), self.enter(name, value, allowed, issues)?))
            })
            .collect()
    }

    fn enter(
        &self,
        name: &Spanned<toml::de::DeString<'i>>,
        value: &'t Spanned<DeValue<'i>>,
        allowed: &str,
        issues: &mut Issues<'_>,
    ) -> Option<TableReader<'t, 'i>> {
        let path = self.path_of(name.get_ref());
        let Some(table) = value.get_ref().as_table() else {
            let message = format!("`{path}` is {}", description(value.get_ref()));
            issues.at(&value.span(), &message).allow(allowed);
            return None;
        };
        Some(TableReader { path, span: name.span(), table })
    }

    /// Reports every key that is none of `known`, each with the right name that is closest or its right section.
    pub(super) fn refuse_unknown(&self, known: &[&str], issues: &mut Issues<'_>) {
        for (key, _) in self.table {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let message = match self.path.as_str() {
                "" => format!("unknown key `{}`", shortened(name, SHOWN_VALUE)),
                path => format!("unknown key `{}` in [{path}]", shortened(name, SHOWN_VALUE)),
            };
            let issue = issues.at(&key.span(), &message).allow(&known.join(", "));
            if let Some((_, new)) = RENAMED.iter().find(|(old, new)| *old == name && known.contains(new)) {
                issue.note(&format!("`{name}` is now `{new}`"));
            } else if let Some(section) = SECTIONS.iter().find(|section| section.keys.contains(&name)) {
                issue.note(&format!("`{name}` belongs in {}", section.header));
            } else {
                issue.suggest(suggest(name, known.iter().copied()));
            }
        }
    }
}

/// What `value` is, for a message: `it is …`.
pub(super) fn description(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.is_empty() => "an empty text".to_owned(),
        DeValue::String(text) => format!("the text \"{}\"", shortened(text, SHOWN_VALUE)),
        DeValue::Integer(number) => shortened(&number.to_string(), SHOWN_VALUE),
        DeValue::Float(number) => shortened(&number.to_string(), SHOWN_VALUE),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(date) => format!("the date {date}"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
