//! Looks up an AI that may not be configured.

use std::{collections::BTreeSet, fmt};

use text::{printable, suggest};

use crate::{
    config::Config,
    discovery::{Discovery, SkippedLibrary},
};

/// The maximum number of skipped libraries in a message.
const MAX_SKIPPED: usize = 8;

/// Adds the AI `id` to the configuration if it is missing: the library with this id in the plugin
/// directories, with default settings. Does not run its code.
///
/// # Errors
/// No AI has this id.
pub fn ensure_known(config: &mut Config, id: &str) -> Result<(), UnknownAi> {
    if config.ais.contains_key(id) {
        return Ok(());
    }
    let found = Discovery::find(&config.plugins, &config.ais);
    if let Some(settings) = found.settings().find(|settings| settings.id == id) {
        config.ais.insert(id.to_owned(), settings.clone());
        return Ok(());
    }
    let known = config
        .ais
        .keys()
        .chain(found.settings().map(|settings| &settings.id));
    let known: BTreeSet<&str> = known.map(String::as_str).collect();
    Err(UnknownAi {
        closest: suggest(id, known.iter().copied()).map(str::to_owned),
        id: printable(id),
        known: known.into_iter().map(str::to_owned).collect(),
        skipped: found.skipped,
    })
}

/// No AI in the configuration or its plugin directories has this id.
#[derive(Debug)]
pub struct UnknownAi {
    pub id: String,
    /// The most similar id.
    pub closest: Option<String>,
    /// The ids of all AIs.
    pub known: Vec<String>,
    /// Libraries that could not be read as AIs; one of them may have this id.
    pub skipped: Vec<SkippedLibrary>,
}

impl fmt::Display for UnknownAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            id,
            closest,
            known,
            skipped,
        } = self;
        write!(
            f,
            "there is no AI '{id}' in the configuration or its plugin directories"
        )?;
        match &known[..] {
            [] => write!(f, "; there are no AIs")?,
            known => write!(f, "; the AIs are: {}", known.join(", "))?,
        }
        closest
            .iter()
            .try_for_each(|closest| write!(f, "; did you mean '{closest}'?"))?;
        skipped
            .iter()
            .take(MAX_SKIPPED)
            .try_for_each(|skipped| write!(f, "\n  {skipped}"))
    }
}

impl std::error::Error for UnknownAi {}
