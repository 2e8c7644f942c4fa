//! Plays one game, wherever its moves come from.

use std::time::Duration;

use ai_api::{Color, Move, Score, ScoreKind, TableResult};
use rules::Game;

use crate::{
    adjudication::AdjudicatedResult,
    game_end::{EndReason, GameEnd},
    game_settings::GameSettings,
    openings::GameOpening,
    record::{PlayRecord, RecordedEnd, RecordedMove},
    time_control::{TimeControl, after_move, first_clock},
};
use game::{ServiceError, clock::Clock, probe};
use pool::{RequestContext, TablebaseError, Tablebases};

#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The moves of the opening and of the players.
    pub game: Game,
    /// The comment after each ply. Opening plies have empty comments.
    pub comments: Vec<String>,
    pub end: GameEnd,
    /// White's effort, then Black's.
    pub effort: [Effort; 2],
    /// The record from which [`replay`](crate::replay) plays the same game.
    pub record: PlayRecord,
}

/// A game in progress, which may continue in other workers.
#[derive(Clone, Debug)]
pub struct GameInProgress {
    game: Game,
    comments: Vec<String>,
    /// The score for White after each of the players' plies.
    scores: Vec<Option<Score>>,
    /// One move for each of the players' plies.
    moves: Vec<RecordedMove>,
    /// Both clocks, for a time control with clocks.
    clocks: [Clock; 2],
    effort: [Effort; 2],
}

/// Sums over a player's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    pub moves: u64,
    pub depth_sum: u64,
    pub time_ms: u64,
}

impl Effort {
    pub const fn add(&mut self, other: Self) {
        self.moves += other.moves;
        self.depth_sum += other.depth_sum;
        // A record may claim any time, so this must not overflow.
        self.time_ms = self.time_ms.saturating_add(other.time_ms);
    }
}

/// A move of a running game.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove<'a> {
    /// The game after the move.
    pub game: &'a Game,
    /// For White, or `None` if the player gave none.
    pub score: Option<Score>,
    pub depth: u32,
    pub time: Duration,
    /// For White and Black in milliseconds, if the game has clocks.
    pub clocks_ms: Option<[u64; 2]>,
}

/// Where the moves of a game come from.
pub(crate) trait MoveSource {
    type Error: From<TablebaseError>;

    /// Returns the answer of the side to move.
    async fn answer(
        &mut self,
        state: &GameInProgress,
        settings: &GameSettings,
    ) -> Result<PlayerAnswer, Self::Error>;

    /// Called after an answer was played.
    fn moved(&mut self, played: PlayedMove<'_>);
}

/// What the side to move does.
pub(crate) struct PlayerAnswer {
    /// A legal move, or why the side loses.
    pub(crate) chosen: Result<PlayerMove, EndReason>,
    pub(crate) time: Duration,
}

#[derive(Clone, Copy)]
pub(crate) struct PlayerMove {
    pub(crate) chosen: Move,
    /// For White, or `None` if the player gave none.
    pub(crate) score: Option<Score>,
    pub(crate) depth: u32,
}

/// Continues a game in progress. A position in `tables` ends it. Dropping the future cancels the
/// running search, and the game keeps the moves before it.
///
/// # Errors
/// The tables could not be probed, or the source has no answer.
pub(crate) async fn play<S: MoveSource>(
    source: &mut S,
    settings: &GameSettings,
    tables: Option<&Tablebases>,
    state: &mut GameInProgress,
) -> Result<PlayedGame, S::Error> {
    let (end, recorded) = loop {
        if let Some(end) = state.end(settings) {
            break (end, RecordedEnd::Played);
        }
        if let Some(tables) = tables
            && let Some(end) = state.end_by_table(tables).await?
        {
            break (end, RecordedEnd::Played);
        }
        let turn = state.game.position().turn();
        let PlayerAnswer { chosen, time } = source.answer(state, settings).await?;
        match chosen.and_then(|chosen| state.play(chosen, time, settings)) {
            Ok(played) => source.moved(played),
            Err(reason) => {
                let recorded = RecordedEnd::of(&reason, time);
                let winner = Some(!turn);
                break (GameEnd { winner, reason }, recorded);
            }
        }
    };
    let GameInProgress {
        game,
        comments,
        moves,
        effort,
        ..
    } = state.clone();
    let record = PlayRecord {
        moves,
        end: recorded,
        result: end.result_for(Color::White),
    };
    Ok(PlayedGame {
        game,
        comments,
        end,
        effort,
        record,
    })
}

impl GameInProgress {
    /// Begins a game.
    pub fn new(opening: &GameOpening, settings: &GameSettings) -> Self {
        let clock = match settings.time_control {
            TimeControl::Clock(control) => first_clock(control),
            TimeControl::Fixed(_) => Clock::default(),
        };
        let game = opening.game.clone();
        let comments = vec![String::new(); game.moves().len() + 1];
        Self {
            game,
            comments,
            scores: Vec::new(),
            moves: Vec::new(),
            clocks: [clock; 2],
            effort: [Effort::default(); 2],
        }
    }

    /// Returns the game with the moves so far.
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Returns White's and Black's clocks, in milliseconds, if the game has clocks.
    pub fn clocks_ms(&self, settings: &GameSettings) -> Option<[u64; 2]> {
        let has_clocks = matches!(settings.time_control, TimeControl::Clock(_));
        has_clocks.then(|| self.clocks.map(|clock| clock.remaining_ms))
    }

