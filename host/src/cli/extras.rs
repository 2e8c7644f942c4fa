//! What this program adds to the core of the host.

use std::sync::Arc;

use config::Config;
use game::Extra;
use pool::Activity;
use server::{Catalog, calls::call::Call};

use crate::cli::failure::Failure;
#[cfg(feature = "extras")]
use crate::cli::fleet_name::name_in_fleet;

/// The calls of extras, in the order of the document.
const CALLS: &[&[Call]] = &[
    #[cfg(feature = "extras")]
    arena::calls::CALLS,
];

pub(super) fn catalog() -> Catalog {
    Catalog::with(CALLS)
}

/// Starts the extras of a configuration.
///
/// # Errors
/// One cannot start.
#[cfg(feature = "extras")]
pub(super) fn start(config: &Config, activity: Activity) -> Result<Vec<Arc<dyn Extra>>, Failure> {
    use arena::{Arena, Matches, Venue};
    use fleet::Gateway;
    use pool::WorkerProgram;

    let mut extras: Vec<Arc<dyn Extra>> = Vec::new();
    let program = WorkerProgram::this_binary();
    let arena = match &config.arena.file {
        Some(file) => {
            let venue = Venue::idle(program.clone(), activity.clone());
            let arena = Arena::start(config, file, venue);
            let arena = arena
                .map_err(|error| Failure::Usage(format!("the arena cannot start: {error}")))?;
            Some(Arc::new(arena))
        }
        None => None,
    };
    if let Some(arena) = &arena {
        extras.push(Arc::<Arena>::clone(arena));
    }
    let matches = Matches::start(config, arena, program, activity);
    extras.push(Arc::new(matches.map_err(anyhow::Error::new)?));
    if let Some(settings) = &config.fleet {
        let name = name_in_fleet(settings)?;
        let gateway = Gateway::start(settings.clone(), name).map_err(anyhow::Error::new)?;
        extras.push(Arc::new(gateway));
    }
    Ok(extras)
}

/// Rejects a configuration of extras, which this build does not have.
#[cfg(not(feature = "extras"))]
pub(super) fn start(config: &Config, _: Activity) -> Result<Vec<Arc<dyn Extra>>, Failure> {
    let sections = [
        ("`file` in [arena]", config.arena.file.is_some()),
        ("[fleet]", config.fleet.is_some()),
    ];
    match sections.iter().find(|(_, is_set)| *is_set) {
        Some((section, _)) => Err(Failure::Usage(format!(
            "{section} is set, but this `rookery` has no extras; build it with the feature `extras`"
        ))),
        None => Ok(Vec::new()),
    }
}
