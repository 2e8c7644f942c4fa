//! Plays one game between two AIs.

use std::{
    future::{pending, ready},
    sync::Arc,
    time::{Duration, Instant},
};

use ai_api::{Clocks, Color, Limits, OptionSetting, Score, ScoreKind, TableResult};
use rules::Game;
use tokio::time::sleep;

use crate::{
    adjudication::{AdjudicatedResult, Adjudication},
    game_end::{EndReason, GameEnd},
    openings::GameOpening,
    time_control::{TimeControl, after_move, first_clock},
};
use game::{ServiceError, clock::Clock, job, known_score, legal_move, probe, wrong_response};
use pool::{Ai, Fault, RequestContext, RetryPolicy, StartErrors, TablebaseError, Tablebases};
use protocol::{Job, Response, SearchParams, Task};

/// The time after the limit of a move until the search fails.
const GRACE: Duration = Duration::from_secs(1);
/// The longest wait for an AI that restarts.
const MAX_RESTART_WAIT: Duration = Duration::from_mins(1);
/// A normal delay of the scheduler. A longer wait disturbs a search if it also exceeds 5 % of the
/// search.
const TOLERATED_WAIT: Duration = Duration::from_millis(5);
/// The part of a time limit that is reserved for overhead between the AI and the clock.
const OVERHEAD_MS: u64 = 20;

#[derive(Clone, Copy, Debug)]
pub struct GameSettings {
    pub time_control: TimeControl,
    /// The tolerance for a move after the flag falls, in milliseconds.
    pub margin_ms: u64,
    pub adjudication: Adjudication,
    pub disturbances: Disturbances,
}

/// What happens to a game when a search had to wait for a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbances {
    /// Nothing.
    Ignored,
    /// The game has no result.
    Void,
}

#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// The moves of the opening and of the players.
    pub game: Game,
    /// The comment after each ply; those before the players' moves are empty.
    pub comments: Vec<String>,
    pub end: GameEnd,
    /// White's and Black's.
    pub effort: [Effort; 2],
}

/// A game that has begun and may go on in other workers.
#[derive(Clone, Debug)]
pub struct GameInProgress {
    game: Game,
    comments: Vec<String>,
    /// For White, one for each ply of the players.
    scores: Vec<Option<Score>>,
    /// Both clocks, for a time control with clocks.
    clocks: [Clock; 2],
    effort: [Effort; 2],
}

/// Sums over the moves of a player.
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
        self.time_ms += other.time_ms;
    }
}

/// Why a game has no result.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// White or Black does not start.
    #[error("{errors}")]
    Start { side: Color, errors: StartErrors },
    /// The files of a player are not those that it was loaded with.
    #[error("the files of '{0}' have changed; start the match again to play with the new ones")]
    Changed(String),
    #[error("{0}")]
    Tablebase(#[from] TablebaseError),
    /// A search waited this long for a processor that other processes had.
    #[error(
        "a search of {} ms waited {} ms for the processor",
        time.as_millis(),
        waited.as_millis()
    )]
    Disturbed { waited: Duration, time: Duration },
}

/// A move of a running game.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove<'a> {
    /// With the move.
    pub game: &'a Game,
    /// White's; `None` if the player gave none.
    pub score: Option<Score>,
    pub depth: u32,
    pub time: Duration,
    /// White's and Black's, in milliseconds, if the game has clocks.
    pub clocks_ms: Option<[u64; 2]>,
}

/// Decides when the searches of a game run, and sees its moves.
pub trait Referee {
    /// Waits until the next search may begin. The clock does not run.
    fn ready(&self) -> impl Future<Output = ()> {
        ready(())
    }

    /// Resolves when a running search has to be cancelled. It begins again with the same clock.
    fn interrupted(&self) -> impl Future<Output = ()> {
        pending()
    }

