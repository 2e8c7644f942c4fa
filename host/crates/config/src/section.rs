//! Sections: structs whose fields are settings. The macro [`section!`] gives each field exactly one
//! entry.

use std::{fmt::Write as _, marker::PhantomData, path::Path};

use toml::de::DeTable;

use crate::{
    issue::{ConfigIssue, Issues},
    kinds::{GivenValue, Kind, description_of_text},
    source::Source,
    table::{Document, Table},
};

/// A struct of settings that are read, shown and documented together.
pub trait Section: Sized {
    fn entries() -> Vec<SettingEntry>;

    /// Reads the settings. Invalid or missing settings fall back to their defaults.
    fn read(table: &Table<'_>, issues: &mut Issues<'_>) -> Self;

    /// Writes the settings as TOML.
    fn show(&self, shown: &mut Shown);

    /// Returns the keys of the fields that differ in `new`.
    fn changed(&self, new: &Self) -> Vec<&'static str>;

    /// Returns the settings of an empty table. Required keys get the `Default` of their type.
    fn defaults() -> Self {
        let source = Source::new(Path::new(""), String::new());
        let document = Document {
            folder: source.folder(),
            sections: &[],
        };
        Self::read(
            &Table::root(&document, &DeTable::new()),
            &mut Issues::new(&source),
        )
    }

    /// Reads the settings and reports unknown keys.
    fn read_table(table: &Table<'_>, issues: &mut Issues<'_>) -> Self {
        table.reject_unknown(&Self::keys(), issues);
        Self::read(table, issues)
    }

    fn keys() -> Vec<&'static str> {
        Self::entries().iter().map(|entry| entry.key).collect()
    }

    /// Describes the allowed values of `key` for a message.
    fn allowed(key: &str) -> String {
        Self::entries()
            .iter()
            .find(|entry| entry.key == key)
            .map(SettingEntry::allowed)
            .unwrap_or_default()
    }
}

/// The description of a key for messages, `docs/configuration.md` and `config/reference.toml`.
pub struct SettingEntry {
    pub key: &'static str,
    /// The type and its bounds.
    pub values: String,
    /// The default value, or the effect of leaving the key out; `None` for a required key.
    pub default: Option<String>,
    /// An example in TOML for a key without a default value.
    pub example: Option<&'static str>,
    pub doc: &'static str,
    /// Whether the value fits into a flag or an environment variable.
    pub is_overridable: bool,
}

impl SettingEntry {
    /// Describes a key whose value is a table.
    pub fn of_table(key: &'static str, doc: &'static str, values: &str, default: &str) -> Self {
        Self {
            key,
            values: values.to_owned(),
            default: Some(default.to_owned()),
            example: None,
            doc,
            is_overridable: false,
        }
    }

    pub fn allowed(&self) -> String {
        let values = &self.values;
        match &self.default {
            Some(default) => format!("{values} (default: {default})"),
            None => values.clone(),
        }
    }
}

/// TOML being written.
#[derive(Default)]
pub struct Shown {
    /// The name of the section, such as `ai.basic1`.
    pub path: String,
    pub text: String,
}

impl Shown {
    pub fn header(&mut self, path: &str) {
        let separator = if self.text.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.text, "{separator}[{path}]");
        path.clone_into(&mut self.path);
    }

    pub fn line(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.text, "{key} = {value}");
    }

    pub fn comment(&mut self, comment: &str) {
        let _ = writeln!(self.text, "# {comment}");
    }

    /// Adds a comment on the effect of leaving `key` out.
    pub fn not_set(&mut self, key: &str, meaning: &str) {
        self.comment(&format!("{key} is not set: {meaning}"));
    }
}

/// How one field of a section is read, shown and documented.
pub trait Field {
    type Value;

    /// Returns the keys of the field; none for a field derived from others.
    fn entries(&self, _key: &'static str, _doc: &'static str) -> Vec<SettingEntry> {
        Vec::new()
    }

