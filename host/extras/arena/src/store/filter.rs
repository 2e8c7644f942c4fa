//! Filters and pages of game lists.

use std::collections::BTreeSet;

use tournament::GameResult;

use crate::{
    finished::{GameId, StoredGame},
    player::PlayerId,
};

/// Which games to list: all games of a match, or otherwise only rated games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFilter {
    pub match_id: Option<String>,
    /// Lists the games of a match only if the match belongs to this client.
    pub match_client: Option<String>,
    pub players: PlayerFilter,
    /// The result for the player in the filter, or for White if the filter names no player.
    pub result: Option<GameResult>,
    /// Lists only games that ended with a fault.
    pub fault: Option<FaultFilter>,
    pub opening: Option<u32>,
    /// The pairings that the client may see, White first, or `None` for all.
    pub visible: Option<BTreeSet<(PlayerId, PlayerId)>>,
    /// Lists games before this one.
    pub before: Option<GameId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlayerFilter {
    #[default]
    Any,
    Player(PlayerId),
    /// Games between two players.
    Pairing(PlayerId, PlayerId),
}

/// Whose fault ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultFilter {
    Any,
    Player(PlayerId),
}

/// A page of a list of games, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GamePage {
    pub games: Vec<StoredGame>,
    /// The [`before`](GameFilter::before) of the next page, if there may be more games. A page can
    /// have fewer games than the limit even if another page follows.
    pub next: Option<GameId>,
}