    fn moved(&self, _: PlayedMove<'_>) {}
}

/// Games run without pause.
#[derive(Clone, Copy, Debug)]
pub struct NoReferee;

impl Referee for NoReferee {}

/// An AI in one game.
pub(crate) struct StartedPlayer {
    pub(crate) ai: Arc<Ai>,
    /// The value of every option in this game; empty for the configured values.
    pub(crate) options: Vec<OptionSetting>,
    /// In addition to the time control.
    pub(crate) limits: Limits,
}

/// Plays a game that has begun. `players` are White and Black. A position in `tables` ends it.
/// Dropping the future cancels the running search; the game in progress has the moves before it.
///
/// # Errors
/// The tables could not be probed, or a search was disturbed.
pub(crate) async fn play<R: Referee>(
    players: &[StartedPlayer; 2],
    settings: &GameSettings,
    tables: Option<&Tablebases>,
    referee: &R,
    state: &mut GameInProgress,
) -> Result<PlayedGame, PlayError> {
    let mut running = RunningGame {
        settings,
        state,
        plies: 0,
    };
    let end = loop {
        if let Some(end) = running.end() {
            break end;
        }
        if let Some(tables) = tables
            && let Some(end) = running.end_by_table(tables).await?
        {
            break end;
        }
        let turn = running.state.game.position().turn();
        match running.ply(&players[turn.index()], referee).await? {
            Ok(()) => {}
            // A damaged table is not the player's.
            Err(EndReason::Fault(fault @ Fault::Tablebase(_))) => {
                return Err(TablebaseError::Fault(fault).into());
            }
            Err(reason) => {
                break GameEnd {
                    winner: Some(!turn),
                    reason,
                };
            }
        }
    };
    let GameInProgress {
        game,
        comments,
        effort,
        ..
    } = running.state.clone();
    Ok(PlayedGame {
        game,
        comments,
        end,
        effort,
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
}

struct RunningGame<'a> {
    settings: &'a GameSettings,
    state: &'a mut GameInProgress,
    /// Those that these workers have played.
    plies: usize,
}

impl RunningGame<'_> {
    fn end(&self) -> Option<GameEnd> {
        let status = self.state.game.status();
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
        let moves = self.state.game.moves().len() as u32 / 2;
        let result = self
            .settings
            .adjudication
            .decide(&self.state.scores, moves)?;
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

    /// Returns the result of a position that a table has, with the fifty-move rule.
    async fn end_by_table(&self, tables: &Tablebases) -> Result<Option<GameEnd>, TablebaseError> {
        let turn = self.state.game.position().turn();
        let winner = match probe(tables, RequestContext::default(), &self.state.game).await {
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

    /// Plays the move of the side to move, or returns why it ends the game.
    async fn ply<R: Referee>(
        &mut self,
        seat: &StartedPlayer,
        referee: &R,
    ) -> Result<Result<(), EndReason>, PlayError> {
        let turn = self.state.game.position().turn();
        let (response, spent) = self.ask(seat, referee).await?;
        Ok(self.answered(turn, response, spent).map(|(score, depth)| {
            let clocks_ms = self.state.clocks_ms(self.settings);
            let time_ms = spent.as_millis() as u64;
            self.state.scores.push(score);
            self.state.comments.push(comment(
                score,
                depth,
                time_ms,
                clocks_ms.map(|clocks| clocks[turn.index()]),
            ));
            self.state.effort[turn.index()].add(Effort {
                moves: 1,
                depth_sum: depth.into(),
                time_ms,
            });
            self.plies += 1;
            referee.moved(PlayedMove {
                game: &self.state.game,
                score,
                depth,
                time: spent,
                clocks_ms,
            });
        }))
    }

    /// Asks for the move of the side to move. Returns the response with its time.
    async fn ask<R: Referee>(
        &self,
        StartedPlayer {
            ai,
            options,
            limits,
        }: &StartedPlayer,
        referee: &R,
    ) -> Result<(Result<Response, Fault>, Duration), PlayError> {
        let (task, time_allowed) = self.task(self.state.game.position().turn(), ai, limits);
        let params = SearchParams {
            clocks: self.clocks(),
            ..SearchParams::default()
        };
        let fresh = self.plies < 2;
        let job = Job {
            fresh,
            params,
            options: options.clone(),
            ..job(&self.state.game, task)
        };
        let mut restarting = Duration::ZERO;
        loop {
            referee.ready().await;
            let context = RequestContext {
                time_allowed,
                retry: RetryPolicy::Never,
                ..RequestContext::default()
            };
            let is_watched = self.settings.disturbances == Disturbances::Void;
            let before = is_watched.then(|| ai.run_queue());
            let sent = Instant::now();
            let response = tokio::select! {
                response = ai.ask(context, job.clone(), None) => response,
                () = referee.interrupted() => continue,
            };
            match response {
                // The search has not started, so the clock does not run.
                Err(Fault::Unavailable { retry_after, .. }) if restarting < MAX_RESTART_WAIT => {
                    let wait = retry_after.min(MAX_RESTART_WAIT);
                    restarting += wait + sent.elapsed();
                    sleep(wait).await;
                }
                response => {
                    let time = sent.elapsed();
                    let waited =
                        before.map(|before| ai.run_queue().starved_since(&before, Duration::ZERO));
                    return match waited.filter(|waited| *waited > TOLERATED_WAIT.max(time / 20)) {
                        Some(waited) => Err(PlayError::Disturbed { waited, time }),
                        None => Ok((response, time)),
                    };
                }
            }
        }
    }

    /// Plays the move of a response. Returns its score and depth.
    fn answered(
        &mut self,
        turn: Color,
        response: Result<Response, Fault>,
        spent: Duration,
    ) -> Result<(Option<Score>, u32), EndReason> {
        let result = match response.map_err(EndReason::Fault)? {
            Response::Searched(result) => result,
            Response::Evaluated(..) | Response::Probed(_) => {
                return Err(EndReason::Fault(wrong_response()));
            }
        };
        let chosen = legal_move(&self.state.game, &result).map_err(EndReason::Fault)?;
        if let TimeControl::Clock(control) = self.settings.time_control {
            let clock = &mut self.state.clocks[turn.index()];
            *clock = after_move(control, *clock, spent, self.settings.margin_ms)
                .ok_or(EndReason::Time)?;
        }
        self.state
            .game
            .play(chosen)
            .expect("the move is legal and the game not over");
        Ok((known_score(&result), result.depth))
    }

    fn clocks(&self) -> Option<Clocks> {
        let TimeControl::Clock(_) = self.settings.time_control else {
            return None;
        };
        let moves_to_go = self.state.clocks[self.state.game.position().turn().index()]
            .moves_to_go
            .unwrap_or(0);
        Some(Clocks {
            remaining_ms: self.state.clocks.map(|clock| clock.remaining_ms),
            increment_ms: self.state.clocks.map(|clock| clock.increment_ms),
            moves_to_go: moves_to_go.min(u64::from(u32::MAX)) as u32,
            ..Clocks::default()
        })
    }

    /// Returns the task of the side to move, and its hard limit if it is not the default.
    fn task(&self, turn: Color, ai: &Ai, limits: &Limits) -> (Task, Option<Duration>) {
        let hard_limit = |ms| Some(Duration::from_millis(ms) + GRACE + ai.settings.stop_grace());
        match self.settings.time_control {
            TimeControl::Clock(_) => {
                let clock = self.state.clocks[turn.index()];
                let of_clock = clock.limits(OVERHEAD_MS, ai.about.capabilities.manages_time);
                (
                    Task::Search(stricter(of_clock, limits)),
                    hard_limit(clock.remaining_ms + self.settings.margin_ms),
                )
            }
            TimeControl::Fixed(fixed) => {
                let limits = stricter(fixed, limits);
                (Task::Search(limits), limits.hard_ms.and_then(hard_limit))
            }
        }
    }
}

/// Returns the stricter of both limits.
pub(crate) fn stricter(one: Limits, other: &Limits) -> Limits {
    fn min<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
        [one, other].into_iter().flatten().min()
    }
    Limits {
        depth: min(one.depth, other.depth),
        nodes: min(one.nodes, other.nodes),
        mate_plies: min(one.mate_plies, other.mate_plies),
        soft_ms: min(one.soft_ms, other.soft_ms),
        hard_ms: min(one.hard_ms, other.hard_ms),
        ..one
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

/// `1:02:03.004`.
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
    fn comments_have_score_depth_and_time() {
        let text = comment(Some(Score::centipawns(-34)), 7, 102, None);
        assert_eq!(text, "[%eval -0.34,7] [%emt 0:00:00.102]");
        let text = comment(Some(Score::mated_in_plies(5)), 12, 3_723_004, Some(61_000));
        assert_eq!(text, "[%eval #-3,12] [%emt 1:02:03.004] [%clk 0:01:01.000]");
        assert_eq!(comment(None, 0, 5, None), "[%emt 0:00:00.005]");
    }
}
