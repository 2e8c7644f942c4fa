//! The configuration: one file, read once and checked as a whole.
//!
//! Every setting is one entry in a `section!`. The entry defines its default, how it is read, and
//! what `rookery config show`, `docs/configuration.md` and `config/reference.toml` say about it.
//!
//! ```no_run
//! use config::LoadOptions;
//!
//! let overrides = LoadOptions::from_environment(|name| std::env::var_os(name));
//! let config = config::load("config/rookery.toml".as_ref(), &overrides)?;
//! println!("{}", config.server.max_plies);
//! # Ok::<(), config::ConfigErrors>(())
//! ```

mod ai;
mod ai_options;
pub mod api_key;
mod client;
mod clock_control;
mod config;
mod discovery;
mod duplicate;
mod engine;
mod expiry;
pub mod extra;
mod file_edit;
mod file_pins;
mod id;
pub mod issue;
pub mod kinds;
pub mod known_ais;
mod level;
mod library_file;
mod library_path;
mod limit;
mod listen_address;
mod load;
mod load_options;
mod loss;
mod options;
mod origin;
mod pins;
mod places;
mod player_text;
mod plugins;
mod programs;
mod rate;
mod rollout;
mod sandbox;
pub mod section;
mod server;
mod shipped;
mod source;
pub mod table;
mod tablebases;
mod tls;
mod trusted_proxies;
mod unknown_ai;
mod userinfo;

pub use ai::{AiSettings, Isolation, thinking_time};
pub use client::{CanaryChoice, ClientSettings, SearchMaxima};
pub use clock_control::{ClockControl, ParseClockControlError};
pub use config::Config;
pub use discovery::{Candidate, Discovery, SkipReason, SkippedLibrary};
pub use engine::{COMMAND, EngineError, LIBRARY as ENGINE_LIBRARY, UNTIMED_SEARCH, engine_library};
pub use expiry::{Expiry, ExpiryState, ParseExpiryError};
pub use file_edit::{FileEdit, SectionId, WriteConfigError};
pub use file_pins::show_file_pins;
pub use id::ID_ALLOWED;
pub use issue::{ConfigErrors, ConfigIssue};
pub use kinds::quoted;
pub use level::LevelSettings;
pub use limit::{DEPTHS, MATES, MOVETIMES_MS, NODES, SetLimit};
pub use listen_address::ListenAddress;
pub use load::{DocumentedSection, empty, load, load_beside, load_in_part, sections};
pub use load_options::LoadOptions;
pub use options::{allowed_values, named_files, ungranted_files, values_of, with_paths};
pub use origin::{host_name, is_host_name};
pub use pins::PinnedFile;
pub use player_text::{ParsePlayerError, PlayerSetting, PlayerText};
pub use plugins::{PluginPolicy, PluginSettings};
pub use rate::{Rate, RateUnit};
pub use rollout::{CandidateSettings, ParseTrafficShareError, TrafficShare};
pub use sandbox::{MEMORY_SIZES_MB, THREAD_COUNTS};
pub use server::{CacheScope, MetricsAccess, ServerSettings};
pub use shipped::{default_configuration, shipped_data};
pub use source::shortened;
pub use tablebases::{TablebaseSettings, tablebase_worker};
pub use tls::{TlsFile, TlsSettings, check_authorities, mode_warning};
pub use trusted_proxies::TrustedProxies;
pub use unknown_ai::{UnknownAi, ensure_known};
