//! Replays a recorded game by the rules, so that its claimed result need not be trusted.

use std::time::Duration;

use ai_api::{Color, Score};
use rules::{MoveError, parse_uci};
use text::printable;

use crate::{
    adjudication::AdjudicatedResult,
    game_end::{EndReason, GameEnd},
    game_settings::GameSettings,
    openings::GameOpening,
    play::{GameInProgress, MoveSource, PlayedGame, PlayedMove, PlayerAnswer, PlayerMove, play},
    record::{PlayRecord, RecordedEnd, RecordedMove, is_of_player},
    tally::GameResult,
};
use pool::{Fault, TablebaseError, Tablebases};

/// More half-moves than any game can have, since the host claims every draw.
const MAX_PLIES: usize = 20_000;

/// Why a record does not follow the rules. Half-moves are counted from 1, after the opening.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("the record has {0} half-moves; expected at most {MAX_PLIES}")]
    TooLong(usize),
    #[error("half-move {ply} of the record: {error}")]
    Move { ply: usize, error: MoveError },
    #[error(
        "half-move {ply} of the record took {spent_ms} ms; the clock allowed {allowed_ms} ms, so \
         expected a loss on time"
    )]
    LateMove {
        ply: usize,
        spent_ms: u64,
        allowed_ms: u64,
    },
    #[error(
        "the record has a loss on time after {spent_ms} ms at half-move {ply}; expected {}",
        allowed_ms.map_or_else(
            || "no loss on time without clocks".to_owned(),
            |ms| format!("more than {ms} ms")
        )
    )]
    NotLate {
        ply: usize,
        spent_ms: u64,
        /// `None` without clocks.
        allowed_ms: Option<u64>,
    },
    #[error("the record has {found} after half-move {ply}; expected nothing: {end}")]
    AfterEnd {
        /// The number of the game's last half-move.
        ply: usize,
        found: String,
        end: GameEnd,
    },
    #[error("the record stops after {plies} half-moves, but the game is not over")]
    NoEnd { plies: usize },
    #[error("the record contains a machine fault, not a player's: {0}")]
    ForeignFault(Fault),
    #[error("the record has the result {}; expected {}: {end}", found.in_pgn(), expected.in_pgn())]
    OtherResult {
        found: GameResult,
        expected: GameResult,
        end: GameEnd,
    },
    #[error("{0}")]
    Tablebase(#[from] TablebaseError),
}

/// Plays a recorded game with the clocks, rules, adjudication and comments of the live game. A
/// position in `tables` ends the game, and the rest of the record is dropped.
///
/// # Errors
/// The record does not follow these rules and settings or claims a different result, or the tables
/// could not be probed.
pub async fn replay(
    record: &PlayRecord,
    opening: &GameOpening,
    settings: &GameSettings,
    tables: Option<&Tablebases>,
) -> Result<PlayedGame, ReplayError> {
    let plies = record.moves.len();
    if plies > MAX_PLIES {
        return Err(ReplayError::TooLong(plies));
    }
    let mut reader = RecordReader { record, ply: 0 };
    let mut state = GameInProgress::new(opening, settings);
    let played = play(&mut reader, settings, tables, &mut state).await?;
    let end = &played.end;
    // The machine that played the game has no tables.
    if let EndReason::Adjudicated(AdjudicatedResult::Tablebase(_)) = end.reason {
        return Ok(played);
    }
    if let Some(found) = reader.rest(&played.record.end) {
        return Err(ReplayError::AfterEnd {
            ply: reader.ply,
            found,
            end: end.clone(),
        });
    }
    let expected = end.result_for(Color::White);
    if record.result != expected {
        return Err(ReplayError::OtherResult {
            found: record.result,
            expected,
            end: end.clone(),
        });
    }
    Ok(played)
}

struct RecordReader<'a> {
    record: &'a PlayRecord,
    /// The number of moves played so far.
    ply: usize,
}

impl RecordReader<'_> {
    /// Describes what the record contains instead of `end` after the last move of the game, if
    /// anything.
    fn rest(&self, end: &RecordedEnd) -> Option<String> {
        match self.record.moves.get(self.ply) {
            Some(next) => Some(printable(&format!("the move {}", next.uci))),
            None => (self.record.end != *end).then(|| self.record.end.to_string()),
        }
    }

    fn chosen_move(
        &self,
        next: &RecordedMove,
        state: &GameInProgress,
        settings: &GameSettings,
    ) -> Result<PlayerMove, ReplayError> {
        let ply = self.ply + 1;
        let chosen = parse_uci(state.game().position(), &next.uci)
            .map_err(|error| ReplayError::Move { ply, error })?;
        let spent_ms = next.time_us / 1000;
        if let Some(allowed_ms) = state.allowed_ms(settings)
            && spent_ms > allowed_ms
        {
            return Err(ReplayError::LateMove {
                ply,
                spent_ms,
                allowed_ms,
            });
        }
        // The host limits AIs' scores in the same way.
        let limited = |score: Score| score.clamp(Score::mated_in_plies(1), Score::mate_in_plies(1));
        Ok(PlayerMove {
            chosen,
            score: next.score.map(limited),
            depth: next.depth,
        })
    }

    /// Returns why the side to move loses after the last move, and the time until then.
    fn loss(
        &self,
        state: &GameInProgress,
        settings: &GameSettings,
    ) -> Result<(EndReason, u64), ReplayError> {
        match &self.record.end {
            RecordedEnd::Played => Err(ReplayError::NoEnd { plies: self.ply }),
            &RecordedEnd::Late { time_us } => {
                let (spent_ms, allowed_ms) = (time_us / 1000, state.allowed_ms(settings));
                if allowed_ms.is_some_and(|allowed_ms| spent_ms > allowed_ms) {
                    Ok((EndReason::Time, time_us))
                } else {
                    Err(ReplayError::NotLate {
                        ply: self.ply + 1,
                        spent_ms,
                        allowed_ms,
                    })
                }
            }
            RecordedEnd::Fault(fault) if is_of_player(fault) => {
                Ok((EndReason::Fault(fault.clone()), 0))
            }
            RecordedEnd::Fault(fault) => Err(ReplayError::ForeignFault(fault.clone())),
        }
    }
}

impl MoveSource for RecordReader<'_> {
    type Error = ReplayError;

    async fn answer(
        &mut self,
        state: &GameInProgress,
        settings: &GameSettings,
    ) -> Result<PlayerAnswer, ReplayError> {
        let (chosen, time_us) = if let Some(next) = self.record.moves.get(self.ply) {
            (Ok(self.chosen_move(next, state, settings)?), next.time_us)
        } else {
            let (reason, time_us) = self.loss(state, settings)?;
            (Err(reason), time_us)
        };
        Ok(PlayerAnswer {
            chosen,
            time: Duration::from_micros(time_us),
        })
    }

    fn moved(&mut self, _: PlayedMove<'_>) {
        self.ply += 1;
    }
}

#[cfg(test)]
mod tests;
