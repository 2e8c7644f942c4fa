//! What an arena does.

use std::fmt;

/// What the arena does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaState {
    Playing,
    /// With the reason.
    Waiting(String),
    /// With the reason.
    Paused(String),
}

impl fmt::Display for ArenaState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Playing => f.write_str("playing"),
            Self::Waiting(reason) => write!(f, "waiting: {reason}"),
            Self::Paused(reason) => write!(f, "paused: {reason}"),
        }
    }
}
