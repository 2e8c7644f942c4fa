//! `rookery config`.

use std::{path::Path, time::SystemTime};

use ai_api::{OptionSetting, OptionValue};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use toml_edit::{DocumentMut, Item};

use crate::cli::{
    config_file::ConfigFile,
    failure::Failure,
    output::{print, print_json, print_message},
};
use config::load_in_part;
use game::smoke_tests;
use pool::{AiStartError, StartErrors, WorkerProgram, inspect};
use text::{counted, printable};

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Check a configuration
    #[command(after_help = "\
Example:
  rookery config check --config my.toml

Reports all errors in the configuration, its AIs and their options.")]
    Check(ReadConfig),
    /// Print the resolved configuration
    #[command(after_help = "\
Example:
  ROOKERY_LISTEN=127.0.0.1:9000 rookery config show")]
    Show(ReadConfig),
}

#[derive(Debug, Args)]
pub(super) struct ReadConfig {
    #[command(flatten)]
    file: ConfigFile,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ConfigCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Show(command) => command.show(),
            Self::Check(command) => command.check(),
        }
    }
}

impl ReadConfig {
    fn show(&self) -> Result<(), Failure> {
        let config = self.file.load()?;
        let inspections = inspect(&config, &WorkerProgram::this_binary(), &[])?.configured;
        let is_secret = |ai: &str, option: &OptionSetting| {
            let inspection = inspections
                .iter()
                .find(|inspection| inspection.settings.id == ai);
            match inspection.map(|inspection| &inspection.about) {
                Some(Ok(about)) => about
                    .options
                    .iter()
                    .any(|spec| spec.name == option.name && spec.secret),
                // Without a manifest, any text could be secret.
                _ => matches!(option.value, OptionValue::Text(_)),
            }
        };
        let text = config.show(is_secret);
        if self.json {
            let document: DocumentMut = text.parse().map_err(anyhow::Error::new)?;
            let mut shown = json_of(document.as_item());
            shown["config"] = json!(self.path());
            return Ok(print_json(&shown)?);
        }
        Ok(print(&format!(
            "# {}\n\n{text}",
            printable(&self.file.description())
        ))?)
    }

    fn check(&self) -> Result<(), Failure> {
        let (config, checked) = load_in_part(self.file.path(), &self.file.options(None))?;
        let warnings = config.warnings(SystemTime::now());
        for warning in warnings.iter().filter(|_| !self.json) {
            print_message(&format!("warning: {warning}"));
        }
        let notes = config.plugins.notes();
        for note in notes.iter().filter(|_| !self.json) {
            print_message(&format!("note: {note}"));
        }
        // Also checks AIs whose sections are valid, so that one run reports all errors.
        let inspections =
            inspect(&config, &WorkerProgram::this_binary(), &smoke_tests())?.configured;
        let ids: Vec<_> = inspections
            .iter()
            .map(|inspection| inspection.settings.id.clone())
            .collect();
        let errors = inspections
            .into_iter()
            .filter_map(|inspection| inspection.about.err());
        let errors: Vec<_> = errors.flat_map(|errors| errors.0).collect();
        if let Err(found) = checked {
            return Err(found
                .and(errors.iter().filter_map(AiStartError::issue).cloned())
                .into());
        }
        if !errors.is_empty() {
            return Err(StartErrors(errors).into());
        }
        if self.json {
            return Ok(print_json(
                &json!({"config": self.path(), "ais": ids, "warnings": warnings, "notes": notes}),
            )?);
        }
        Ok(print(&format!(
            "{}: ok, {}",
            self.file.description(),
            counted(ids.len(), "AI")
        ))?)
    }

    /// Returns the path of the file; `None` for the default configuration.
    fn path(&self) -> Option<&Path> {
        Some(self.file.path()).filter(|_| !self.file.is_default())
    }
}

/// Converts a configuration to JSON. A date becomes a string.
fn json_of(item: &Item) -> Value {
    match item {
        Item::Value(toml_edit::Value::Boolean(flag)) => json!(flag.value()),
        Item::Value(toml_edit::Value::Integer(number)) => json!(number.value()),
        Item::Value(toml_edit::Value::Float(number)) => json!(number.value()),
        Item::Value(toml_edit::Value::String(text)) => json!(text.value()),
        Item::Value(toml_edit::Value::Datetime(time)) => json!(time.value().to_string()),
        Item::Value(toml_edit::Value::Array(items)) => items
            .iter()
            .map(|value| json_of(&Item::Value(value.clone())))
            .collect(),
        _ => {
            let entries = item
                .as_table_like()
                .into_iter()
                .flat_map(|table| table.iter());
            Value::Object(
                entries
                    .map(|(key, entry)| (key.to_owned(), json_of(entry)))
                    .collect(),
            )
        }
    }
}
