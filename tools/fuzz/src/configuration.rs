//! The configuration file.

use std::{cell::OnceCell, fs};

use ::config::{Config, ConfigErrors, LoadOptions, load};
use tempfile::TempDir;

thread_local! {
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

/// Parses a configuration file. Either it is rejected, or its printed form parses to an equal
/// configuration.
pub fn configuration(data: &[u8]) {
    match parse(data) {
        Ok(config) => {
            let shown = config.show(|_, _| false);
            let again =
                parse(shown.as_bytes()).unwrap_or_else(|errors| panic!("{errors}\n{shown}"));
            assert_eq!(again, config, "{shown}");
        }
        Err(errors) => {
            assert!(!errors.issues().is_empty());
            let lines = data.split(|&byte| byte == b'\n').count();
            for issue in errors.issues() {
                assert!(
                    issue.line.is_none_or(|line| (1..=lines).contains(&line)),
                    "{issue:?}"
                );
            }
            let shown = errors.to_string();
            assert!(
                !shown
                    .chars()
                    .any(|character| character != '\n' && character.is_control()),
                "{shown:?}"
            );
        }
    }
}

fn parse(data: &[u8]) -> Result<Config, ConfigErrors> {
    FOLDER.with(|cell| {
        let folder = cell.get_or_init(|| {
            let folder = tempfile::tempdir().expect("a temporary folder can be created");
            fs::write(folder.path().join("libai.so"), "").expect("a temporary file can be written");
            folder
        });
        let path = folder.path().join("rookery.toml");
        fs::write(&path, data).expect("a temporary file can be written");
        load(&path, &LoadOptions::none())
    })
}
