//! Games between AIs: who plays whom, from where, until when, and what the results say about their strength.
//!
//! A [`Contest`] of [`Contestant`]s follows its [`schedule`](schedule()): [`Openings`] say where games begin, [`play`] plays one
//! by the rules, [`Adjudication`] ends what is plain, a [`RecordFile`] keeps them as PGN;
//! [`EloEstimate`], [`Sprt`] and [`Rating`] are the statistics.

mod adjudication;
mod contest;
mod contestant;
mod elo;
mod openings;
mod time_control;
mod playing;
mod rating;
mod record;
mod schedule;
mod sprt;
mod tally;

pub use adjudication::{Adjudication, DrawRule, ParseRuleError, ResignRule, Verdict};
pub use contest::{Contest, ContestError, Finish, Finished, Standings};
pub use contestant::{Contestant, ContestantError};
pub use elo::{EloEstimate, elo_of_score, expected_score};
pub use openings::{Opening, Openings, OpeningsError};
pub use playing::{End, PlayedGame, Reason, Terms, play};
pub use rating::{Rating, Unrated, ratings};
pub use record::{Existing, RecordError, RecordFile, Recorded};
pub use schedule::{Format, Scheduled, encounters, schedule};
pub use sprt::{Hypothesis, ParseSprtError, Sprt, SprtState};
pub use tally::{Points, Tally};
pub use time_control::{ClockControl, ParseClockControlError, TimeControl};
