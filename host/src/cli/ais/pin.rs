//! `rookery ais pin`.

use std::{collections::BTreeMap, fmt::Write as _, path::PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::cli::{
    failure::Failure,
    output::{print, print_json, print_message},
};
use config::{AiSettings, Config, show_file_pins};
use library::{ReadLibraryError, SealedLibrary, file_access::is_folder, sha256::Sha256Sum};
use text::{printable, suggest};

#[derive(Debug, Args)]
pub(super) struct PinAis {
    /// AIs to pin; by default all
    #[arg(value_name = "ID")]
    ids: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PinForm {
    Toml,
    Json,
}

/// The current checksums of one AI's library and other files.
struct Pinning<'c> {
    settings: &'c AiSettings,
    found: Result<Sha256Sum, ReadLibraryError>,
    files: BTreeMap<PathBuf, Sha256Sum>,
}

impl PinAis {
    pub(super) fn run(self, config: &Config, form: PinForm) -> Result<(), Failure> {
        let chosen = self.chosen(config)?;
        let pinnings: Vec<_> = chosen
            .into_iter()
            .map(|settings| Pinning {
                settings,
                found: SealedLibrary::read(&settings.library).map(|library| library.sha256()),
                files: settings.file_pins(config.folder()),
            })
            .collect();
        match form {
            PinForm::Json => {
                print_json(&pinnings.iter().map(Pinning::as_json).collect::<Vec<_>>())?;
            }
            PinForm::Toml => {
                let sections: Vec<_> = pinnings.iter().filter_map(Pinning::as_toml).collect();
                if !sections.is_empty() {
                    let place = "# Move each line to the existing section of its AI; a section \
                        must be unique.";
                    print(&format!("{place}\n\n{}", sections.join("\n")))?;
                }
            }
        }
        let failed = pinnings
            .iter()
            .filter_map(|pinning| Some((pinning.settings, pinning.found.as_ref().err()?)));
        let issues: Vec<_> = failed
            .map(|(settings, error)| config.library_issue(&settings.id, &error.to_string()))
            .collect();
        if issues.is_empty() {
            return Ok(());
        }
        for issue in &issues {
            print_message(&issue.to_string());
        }
        Err(anyhow::anyhow!(
            "{} of {} libraries cannot be pinned",
            issues.len(),
            pinnings.len()
        )
        .into())
    }

    fn chosen<'c>(&self, config: &'c Config) -> Result<Vec<&'c AiSettings>, Failure> {
        if self.ids.is_empty() {
            return Ok(config.ais.values().collect());
        }
        let settings = |id: &String| {
            config.ais.get(id).ok_or_else(|| {
                let known: Vec<_> = config.ais.keys().map(String::as_str).collect();
                let meant = suggest(id, known.iter().copied());
                let hint = meant
                    .map(|meant| format!("; did you mean '{meant}'?"))
                    .unwrap_or_default();
                let id = printable(id);
                Failure::Usage(format!(
                    "the configuration has no AI '{id}'; it has {}{hint}",
                    known.join(", ")
                ))
            })
        };
        self.ids.iter().map(settings).collect()
    }
}

impl Pinning<'_> {
    /// Returns the section for the configuration; `None` if the library cannot be read.
    fn as_toml(&self) -> Option<String> {
        let found = self.found.as_ref().ok()?;
        let file = self
            .settings
            .library
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let state = match self.settings.sha256 {
            Some(pinned) if pinned == *found => "already pinned".to_owned(),
            Some(pinned) => format!("the configuration has {pinned}"),
            None => "not pinned yet".to_owned(),
        };
        let mut section = String::new();
        let (file, id) = (printable(&file), &self.settings.id);
        let _ = writeln!(
            section,
            "# {file}: {state}\n[ai.{id}]\nsha256 = \"{found}\""
        );
        if !self.files.is_empty() {
            let state_of_files = match &self.settings.files_sha256 {
                pinned if *pinned == self.files => "already pinned",
                pinned if pinned.is_empty() => "not pinned yet",
                _ => "the configuration has different pins; replace them",
            };
            let files = show_file_pins(&self.files);
            let files: Vec<_> = files.iter().map(|line| printable(line)).collect();
            let _ = writeln!(
                section,
                "# programs, scripts and other files: {state_of_files}\n[ai.{id}.files_sha256]\n{}",
                files.join("\n")
            );
        }
        for folder in self
            .settings
            .sandbox
            .read
            .iter()
            .filter(|path| is_folder(path))
        {
            let folder = folder.to_string_lossy();
            let _ = writeln!(
                section,
                "# not pinned: the files of the folder {}",
                printable(&folder)
            );
        }
        Some(section)
    }

    fn as_json(&self) -> Value {
        let AiSettings {
            id,
            library,
            sha256: pinned,
            ..
        } = self.settings;
        let pinned = pinned.map(|sum| sum.to_string());
        match &self.found {
            Ok(found) => {
                let mut reply = json!({
                    "id": id,
                    "library": {"file": library, "sha256": found.to_string()},
                    "pinned": pinned
                });
                if !self.files.is_empty() {
                    let pins = &self.settings.files_sha256;
                    let pinned_file = |(file, sum): (&PathBuf, &Sha256Sum)| {
                        json!({
                            "file": file,
                            "sha256": sum.to_string(),
                            "is_pinned": pins.get(file) == Some(sum)
                        })
                    };
                    reply["files"] = self.files.iter().map(pinned_file).collect();
                }
                reply
            }
            Err(error) => {
                json!({
                    "id": id,
                    "library": {"file": library},
                    "pinned": pinned,
                    "error": error.to_string()
                })
            }
        }
    }
}
