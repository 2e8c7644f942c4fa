//! What this program adds to the core of the host.

use std::sync::Arc;

use actix_web::web::ServiceConfig;
use config::{
    Config, LoadOptions,
    extra::{AbsentSection, ExtraSection},
};
use game::Extra;
use pool::Activity;
use server::{Catalog, Endpoint};

use crate::cli::failure::Failure;
#[cfg(feature = "extras")]
use crate::cli::fleet_name::name_in_fleet;

/// The remedy in a build without the feature `extras`.
#[cfg(not(feature = "extras"))]
const WITHOUT_EXTRAS: &str = "only in a build with the feature `extras` (`make build`)";
/// The remedy in a build without the feature `mcp`.
#[cfg(not(feature = "mcp"))]
pub(super) const WITHOUT_MCP: &str = "only in a build with the feature `mcp` (`make build MCP=1`)";

/// The configuration sections of extras, in the order of the documentation.
pub(super) const SECTIONS: &[ExtraSection] = &[
    #[cfg(feature = "extras")]
    ExtraSection::of::<fleet::FleetSettings>(),
    #[cfg(feature = "extras")]
    ExtraSection::of::<arena::ArenaSettings>(),
    #[cfg(feature = "extras")]
    ExtraSection::of::<rollout::RolloutSettings>(),
    #[cfg(feature = "mcp")]
    ExtraSection::of::<mcp::McpSettings>(),
];
/// The sections that this build cannot use.
pub(super) const ABSENT: &[AbsentSection] = &[
    #[cfg(not(feature = "extras"))]
    AbsentSection {
        name: "fleet",
        remedy: WITHOUT_EXTRAS,
    },
    #[cfg(not(feature = "extras"))]
    AbsentSection {
        name: "arena",
        remedy: WITHOUT_EXTRAS,
    },
    #[cfg(not(feature = "extras"))]
    AbsentSection {
        name: "rollout",
        remedy: WITHOUT_EXTRAS,
    },
    #[cfg(not(feature = "mcp"))]
    AbsentSection {
        name: "mcp",
        remedy: WITHOUT_MCP,
    },
];

/// The calls of extras, in the order of `openapi.json`.
const CALLS: &[&[Endpoint]] = &[
    #[cfg(feature = "extras")]
    arena::calls::ENDPOINTS,
    #[cfg(feature = "extras")]
    rollout::ENDPOINTS,
];
/// The routes of extras that `openapi.json` does not contain.
const ROUTES: &[fn(&mut ServiceConfig)] = &[
    #[cfg(feature = "mcp")]
    mcp::route,
];

pub(super) fn catalog() -> Catalog {
    Catalog::with(CALLS, ROUTES)
}

/// Starts the extras of a configuration that was read with these options.
///
/// # Errors
/// An extra cannot start.
#[cfg(feature = "extras")]
pub(super) fn start(
    config: &Config,
    options: LoadOptions,
    activity: Activity,
) -> Result<Vec<Arc<dyn Extra>>, Failure> {
    use std::path::PathBuf;

    use arena::{Arena, ArenaSettings, ArenaVenue, Matches, PlayingFleet};
    use fleet::{FleetSettings, Gateway};
    use pool::WorkerProgram;
    use rollout::{RolloutVenue, Rollouts};

    let mut extras: Vec<Arc<dyn Extra>> = Vec::new();
    let program = WorkerProgram::this_binary();
    let fleet = config.extra::<FleetSettings>();
    let fleet = fleet.map(|settings| {
        let (settings, name) = (settings.clone(), name_in_fleet(settings)?);
        Ok::<_, Failure>(PlayingFleet { settings, name })
    });
    let fleet = fleet.transpose()?;
    let start_arena = |file: PathBuf| {
        let venue = ArenaVenue::idle(program.clone(), activity.clone()).with_fleet(fleet.clone());
        Arena::start(config, &file, venue).map(Arc::new)
    };
    let arena = ArenaSettings::of(config).file.map(start_arena).transpose();
    let arena =
        arena.map_err(|error| Failure::Usage(format!("the arena cannot start: {error}")))?;
    if let Some(arena) = &arena {
        extras.push(Arc::<Arena>::clone(arena));
    }
    let venue = RolloutVenue {
        arena: arena.clone(),
        program: program.clone().at_idle_priority(),
        activity: activity.clone(),
        options,
    };
    let matches = Matches::start(config, arena, program, activity, fleet.clone());
    extras.push(Arc::new(matches.map_err(anyhow::Error::new)?));
    extras.push(Arc::new(Rollouts::start(config, venue)?));
    if let Some(PlayingFleet { settings, name }) = fleet {
        let gateway = Gateway::start(settings, name).map_err(anyhow::Error::new)?;
        extras.push(Arc::new(gateway));
    }
    Ok(extras)
}

#[cfg(not(feature = "extras"))]
#[expect(clippy::unnecessary_wraps, reason = "extras may fail to start")]
pub(super) fn start(
    _: &Config,
    _: LoadOptions,
    _: Activity,
) -> Result<Vec<Arc<dyn Extra>>, Failure> {
    Ok(Vec::new())
}
