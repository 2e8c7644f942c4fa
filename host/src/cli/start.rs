//! Starts the AIs of a configuration, for a server or a node.

use std::sync::Arc;

use config::Config;
use game::GameService;
use pool::{Activity, WorkerProgram, cgroup::Cgroups};

use crate::cli::failure::Failure;

/// Starts every AI, each worker in its own cgroup if possible. Blocks until all are ready.
/// `activity` counts their jobs.
pub(super) fn start_ais(
    config: Config,
    activity: Activity,
) -> Result<(GameService, Arc<Cgroups>), Failure> {
    let cgroups = Arc::new(Cgroups::of_this_process());
    let program = WorkerProgram::this_binary()
        .in_cgroups(Arc::clone(&cgroups))
        .counted_by(activity);
    let game = GameService::start(config, program).inspect_err(|_| cgroups.close())?;
    if let Some(reason) = cgroups.reason() {
        tracing::info!(%reason, "workers have no cgroups");
    } else {
        tracing::info!("each worker has its own cgroup");
    }
    Ok((game, cgroups))
}
