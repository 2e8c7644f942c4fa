//! `rookery node`.

use std::{
    env,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use clap::Args;
use tokio::{sync::watch, task::LocalSet};

use crate::cli::{
    capacity, config_file::ConfigFile, failure::Failure, fleet_name::name_in_fleet, output::print,
    runtime::CommandRuntime, serve::WORKERS_GRACE, signals::Signals, start::start_ais,
};
use crate::{
    log::{self, LogFormat},
    panics,
};
use fleet::{FleetSettings, Node};
use fleet_match::MatchNode;
use game::GameService;
use pool::WorkerProgram;
use server::systemd;
use text::counted;

#[derive(Debug, Args)]
pub(super) struct RunNode {
    #[command(flatten)]
    file: ConfigFile,
    /// NATS servers, separated by commas; overrides `nats` in [fleet]
    #[arg(long, value_name = "URL")]
    nats: Option<String>,
    #[arg(
        help = "Format of the log on standard error; ROOKERY_LOG sets its level",
        long,
        value_name = "FORMAT",
        env = "ROOKERY_LOG_FORMAT",
        value_enum,
        default_value_t
    )]
    log_format: LogFormat,
}

impl RunNode {
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("info,async_nats=warn", self.log_format);
        panics::end_the_process();
        let overrides = self
            .file
            .options(None)
            .with_flag("fleet", ("--nats", "nats"), self.nats);
        let config = self.file.load_with(&overrides)?;
        self.file.log();
        capacity::of_this_process(&config)?;
        let Some(settings) = config.extra::<FleetSettings>().cloned() else {
            let message = "a node needs a NATS server: add [fleet] with `nats` to the \
                configuration, or set --nats";
            return Err(Failure::Usage(message.into()));
        };
        let name = name_in_fleet(&settings)?;
        if let Some(warning) = settings.warning() {
            tracing::warn!("{warning}");
        }
        for note in config.plugins.notes() {
            tracing::info!("{note}");
        }
        let (game, cgroups) = start_ais(config, pool::Activity::default())?;
        let (game, _) = game.with_discovered()?;
        let start_matches = |matches| {
            let program = WorkerProgram::this_binary();
            MatchNode::start(&settings, matches, &name, program, cache_folder(&name))
        };
        let matches = settings.matches.as_ref().map(start_matches).transpose();
        let matches = matches.map_err(anyhow::Error::new)?;
        let runtime = CommandRuntime::new()?;
        let served =
            runtime.block_on(LocalSet::new().run_until(serve(&settings, &name, &game, matches)));
        game.stop(WORKERS_GRACE);
        cgroups.close();
        served
    }
}

async fn serve(
    settings: &FleetSettings,
    name: &str,
    game: &GameService,
    matches: Option<MatchNode>,
) -> Result<(), Failure> {
    let mut signals = Signals::listen()?;
    let node = Node::connect(settings, name, game.every_ai())
        .await
        .map_err(anyhow::Error::new)?;
    let offered: Vec<_> = node.offered().collect();
    let offered = if offered.is_empty() {
        "no AIs".to_owned()
    } else {
        offered.join(", ")
    };
    let mut line = format!("node {name} offers {offered}");
    if let Some(matches) = &matches {
        let pairs = counted(matches.slots(), "pair");
        let _ = write!(line, "; plays {pairs} of match games at once");
    }
    print(&line)?;
    systemd::ready();
    let (drain, draining) = watch::channel(false);
    let running = node.run(draining);
    tokio::pin!(running);
    tokio::select! {
        ended = &mut running => return ended.map_err(|error| Failure::Other(error.into())),
        _ = signals.next() => {}
    }
    systemd::stopping();
    tracing::info!("finishing running jobs; signal again to exit immediately");
    drain.send_replace(true);
    drop(matches);
    tokio::select! {
        ended = running => ended.map_err(|error| Failure::Other(error.into())),
        _ = signals.next() => Ok(()),
    }
}

/// Returns the folder for match files.
fn cache_folder(name: &str) -> PathBuf {
    // systemd sets CACHE_DIRECTORY for a service with a CacheDirectory.
    let of_service = env::var_os("CACHE_DIRECTORY").map(PathBuf::from);
    let of_user = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let caches = of_service.or_else(|| {
        let caches = of_user.filter(|folder| folder.is_absolute()).or_else(home);
        caches.map(|folder| folder.join("rookery"))
    });
    let caches = caches.unwrap_or_else(|| env::temp_dir().join("rookery"));
    caches.join("matches").join(name)
}
