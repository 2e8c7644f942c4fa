//! Which requests share the processes of an AI.

/// Which requests share the processes of an AI.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Default, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Isolation {
    /// All.
    #[default]
    None,
    /// Those of one client that has proved by its key who it is; a request without a key shares its process with no other.
    Client,
}
