//! Matches between AIs and UCI engines: schedule, openings, games, adjudication, PGN, and the
//! statistics of the results.
//!
//! Knows no command line; the caller prints results and handles signals.

mod adjudication;
mod elo;
mod game_end;
mod gauntlet;
mod lost_from_won;
mod openings;
mod pgn_file;
mod play;
mod player;
mod rating;
mod schedule;
mod sprt;
mod standings;
mod table;
mod tally;
mod time_control;
mod tournament;
mod uci_elo;

pub use adjudication::{AdjudicatedResult, Adjudication, DrawRule, ParseRuleError, ResignRule};
pub use elo::{Bound, EloEstimate};
pub use game_end::{EndReason, GameEnd};
pub use gauntlet::{Anchor, AnchorSource, GauntletRating, MissingAnchor};
pub use lost_from_won::{LostFromWon, reason};
pub use openings::{Opening, Openings, OpeningsError};
pub use pgn_file::{
    ExistingGames, FaultDetails, Heading, PgnFile, PgnFileError, RecordedGame, pgn_game,
};
pub use play::{
    Disturbances, Effort, GameError, GameInProgress, GameSettings, NoReferee, PlayedGame,
    PlayedMove, Referee,
};
pub use player::{Player, PlayerError, is_path};
pub use rating::{ByGames, Posterior, Prior, RatedPlayer, Rating, Unrated, posterior, ratings};
pub use schedule::{Format, ScheduledGame};
pub use sprt::{Hypothesis, ParseSprtError, Sprt, SprtState};
pub use standings::Standings;
pub use table::Table;
pub use tally::{GameResult, Tally};
pub use time_control::TimeControl;
pub use tournament::{
    FinishedGame, NoChess960, Overload, StopReason, Tournament, TournamentError, seed,
};
