//! The configuration: one file, read once and checked whole.
//!
//! ```no_run
//! use config::Overrides;
//!
//! let overrides = Overrides::from_environment(|name| std::env::var_os(name));
//! let config = config::load("config/rookery.toml".as_ref(), &overrides)?;
//! println!("{}", config.server.listen);
//! # Ok::<(), config::ConfigErrors>(())
//! ```

mod engine;
mod issue;
mod keys;
mod known_ais;
mod library_path;
pub mod api_key;
pub mod discovery;
mod metrics;
mod options;
mod origin;
mod overrides;
mod pins;
mod policy;
mod rate;
mod reader;
mod resolve;
mod isolation;
mod show;
mod source;
mod tls;
mod trusted_proxies;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    net::SocketAddr,
    ops::Range,
    path::{Path, PathBuf},
};

use ai_api::{Limits, OptionSetting};
use toml::de::DeTable;

pub use discovery::{Candidate, DroppedIn, SkipReason, SkippedLibrary, UnknownAi, ensure_known};
pub use engine::EngineError;
pub use isolation::Isolation;
pub use issue::{ConfigErrors, ConfigIssue};
pub use keys::{DEPTHS, MATES, MEMORY_SIZES_MB, MOVETIMES_MS, NODES, THREAD_COUNTS};
pub use keys::{ID_ALLOWED, is_id};
pub use metrics::MetricsAccess;
pub use options::{allowed_values, ungranted_files, values_of, with_paths};
pub use origin::host_name;
pub use overrides::Overrides;
pub use policy::PluginPolicy;
pub use rate::{ParseRateError, Rate, RateUnit};
pub use show::quoted;
pub use source::shortened;
pub use tls::TlsSettings;
pub use trusted_proxies::TrustedProxies;

use self::{issue::Issues, reader::TableReader, resolve::Resolved, source::Source};
use crate::api_key::KeyDigest;
use library::{
    file_access::{self, ReadFileError},
    sha256::Sha256Sum,
};
use protocol::SandboxSettings;

/// The most bytes that a configuration file may have.
const MAX_FILE_BYTES: usize = 1 << 20;
/// What some editors put before the text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A configuration without fault. Two are equal when they set the same, wherever they were read.
#[derive(Clone, Debug)]
pub struct Config {
    /// `[server]`.
    pub server: ServerSettings,
    /// `[plugins]`.
    pub plugins: PluginSettings,
    /// Each `[ai.ID]` by its id, and each library in the plugin directories that a client or a fallback names by the id that it
    /// says it has.
    pub ais: BTreeMap<String, AiSettings>,
    /// Each `[client.ID]` by its id.
    pub clients: BTreeMap<String, ClientSettings>,
    source: Source,
    /// Where what is said of each AI stands.
    places: BTreeMap<String, AiPlaces>,
}

/// How the server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSettings {
    /// The address; port 0 picks a free one.
    pub listen: SocketAddr,
    /// The names under which clients may reach it, besides IP addresses and `localhost`; in lower case, without a final dot.
    pub allowed_hosts: BTreeSet<String>,
    /// The proxies that may say which address a request comes from.
    pub trusted_proxies: TrustedProxies,
    /// `[server.tls]`; without it connections are not encrypted.
    pub tls: Option<TlsSettings>,
    /// The most bytes that the body of a request may have.
    pub max_body_bytes: usize,
    /// The most bytes that all bodies being received may hold; one address may hold an eighth of it, which has room for at
    /// least one body.
    pub max_body_bytes_total: usize,
    /// How long the body of a request may take to arrive.
    pub body_timeout_ms: u64,
    /// The fewest bytes of a body that must arrive in a second, on average, after the first seconds; 0 is no bound.
    pub min_body_bytes_per_s: u64,
    /// The most connections that one address may have.
    pub max_connections_per_address: usize,
    /// How long a response may stay unread.
    pub send_timeout_ms: u64,
    /// The most half-moves that a game may have.
    pub max_plies: usize,
    /// How long the report of a game may take.
    pub report_timeout_ms: u64,
    /// The origins whose pages may call the server from a browser; `*` is every one.
    pub cors_origins: Vec<String>,
    /// Who may read `/metrics`.
    pub metrics: MetricsAccess,
    /// How long the server still answers, but says that it is not ready, after it was told to stop.
    pub drain_delay_ms: u64,
    /// How long running answers may take to finish after that.
    pub shutdown_grace_ms: u64,
}

