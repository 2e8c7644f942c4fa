//! The configuration of a command: where its file is found, the environment and the chosen AI.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use clap::Args;
use rustix::fs::{Access, access};

use crate::cli::{extras, failure::Failure};
use config::{Config, LoadOptions, default_configuration, ensure_known};

/// The configuration of `make run`, from which the default configuration is made.
const TEMPLATE: &str = include_str!("../../../config/rookery.toml");
/// The system-wide file, which some users may not read.
const OF_SYSTEM: &str = "/etc/rookery/rookery.toml";

#[derive(Debug, Args)]
pub(crate) struct ConfigFile {
    /// Configuration file; by default the first of ./rookery.toml, ./config/rookery.toml,
    /// ~/.config/rookery/rookery.toml and /etc/rookery/rookery.toml, or the AIs next to the program
    #[arg(long, global = true, value_name = "FILE", env = "ROOKERY_CONFIG")]
    config: Option<PathBuf>,
    #[arg(skip)]
    found: OnceLock<FoundFile>,
}

/// The configuration file that a command uses.
#[derive(Debug, PartialEq, Eq)]
struct FoundFile {
    /// If no file was found, the path that a command would create.
    path: PathBuf,
    /// The paths at which no file was found; empty if a file was found or named.
    looked_for: Vec<PathBuf>,
}

impl ConfigFile {
    fn found(&self) -> &FoundFile {
        self.found.get_or_init(|| match &self.config {
            Some(path) => FoundFile {
                path: path.clone(),
                looked_for: Vec::new(),
            },
            None => find(|name| std::env::var_os(name), is_there),
        })
    }

    /// Returns the path of the file. If none was found, it is the path that a command would create.
    pub(crate) fn path(&self) -> &Path {
        &self.found().path
    }

    /// Returns the path given on the command line or in the environment.
    pub(crate) fn named(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// Returns whether no file was found, so the default configuration is used.
    pub(crate) fn is_default(&self) -> bool {
        !self.found().looked_for.is_empty()
    }

    /// Returns the file's path, or text that names the paths where no file was found.
    pub(crate) fn description(&self) -> String {
        if self.is_default() {
            format!("the default configuration (there is no {})", self.places())
        } else {
            absolute_text(self.path())
        }
    }

    /// Lists the paths at which no file was found.
    fn places(&self) -> String {
        let places = self.found().looked_for.iter();
        let places: Vec<_> = places.map(|path| absolute_text(path)).collect();
        places.join(", ")
    }

    /// Describes the configuration as part of a sentence.
    pub(crate) fn configuration(&self) -> String {
        if self.is_default() {
            self.description()
        } else {
            format!("the configuration {}", self.description())
        }
    }

    /// Returns the options for reading the configuration: the sections of extras, the environment,
    /// the flag `--listen`, which takes precedence, and the default for a missing file.
    pub(crate) fn options(&self, listen: Option<String>) -> LoadOptions {
        let options = LoadOptions::from_environment(|name| std::env::var_os(name))
            .with_extras(extras::SECTIONS, extras::ABSENT)
            .with_listen(listen);
        if self.is_default() {
            options.with_default(&default_configuration(TEMPLATE))
        } else {
            options
        }
    }

    /// Loads the configuration with overrides from the environment.
    pub(crate) fn load(&self) -> Result<Config, Failure> {
        self.load_with(&self.options(None))
    }

    /// Loads the configuration.
    ///
    /// # Errors
    /// The configuration has errors, all of which are returned, or there is neither a file nor an
    /// AI.
    pub(crate) fn load_with(&self, options: &LoadOptions) -> Result<Config, Failure> {
        let config = config::load(self.path(), options)?;
        if self.is_default() && config.ais.is_empty() {
            return Err(Failure::Usage(format!(
                "found neither a configuration file nor an AI next to this program; looked for \
                 {}; name a file with --config, or add an AI with 'rookery add'",
                self.places()
            )));
        }
        Ok(config)
    }

    /// Logs which configuration is used.
    pub(crate) fn log(&self) {
        tracing::info!(file = self.description(), "configuration");
    }
}

/// Finds the first file that `is_there`. `variable` returns the value of an environment variable.
fn find(
    variable: impl Fn(&str) -> Option<OsString>,
    is_there: impl Fn(&Path) -> bool,
) -> FoundFile {
    let folder = |name| {
        let folder = variable(name).map(PathBuf::from);
        folder.filter(|folder| folder.is_absolute())
    };
    let of_user = folder("XDG_CONFIG_HOME")
        .or_else(|| Some(folder("HOME")?.join(".config")))
        .map(|folder| folder.join("rookery/rookery.toml"));
    let created = of_user.clone().unwrap_or_else(|| OF_SYSTEM.into());
    let mut looked_for = vec!["rookery.toml".into(), "config/rookery.toml".into()];
    looked_for.extend(of_user);
    looked_for.push(OF_SYSTEM.into());
    match looked_for.iter().position(|path| is_there(path)) {
        Some(index) => FoundFile {
            path: looked_for.swap_remove(index),
            looked_for: Vec::new(),
        },
        None => FoundFile {
            path: created,
            looked_for,
        },
    }
}

/// Returns whether to use a file. An unreadable file counts, so that reading it reports an error,
/// unless it is the system-wide file.
fn is_there(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(_) => path != Path::new(OF_SYSTEM) || access(path, Access::READ_OK).is_ok(),
        Err(error) => !matches!(
            error.kind(),
            io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::PermissionDenied
        ),
    }
}

