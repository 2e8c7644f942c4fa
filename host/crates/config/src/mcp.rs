//! `[mcp]`.

use crate::{
    kinds::Flag,
    section::{IntoField as _, section},
};

section! {
    /// `[mcp]`: tools for assistants.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct McpSettings {
        /// Whether the server answers `POST /mcp`. Assistants then have the limits, the rates and
        /// the keys of any other client.
        enabled: bool = Flag.or(false),
    }
}
