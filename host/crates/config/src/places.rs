//! Locates keys and values in the file for checks that run after it was loaded.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
};

use crate::source::Source;

/// The parsed file, which was valid when the configuration was loaded.
pub(crate) struct Places<'s>(Option<Spanned<DeTable<'s>>>);

impl<'s> Places<'s> {
    pub(crate) fn of(source: &'s Source) -> Self {
        Self(DeTable::parse(source.text()).ok())
    }

    /// Returns the places of a key and its value.
    pub(crate) fn find(&self, path: &[&str]) -> Option<(Range<usize>, Range<usize>)> {
        self.entry(path)
            .map(|(key, value)| (key.span(), value.span()))
    }

    /// Returns the place of a string in a list.
    pub(crate) fn item(&self, path: &[&str], text: &str) -> Option<Range<usize>> {
        let (_, value) = self.entry(path)?;
        let mut items = value.get_ref().as_array()?.iter();
        items
            .find(|item| item.get_ref().as_str() == Some(text))
            .map(Spanned::span)
    }

    /// Returns the keys of a table, with the places of their values.
    pub(crate) fn keys(&self, path: &[&str]) -> Vec<(&str, Range<usize>)> {
        let entries = self.table(path).into_iter().flatten();
        entries
            .map(|(key, value)| (key.get_ref().as_ref(), value.span()))
            .collect()
    }

    pub(crate) fn table(&self, path: &[&str]) -> Option<&DeTable<'s>> {
        self.entry(path)?.1.get_ref().as_table()
    }

    fn entry(&self, path: &[&str]) -> Option<(&Spanned<DeString<'s>>, &Spanned<DeValue<'s>>)> {
        let (last, parents) = path.split_last()?;
        let mut table = self.0.as_ref()?.get_ref();
        for parent in parents {
            table = table.get(*parent)?.get_ref().as_table()?;
        }
        table.get_key_value(*last)
    }
}