/// Returns the id of the requested AI, or of the default client's, and adds a discovered AI to the
/// configuration.
pub(crate) fn choose_ai(config: &mut Config, requested: Option<&str>) -> Result<String, Failure> {
    let Some(id) = requested.or(config.client(None).map(|client| client.ai.as_str())) else {
        return Err(Failure::Usage(
            "the configuration has no [client.default]; choose an AI with --ai".into(),
        ));
    };
    let id = id.to_owned();
    ensure_known(config, &id)?;
    Ok(id)
}

/// Returns a path relative to the working directory as an absolute path, for a setting in a file
/// elsewhere.
pub(crate) fn absolute_text(file: &Path) -> String {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    absolute.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what the search would find if these files existed.
    fn found(variables: &[(&str, &str)], files: &[&str]) -> FoundFile {
        let variable = |name: &str| {
            let set = variables.iter().find(|(other, _)| *other == name);
            set.map(|(_, value)| OsString::from(value))
        };
        find(variable, |path| {
            files.iter().any(|file| Path::new(file) == path)
        })
    }

    #[test]
    fn takes_the_first_file_that_exists() {
        let variables = [("XDG_CONFIG_HOME", "/x"), ("HOME", "/home/ann")];
        let mut files = vec![
            "rookery.toml",
            "config/rookery.toml",
            "/x/rookery/rookery.toml",
            "/etc/rookery/rookery.toml",
        ];
        while let [first, ..] = files[..] {
            let FoundFile { path, looked_for } = found(&variables, &files);
            assert_eq!((path.as_path(), looked_for), (Path::new(first), Vec::new()));
            files.remove(0);
        }
        let FoundFile { path, looked_for } = found(&variables, &[]);
        assert_eq!(path, Path::new("/x/rookery/rookery.toml"));
        let expected = [
            "rookery.toml",
            "config/rookery.toml",
            "/x/rookery/rookery.toml",
            "/etc/rookery/rookery.toml",
        ];
        assert_eq!(looked_for, expected.map(PathBuf::from));
    }

    #[test]
    fn the_users_file_is_in_an_absolute_folder() {
        let path = |variables: &[(&str, &str)]| found(variables, &[]).path;
        let home = ("HOME", "/home/ann");
        let of_home = Path::new("/home/ann/.config/rookery/rookery.toml");
        assert_eq!(path(&[home]), of_home);
        assert_eq!(path(&[home, ("XDG_CONFIG_HOME", "")]), of_home);
        assert_eq!(path(&[home, ("XDG_CONFIG_HOME", "conf")]), of_home);
        // A service has no home folder.
        assert_eq!(path(&[]), Path::new(OF_SYSTEM));
    }
}