    /// Returns White's and Black's clocks, for a time control with clocks.
    pub(crate) const fn clocks(&self) -> &[Clock; 2] {
        &self.clocks
    }

    /// Returns the longest time that the side to move may use, if the game has clocks.
    pub(crate) fn allowed_ms(&self, settings: &GameSettings) -> Option<u64> {
        let remaining_ms = self.clocks_ms(settings)?[self.game.position().turn().index()];
        Some(remaining_ms.saturating_add(settings.margin_ms))
    }

    fn end(&self, settings: &GameSettings) -> Option<GameEnd> {
        let status = self.game.status();
        if let Some(outcome) = status.outcome {
            return Some(GameEnd {
                winner: outcome.winner(),
                reason: EndReason::Rules(outcome),
            });
        }
        if let Some(&claim) = status.claims.first() {
            return Some(GameEnd {
                winner: None,
                reason: EndReason::Claim(claim),
            });
        }
        let moves = self.game.moves().len() as u32 / 2;
        let result = settings.adjudication.decide(&self.scores, moves)?;
        let winner = match result {
            AdjudicatedResult::Win(winner) => Some(winner),
            AdjudicatedResult::Draw
            | AdjudicatedResult::MaxMoves
            | AdjudicatedResult::Tablebase(_) => None,
        };
        Some(GameEnd {
            winner,
            reason: EndReason::Adjudicated(result),
        })
    }

    /// Returns the position's result in the tables, under the fifty-move rule.
    async fn end_by_table(&self, tables: &Tablebases) -> Result<Option<GameEnd>, TablebaseError> {
        let turn = self.game.position().turn();
        let winner = match probe(tables, RequestContext::default(), &self.game).await {
            Ok(found) => match found.result {
                TableResult::Win => Some(turn),
                TableResult::Loss => Some(!turn),
                TableResult::CursedWin | TableResult::Draw | TableResult::BlessedLoss => None,
            },
            Err(ServiceError::Tablebase(error)) => return Err(error),
            Err(_) => return Ok(None),
        };
        Ok(Some(GameEnd {
            winner,
            reason: EndReason::Adjudicated(AdjudicatedResult::Tablebase(winner)),
        }))
    }

    /// Plays a legal move of the side to move, or returns why that side loses.
    fn play(
        &mut self,
        PlayerMove {
            chosen,
            score,
            depth,
        }: PlayerMove,
        time: Duration,
        settings: &GameSettings,
    ) -> Result<PlayedMove<'_>, EndReason> {
        let turn = self.game.position().turn();
        if let TimeControl::Clock(control) = settings.time_control {
            let clock = &mut self.clocks[turn.index()];
            *clock =
                after_move(control, *clock, time, settings.margin_ms).ok_or(EndReason::Time)?;
        }
        self.game
            .play(chosen)
            .expect("the move is legal and the game not over");
        let clocks_ms = self.clocks_ms(settings);
        let time_ms = time.as_millis() as u64;
        self.scores.push(score);
        self.moves.push(RecordedMove {
            uci: chosen.to_string(),
            score,
            depth,
            time_us: time.as_micros() as u64,
        });
        self.comments.push(comment(
            score,
            depth,
            time_ms,
            clocks_ms.map(|clocks| clocks[turn.index()]),
        ));
        self.effort[turn.index()].add(Effort {
            moves: 1,
            depth_sum: depth.into(),
            time_ms,
        });
        Ok(PlayedMove {
            game: &self.game,
            score,
            depth,
            time,
            clocks_ms,
        })
    }
}

/// Formats score, depth, time and the clock after the move as `[%eval]`, `[%emt]` and `[%clk]`,
/// which chess programs and Lichess read. The score is for White, in pawns.
fn comment(score: Option<Score>, depth: u32, time_ms: u64, clock_ms: Option<u64>) -> String {
    let eval = score.map(|score| match score.kind() {
        ScoreKind::Centipawns(value) => format!("[%eval {:.2},{depth}] ", f64::from(value) / 100.0),
        ScoreKind::Mate(moves) => format!("[%eval #{moves},{depth}] "),
    });
    let clock = clock_ms.map(|ms| format!(" [%clk {}]", hours(ms)));
    format!(
        "{}[%emt {}]{}",
        eval.unwrap_or_default(),
        hours(time_ms),
        clock.unwrap_or_default()
    )
}

/// Formats a time such as `1:02:03.004`.
fn hours(ms: u64) -> String {
    let (seconds, minutes) = (ms / 1000, ms / 60_000);
    format!(
        "{}:{:02}:{:02}.{:03}",
        minutes / 60,
        minutes % 60,
        seconds % 60,
        ms % 1000
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_contain_score_depth_and_time() {
        let text = comment(Some(Score::centipawns(-34)), 7, 102, None);
        assert_eq!(text, "[%eval -0.34,7] [%emt 0:00:00.102]");
        let text = comment(Some(Score::mated_in_plies(5)), 12, 3_723_004, Some(61_000));
        assert_eq!(text, "[%eval #-3,12] [%emt 1:02:03.004] [%clk 0:01:01.000]");
        assert_eq!(comment(None, 0, 5, None), "[%emt 0:00:00.005]");
    }
}
