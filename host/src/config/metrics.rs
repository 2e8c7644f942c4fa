//! Who may read the metrics.

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

impl MetricsAccess {
    const ALL: [Self; 3] = [Self::Open, Self::Admin, Self::Off];

    /// The name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Admin => "admin",
            Self::Off => "off",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|access| access.name() == name)
    }
}
