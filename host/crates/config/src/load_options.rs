//! A configuration's inputs other than its file.

use std::{ffi::OsString, sync::Arc};

use crate::{
    extra::{AbsentSection, ExtraSection},
    section::Section as _,
    server::ServerSettings,
    table::Override,
};

/// The flag and its key in `[server]`.
pub(crate) const LISTEN: (&str, &str) = ("--listen", "listen");

/// Values that take precedence over the file, and the sections of extras. Flags take precedence
/// over environment variables.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    server: Vec<Override>,
    /// The name of an extra's section, and a flag's value for one of its keys.
    extras: Vec<(&'static str, Override)>,
    /// The text to use if the file does not exist.
    pub(crate) default: Option<Arc<str>>,
    pub(crate) sections: &'static [ExtraSection],
    pub(crate) absent: &'static [AbsentSection],
}

impl LoadOptions {
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads the environment variables `ROOKERY_…`, one for each key of `[server]`, such as
    /// `ROOKERY_LISTEN`. Ignores empty variables. `variable` returns the value of a variable,
    /// like [`std::env::var_os`].
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

    /// Adds the sections of extras. Using an `absent` section is an error.
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

    /// Sets the text to use if the file does not exist.
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

    /// Adds the value of a flag for a key in an extra's section. The section then exists even if
    /// the file lacks it.
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

/// Returns the environment variable for a key of `[server]`.
pub(crate) fn variable_of(key: &str) -> String {
    format!("ROOKERY_{}", key.to_uppercase())
}
