//! `[mcp]`.

use config::{extra::ExtraSettings, kinds::Flag, section, section::IntoField as _};

section! {
    /// `[mcp]`: tools for assistants.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct McpSettings {
        /// Whether the server answers `POST /mcp`. Assistants get the keys, rates and limits of
        /// ordinary clients.
        enabled: bool = Flag.or(false),
    }
}

impl ExtraSettings for McpSettings {
    const NAME: &'static str = "mcp";
    const ABOUT: &'static str =
        "Tools for assistants over the Model Context Protocol; see `docs/mcp.md`.";
}
