//! Finished games and pairs of games.

use std::time::SystemTime;

use ai_api::Color;
use tournament::{Effort, GameResult};

use crate::{player::PlayerId, stored_match::MatchProgress};

/// The number of a game in the arena's file. Later games have greater numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(pub i64);

/// A game that has ended, without its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSummary {
    pub white: PlayerId,
    pub black: PlayerId,
    /// The result for White.
    pub result: GameResult,
    /// How the game ended, such as `checkmate`.
    pub termination: String,
    /// The loser's fault, if it ended the game.
    pub fault: Option<GameFault>,
    /// The number of the opening, or `None` if the arena does not have this opening.
    pub opening: Option<u32>,
    pub plies: u32,
    pub ended: SystemTime,
}

/// A finished game, before it is written to the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    pub record: GameSummary,
    pub pgn: String,
    /// Indexed by [`Color::index`].
    pub effort: [Effort; 2],
}

/// A game read from the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredGame {
    pub id: GameId,
    pub pair: i64,
    pub match_id: Option<String>,
    /// The client of the match.
    pub match_client: Option<String>,
    pub is_rated: bool,
    pub record: GameSummary,
}

/// A fault by an AI in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFault {
    /// The API's code, such as `ai_crashed`.
    pub code: String,
    /// The number of the half-move that was not played, from 1.
    pub ply: u32,
    /// The colour of the player at fault.
    pub color: Color,
    pub details: String,
}

/// Two games with the same opening and colours swapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedPair {
    pub first: FinishedGame,
    /// `None` for the last game of a match with an odd number of games.
    pub second: Option<FinishedGame>,
    /// Whether its results count towards the ratings.
    pub is_rated: bool,
    /// The progress of their match, including these games.
    pub match_progress: Option<MatchProgress>,
}

impl GameSummary {
    /// Returns the player at fault.
    pub(crate) fn faulty_player(&self) -> Option<PlayerId> {
        self.fault.as_ref().map(|fault| {
            if fault.color == Color::White {
                self.white
            } else {
                self.black
            }
        })
    }
}

impl FinishedPair {
    pub(crate) fn games(&self) -> impl Iterator<Item = &FinishedGame> {
        std::iter::once(&self.first).chain(&self.second)
    }
}
