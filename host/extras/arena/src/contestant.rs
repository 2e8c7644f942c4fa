//! The configured players in their current versions.

use config::Config;
use tournament::Player;

use crate::{
    player::{NewPlayer, StoredPlayer},
    settings::ArenaSettings,
    store::{Store, StoreError},
};

/// A player that takes part in the games.
#[derive(Clone, Debug)]
pub(crate) struct ArenaPlayer {
    pub(crate) player: Player,
    pub(crate) stored: StoredPlayer,
}

/// Returns the entries that play: the configured players, by default every AI on this machine, and
/// the anchors.
pub(crate) fn entries(config: &Config) -> Vec<String> {
    let ArenaSettings {
        players, anchors, ..
    } = ArenaSettings::of(config);
    let every_ai = || config.ais.keys().cloned().collect();
    let mut entries = players.unwrap_or_else(every_ai);
    for anchor in anchors {
        if !entries.contains(&anchor.player) {
            entries.push(anchor.player);
        }
    }
    entries
}

impl ArenaPlayer {
    /// Finds the version of a player in the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn new(player: Player, config: &Config, store: &Store) -> Result<Self, StoreError> {
        let player = player.with_configured_limits();
        let anchors = ArenaSettings::of(config).anchors;
        let rating = anchors.iter().find(|anchor| anchor.player == player.name);
        let stored =
            store.anchored_player(&NewPlayer::of(&player), rating.map(|anchor| anchor.elo))?;
        Ok(Self { player, stored })
    }

    /// Returns whether it reads tablebases, which nodes do not have.
    pub(crate) fn has_tables(&self) -> bool {
        !self.player.settings().sandbox.tablebases.is_empty()
    }
}
