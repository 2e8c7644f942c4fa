//! `rookery client`.

use ai_api::note::is_id;
use clap::{Args, Subcommand};

use crate::cli::{
    config_file::ConfigFile,
    failure::Failure,
    output::{print, print_message},
};
use config::{
    Config, ID_ALLOWED,
    api_key::{KeyDigest, generate},
    ensure_known,
};
use text::printable;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a client's key and print its configuration lines
    #[command(after_help = "Examples:\n  \
        rookery client add bob --ai quick\n  \
        rookery client add bob >>config/rookery.toml   only for a new client\n\n\
        For a client that the configuration already has, the command prints a line for its existing section: move it there, \
        because a section must be unique.\n\n\
        The key is printed once, on standard error, and not stored; the lines have only its SHA-256.")]
    Add(AddClient),
}

#[derive(Debug, Args)]
pub(super) struct AddClient {
    /// The id of the client; an existing client gets a new key
    name: String,
    /// The client's AI; by default that of the default client, or else the first
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
    #[command(flatten)]
    file: ConfigFile,
}

impl Command {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Add(command) => command.run(),
        }
    }
}

impl AddClient {
    fn run(self) -> Result<(), Failure> {
        if !is_id(&self.name) {
            let name = printable(&self.name);
            return Err(Failure::Usage(format!("'{name}' is not a valid client id; expected {ID_ALLOWED}")));
        }
        let config = self.file.load()?;
        let name = &self.name;
        let section = if config.clients.contains_key(name) {
            // With the header: if the line is appended by mistake, the duplicate section is rejected. Without the header, the
            // key would belong to the last client of the file.
            format!(
                "# This section already exists: move the line below into it, in place of an older one.\n[client.{name}]\n"
            )
        } else {
            format!("[client.{name}]\nai = \"{}\"\n", self.ai(&config)?)
        };
        let key = generate()?;
        print_message(&format!(
            "The key of the client '{name}', shown once and not stored:\n\n  {key}\n\n\
             The client sends it as 'Authorization: Bearer KEY'.\n\
             Add these lines to {} and run `rookery reload`:\n",
            self.file.config.display()
        ));
        Ok(print(&format!("{section}api_key_sha256 = \"{}\"\n", KeyDigest::of(key.as_bytes())))?)
    }

    fn ai(&self, config: &Config) -> Result<String, Failure> {
        let default = || config.client(None).map(|client| &client.ai).or_else(|| config.ais.keys().next());
        match self.ai.as_ref().or_else(default) {
            Some(ai) => {
                ensure_known(&mut config.clone(), ai)?;
                Ok(ai.clone())
            }
            None => Err(Failure::Usage("the configuration has no AI for the client; add an [ai.ID]".into())),
        }
    }
}
