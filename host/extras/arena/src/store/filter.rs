//! Which games to list.

use std::collections::BTreeSet;

use tournament::GameResult;

use crate::{
    finished::{GameId, StoredGame},
    player::PlayerId,
};

/// Which games to list. Of a match all games, otherwise those that are rated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameFilter {
    pub match_id: Option<String>,
    /// Lists the games of a match only if it is this client's.
    pub match_client: Option<String>,
    pub players: PlayerFilter,
    /// The result for the player of the filter, or for White without one.
    pub result: Option<GameResult>,
    /// Lists only games that ended with a fault.
    pub fault: Option<FaultFilter>,
    pub opening: Option<u32>,
    /// The pairings that the client may see, White first; all without it.
    pub visible: Option<BTreeSet<(PlayerId, PlayerId)>>,
    /// Lists games before this one.
    pub before: Option<GameId>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlayerFilter {
    #[default]
    Any,
    Player(PlayerId),
    /// Games of a player against another.
    Pairing(PlayerId, PlayerId),
}

/// The player with the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultFilter {
    Any,
    Player(PlayerId),
}

/// A part of a list of games, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GamePage {
    pub games: Vec<StoredGame>,
    /// What the next page is [`before`](GameFilter::before), if there may be more games. A page can
    /// have fewer games than the limit and still have a next one.
    pub next: Option<GameId>,
}
