//! Matches between AIs and UCI engines: schedule, openings, games, adjudication, PGN, and the
//! statistics of the results.
//!
//! This crate does not parse a command line. The caller prints results and handles signals.

mod adjudication;
mod elo;
mod game_end;
mod game_settings;
mod gauntlet;
mod local_games;
mod lost_by_fault;
mod lost_from_won;
mod openings;
mod pgn_file;
mod play;
mod player;
mod rating;
mod record;
mod replay;
mod schedule;
mod searches;
mod sprt;
mod standings;
mod tally;
mod time_control;
mod tournament;
mod uci_elo;
mod venue;

pub use adjudication::{AdjudicatedResult, Adjudication, DrawRule, ParseRuleError, ResignRule};
pub use elo::{EloBound, EloEstimate};
pub use game_end::{EndReason, GameEnd};
pub use game_settings::{Disturbances, GameSettings};
pub use gauntlet::{AnchorSource, GauntletAnchor, GauntletRating, MissingAnchor};
pub use lost_by_fault::LostByFault;
pub use lost_from_won::{LostFromWon, reason};
pub use openings::{GameOpening, Openings, OpeningsError};
pub use pgn_file::{
    ExistingGames, FaultDetails, Heading, PgnFile, PgnFileError, RecordedGame, pgn_game,
};
pub use play::{Effort, GameInProgress, PlayedGame, PlayedMove};
pub use player::{Player, PlayerError, is_path};
pub use rating::{ByGames, Posterior, Prior, RatedPlayer, Rating, Unrated, posterior, ratings};
pub use record::{PlayRecord, RecordedEnd, RecordedMove};
pub use replay::{ReplayError, replay};
pub use schedule::{MatchFormat, ScheduledGame};
pub use searches::{NoReferee, PlayError, Referee};
pub use sprt::{Hypothesis, ParseSprtError, Sprt, SprtState};
pub use standings::Standings;
pub use tally::{GameResult, Tally};
pub use time_control::TimeControl;
pub use tournament::{
    FinishedMatchGame, MatchEnd, NoChess960, Overload, PendingGames, PlayedMatchGame, Tournament,
    TournamentError, seed,
};
pub use venue::Venue;
