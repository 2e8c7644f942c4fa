//! Which libraries may be loaded.

/// Which libraries may be loaded.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Default, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum PluginPolicy {
    /// Those of every `[ai.ID]`, and what is dropped into a directory.
    #[default]
    Any,
    /// Those of every `[ai.ID]`.
    Configured,
    /// Those of every `[ai.ID]`, which all have a `sha256`.
    Pinned,
}
