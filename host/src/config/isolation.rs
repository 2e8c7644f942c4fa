//! Which requests share the processes of an AI.

use super::keys::Choice;

/// Which requests share the processes of an AI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// All.
    None,
    /// Those of one client that has proved by its key who it is; a request without a key shares its process with no other.
    Client,
}

impl Choice for Isolation {
    const ALL: &'static [Self] = &[Self::None, Self::Client];
    const DEFAULT: Self = Self::None;

    fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Client => "client",
        }
    }
}
