//! What this program adds to the core of the host.

use std::sync::Arc;

use actix_web::web::ServiceConfig;
use config::Config;
use game::Extra;
use pool::Activity;
use server::{Catalog, Endpoint};

use crate::cli::failure::Failure;
#[cfg(feature = "extras")]
use crate::cli::fleet_name::name_in_fleet;

/// The error of a build without the feature `extras`.
const WITHOUT_EXTRAS: &str =
    "this `rookery` has no extras; build it with the feature `extras`, as `make build` does";
/// The error of a build without the feature `mcp`.
pub(super) const WITHOUT_MCP: &str = "this `rookery` has no tools for assistants; build it with \
    the feature `mcp`, as `make build MCP=1` does";

/// The calls of extras, in the order of the document.
const CALLS: &[&[Endpoint]] = &[
    #[cfg(feature = "extras")]
    arena::calls::ENDPOINTS,
];
/// The routes of extras that no document describes.
const ROUTES: &[fn(&mut ServiceConfig)] = &[
    #[cfg(feature = "mcp")]
    mcp::route,
];

pub(super) fn catalog() -> Catalog {
    Catalog::with(CALLS, ROUTES)
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

#[cfg(not(feature = "extras"))]
#[expect(clippy::unnecessary_wraps, reason = "extras may fail to start")]
pub(super) fn start(_: &Config, _: Activity) -> Result<Vec<Arc<dyn Extra>>, Failure> {
    Ok(Vec::new())
}

/// Rejects a configuration of what this build does not have, with every reason.
pub(super) fn ensure_built(config: &Config) -> Result<(), Failure> {
    let (without_extras, without_mcp) = (cfg!(not(feature = "extras")), cfg!(not(feature = "mcp")));
    let absent = [
        (
            without_extras && config.arena.file.is_some(),
            format!("`file` in [arena] is set, but {WITHOUT_EXTRAS}"),
        ),
        (
            without_extras && config.fleet.is_some(),
            format!("[fleet] is set, but {WITHOUT_EXTRAS}"),
        ),
        (
            without_mcp && config.mcp.enabled,
            format!("`enabled` in [mcp] is true, but {WITHOUT_MCP}"),
        ),
    ];
    let reasons: Vec<_> = absent
        .into_iter()
        .filter(|(is_absent, _)| *is_absent)
        .map(|(_, reason)| reason)
        .collect();
    if reasons.is_empty() {
        Ok(())
    } else {
        Err(Failure::Usage(reasons.join("\n")))
    }
}
