//! Adds, changes and removes the section of an AI or a client in a configuration's text. The rest
//! of the text, including comments, stays unchanged.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, fchown},
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, flock};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use crate::{
    client::DEFAULT_CLIENT,
    config::Config,
    issue::{ConfigErrors, ConfigIssue},
    load::{is_missing, load_text, read},
    load_options::LoadOptions,
};
use library::file_access::canonicalize;

/// The section of an AI or a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionId<'a> {
    Ai(&'a str),
    Client(&'a str),
}

impl<'a> SectionId<'a> {
    pub const fn id(self) -> &'a str {
        self.key_and_id().1
    }

    /// Returns the table that contains the section, and the id.
    const fn key_and_id(self) -> (&'static str, &'a str) {
        match self {
            Self::Ai(id) => ("ai", id),
            Self::Client(id) => ("client", id),
        }
    }
}

/// Why a configuration file was not written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {reason}", path.display())]
pub struct WriteConfigError {
    path: PathBuf,
    reason: NotWritten,
}

#[derive(Debug, thiserror::Error)]
enum NotWritten {
    #[error("it has changed since it was read; run the command again")]
    Changed,
    #[error("it is read-only (mode {0:03o}); make it writable with `chmod u+w`")]
    ReadOnly(u32),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A configuration file with changes that have not been written yet.
#[derive(Clone, Debug)]
pub struct FileEdit {
    path: PathBuf,
    /// The text that was read; `None` if the file did not exist.
    before: Option<String>,
    document: DocumentMut,
    options: LoadOptions,
}

impl FileEdit {
    /// Reads the file. If it does not exist, starts with the text of
    /// [`LoadOptions::with_default`], or with an empty document. [`load`](Self::load) uses
    /// `options`.
    ///
    /// # Errors
    /// It cannot be read or is not TOML.
    pub fn read(path: &Path, options: &LoadOptions) -> Result<Self, ConfigErrors> {
        let before = if is_missing(path) {
            None
        } else {
            Some(read(path)?)
        };
        let default = options.default.as_deref().unwrap_or_default();
        let text = before.clone().unwrap_or_else(|| default.to_owned());
        match text.parse() {
            Ok(document) => Ok(Self {
                path: path.to_owned(),
                before,
                document,
                options: options.clone(),
            }),
            // Loading reports all errors with their places.
            Err(error) => match load_text(path, text, options) {
                Err(errors) => Err(errors),
                Ok(_) => Err(ConfigIssue::of(&path.to_string_lossy(), error.message()).into()),
            },
        }
    }

    /// Returns whether the file did not exist.
    pub const fn is_new(&self) -> bool {
        self.before.is_none()
    }

    /// Returns the configuration that the changed file would have.
    ///
    /// # Errors
    /// All errors of that configuration.
    pub fn load(&self) -> Result<Config, ConfigErrors> {
        load_text(&self.path, self.document.to_string(), &self.options)
    }

    fn table(&self, section: SectionId<'_>) -> Option<&dyn TableLike> {
        let (key, id) = section.key_and_id();
        self.document.get(key)?.get(id)?.as_table_like()
    }

    /// Returns the text of a section, if it exists.
    pub fn section(&self, section: SectionId<'_>) -> Option<String> {
        let found = self.table(section)?;
        let (key, id) = section.key_and_id();
        let mut table = Table::new();
        for (name, item) in found.iter() {
            table.insert(name, item.clone());
        }
        let mut document = DocumentMut::new();
        let mut parent = Table::new();
        parent.set_implicit(true);
        parent.insert(id, Item::Table(table));
        document.insert(key, Item::Table(parent));
        Some(document.to_string().trim().to_owned())
    }

    /// Returns whether a key of a section is set.
    pub fn has_key(&self, section: SectionId<'_>, key: &str) -> bool {
        self.table(section)
            .is_some_and(|table| table.contains_key(key))
    }

    /// Returns the strings of a key whose value is a string or a list of strings.
    pub fn texts(&self, section: SectionId<'_>, key: &str) -> Vec<String> {
        match self
            .table(section)
            .and_then(|table| table.get(key)?.as_value())
        {
            Some(Value::Array(list)) => list
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            value => value
                .and_then(Value::as_str)
                .map(str::to_owned)
                .into_iter()
                .collect(),
        }
    }

    /// Sets keys in a section and keeps the other keys. An empty list removes its key. A table is
    /// merged into the existing table, so its other options are kept. Does nothing if `ai` or
    /// `client` is not a table, because a file like that doesn't load.
    pub fn set(&mut self, section: SectionId<'_>, keys: Vec<(&str, Value)>) {
        let (kind, id) = section.key_and_id();
        let parent = self.document.entry(kind).or_insert_with(|| {
            let mut parent = Table::new();
            parent.set_implicit(true);
            Item::Table(parent)
        });
        let is_inline = parent.is_inline_table();
        let Some(parent) = parent.as_table_like_mut() else {
            return;
        };
        if !parent.contains_key(id) {
            let new = if is_inline {
                Item::Value(InlineTable::new().into())
            } else {
                Item::Table(Table::new())
            };
            parent.insert(id, new);
        }
        if let Some(table) = parent.get_mut(id).and_then(Item::as_table_like_mut) {
            for (key, value) in keys {
                set(table, key, value);
            }
        }
    }

