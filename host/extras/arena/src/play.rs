//! Pairs of games between two players.

use std::time::SystemTime;

use ai_api::Color;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tournament::{
    Adjudication, Disturbances, EndReason, FaultDetails, GameInProgress, GameOpening, GameSettings,
    Heading, Openings, PlayError, PlayedGame, PlayedMatchGame, Referee, TimeControl, Venue,
    pgn_game, seed,
};

use crate::{
    contestant::ArenaPlayer,
    finished::{FinishedGame, FinishedPair, GameFault, GameSummary},
    live::{Live, LiveGame},
};

/// How late a move may come after the flag falls, in milliseconds.
const MARGIN_MS: u64 = 50;
/// The seed for the order of the openings.
const OPENINGS_SEED: u64 = 1;
/// The tag on games that do not count towards ratings. Other arenas refuse to import them.
pub(crate) const RATED: &str = "Rated";
pub(crate) const NOT_RATED: &str = "no";
/// The tags for the end time and the opening number of a game, which an import reads.
pub(crate) const END_TIME: &str = "GameEndTime";
pub(crate) const OPENING: &str = "OpeningNumber";

pub(crate) fn game_settings(time_control: TimeControl, disturbances: Disturbances) -> GameSettings {
    GameSettings {
        time_control,
        margin_ms: MARGIN_MS,
        adjudication: Adjudication::USUAL,
        disturbances,
    }
}

pub(crate) fn built_in_openings() -> Openings {
    Openings::built_in().shuffled(OPENINGS_SEED)
}

/// A pair of games to play.
#[derive(Clone, Debug)]
pub(crate) struct NewPair<'a> {
    pub(crate) event: &'a str,
    /// From 1.
    pub(crate) number: u64,
    /// White and Black of the first game.
    pub(crate) contestants: &'a [ArenaPlayer; 2],
    pub(crate) opening: GameOpening,
    /// The number of the opening, if the arena has this opening.
    pub(crate) opening_number: Option<u32>,
    pub(crate) settings: GameSettings,
    pub(crate) is_rated: bool,
    /// Whether only the first game is played.
    pub(crate) is_single: bool,
}

/// The progress of a pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairInProgress {
    pub(crate) first: Option<FinishedGame>,
    /// The game in progress.
    game: Option<GameInProgress>,
}

impl PairInProgress {
    /// Returns the moves of the game in progress.
    pub(crate) fn moves(&self) -> usize {
        self.game
            .as_ref()
            .map_or(0, |game| game.game().moves().len())
    }
}

impl NewPair<'_> {
    /// Plays the games, and shows them in `live`. Dropping the future cancels the running search.
    /// `played` keeps the moves before the search, and a later call continues from them.
    ///
    /// # Errors
    /// The same as for [`Venue::play_on`]. The players start for the first game.
    pub(crate) async fn play(
        &self,
        table: &mut Venue,
        live: &Live,
        referee: &impl Referee,
        played: &mut PairInProgress,
    ) -> Result<FinishedPair, PlayError> {
        let [one, other] = self.contestants;
        let PairInProgress { first, game } = played;
        if first.is_none() {
            *first = Some(
                self.play_game(1, [one, other], table, live, referee, game)
                    .await?,
            );
        }
        let second = if self.is_single {
            None
        } else {
            Some(
                self.play_game(2, [other, one], table, live, referee, game)
                    .await?,
            )
        };
        let first = first.take().expect("the first game has ended");
        Ok(self.finished(first, second))
    }

    /// Converts one or two games that a node played to a finished pair.
    ///
    /// # Panics
    /// `games` is empty.
    pub(crate) fn of_node(&self, games: Vec<PlayedMatchGame>) -> FinishedPair {
        let [one, other] = self.contestants;
        let players = [(1, [one, other]), (2, [other, one])];
        let mut games = games.into_iter().zip(players).map(
            |(PlayedMatchGame { played, node, .. }, (game, contestants))| {
                self.summarize(game, contestants, played, node.as_deref())
            },
        );
        let first = games.next().expect("a pair has a game");
        self.finished(first, games.next())
    }

    const fn finished(&self, first: FinishedGame, second: Option<FinishedGame>) -> FinishedPair {
        FinishedPair {
            first,
            second,
            is_rated: self.is_rated,
            match_progress: None,
        }
    }

    /// Starts or continues a game between White and Black.
    async fn play_game(
        &self,
        game: u64,
        contestants: [&ArenaPlayer; 2],
        table: &mut Venue,
        live: &Live,
        referee: &impl Referee,
        in_progress: &mut Option<GameInProgress>,
    ) -> Result<FinishedGame, PlayError> {
        let Self {
            number,
            opening,
            settings,
            ..
        } = self;
        let ids = contestants.map(|contestant| contestant.stored.id);
        let state = in_progress.get_or_insert_with(|| GameInProgress::new(opening, settings));
        let running = LiveGame {
            number: live.next_number(),
            players: ids,
            game: state.game().clone(),
            clocks_ms: state.clocks_ms(settings),
        };
        let live = live.begin(running, referee);
        let seeds = ids.map(|id| seed(*number, game, id.0 as u64));
        let players = contestants.map(|contestant| &contestant.player);
        let played = table
            .play_on(players, seeds, settings, &live, state)
            .await?;
        *in_progress = None;
        let finished = self.summarize(game, contestants, played, None);
        let GameSummary {
            result,
            termination,
            ..
        } = &finished.record;
        live.end(result.in_pgn(), termination.clone());
        Ok(finished)
    }

    /// Returns a game between White and Black that has just ended, here or on a node.
    fn summarize(
        &self,
        game: u64,
        contestants: [&ArenaPlayer; 2],
        played: PlayedGame,
        node: Option<&str>,
    ) -> FinishedGame {
        let Self {
            event,
            number,
            opening,
            settings,
            ..
        } = self;
        let PlayedGame {
            game: moves,
            end,
            effort,
            ..
        } = &played;
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
        let heading = Heading {
            event,
            round: &round,
            names,
            fingerprint: None,
            node,
            details: FaultDetails::Hidden,
        };
        let mut pgn = pgn_game(heading, opening, settings, played);
        let ended = SystemTime::now();
        pgn.tags.extend(time_tags(ended));
        pgn.tags.extend(
            self.opening_number
                .map(|opening_number| (OPENING.to_owned(), opening_number.to_string())),
        );
        if !self.is_rated {
            pgn.tags.push((RATED.to_owned(), NOT_RATED.to_owned()));
        }
        let [white, black] = contestants.map(|contestant| contestant.stored.id);
        let record = GameSummary {
            white,
            black,
            result,
            termination,
            fault,
            opening: self.opening_number,
            plies,
            ended,
        };
        FinishedGame {
            record,
            pgn: pgn.to_string(),
            effort,
        }
    }
}

/// The date and time of a game's end, in UTC.
pub(crate) fn time_tags(ended: SystemTime) -> [(String, String); 2] {
    let ended = OffsetDateTime::from(ended);
    let date = format!(
        "{:04}.{:02}.{:02}",
        ended.year(),
        u8::from(ended.month()),
        ended.day()
    );
    let time = ended.format(&Rfc3339).expect("the year has four digits");
    [("Date", date), (END_TIME, time)].map(|(name, value)| (name.to_owned(), value))
}