/// Where libraries are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginSettings {
    /// Absolute paths, in the order in which they are searched. Some may not exist.
    pub directories: Vec<PathBuf>,
    /// Which libraries may be loaded.
    pub policy: PluginPolicy,
    /// Whether a change of the configuration or of a library is taken over by itself.
    pub watch: bool,
}

/// One AI.
#[derive(Clone, Debug, PartialEq)]
pub struct AiSettings {
    /// The id that clients use.
    pub id: String,
    /// The absolute path of its library, which was there when the configuration was loaded.
    pub library: PathBuf,
    /// The library that may be loaded; `None` is whatever is there.
    pub sha256: Option<Sha256Sum>,
    /// How many processes, so searches at a time; at least 1.
    pub workers: usize,
    /// The hard limit of one answer.
    pub move_timeout_ms: u64,
    /// How long a worker may take until it has loaded the library and made its instance.
    pub start_timeout_ms: u64,
    /// How long the AI may take to be ready for a new game.
    pub new_game_timeout_ms: u64,
    /// How many requests may wait for a worker; at least 1.
    pub queue: usize,
    /// Which requests share a process.
    pub isolate: Isolation,
    /// The id of the AI that answers where this one is not available; it is configured and has no fallback itself.
    pub fallback: Option<String>,
    /// For a request that sets none.
    pub limit: Limits,
    /// What its workers may do.
    pub sandbox: SandboxSettings,
    /// The options as written, in the order of the file; [`Config::check_options`] says whether the AI knows them.
    pub options: Vec<OptionSetting>,
    /// The names of the options that a request may set; [`Config::check_options`] says whether it may be let to.
    pub overridable_options: Vec<String>,
}

/// One client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSettings {
    /// What the header `X-Client-Id` says.
    pub id: String,
    /// The id of the AI that answers where a request names none; it is configured.
    pub ai: String,
    /// The ids of the AIs that a request may name, all of them configured; `None` is every AI.
    pub allowed_ais: Option<Vec<String>>,
    /// The hash of the key by which the client proves who it is; `None` if it need not.
    pub api_key_sha256: Option<KeyDigest>,
    /// Whether it may see what only those who run the server should; then it has a key.
    pub admin: bool,
    /// How often it may ask; `None` is as often as it likes.
    pub rate: Option<Rate>,
    /// How many of its requests may be answered at a time; `None` is any number.
    pub max_concurrent: Option<usize>,
    /// What bounds each search that is made for it.
    pub max_search: SearchMaxima,
}

/// The most that a search may take, in each of the three ways that limit one; `None` is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchMaxima {
    /// Plies.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Milliseconds.
    pub movetime_ms: Option<u64>,
}

impl ClientSettings {
    /// A client without a key, that may use every AI without bounds.
    pub const fn unbounded(id: String, ai: String) -> Self {
        Self {
            id,
            ai,
            allowed_ais: None,
            api_key_sha256: None,
            admin: false,
            rate: None,
            max_concurrent: None,
            max_search: SearchMaxima { depth: None, nodes: None, movetime_ms: None },
        }
    }

    /// Whether a request of this client may name the AI `ai`.
    pub fn allowed_ais(&self, ai: &str) -> bool {
        self.allowed_ais.as_ref().is_none_or(|ais| ais.iter().any(|allowed| allowed == ai))
    }
}

/// Where an AI stands in the file, in bytes.
#[derive(Clone, Debug)]
struct AiPlaces {
    header: Range<usize>,
    library: Range<usize>,
    sha256: Option<Range<usize>>,
    /// In the order of [`AiSettings::options`].
    options: Vec<OptionPlace>,
    /// In the order of [`AiSettings::overridable_options`].
    overridable_options: Vec<Range<usize>>,
}

