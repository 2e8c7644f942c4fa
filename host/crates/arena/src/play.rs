//! A game between two players, as the file keeps it.

use std::time::SystemTime;

use ai_api::Color;
use time::OffsetDateTime;
use tournament::{
    EndReason, FaultDetails, GameError, GameSettings, Heading, Opening, PlayedGame, Referee, Table,
    TimeControl, pgn_game, seed,
};

use crate::{
    contestant::Contestant,
    finished::{FinishedGame, GameFault, GameRecord},
    live::LiveGame,
};

/// The tag of games that do not count for the ratings, also not after an import elsewhere.
pub(crate) const RATED: &str = "Rated";
pub(crate) const NOT_RATED: &str = "no";

/// A game that begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewGame<'a> {
    pub(crate) event: &'a str,
    /// Of its pair, from 1.
    pub(crate) number: u64,
    /// In its pair, from 1.
    pub(crate) game: u64,
    /// White and Black.
    pub(crate) contestants: [&'a Contestant; 2],
    pub(crate) opening: &'a Opening,
    /// The opening's, if it is one of the arena's.
    pub(crate) opening_number: Option<u32>,
    pub(crate) settings: &'a GameSettings,
    pub(crate) is_rated: bool,
}

impl NewGame<'_> {
    /// Returns the game for those who watch.
    pub(crate) fn live(&self, number: u64) -> LiveGame {
        let clock_ms = match self.settings.time_control {
            TimeControl::Clock(clock) => Some(clock.base_ms),
            TimeControl::Fixed(_) => None,
        };
        LiveGame {
            number,
            players: self.contestants.map(|contestant| contestant.stored.id),
            game: self.opening.game.clone(),
            clocks_ms: clock_ms.map(|ms| [ms; 2]),
        }
    }
}

/// Plays a game. Dropping the future cancels the running search.
///
/// # Errors
/// As [`Table::play`].
pub(crate) async fn play_game(
    table: &mut Table,
    new: NewGame<'_>,
    referee: &impl Referee,
) -> Result<FinishedGame, GameError> {
    let NewGame { event, number, game, contestants, opening, opening_number, settings, is_rated } = new;
    let seeds = contestants.map(|contestant| seed(number, game, contestant.stored.id.0 as u64));
    let players = contestants.map(|contestant| &contestant.player);
    let played = table.play(players, seeds, opening, settings, referee).await?;
    let PlayedGame { game: moves, end, effort, .. } = &played;
    let (plies, effort) = (moves.moves().len() as u32, *effort);
    let fault = match &end.reason {
        EndReason::Fault(fault) => Some(GameFault {
            code: fault.code().into_str().to_owned(),
            ply: plies + 1,
            color: moves.position().turn(),
            details: fault.in_full(),
        }),
        _ => None,
    };
    let (result, termination) = (end.result_for(Color::White), end.to_string());
    let names = contestants.map(|contestant| contestant.stored.name_in_games());
    let (round, names): (_, [&str; 2]) = (format!("{number}.{game}"), [&names[0], &names[1]]);
    let heading = Heading { event, round: &round, names, fingerprint: None, details: FaultDetails::Hidden };
    let mut pgn = pgn_game(heading, opening, settings, played);
    let ended = SystemTime::now();
    pgn.tags.push(("Date".to_owned(), pgn_date(ended)));
    if !is_rated {
        pgn.tags.push((RATED.to_owned(), NOT_RATED.to_owned()));
    }
    let [white, black] = contestants.map(|contestant| contestant.stored.id);
    let opening = opening_number;
    let record = GameRecord { white, black, result, termination, fault, opening, plies, ended };
    Ok(FinishedGame { record, pgn: pgn.to_string(), effort })
}

/// `2026.11.25`, in UTC.
fn pgn_date(time: SystemTime) -> String {
    let date = OffsetDateTime::from(time).date();
    format!("{:04}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day())
}
