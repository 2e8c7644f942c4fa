//! Values that take precedence over the file: flags before environment variables.

use std::ffi::OsString;

use crate::{section::Section as _, server::ServerSettings, table::Override};

/// The flag and its key in `[server]`.
pub(crate) const LISTEN: (&str, &str) = ("--listen", "listen");

/// Values of `[server]` from the command line and the environment.
#[derive(Clone, Debug, Default)]
pub struct Overrides(Vec<Override>);

impl Overrides {
    pub fn none() -> Self {
        Self::default()
    }

    /// The values of the variables `ROOKERY_…`, one for each key of `[server]`, such as `ROOKERY_LISTEN`; empty ones are ignored.
    /// `variable` returns the value of a variable: [`std::env::var_os`].
    pub fn from_environment(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let entries = ServerSettings::entries().into_iter().filter(|entry| entry.is_overridable);
        let overrides = entries.filter_map(|entry| {
            let origin = variable_of(entry.key);
            let value = variable(&origin)?.to_string_lossy().into_owned();
            (!value.is_empty()).then_some(Override { key: entry.key, origin, separator: '=', value })
        });
        Self(overrides.collect())
    }

    /// Adds the value of the flag `--listen`, which takes precedence over a variable.
    #[must_use]
    pub fn with_listen(mut self, address: Option<String>) -> Self {
        let (flag, key) = LISTEN;
        let given = address.map(|value| Override { key, origin: flag.to_owned(), separator: ' ', value });
        self.0.splice(0..0, given);
        self
    }

    pub(crate) fn values(&self) -> &[Override] {
        &self.0
    }
}

/// The environment variable of a key of `[server]`.
pub(crate) fn variable_of(key: &str) -> String {
    format!("ROOKERY_{}", key.to_uppercase())
}
