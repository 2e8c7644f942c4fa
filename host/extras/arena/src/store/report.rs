//! The result of an import.

use rules::PgnFault;

/// The maximum depth of an imported move, in plies.
pub(crate) const MAX_DEPTH: u64 = 1000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// The number of imported games, two per pair.
    pub games: usize,
    /// The number of games that the file already had.
    pub known: usize,
    /// The refused games, by line.
    pub refused: Vec<ImportRefusal>,
}

/// A game that cannot be rated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct ImportRefusal {
    /// The first line of the game, or the line of the error in it, from 1.
    pub line: usize,
    pub reason: RefusalReason,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusalReason {
    #[error("{0}")]
    Pgn(PgnFault),
    #[error("the game has no result")]
    NoResult,
    #[error("the game was not rated; its Rated tag is \"no\"")]
    NotRated,
    #[error("the time control is {found}; the arena's is {expected}")]
    TimeControl { found: String, expected: String },
    #[error("{0} is not a player of the arena")]
    Player(String),
    #[error("both players are {0}")]
    OnePlayer(String),
    /// Contains the text of the time.
    #[error("a move took {0}; expected less than a day, as h:mm:ss")]
    MoveTime(String),
    /// Contains the text of the depth.
    #[error("a move has the depth {0}; expected at most {MAX_DEPTH} plies")]
    Depth(String),
    #[error("found no second game with the same opening and colours swapped")]
    Single,
}