    /// Removes keys from a section.
    pub fn remove_keys(&mut self, section: SectionId<'_>, keys: &[&str]) {
        if let Some(table) = self.table_mut(section) {
            for key in keys {
                table.remove(key);
            }
        }
    }

    /// Replaces the keys of `section` with the keys of `by`, which stays unchanged. Keys in `kept`
    /// are not removed, and keys in both sections keep their comments. Does nothing unless both
    /// sections exist.
    pub fn replace(&mut self, section: SectionId<'_>, by: SectionId<'_>, kept: &[&str]) {
        let Some(new) = self.table(by).map(entries_of) else {
            return;
        };
        if let Some(old) = self.table_mut(section) {
            replace(old, new, kept);
        }
    }

    fn table_mut(&mut self, section: SectionId<'_>) -> Option<&mut dyn TableLike> {
        let (key, id) = section.key_and_id();
        let sections = self.document.get_mut(key)?.as_table_like_mut()?;
        sections.get_mut(id)?.as_table_like_mut()
    }

    /// Adds the section `[client.default]`, which names this AI.
    pub fn add_default_client(&mut self, ai: &str) {
        self.set(SectionId::Client(DEFAULT_CLIENT), vec![("ai", ai.into())]);
    }

    /// Removes the client that [`Self::add_default_client`] added, if it is all that the file
    /// contains.
    pub fn remove_default_client(&mut self, ai: &str) {
        let only =
            |table: &dyn TableLike, key| table.get(key).filter(|_| table.len() == 1).cloned();
        let client = only(self.document.as_table(), "client");
        let default = client.and_then(|item| only(item.as_table_like()?, DEFAULT_CLIENT));
        let named = default.and_then(|item| only(item.as_table_like()?, "ai"));
        if named.is_some_and(|named| named.as_str() == Some(ai)) {
            self.document.remove("client");
        }
    }

    /// Removes a section and the comment directly above it. A comment followed by an empty line
    /// stays. Returns whether the section existed.
    pub fn remove(&mut self, section: SectionId<'_>) -> bool {
        let (key, id) = section.key_and_id();
        let Some(sections) = self.document.get_mut(key).and_then(Item::as_table_like_mut) else {
            return false;
        };
        let Some(removed) = sections.remove(id) else {
            return false;
        };
        if sections.is_empty() {
            self.document.remove(key);
        }
        let Item::Table(table) = removed else {
            return true;
        };
        let Some((kept, _)) = text_before(&table).rsplit_once("\n\n") else {
            return true;
        };
        if kept.contains('#') {
            let kept = format!("{kept}\n");
            let position = table.position();
            if let Some(next) = next_table(self.document.as_table_mut(), position) {
                let own = text_before(next);
                let prefix = format!("{kept}{own}");
                next.decor_mut().set_prefix(prefix);
            } else {
                let own = self.document.trailing().as_str().unwrap_or_default();
                let trailing = format!("{kept}{own}");
                self.document.set_trailing(trailing);
            }
        }
        true
    }

