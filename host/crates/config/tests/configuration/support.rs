//! Loads configurations without extras.

use config::{Config, ConfigIssue, LoadOptions};
use tempfile::TempDir;
use test_kit::configuration;
pub(crate) use test_kit::configuration::{
    AI, FULL, all_keys, check_printed, errors as errors_with, folder, keys, load_in, option,
};

pub(crate) fn loaded(text: &str) -> (TempDir, Config) {
    configuration::loaded(text, &LoadOptions::none())
}

pub(crate) fn errors(text: &str) -> String {
    errors_with(text, &LoadOptions::none())
}

#[track_caller]
pub(crate) fn issue(text: impl AsRef<[u8]>) -> ConfigIssue {
    configuration::issue(text, &LoadOptions::none())
}

#[track_caller]
pub(crate) fn check(text: &str, expected: &str) {
    configuration::check(text, expected, &LoadOptions::none());
}
