//! Who may read the metrics.

use super::keys::Choice;

/// Who may read `/metrics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricsAccess {
    /// Whoever reaches the server.
    Open,
    /// Clients with `admin = true`.
    Admin,
    /// Nobody: there is no such path.
    Off,
}

impl Choice for MetricsAccess {
    const ALL: &'static [Self] = &[Self::Open, Self::Admin, Self::Off];
    const DEFAULT: Self = Self::Open;

    fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Admin => "admin",
            Self::Off => "off",
        }
    }
}