    /// Reads a file, changes it, and writes it if it differs. Starts over if another process has
    /// written the file since.
    ///
    /// # Errors
    /// The file cannot be read or written, or the change fails. The file is then unchanged.
    pub fn change<T, E: From<ConfigErrors> + From<WriteConfigError>>(
        path: &Path,
        options: &LoadOptions,
        mut change: impl FnMut(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        loop {
            let mut edit = Self::read(path, options)?;
            let changed = change(&mut edit)?;
            if edit.before.as_ref() == Some(&edit.document.to_string()) {
                return Ok(changed);
            }
            match edit.write() {
                Ok(()) => return Ok(changed),
                Err(WriteConfigError {
                    reason: NotWritten::Changed,
                    ..
                }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Saves the original text in a copy next to the file, with this suffix. Returns the path of
    /// the copy.
    ///
    /// # Errors
    /// The copy cannot be written.
    pub fn keep_copy(&self, suffix: &str) -> Result<PathBuf, WriteConfigError> {
        let file = canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let mut copy = file.clone().into_os_string();
        copy.push(format!(".{suffix}"));
        let copy = PathBuf::from(copy);
        let text = self.before.as_deref().unwrap_or_default();
        let like = fs::metadata(&file).ok();
        match write_whole(&copy, like.as_ref(), text) {
            Ok(()) => Ok(copy),
            Err(error) => Err(WriteConfigError {
                path: copy,
                reason: error.into(),
            }),
        }
    }

    /// Writes the file atomically and keeps its owner and permissions.
    ///
    /// # Errors
    /// The file cannot be written. It is then unchanged.
    pub fn write(&self) -> Result<(), WriteConfigError> {
        self.try_write().map_err(|reason| WriteConfigError {
            path: self.path.clone(),
            reason,
        })
    }

    fn try_write(&self) -> Result<(), NotWritten> {
        // A symbolic link stays a link.
        let path = canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        if self.is_new() {
            fs::create_dir_all(folder)?;
        }
        let locked = fs::File::open(folder)?;
        // Some network file systems cannot lock a folder.
        let _ = flock(&locked, FlockOperation::LockExclusive);
        let now = read(&path).ok();
        if now != self.before {
            return Err(NotWritten::Changed);
        }
        let before = fs::metadata(&path).ok();
        if let Some(before) = before
            .as_ref()
            .filter(|before| before.permissions().readonly())
        {
            return Err(NotWritten::ReadOnly(before.mode() & 0o777));
        }
        Ok(write_whole(
            &path,
            before.as_ref(),
            &self.document.to_string(),
        )?)
    }
}

/// Writes a file atomically, with the owner and the permissions of `like`.
fn write_whole(path: &Path, like: Option<&fs::Metadata>, text: &str) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".{}", std::process::id()));
    let new = PathBuf::from(new);
    // Fails if the file exists, because another process created it.
    let mut file = fs::File::create_new(&new)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", new.display())))?;
    let mut write = || {
        if let Some(like) = like {
            let made = file.metadata()?;
            if (made.uid(), made.gid()) != (like.uid(), like.gid()) {
                fchown(&file, Some(like.uid()), Some(like.gid()))?;
            }
            file.set_permissions(like.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

fn entries_of(table: &dyn TableLike) -> Vec<(String, Item)> {
    let entries = table.iter();
    entries
        .map(|(key, item)| (key.to_owned(), item.clone()))
        .collect()
}

fn replace(old: &mut dyn TableLike, new: Vec<(String, Item)>, kept: &[&str]) {
    let is_gone = |key: &String| {
        let is_new = new.iter().any(|(other, _)| other == key);
        !is_new && !kept.contains(&key.as_str())
    };
    let gone: Vec<_> = old.iter().map(|(key, _)| key.to_owned()).collect();
    for key in gone.iter().filter(|key| is_gone(key)) {
        old.remove(key);
    }
    for (key, item) in new {
        match item {
            Item::Value(value) if value.as_inline_table().is_none() => {
                set(old, &key, value);
            }
            item => {
                let entries = item.as_table_like().map(entries_of).unwrap_or_default();
                if !old.get(&key).is_some_and(Item::is_table_like) {
                    // A new table has no position, so it follows the section.
                    let empty = if item.is_inline_table() {
                        Item::Value(InlineTable::new().into())
                    } else {
                        Item::Table(Table::new())
                    };
                    old.insert(&key, empty);
                }
                if let Some(table) = old.get_mut(&key).and_then(Item::as_table_like_mut) {
                    replace(table, entries, &[]);
                }
            }
        }
    }
}

/// Returns the comments and empty lines before the header of a table.
fn text_before(table: &Table) -> &str {
    let prefix = table.decor().prefix();
    prefix.and_then(|text| text.as_str()).unwrap_or_default()
}

fn set(section: &mut dyn TableLike, key: &str, value: Value) {
    match value {
        Value::Array(list) if list.is_empty() => {
            section.remove(key);
        }
        // An unchanged list may contain comments.
        Value::Array(list)
            if section
                .get(key)
                .and_then(Item::as_array)
                .is_some_and(|old| is_same(old, &list)) => {}
        Value::InlineTable(further) if section.get(key).is_some_and(Item::is_table_like) => {
            let Some(table) = section.get_mut(key).and_then(Item::as_table_like_mut) else {
                return;
            };
            for (name, setting) in further {
                set(table, &name, setting);
            }
            if let Some(inline) = section.get_mut(key).and_then(Item::as_inline_table_mut) {
                inline.fmt();
            }
        }
        mut value => {
            let old = section.get(key).and_then(Item::as_value);
            if let Some(old) = old {
                // Keeps the comment after the value.
                *value.decor_mut() = old.decor().clone();
            }
            section.insert(key, Item::Value(value));
        }
    }
}

fn is_same(one: &Array, other: &Array) -> bool {
    let texts = |list: &Array| {
        list.iter()
            .map(|value| value.as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    texts(one) == texts(other) && one.iter().all(Value::is_str)
}

/// Returns the first table after a position in the text.
fn next_table(root: &mut Table, after: Option<isize>) -> Option<&mut Table> {
    let mut next: Option<&mut Table> = None;
    for (_, item) in root.iter_mut() {
        let Item::Table(table) = item else { continue };
        let is_own = !table.is_implicit() && table.position() > after;
        let found = if is_own {
            Some(table)
        } else {
            next_table(table, after)
        };
        if let Some(found) = found
            && next
                .as_ref()
                .is_none_or(|next| found.position() < next.position())
        {
            next = Some(found);
        }
    }
    next
}

#[cfg(test)]
mod tests;
