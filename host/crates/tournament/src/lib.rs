//! Matches between AIs and UCI engines: schedule, openings, games, adjudication, PGN, and the statistics of the results.
//!
//! Knows no command line; the caller prints results and handles signals.

mod time_control;
mod tally;
mod elo;
mod rating;
mod sprt;
mod schedule;
mod standings;
mod openings;
mod adjudication;
mod game_end;
mod uci_elo;
mod gauntlet;
mod player;
mod play;
mod lost_from_won;
mod pgn_file;
mod tournament;

pub use adjudication::{Adjudication, DrawRule, ParseRuleError, ResignRule};
pub use elo::{Bound, EloEstimate};
pub use gauntlet::{Anchor, AnchorSource, GauntletRating, MissingAnchor};
pub use lost_from_won::{LostFromWon, reason};
pub use openings::{Openings, OpeningsError};
pub use pgn_file::{ExistingGames, PgnFile, PgnFileError, RecordedGame};
pub use play::GameSettings;
pub use player::{Player, PlayerError, is_path};
pub use rating::{Posterior, Prior, RatedPlayer, Rating, Unrated, difference_by_games, posterior, ratings};
pub use schedule::{Format, ScheduledGame};
pub use sprt::{Hypothesis, ParseSprtError, Sprt, SprtState};
pub use standings::Standings;
pub use tally::Tally;
pub use time_control::{ClockControl, ParseClockControlError, TimeControl};
pub use tournament::{FinishedGame, StopReason, Tournament, TournamentError};
