//! An AI's manifest, as the host shows it.

use ai_api::{Capabilities, OptionSpec};

use protocol::Loaded;
use text::printable;

/// An AI's manifest, without control characters.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    pub name: String,
    pub version: String,
    pub author: String,
    pub searcher: bool,
    pub evaluator: bool,
    pub options: Vec<OptionSpec>,
    pub capabilities: Capabilities,
}

impl About {
    /// Returns the name and, if there is one, the version.
    pub fn full_name(&self) -> String {
        format!("{} {}", self.name, self.version)
            .trim_end()
            .to_owned()
    }
}

impl From<Loaded> for About {
    fn from(loaded: Loaded) -> Self {
        let Loaded {
            protocol: _,
            manifest,
            searcher,
            evaluator,
        } = loaded;
        Self {
            name: printable(&manifest.name),
            version: printable(&manifest.version),
            author: printable(&manifest.author),
            searcher,
            evaluator,
            options: manifest.options,
            capabilities: manifest.capabilities,
        }
    }
}
