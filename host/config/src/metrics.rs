//! Who may read the metrics.

/// Who may read `/metrics`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Default, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum MetricsAccess {
    /// Whoever reaches the server.
    #[default]
    Open,
    /// Clients with `admin = true`.
    Admin,
    /// Nobody: there is no such path.
    Off,
}