/// Where an option stands in the file, in bytes.
#[derive(Clone, Debug)]
struct OptionPlace {
    name: Range<usize>,
    value: Range<usize>,
}

/// Reads and checks the file at `path`, under what `overrides` say.
///
/// # Errors
/// Everything that is wrong, at once.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Config, ConfigErrors> {
    let source = Source::new(path, read(path)?);
    let mut issues = Issues::new(&source);
    let (table, errors) = DeTable::parse_recoverable(source.text());
    for error in errors {
        report_syntax(&error, &mut issues);
    }
    let resolved = resolve::resolve(&TableReader::root(table.get_ref()), &source, overrides, &mut issues);
    ConfigErrors::none_of(issues.finish())?;
    let Resolved { server, plugins, ais, clients, places } = resolved;
    Ok(Config { server, plugins, ais, clients, source, places })
}

impl Config {
    /// The file that this was read from.
    pub fn path(&self) -> &Path {
        self.source.path()
    }

    /// The client of a request: the one that it names, or `[client.default]` where it names none.
    pub fn client(&self, id: Option<&str>) -> Option<&ClientSettings> {
        self.clients.get(id.unwrap_or("default"))
    }

    /// The client whose key this is. How long it takes tells nothing about the keys there are.
    pub fn client_with_key(&self, key: &[u8]) -> Option<&ClientSettings> {
        let digest = KeyDigest::of(key);
        let keyed = self.clients.values().filter_map(|client| Some((client, client.api_key_sha256?)));
        keyed.fold(None, |found, (client, of_client)| if of_client == digest { Some(client) } else { found })
    }
}

impl PartialEq for Config {
    fn eq(&self, other: &Self) -> bool {
        let Self { server, plugins, ais, clients, source: _, places: _ } = self;
        *server == other.server && *plugins == other.plugins && *ais == other.ais && *clients == other.clients
    }
}

/// The text of the file at `path`, as far as it may be one.
fn read(path: &Path) -> Result<String, ConfigErrors> {
    let origin = path.to_string_lossy();
    let refused = |message: &str, allowed: &str| {
        let mut issue = ConfigIssue::of(&origin, message);
        issue.allow(allowed);
        ConfigErrors::from(issue)
    };
    let unreadable = |error: ReadFileError| match error {
        ReadFileError::Io(error) if error.kind() == io::ErrorKind::NotFound => refused(
            "there is no such file",
            "a configuration file in TOML; `--config FILE` names another one",
        ),
        ReadFileError::Folder => refused(
            "this is a folder",
            "the configuration file itself, such as `--config FOLDER/rookery.toml`",
        ),
        ReadFileError::TooLarge(_) => {
            refused("the file is too large", &format!("at most {MAX_FILE_BYTES} bytes"))
        }
        ReadFileError::Stalled(error) => {
            refused(&format!("cannot be read: {error}"), "a file on a disk that responds")
        }
        ReadFileError::NotRegular(_) | ReadFileError::Generated(_) => {
            refused(&error.to_string(), "a regular file on a disk")
        }
        ReadFileError::Io(error) => refused(
            &format!("cannot be read: {error}"),
            "a file that the user who starts the server may read",
        ),
    };
    let mut bytes = file_access::read(path, MAX_FILE_BYTES as u64, |_| true).map_err(unreadable)?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
        let mut issue =
            ConfigIssue::in_file(&Source::new(path, text), &(at..at + 1), "this byte is not UTF-8");
        issue.allow("a text file in UTF-8");
        issue.into()
    })
}

/// The parser says `found, expected this or that` in one sentence.
fn report_syntax(error: &toml::de::Error, issues: &mut Issues<'_>) {
    let span = error.span().unwrap_or_default();
    let (found, expected) = error.message().split_once(", expected ").unwrap_or((error.message(), ""));
    match expected {
        "literal string" if span.is_empty() => _ = issues.syntax(&span, "the value is missing"),
        "literal string" => _ = issues.syntax(&span, found).allow("a text in quotes"),
        "" | "nothing" => _ = issues.syntax(&span, found),
        _ => _ = issues.syntax(&span, found).allow(expected),
    }
}
