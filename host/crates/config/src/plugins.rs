//! `[plugins]`.

use std::path::PathBuf;

use crate::{
    kinds::{Flag, List, absolute_path, choice, shown_path},
    section::{IntoField as _, section},
};

section! {
    /// `[plugins]`: where libraries are found.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PluginSettings {
        /// The directories in which libraries are looked up, in this order; libraries in them that
        /// no `[ai.ID]` names are served under their own ids. Libraries are native code, so no
        /// directory is searched by default.
        directories: Vec<PathBuf> = List::new(
            "a list of directories, relative to this file, such as [\"../target/release\"]",
            absolute_path,
            shown_path,
        ).or(Vec::new()),
        /// Which libraries in `directories` may be loaded: `any`, only those that an `[ai.ID]`
        /// names (`configured`), or only those that also have its `sha256` and `files_sha256`
        /// (`pinned`).
        policy: PluginPolicy = choice().or(PluginPolicy::Any),
        /// Whether the server reloads by itself when the configuration, a library, or a program or
        /// script that an AI drives changes. By default it changes only on `rookery reload` or
        /// SIGHUP.
        watch: bool = Flag.or(false),
    }
}

/// Which libraries may be loaded.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum PluginPolicy {
    /// Those of every `[ai.ID]`, and every other library in the plugin directories.
    Any,
    /// Those of every `[ai.ID]`.
    Configured,
    /// Those of every `[ai.ID]`, each with a `sha256` and its files with `files_sha256`.
    Pinned,
}
