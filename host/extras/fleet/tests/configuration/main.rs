//! Valid and invalid `[fleet]` sections.
#![expect(clippy::unwrap_used, reason = "a failed setup fails the test")]

mod rejections;
mod settings;

use config::{Config, ConfigIssue, LoadOptions, extra::ExtraSection};
use fleet::FleetSettings;
use tempfile::TempDir;
use test_kit::configuration;

const SECTIONS: &[ExtraSection] = &[ExtraSection::of::<FleetSettings>()];

fn options() -> LoadOptions {
    LoadOptions::none().with_extras(SECTIONS, &[])
}

/// Returns the options with the flag `--nats`.
fn with_nats(addresses: &str) -> LoadOptions {
    options().with_flag("fleet", ("--nats", "nats"), Some(addresses.to_owned()))
}

fn loaded(text: &str) -> (TempDir, Config) {
    configuration::loaded(text, &options())
}

fn settings(config: &Config) -> FleetSettings {
    config.extra::<FleetSettings>().unwrap().clone()
}

fn errors(text: &str) -> String {
    configuration::errors(text, &options())
}

#[track_caller]
fn issue(text: impl AsRef<[u8]>) -> ConfigIssue {
    configuration::issue(text, &options())
}

#[track_caller]
fn check(text: &str, expected: &str) {
    configuration::check(text, expected, &options());
}
