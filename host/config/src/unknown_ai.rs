//! Looks up an AI that need not be configured.

use std::{collections::BTreeSet, fmt};

use text::{printable, suggest};

use crate::{
    config::Config,
    discovery::{DroppedIn, SkippedLibrary},
};

/// Skipped libraries that a message lists.
const MAX_SKIPPED: usize = 8;

/// Lets a configuration have the AI `id`. Where it names none, that is the library in its plugin directories that says it is
/// this AI, with the settings of one of which nobody has said more. Runs none of it.
///
/// # Errors
/// There is no such AI.
pub fn ensure_known(config: &mut Config, id: &str) -> Result<(), UnknownAi> {
    if config.ais.contains_key(id) {
        return Ok(());
    }
    let found = DroppedIn::find(&config.plugins, &config.ais);
    if let Some(settings) = found.settings().find(|settings| settings.id == id) {
        config.ais.insert(id.to_owned(), settings.clone());
        return Ok(());
    }
    let known = config.ais.keys().chain(found.settings().map(|settings| &settings.id));
    let known: BTreeSet<&str> = known.map(String::as_str).collect();
    Err(UnknownAi {
        closest: suggest(id, known.iter().copied()).map(str::to_owned),
        id: printable(id),
        known: known.into_iter().map(str::to_owned).collect(),
        skipped: found.skipped,
    })
}

/// There is no AI of this id, neither in the configuration nor in its plugin directories.
#[derive(Debug)]
pub struct UnknownAi {
    /// What was looked for.
    pub id: String,
    /// What may have been meant.
    pub closest: Option<String>,
    /// The AIs that there are.
    pub known: Vec<String>,
    /// Libraries that could be AIs, but are not to be read as such; one of them may be what is looked for.
    pub skipped: Vec<SkippedLibrary>,
}

impl fmt::Display for UnknownAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, closest, known, skipped } = self;
        write!(f, "there is no AI '{id}' in the configuration or its plugin directories")?;
        match &known[..] {
            [] => write!(f, "; there is none at all")?,
            known => write!(f, "; there is {}", known.join(", "))?,
        }
        closest.iter().try_for_each(|closest| write!(f, "; did you mean '{closest}'?"))?;
        skipped.iter().take(MAX_SKIPPED).try_for_each(|passed| write!(f, "\n  {passed}"))
    }
}

impl std::error::Error for UnknownAi {}
