//! Moves that AIs search for while the game is being played.

use std::{
    future::{pending, ready},
    sync::Arc,
    time::{Duration, Instant},
};

use ai_api::{Clocks, Color, Limits, OptionSetting};
use tokio::time::sleep;

use crate::{
    game_end::EndReason,
    game_settings::{Disturbances, GameSettings},
    play::{GameInProgress, MoveSource, PlayedMove, PlayerAnswer, PlayerMove},
    time_control::{TimeControl, stricter},
};
use game::{job, known_score, legal_move, wrong_response};
use pool::{Ai, Fault, RequestContext, RetryPolicy, StartErrors, TablebaseError};
use protocol::{Job, Response, SearchParams, Task};

/// How far a search may exceed the move's time limit before it fails.
const GRACE: Duration = Duration::from_secs(1);
/// The longest wait for a restarting AI.
const MAX_RESTART_WAIT: Duration = Duration::from_mins(1);
/// A normal scheduling delay. A longer wait disturbs a search if it exceeds 5 % of the search time.
const TOLERATED_WAIT: Duration = Duration::from_millis(5);
/// The part of a time limit that is reserved for overhead between the AI and the clock.
const OVERHEAD_MS: u64 = 20;

/// Why a game has no result.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// White or Black fails to start.
    #[error("{errors}")]
    Start { side: Color, errors: StartErrors },
    /// A player's files have changed since it was loaded.
    #[error("the files of '{0}' have changed; start the match again to play with the new ones")]
    Changed(String),
    #[error("{0}")]
    Tablebase(#[from] TablebaseError),
    /// A search waited this long for a processor used by other processes.
    #[error(
        "a search of {} ms waited {} ms for the processor",
        time.as_millis(),
        waited.as_millis()
    )]
    Disturbed { waited: Duration, time: Duration },
}

/// Decides when a game's searches run, and sees its moves.
pub trait Referee {
    /// Waits until the next search may begin. The clock does not run.
    fn ready(&self) -> impl Future<Output = ()> {
        ready(())
    }

    /// Resolves when a running search has to be cancelled. The search then restarts with the same
    /// clock.
    fn interrupted(&self) -> impl Future<Output = ()> {
        pending()
    }

    fn moved(&self, _: PlayedMove<'_>) {}
}

/// A referee that never pauses a game.
#[derive(Clone, Copy, Debug)]
pub struct NoReferee;

impl Referee for NoReferee {}

/// An AI in a single game.
pub(crate) struct StartedPlayer {
    pub(crate) ai: Arc<Ai>,
    /// The value of every option in this game, or empty for the configured values.
    pub(crate) options: Vec<OptionSetting>,
    /// The limits of each move, in addition to the time control.
    pub(crate) limits: Limits,
}

/// The workers of White and Black.
pub(crate) struct Searches<'a, R> {
    players: &'a [StartedPlayer; 2],
    referee: &'a R,
    /// The number of plies that these workers have played.
    plies: usize,
}

impl<'a, R: Referee> Searches<'a, R> {
    pub(crate) const fn new(players: &'a [StartedPlayer; 2], referee: &'a R) -> Self {
        Self {
            players,
            referee,
            plies: 0,
        }
    }

    /// Asks the side to move for its move. Returns the response with its time.
    async fn ask(
        &self,
        state: &GameInProgress,
        settings: &GameSettings,
    ) -> Result<(Result<Response, Fault>, Duration), PlayError> {
        let referee = self.referee;
        let turn = state.game().position().turn();
        let StartedPlayer {
            ai,
            options,
            limits,
        } = &self.players[turn.index()];
        let (task, time_allowed) = task(state, settings, ai, limits);
        let params = SearchParams {
            clocks: clocks(state, settings),
            ..SearchParams::default()
        };
        let fresh = self.plies < 2;
        let job = Job {
            fresh,
            params,
            options: options.clone(),
            ..job(state.game(), task)
        };
        let mut restarting = Duration::ZERO;
        loop {
            referee.ready().await;
            let context = RequestContext {
                time_allowed,
                retry: RetryPolicy::Never,
                ..RequestContext::default()
            };
            let is_watched = settings.disturbances == Disturbances::Void;
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
}

impl<R: Referee> MoveSource for Searches<'_, R> {
    type Error = PlayError;

    /// # Errors
    /// A search was disturbed, or a table is damaged.
    async fn answer(
        &mut self,
        state: &GameInProgress,
        settings: &GameSettings,
    ) -> Result<PlayerAnswer, PlayError> {
        let (response, time) = self.ask(state, settings).await?;
        match response.and_then(|response| chosen_move(state, response)) {
            Ok(chosen) => Ok(PlayerAnswer {
                chosen: Ok(chosen),
                time,
            }),
            // A damaged table is not the player's fault.
            Err(fault @ Fault::Tablebase(_)) => Err(TablebaseError::Fault(fault).into()),
            Err(fault) => Ok(PlayerAnswer {
                chosen: Err(EndReason::Fault(fault)),
                time,
            }),
        }
    }

    fn moved(&mut self, played: PlayedMove<'_>) {
        self.plies += 1;
        self.referee.moved(played);
    }
}

/// Returns the move of a response, after checking that it is legal.
fn chosen_move(state: &GameInProgress, response: Response) -> Result<PlayerMove, Fault> {
    let Response::Searched(result) = response else {
        return Err(wrong_response());
    };
    Ok(PlayerMove {
        chosen: legal_move(state.game(), &result)?,
        score: known_score(&result),
        depth: result.depth,
    })
}

fn clocks(state: &GameInProgress, settings: &GameSettings) -> Option<Clocks> {
    let TimeControl::Clock(_) = settings.time_control else {
        return None;
    };
    let both = state.clocks();
    let moves_to_go = both[state.game().position().turn().index()]
        .moves_to_go
        .unwrap_or(0);
    Some(Clocks {
        remaining_ms: both.map(|clock| clock.remaining_ms),
        increment_ms: both.map(|clock| clock.increment_ms),
        moves_to_go: moves_to_go.min(u64::from(u32::MAX)) as u32,
        ..Clocks::default()
    })
}

/// Returns the task of the side to move, and its hard limit if it is not the default.
fn task(
    state: &GameInProgress,
    settings: &GameSettings,
    ai: &Ai,
    limits: &Limits,
) -> (Task, Option<Duration>) {
    let hard_limit = |ms| Some(Duration::from_millis(ms) + GRACE + ai.settings.stop_grace());
    match settings.time_control {
        TimeControl::Clock(_) => {
            let clock = state.clocks()[state.game().position().turn().index()];
            let of_clock = clock.limits(OVERHEAD_MS, ai.about.capabilities.manages_time);
            (
                Task::Search(stricter(of_clock, limits)),
                hard_limit(clock.remaining_ms + settings.margin_ms),
            )
        }
        TimeControl::Fixed(fixed) => {
            let limits = stricter(fixed, limits);
            (Task::Search(limits), limits.hard_ms.and_then(hard_limit))
        }
    }
}