    fn read(&self, key: &'static str, table: &Table<'_>, issues: &mut Issues<'_>) -> Self::Value;

    fn show(&self, _key: &'static str, _value: &Self::Value, _shown: &mut Shown) {}
}

/// Fixes the type of a field, so that its entry can omit it.
pub const fn typed<V, F: Field<Value = V>>(field: F) -> F {
    field
}

/// A key with a value of the kind `K`; the field has the type `V`.
pub struct Setting<K, V> {
    kind: K,
    /// The field's value if the key is missing or its value is wrong.
    default: V,
    absent: Absent,
    example: Option<&'static str>,
}

/// How messages and documents describe a key that is left out.
#[derive(Clone, Copy)]
enum Absent {
    Default,
    Meaning(&'static str),
    Error,
}

/// Turns a kind into the entry of a field.
pub trait IntoField: Kind + Sized {
    /// Creates a key with a default.
    fn or(self, default: Self::Value) -> Setting<Self, Self::Value> {
        Setting {
            kind: self,
            default,
            absent: Absent::Default,
            example: None,
        }
    }

    /// Creates a key whose default is computed later, as `meaning` describes; `default` is its
    /// value until then.
    fn derived(self, default: Self::Value, meaning: &'static str) -> Setting<Self, Self::Value> {
        Setting {
            kind: self,
            default,
            absent: Absent::Meaning(meaning),
            example: None,
        }
    }

    /// Creates a key that must be set.
    fn required(self) -> Setting<Self, Self::Value>
    where
        Self::Value: Default,
    {
        Setting {
            kind: self,
            default: Self::Value::default(),
            absent: Absent::Error,
            example: None,
        }
    }

    /// Creates a key that may be left out; `meaning` describes the effect.
    fn optional(self, meaning: &'static str) -> Setting<Self, Option<Self::Value>> {
        Setting {
            kind: self,
            default: None,
            absent: Absent::Meaning(meaning),
            example: None,
        }
    }
}

impl<K: Kind> IntoField for K {}

impl<K, V> Setting<K, V> {
    /// Sets the example in `config/reference.toml`, for a key without a default value.
    #[must_use]
    pub fn example(self, example: &'static str) -> Self {
        Self {
            example: Some(example),
            ..self
        }
    }
}

impl<K: Kind, V: Clone + Into<Option<K::Value>>> Setting<K, V> {
    fn entry(&self, key: &'static str, doc: &'static str) -> SettingEntry {
        let default = match self.absent {
            Absent::Default => self
                .default
                .clone()
                .into()
                .map(|default| self.kind.show(&default)),
            Absent::Meaning(meaning) => Some(meaning.to_owned()),
            Absent::Error => None,
        };
        SettingEntry {
            key,
            values: self.kind.values(),
            default,
            example: self.example,
            doc,
            is_overridable: true,
        }
    }
}

impl<K: Kind, V: Clone + From<K::Value> + Into<Option<K::Value>>> Field for Setting<K, V> {
    type Value = V;

    fn entries(&self, key: &'static str, doc: &'static str) -> Vec<SettingEntry> {
        vec![self.entry(key, doc)]
    }

    /// Reads the value. A flag or a variable takes precedence over the file.
    fn read(&self, key: &'static str, table: &Table<'_>, issues: &mut Issues<'_>) -> V {
        let allowed = &self.entry(key, "").allowed();
        let (path, folder) = (&table.path_of(key), table.document.folder);
        let value = table.get(key);
        if value.is_none() && matches!(self.absent, Absent::Error) {
            issues
                .missing(&table.span, &format!("[{}] has no `{key}`", table.path))
                .allow(allowed);
        }
        let mut read = value.and_then(|value| {
            self.kind.read(
                &GivenValue {
                    path,
                    value,
                    folder,
                    allowed,
                },
                issues,
            )
        });
        if let Some(given) = table.overrides.iter().find(|given| given.key == key) {
            read = self.kind.parse(&given.value, folder).or_else(|| {
                let message = format!("`{path}` is {}", description_of_text(&given.value));
                let mut issue =
                    ConfigIssue::given(&given.origin, given.separator, &given.value, &message);
                issue.allow(allowed);
                issues.elsewhere(issue);
                read
            });
        }
        read.map_or_else(|| self.default.clone(), V::from)
    }

    fn show(&self, key: &'static str, value: &V, shown: &mut Shown) {
        match (value.clone().into(), self.absent) {
            (Some(value), _) => shown.line(key, &self.kind.show(&value)),
            (None, Absent::Meaning(meaning)) => shown.not_set(key, meaning),
            (None, Absent::Default | Absent::Error) => {}
        }
    }
}

/// The settings of a nested struct whose keys are in the same table.
pub struct Flatten<S>(pub PhantomData<S>);

impl<S: Section> Field for Flatten<S> {
    type Value = S;

    fn entries(&self, _: &'static str, _: &'static str) -> Vec<SettingEntry> {
        S::entries()
    }

    fn read(&self, _: &'static str, table: &Table<'_>, issues: &mut Issues<'_>) -> S {
        S::read(table, issues)
    }

    fn show(&self, _: &'static str, value: &S, shown: &mut Shown) {
        value.show(shown);
    }
}

/// An optional table below a section. Its field must be the last in the section, because TOML
/// requires its keys to follow the section's.
pub struct OptionalTable<S> {
    /// The allowed values, such as `a table, as in [fleet.matches]`.
    pub allowed: &'static str,
    /// The effect of leaving the table out.
    pub absent: &'static str,
    pub settings: PhantomData<S>,
}

impl<S: Section> Field for OptionalTable<S> {
    type Value = Option<S>;

    fn entries(&self, key: &'static str, doc: &'static str) -> Vec<SettingEntry> {
        vec![SettingEntry::of_table(key, doc, self.allowed, self.absent)]
    }

    fn read(&self, key: &'static str, table: &Table<'_>, issues: &mut Issues<'_>) -> Option<S> {
        let table = table.table(key, self.allowed, issues)?;
        Some(S::read_table(&table, issues))
    }

    fn show(&self, key: &'static str, value: &Option<S>, shown: &mut Shown) {
        let Some(settings) = value else {
            return shown.not_set(key, self.absent);
        };
        shown.header(&format!("{}.{key}", shown.path));
        settings.show(shown);
    }
}

/// Not a key: the name of the table.
pub struct TableName;

impl Field for TableName {
    type Value = String;

    fn read(&self, _: &'static str, table: &Table<'_>, _: &mut Issues<'_>) -> String {
        table.name.to_owned()
    }
}

/// Declares a struct whose fields are settings, or makes an existing struct a [`Section`]. Each
/// field is one entry: its doc comment, its name, its type and how it is read. The doc comment also
/// appears in `docs/configuration.md` and `config/reference.toml`. The name is the key, unless
/// `as "key"` sets a different one. A field without an entry does not compile.
#[macro_export]
macro_rules! section {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Settings:ident {
            $(
                $(#[doc = $doc:literal])*
                $field:ident $(as $key:literal)?: $Type:ty = $entry:expr
            ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        $vis struct $Settings {
            $($(#[doc = $doc])* $vis $field: $Type),+
        }
        $crate::section! {
            impl $Settings {
                $($(#[doc = $doc])* $field $(as $key)?: $Type = $entry),+
            }
        }
    };
    (
        impl $Settings:ident {
            $(
                $(#[doc = $doc:literal])*
                $field:ident $(as $key:literal)?: $Type:ty = $entry:expr
            ),+ $(,)?
        }
    ) => {
        impl $crate::section::Section for $Settings {
            fn entries() -> Vec<$crate::section::SettingEntry> {
                [$($crate::section::Field::entries(
                    &$crate::section::typed::<$Type, _>($entry),
                    $crate::section!(@key $field $($key)?),
                    concat!($($doc),*).trim_ascii(),
                )),+].into_iter().flatten().collect()
            }

            fn read(
                table: &$crate::table::Table<'_>,
                issues: &mut $crate::issue::Issues<'_>,
            ) -> Self {
                Self {
                    $($field: $crate::section::Field::read(
                        &$crate::section::typed::<$Type, _>($entry),
                        $crate::section!(@key $field $($key)?),
                        table,
                        issues,
                    )),+
                }
            }

            fn changed(&self, new: &Self) -> Vec<&'static str> {
                let Self { $($field),+ } = self;
                let mut keys = Vec::new();
                $(if *$field != new.$field {
                    keys.push($crate::section!(@key $field $($key)?));
                })+
                keys
            }

            fn show(&self, shown: &mut $crate::section::Shown) {
                let Self { $($field),+ } = self;
                $($crate::section::Field::show(
                    &$crate::section::typed::<$Type, _>($entry),
                    $crate::section!(@key $field $($key)?),
                    $field,
                    shown,
                );)+
            }
        }
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
}
pub use crate::section;
