//! What a configuration is read with, apart from its file.

use std::{ffi::OsString, sync::Arc};

use crate::{
    extra::{AbsentSection, ExtraSection},
    section::Section as _,
    server::ServerSettings,
    table::Override,
};

/// The flag and its key in `[server]`.
pub(crate) const LISTEN: (&str, &str) = ("--listen", "listen");

/// Values that take precedence over the file, flags before environment variables, and the sections
/// of extras.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    server: Vec<Override>,
    /// The section of an extra and the value that a flag gives one of its keys.
    extras: Vec<(&'static str, Override)>,
    /// The text that is read if the file does not exist.
    pub(crate) default: Option<Arc<str>>,
    pub(crate) sections: &'static [ExtraSection],
    pub(crate) absent: &'static [AbsentSection],
}

impl LoadOptions {
    pub fn none() -> Self {
        Self::default()
    }

    /// The values of the variables `ROOKERY_…`, one for each key of `[server]`, such as
    /// `ROOKERY_LISTEN`; empty ones are ignored. `variable` returns the value of a variable:
    /// [`std::env::var_os`].
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let entries = ServerSettings::entries()
            .into_iter()
            .filter(|entry| entry.is_overridable);
        let overrides = entries.filter_map(|entry| {
            let origin = variable_of(entry.key);
            let value = variable(&origin)?.to_string_lossy().into_owned();
            (!value.is_empty()).then_some(Override {
                key: entry.key,
                origin,
                separator: '=',
                value,
            })
        });
        Self {
            server: overrides.collect(),
            ..Self::default()
        }
    }

    /// Adds the sections of extras. Those that are `absent` are errors.
    #[must_use]
    pub fn with_extras(
        self,
        sections: &'static [ExtraSection],
        absent: &'static [AbsentSection],
    ) -> Self {
        Self {
            sections,
            absent,
            ..self
        }
    }

    /// Sets the text that is read if the file does not exist.
    #[must_use]
    pub fn with_default(self, text: &str) -> Self {
        Self {
            default: Some(text.into()),
            ..self
        }
    }

    /// Adds the value of the flag `--listen`, which takes precedence over a variable.
    #[must_use]
    pub fn with_listen(mut self, address: Option<String>) -> Self {
        self.server
            .splice(0..0, address.map(|value| of_flag(LISTEN, value)));
        self
    }

    /// Adds the value of a flag for a key of an extra's section. With it there is a section, even
    /// if the file has none.
    #[must_use]
    pub fn with_flag(
        mut self,
        section: &'static str,
        flag_and_key: (&str, &'static str),
        value: Option<String>,
    ) -> Self {
        let given = value.map(|value| (section, of_flag(flag_and_key, value)));
        self.extras.extend(given);
        self
    }

    pub(crate) fn of_server(&self) -> &[Override] {
        &self.server
    }

    pub(crate) fn of_extra(&self, section: &str) -> Vec<Override> {
        let own = self.extras.iter().filter(|(name, _)| *name == section);
        own.map(|(_, given)| given.clone()).collect()
    }
}

fn of_flag((flag, key): (&str, &'static str), value: String) -> Override {
    Override {
        key,
        origin: flag.to_owned(),
        separator: ' ',
        value,
    }
}

/// The environment variable of a key of `[server]`.
pub(crate) fn variable_of(key: &str) -> String {
    format!("ROOKERY_{}", key.to_uppercase())
}
