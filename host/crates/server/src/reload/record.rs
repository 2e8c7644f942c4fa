//! The records that a server sends to `rookery reload`.

use serde::{Deserialize, Serialize};

use crate::state::failed_reload::ReloadError;
use pool::Changes;
use text::{printable, visible};

/// The changes that a reload made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reloaded {
    pub ais: Changes,
    pub clients: Changes,
    /// The changed keys of `[server]`, `[plugins]` and `[tablebases]` that took effect.
    #[serde(default)]
    pub settings: Vec<String>,
    /// Settings that need a restart, and skipped libraries.
    pub warnings: Vec<String>,
    /// The time from the start of reading to the swap.
    pub time_ms: u64,
    /// Where the server can be reached, such as `http://127.0.0.1:8080`.
    #[serde(default)]
    pub addresses: Vec<String>,
}

/// A record of a reload's progress. The last record is a result or an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ReloadRecord {
    /// The current step.
    Progress { message: String },
    /// The new configuration is applied.
    Result(Box<Reloaded>),
    /// The current configuration is kept.
    Error { errors: Vec<String> },
    /// An extra's answer to a command, in JSON.
    Answer { answer: String },
}

impl ReloadRecord {
    /// Escapes control characters, which a terminal would interpret. The process that owns the
    /// socket wrote the strings.
    pub(super) fn visible(self) -> Self {
        let all = |texts: Vec<String>| texts.iter().map(|text| visible(text)).collect();
        match self {
            Self::Progress { message } => Self::Progress {
                message: printable(&message),
            },
            Self::Result(reloaded) => {
                let Reloaded {
                    ais,
                    clients,
                    settings,
                    warnings,
                    time_ms,
                    addresses,
                } = *reloaded;
                let changes = |Changes {
                                   added,
                                   changed,
                                   removed,
                                   unchanged,
                               }| Changes {
                    added: all(added),
                    changed: all(changed),
                    removed: all(removed),
                    unchanged: all(unchanged),
                };
                let (ais, clients) = (changes(ais), changes(clients));
                let (settings, warnings) = (all(settings), all(warnings));
                Self::Result(Box::new(Reloaded {
                    ais,
                    clients,
                    settings,
                    warnings,
                    time_ms,
                    addresses: all(addresses),
                }))
            }
            Self::Error { errors } => Self::Error {
                errors: all(errors),
            },
            // The command that reads the answer escapes the parts that it shows.
            Self::Answer { answer } => Self::Answer { answer },
        }
    }

    pub(super) fn of(reloaded: Result<Reloaded, ReloadError>) -> Self {
        match reloaded {
            Ok(reloaded) => Self::Result(Box::new(reloaded)),
            Err(error) => Self::Error {
                errors: error.texts(),
            },
        }
    }
}
