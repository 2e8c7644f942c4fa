//! `[mcp]`.

use config::{extra::ExtraSettings, kinds::Flag, section, section::IntoField as _};

section! {
    /// `[mcp]`: tools for assistants.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct McpSettings {
        /// Whether the server answers `POST /mcp`. Assistants use the same keys, rates and limits
        /// as other clients.
        enabled: bool = Flag.or(false),
    }
}

impl ExtraSettings for McpSettings {
    const NAME: &'static str = "mcp";
    const ABOUT: &'static str =
        "Tools for assistants over the Model Context Protocol; see `docs/mcp.md`.";
}
