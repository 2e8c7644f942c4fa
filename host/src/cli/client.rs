//! `rookery client`.

use clap::{Args, Subcommand};

use super::{ConfigFile, Failure, print, say};
use config::{
    Config, ID_ALLOWED,
    api_key::{KeyDigest, generate},
    ensure_known, is_id,
};
use text::printable;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make a key for a client and print the lines to paste into the configuration
    #[command(after_help = "Examples:\n  \
        rookery client add bob --ai quick\n  \
        rookery client add bob >>config/rookery.toml   only for a client that is new\n\n\
        Of a client that the configuration has already, the line for its own section is printed: put it there, for the \
        section must not stand twice.\n\n\
        The key itself goes to standard error, this once, and is kept nowhere; the lines hold only its SHA-256.")]
    Add(AddClient),
}

#[derive(Debug, Args)]
pub(super) struct AddClient {
    /// The id of the client; one that the configuration has already gets a new key
    name: String,
    /// The AI that answers it; left out, the default client's, or else the first
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
            return Err(Failure::Usage(format!(
                "'{name}' cannot be the id of a client; it is made of {ID_ALLOWED}"
            )));
        }
        let config = self.file.load()?;
        let name = &self.name;
        let place = if config.clients.contains_key(name) {
            // With the header, so that the lines, appended by mistake, are a section that stands twice and is refused;
            // without it they would give the key to whichever client comes last.
            format!(
                "# This section is there already: put the line below into it, in place of an older one.\n[client.{name}]\n"
            )
        } else {
            format!("[client.{name}]\nai = \"{}\"\n", self.choose_ai(&config)?)
        };
        let key = generate()
            .map_err(|error| anyhow::anyhow!("the operating system gives no randomness: {error}"))?;
        say(&format!(
            "The key of the client '{name}', shown this once and kept nowhere:\n\n  {key}\n\n\
             The client sends it as 'Authorization: Bearer KEY'.\n\
             These lines belong in {}; the server knows them after `rookery reload`:\n",
            self.file.config.display()
        ));
        Ok(print(&format!("{place}api_key_sha256 = \"{}\"\n", KeyDigest::of(key.as_bytes())))?)
    }

    fn choose_ai(&self, config: &Config) -> Result<String, Failure> {
        let default = || config.client(None).map(|client| &client.ai).or_else(|| config.ais.keys().next());
        match self.ai.as_ref().or_else(default) {
            Some(ai) => {
                ensure_known(&mut config.clone(), ai)?;
                Ok(ai.clone())
            }
            None => Err(Failure::Usage("the configuration has no AI that could answer the client".into())),
        }
    }
}
