//! A match whose pairs are played by a fleet's nodes.

use std::io;

use clap::Args;

use super::progress::MatchDisplay;
use crate::cli::{config_file::ConfigFile, failure::Failure, fleet_name::name_in_fleet};
use config::{Config, LoadOptions};
use fleet::FleetSettings;
use fleet_match::{AcceptedNodes, NodeProgress, Organizer};
use tournament::{
    FinishedMatchGame, MatchEnd, RecordedGame, Standings, Tournament, TournamentError,
};

#[derive(Debug, Args)]
pub(super) struct FleetArguments {
    /// Play on the nodes at this NATS server; by default `nats` in [fleet]
    #[arg(
        long,
        value_name = "URL",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with = "concurrency"
    )]
    fleet: Option<String>,
    /// Scale times by the ratio of this machine's speed to the node's
    #[arg(long, requires = "fleet")]
    scale: bool,
}

impl FleetArguments {
    pub(super) const fn is_used(&self) -> bool {
        self.fleet.is_some()
    }

    /// Returns the options for reading the configuration.
    pub(super) fn load_options(&self, file: &ConfigFile) -> LoadOptions {
        let url = self.fleet.clone().filter(|url| !url.is_empty());
        file.options(None)
            .with_flag("fleet", ("--fleet", "nats"), url)
    }

    /// Removes the tables from the players of a configuration, because nodes do not receive tables.
    pub(super) fn prepare(&self, config: &mut Config) {
        if self.is_used() {
            config.tablebases.directories = None;
            for ai in config.ais.values_mut() {
                ai.sandbox.tablebases.clear();
            }
        }
    }

    /// Returns the settings of the fleet and this command's name in it, if the fleet is used.
    pub(super) fn settings(
        &self,
        config: &Config,
        file: &ConfigFile,
    ) -> Result<Option<(FleetSettings, String)>, Failure> {
        if !self.is_used() {
            return Ok(None);
        }
        let Some(settings) = config.extra::<FleetSettings>() else {
            return Err(Failure::Usage(format!(
                "--fleet without a URL needs `nats` in [fleet] of {}; set it, or give the URL of a \
                 NATS server, such as --fleet nats://127.0.0.1:4222",
                file.description()
            )));
        };
        let name = name_in_fleet(settings)?;
        Ok(Some((settings.clone(), name)))
    }

    /// Plays like [`Tournament::run`], but on the nodes of the fleet, and returns the nodes.
    pub(super) async fn run(
        &self,
        (settings, name): &(FleetSettings, String),
        tournament: Tournament,
        recorded: &[RecordedGame],
        interrupted: impl Future<Output = ()>,
        display: &MatchDisplay,
        on_finished: impl FnMut(FinishedMatchGame<'_>) -> io::Result<()>,
    ) -> Result<(Standings, MatchEnd, Vec<NodeProgress>), TournamentError> {
        let accepted = AcceptedNodes::Listed;
        let opening = Organizer::open(settings, name, &tournament, accepted, self.scale, display);
        let organizer = opening.await;
        let mut organizer =
            organizer.map_err(|error| TournamentError::Elsewhere(Box::new(error)))?;
        let playing = &mut organizer;
        let played = tournament
            .run_with(recorded, interrupted, on_finished, |pending| {
                playing.play(pending)
            })
            .await;
        let nodes = Box::pin(organizer.close()).await;
        let (standings, end) = played?;
        Ok((standings, end, nodes))
    }
}
