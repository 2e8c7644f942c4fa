//! The JSON messages between organizers and nodes.
//!
//! They belong to version 1 of the protocol (`rookery.v1.`). Readers ignore unknown fields, and a
//! field may be added if leaving it out keeps the old meaning.

use fleet::{Id, encode};
use rules::Game;
use serde::{Deserialize, Serialize};
use tournament::{GameOpening, GameSettings, PlayRecord, ScheduledGame};

use crate::player_files::PlayerManifest;

/// The maximum size of a match description.
pub(crate) const MAX_DESCRIPTION_BYTES: u64 = 1 << 20;
/// The maximum number of players in a match.
pub(crate) const MAX_PLAYERS: usize = 64;
/// The maximum length of a reason, in characters.
pub(crate) const MAX_REASON_CHARS: usize = 1000;

/// A message from an organizer to all nodes, sent every second and at the end of the match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MatchAnnouncement {
    pub(crate) id: Id,
    /// The SHA-256 of its [`MatchDescription`] in the organizer's object store.
    pub(crate) description: String,
    /// Whether the match has ended.
    #[serde(default)]
    pub(crate) over: bool,
}

/// The information that a node needs before it plays a pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MatchDescription {
    /// The processor and operating system for which the files are built, such as `x86_64-linux`.
    pub(crate) platform: String,
    pub(crate) players: Vec<PlayerManifest>,
    pub(crate) settings: GameSettings,
    /// The number from which the seeds of the players are derived.
    pub(crate) seed: u64,
    /// The speed of the machine for which the times are meant. A slower machine gets more time, a
    /// faster one less.
    #[serde(default)]
    pub(crate) reference_speed: Option<u32>,
}

/// A pair of games in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PairOrder {
    pub(crate) pair: u64,
    /// Known only to nodes that got the pair.
    pub(crate) token: String,
    /// The first position and the moves of the opening.
    pub(crate) fen: String,
    pub(crate) moves: Vec<String>,
    pub(crate) games: Vec<GameOrder>,
}

/// A game in a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GameOrder {
    pub(crate) number: usize,
    /// The indices of the players.
    pub(crate) white: usize,
    pub(crate) black: usize,
}

/// A message from a node to all organizers, sent every second.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NodeMatches {
    pub(crate) slots: usize,
    /// How many positions one of its threads visits per millisecond.
    pub(crate) speed: u32,
    /// The pairs that it is playing.
    pub(crate) playing: Vec<PlayingPair>,
    /// Whether other work on its processors keeps it from playing.
    #[serde(default)]
    pub(crate) is_busy: bool,
    /// The matches that it does not play.
    #[serde(default)]
    pub(crate) refused: Vec<RefusedMatch>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlayingPair {
    pub(crate) id: Id,
    pub(crate) organizer: String,
    pub(crate) pair: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RefusedMatch {
    pub(crate) id: Id,
    pub(crate) reason: String,
}

/// A message from a node to the organizer of a match. The organizer answers with a [`PairVerdict`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PairReport {
    pub(crate) id: Id,
    pub(crate) pair: u64,
    /// The order's token.
    pub(crate) token: String,
    /// The speed that the node used to scale the times.
    pub(crate) speed: u32,
    pub(crate) outcome: PairOutcome,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PairOutcome {
    Played(Vec<PlayRecord>),
    /// Why the pair has no result, for example because a search had to wait for a processor.
    Void(String),
}

/// The organizer's decision about a reported pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PairVerdict {
    /// The pair has been recorded, now or earlier.
    Taken,
    /// The pair does not count and is played again.
    Again,
    /// The organizer no longer accepts pairs from the node.
    Unwelcome,
}

impl PairOrder {
    pub(crate) fn new(pair: u64, token: String, opening: &Game, games: &[ScheduledGame]) -> Self {
        let games = games.iter().map(|game| GameOrder {
            number: game.number,
            white: game.white,
            black: game.black,
        });
        Self {
            pair,
            token,
            fen: rules::format_fen(opening.start()),
            moves: opening.uci_moves(),
            games: games.collect(),
        }
    }

    /// Returns the opening, or `None` if its position or a move is invalid.
    pub(crate) fn opening(&self) -> Option<GameOpening> {
        let moves: Vec<_> = self.moves.iter().map(String::as_str).collect();
        let game = Game::from_moves(Some(&self.fen), &moves).ok()?;
        Some(GameOpening { name: None, game })
    }
}

impl PairReport {
    /// Returns the report, voided if it is too large for a message.
    pub(crate) fn fitting(self) -> Self {
        match encode(&self) {
            Ok(_) => self,
            Err(error) => Self {
                outcome: PairOutcome::Void(error.to_string()),
                ..self
            },
        }
    }
}

/// Returns the processor and operating system of this machine.
pub(crate) fn platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}
