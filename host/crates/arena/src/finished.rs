//! Finished games, alone and in pairs.

use std::time::SystemTime;

use ai_api::Color;
use tournament::{Effort, GameResult};

use crate::{player::PlayerId, stored_match::MatchProgress};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    pub white: PlayerId,
    pub black: PlayerId,
    /// The result for White.
    pub result: GameResult,
    /// How the game ended, such as `checkmate`.
    pub termination: String,
    /// The fault that ended the game, the loser's.
    pub fault: Option<GameFault>,
    /// The number of the opening; none if it is not one of the arena's.
    pub opening: Option<u32>,
    pub plies: u32,
    pub ended: SystemTime,
    pub pgn: String,
    /// By [`Color::index`].
    pub effort: [Effort; 2],
}

/// The fault of an AI in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFault {
    /// The API's code, such as `ai_crashed`.
    pub code: String,
    /// The ply that was not played, from 1.
    pub ply: u32,
    /// The player with the fault.
    pub color: Color,
    pub details: String,
}

/// Two games with the same opening, the players' colours exchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedPair {
    pub first: FinishedGame,
    /// None after the last game of a match with an odd number of games.
    pub second: Option<FinishedGame>,
    /// Whether its results count for the ratings.
    pub is_rated: bool,
    /// The match of the games, as it is with them.
    pub match_progress: Option<MatchProgress>,
}

impl FinishedGame {
    /// Returns the player with the fault.
    pub(crate) fn faulty_player(&self) -> Option<PlayerId> {
        self.fault.as_ref().map(|fault| if fault.color == Color::White { self.white } else { self.black })
    }
}

impl FinishedPair {
    pub(crate) fn games(&self) -> impl Iterator<Item = &FinishedGame> {
        std::iter::once(&self.first).chain(&self.second)
    }
}
