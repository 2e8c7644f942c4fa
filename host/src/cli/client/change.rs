//! `rookery client remove` and `rookery client rotate`.

use clap::Args;
use toml_edit::{Array, Value};

use super::add::ExpiryFlag;
use crate::cli::{failure::Failure, file_change::FileChange};
use config::{
    FileEdit, SectionId,
    api_key::{KeyDigest, generate},
};
use text::printable;

#[derive(Debug, Args)]
pub(crate) struct RemoveClient {
    /// ID of the client
    name: String,
    #[command(flatten)]
    change: FileChange,
}

#[derive(Debug, Args)]
pub(crate) struct RotateKey {
    /// ID of the client
    name: String,
    /// Drop the old key
    #[arg(long)]
    finish: bool,
    #[command(flatten)]
    expiry: ExpiryFlag,
    #[command(flatten)]
    change: FileChange,
}

impl RemoveClient {
    pub(super) fn run(self) -> Result<(), Failure> {
        let section = SectionId::Client(&self.name);
        let refusal = format!("[client.{}] was not removed", printable(&self.name));
        self.change.apply(&[section], None, &refusal, |edit, _| {
            if edit.remove(section) {
                Ok(())
            } else {
                Err(unknown(&self.name, &self.change))
            }
        })
    }
}

impl RotateKey {
    pub(super) fn run(self) -> Result<(), Failure> {
        let section = SectionId::Client(&self.name);
        let new = if self.finish { None } else { Some(generate()?) };
        let refusal = format!("[client.{}] was not changed", printable(&self.name));
        self.change
            .apply(&[section], new.as_deref(), &refusal, |edit, _| {
                let mut keys = vec![("api_key_sha256", self.digests(edit, new.as_deref())?)];
                keys.extend(self.expiry.key());
                edit.set(section, keys);
                Ok(())
            })
    }

    /// Returns the key hashes, with the new key's added or the old key's removed.
    fn digests(&self, edit: &FileEdit, new: Option<&str>) -> Result<Value, Failure> {
        let (name, section) = (&self.name, SectionId::Client(&self.name));
        if edit.section(section).is_none() {
            return Err(unknown(name, &self.change));
        }
        let digests = edit.texts(section, "api_key_sha256");
        match (
            digests.as_slice(),
            new.map(|key| KeyDigest::of(key.as_bytes()).to_string()),
        ) {
            ([_, last], None) => Ok(last.into()),
            ([old], Some(new)) => Ok(Array::from_iter([old, &new]).into()),
            ([_], None) => Err(Failure::Usage(format!(
                "[client.{name}] has one key; there is no old one to drop"
            ))),
            ([], _) => Err(Failure::Usage(format!(
                "[client.{name}] has no key to change; 'rookery client add {name}' makes one"
            ))),
            _ => Err(Failure::Usage(format!(
                "[client.{name}] already has an old and a new key; 'rookery client rotate {name} \
                 --finish' drops the old one"
            ))),
        }
    }
}

fn unknown(name: &str, change: &FileChange) -> Failure {
    Failure::Usage(format!(
        "{} has no [client.{}]",
        change.file.path().display(),
        printable(name)
    ))
}
