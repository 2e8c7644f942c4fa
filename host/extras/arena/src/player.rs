//! Players. A player is an entry of the configuration with the fingerprint of everything that
//! determines its moves.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use tournament::Player;

/// The number of a player in the arena's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlayerId(pub i64);

/// A player that may not be in the file yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPlayer {
    /// The text in the configuration, such as `nnue1,elo=1500`.
    pub entry: String,
    pub fingerprint: String,
    /// The id of the AI.
    pub ai: String,
    /// The full name of the AI, with its version.
    pub name: String,
}

impl NewPlayer {
    pub(crate) fn of(player: &Player) -> Self {
        Self {
            entry: player.name.clone(),
            fingerprint: player.fingerprint().to_string(),
            ai: player.id().to_owned(),
            name: player.ai_name().to_owned(),
        }
    }

    /// Converts the player to a stored one with this id, without storing it.
    pub(crate) fn unstored(self, id: PlayerId) -> StoredPlayer {
        let Self {
            entry,
            fingerprint,
            ai,
            name,
        } = self;
        let since = SystemTime::now();
        StoredPlayer {
            id,
            entry,
            version: 1,
            fingerprint,
            ai,
            name,
            since,
            rests_until: None,
            anchor_elo: None,
        }
    }
}

/// A player in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPlayer {
    pub id: PlayerId,
    pub entry: String,
    /// Counted from 1. Each new fingerprint of an entry is its next version.
    pub version: u32,
    pub fingerprint: String,
    pub ai: String,
    pub name: String,
    /// When this version was added to the file.
    pub since: SystemTime,
    /// When its rest after repeated faults ends.
    pub rests_until: Option<SystemTime>,
    /// The rating that the configuration gives this version.
    pub anchor_elo: Option<f64>,
}

impl StoredPlayer {
    /// Returns its name in the PGN of games.
    pub fn name_in_games(&self) -> String {
        let Self { entry, version, .. } = self;
        if *version == 1 {
            entry.clone()
        } else {
            format!("{entry} v{version}")
        }
    }
}
