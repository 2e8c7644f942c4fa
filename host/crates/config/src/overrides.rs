//! Values that take precedence over the file: flags before environment variables.

use std::{ffi::OsString, path::PathBuf};

use crate::{section::Section as _, server::ServerSettings, table::Override};

/// The flag and its key in `[server]`.
pub(crate) const LISTEN: (&str, &str) = ("--listen", "listen");

/// The flag and its key in `[fleet]`.
const NATS: (&str, &str) = ("--nats", "nats");

/// The flag and its key in `[arena]`.
const ARENA: (&str, &str) = ("--arena", "file");

/// Values of `[server]`, `[fleet]` and `[arena]` from the command line and the environment.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    server: Vec<Override>,
    fleet: Option<Override>,
    arena: Option<Override>,
}

impl Overrides {
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

    /// Adds the value of the flag `--listen`, which takes precedence over a variable.
    #[must_use]
    pub fn with_listen(mut self, address: Option<String>) -> Self {
        self.server
            .splice(0..0, address.map(|value| of_flag(LISTEN, value)));
        self
    }

    /// Adds the value of the flag `--nats`. With it there is a `[fleet]`, even if the file has
    /// none.
    #[must_use]
    pub fn with_nats(mut self, addresses: Option<String>) -> Self {
        self.fleet = addresses.map(|value| of_flag(NATS, value));
        self
    }

    /// Adds the value of the flag `--arena`, a path relative to the working directory.
    #[must_use]
    pub fn with_arena(mut self, file: Option<PathBuf>) -> Self {
        let absolute = |file: PathBuf| std::path::absolute(&file).unwrap_or(file);
        self.arena = file.map(|file| of_flag(ARENA, absolute(file).to_string_lossy().into_owned()));
        self
    }

    pub(crate) fn of_server(&self) -> &[Override] {
        &self.server
    }

    pub(crate) fn of_fleet(&self) -> &[Override] {
        self.fleet.as_slice()
    }

    pub(crate) fn of_arena(&self) -> &[Override] {
        self.arena.as_slice()
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
