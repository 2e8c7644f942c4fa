//! `rookery client add`.

use std::fmt::Write as _;

use ai_api::note::is_id;
use clap::Args;
use serde_json::json;
use toml_edit::Value;

use crate::cli::{
    failure::Failure,
    file_change::{FileChange, key_message},
    output::{print, print_json, print_message},
};
use config::{
    Config, Expiry, ID_ALLOWED, Rate, SectionId,
    api_key::{KeyDigest, generate},
    ensure_known,
};
use text::printable;

#[derive(Debug, Args)]
pub(crate) struct AddClient {
    /// ID of the client; an existing client gets a new key
    name: String,
    /// AI; by default the default client's, or else the first
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
    /// Make the client an administrator
    #[arg(long)]
    admin: bool,
    /// Rate limit, such as 20/s or "300/min burst 20"
    #[arg(long, value_name = "RATE", value_parser = parsed::<Rate>)]
    rate: Option<Value>,
    #[command(flatten)]
    expiry: ExpiryFlag,
    /// Write a new client into the configuration and reload your running servers
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    change: FileChange,
}

#[derive(Debug, Args)]
pub(super) struct ExpiryFlag {
    /// End of its access: a date (00:00 UTC), or a time such as 2027-01-31T18:00:00Z
    #[arg(long, value_name = "TIME", value_parser = parsed::<Expiry>)]
    expires: Option<Value>,
}

impl ExpiryFlag {
    pub(super) fn key(&self) -> Option<(&'static str, Value)> {
        self.expires.clone().map(|expires| ("expires", expires))
    }
}

/// Returns the text as a value of the configuration if it parses as a `T`. Text that is already a
/// value, such as a date, gets no quotes.
fn parsed<T: std::str::FromStr<Err: ToString>>(text: &str) -> Result<Value, String> {
    text.parse::<T>().map_err(|error| error.to_string())?;
    Ok(text.parse().unwrap_or_else(|_| text.into()))
}

impl AddClient {
    pub(super) fn run(self) -> Result<(), Failure> {
        let name = &self.name;
        if !is_id(name) {
            let name = printable(name);
            return Err(Failure::Usage(format!(
                "'{name}' is not a valid client id; expected {ID_ALLOWED}"
            )));
        }
        let key = generate()?;
        let mut keys = vec![(
            "api_key_sha256",
            Value::from(KeyDigest::of(key.as_bytes()).to_string()),
        )];
        keys.extend(self.admin.then(|| ("admin", true.into())));
        keys.extend(self.rate.clone().map(|rate| ("rate", rate)));
        keys.extend(self.expiry.key());
        let config = self.config()?;
        if config
            .as_ref()
            .is_none_or(|config| !config.clients.contains_key(name))
        {
            keys.insert(0, ("ai", self.ai(config.as_ref())?.into()));
        } else if self.write {
            return Err(Failure::Usage(format!(
                "[client.{name}] already exists; 'rookery client rotate {name}' gives it a new key"
            )));
        }
        if self.write {
            let (section, refusal) = (
                SectionId::Client(name),
                format!("[client.{name}] was not added"),
            );
            return self
                .change
                .apply(&[section], Some(&key), &refusal, |edit, _| {
                    edit.set(section, keys.clone());
                    Ok(())
                });
        }
        self.print(&key, &keys)
    }

    /// Prints the lines of the section.
    fn print(&self, key: &str, keys: &[(&str, Value)]) -> Result<(), Failure> {
        let (name, path) = (&self.name, self.change.file.path().display());
        // The header is always included. If the lines are appended by mistake, the duplicate
        // section is rejected. Without the header, the key would belong to the last client in the
        // file.
        let mut section = format!("[client.{name}]\n");
        if !keys.iter().any(|(setting, _)| *setting == "ai") {
            let (line, one) = if keys.len() == 1 {
                ("line", "an older one")
            } else {
                ("lines", "older ones")
            };
            section = format!(
                "# This section already exists: move the {line} below into it, in place of \
                 {one}.\n{section}"
            );
        }
        for (setting, value) in keys {
            let _ = writeln!(section, "{setting} = {value}");
        }
        if self.change.json {
            return Ok(print_json(&json!({
                "id": name,
                "key": key,
                "config": self.change.file.path(),
                "is_written": false,
                "section": section,
            }))?);
        }
        let message = key_message(name, key);
        let remedy = if self.change.file.is_default() {
            format!("With --write this command creates {path}, with these lines:")
        } else {
            format!("Add these lines to {path} and run `rookery reload`:")
        };
        print_message(&format!("{message}\n{remedy}\n"));
        Ok(print(&section)?)
    }

    /// Returns the configuration; `None` if there is no file and the AI is named.
    fn config(&self) -> Result<Option<Config>, Failure> {
        let file = &self.change.file;
        if self.ai.is_some() && file.is_default() {
            Ok(None)
        } else {
            file.load().map(Some)
        }
    }

    fn ai(&self, config: Option<&Config>) -> Result<String, Failure> {
        let default = || {
            let config = config?;
            config
                .client(None)
                .map(|client| &client.ai)
                .or_else(|| config.ais.keys().next())
        };
        let Some(ai) = self.ai.as_ref().or_else(default) else {
            return Err(Failure::Usage(
                "the configuration has no AI for the client; add an [ai.ID]".into(),
            ));
        };
        match config {
            Some(config) => ensure_known(&mut config.clone(), ai)?,
            None if is_id(ai) => {}
            None => {
                let ai = printable(ai);
                return Err(Failure::Usage(format!(
                    "'{ai}' is not a valid id of an AI; expected {ID_ALLOWED}"
                )));
            }
        }
        Ok(ai.clone())
    }
}
