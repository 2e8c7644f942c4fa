//! Which libraries may be loaded.

use super::keys::Choice;

/// Which libraries may be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PluginPolicy {
    /// Those of every `[ai.ID]`, and what is dropped into a directory.
    Any,
    /// Those of every `[ai.ID]`.
    Configured,
    /// Those of every `[ai.ID]`, which all have a `sha256`.
    Pinned,
}

impl Choice for PluginPolicy {
    const ALL: &'static [Self] = &[Self::Any, Self::Configured, Self::Pinned];
    const DEFAULT: Self = Self::Any;

    fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Configured => "configured",
            Self::Pinned => "pinned",
        }
    }
}
