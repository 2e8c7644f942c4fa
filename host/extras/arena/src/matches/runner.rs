//! Plays matches in turns.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::{runtime::Handle, time::sleep};
use tournament::{NoReferee, Venue};

use super::{
    queue::QueuedMatch,
    record::{Match, MatchState},
    setup::{MatchError, MatchSetup, PlayTime},
    shared::MatchRunnerState,
};
use crate::play::PairInProgress;

/// While other matches wait, a turn ends after a pair of games or this long.
const TURN: Duration = Duration::from_secs(5);
/// Each turn that yields no move doubles the length of the next one, up to this limit.
const LONGEST_TURN: Duration = Duration::from_mins(1);

/// How a turn ends without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnEnd {
    /// All games have been played, or the match has ended for another reason.
    Finished,
    /// Another match is waiting.
    Over,
}

/// A match that has begun.
struct RunningMatch {
    setup: MatchSetup,
    pair: PairInProgress,
    turn: Duration,
}

/// Plays until the future is dropped.
pub(super) async fn play_matches(shared: &MatchRunnerState, runtime: Handle) {
    let mut table = Venue::new(shared.program.clone(), runtime, None);
    let mut begun: BTreeMap<String, RunningMatch> = BTreeMap::new();
    let mut last = String::new();
    loop {
        begun.retain(|_, running| !running.setup.found.is_ended());
        let Some(next) = shared.next() else {
            table.clear();
            shared.added.notified().await;
            continue;
        };
        if next.found.id != last {
            table.clear();
            last.clone_from(&next.found.id);
        }
        take_turn(shared, &next, &mut begun, &mut table).await;
    }
}

/// Plays a match until it ends or its turn is over.
async fn take_turn(
    shared: &MatchRunnerState,
    QueuedMatch { found, config, .. }: &QueuedMatch,
    begun: &mut BTreeMap<String, RunningMatch>,
    table: &mut Venue,
) {
    let _running = shared.activity.begin();
    if !shared.end_if_not_allowed(found) {
        found.set_state(MatchState::Running);
        let time = PlayTime::begin(found);
        let mut statuses = found.watch();
        let playing = async {
            let running = match begun.remove(&found.id) {
                Some(running) => running,
                None => RunningMatch::new(MatchSetup::start(shared, found, config)?),
            };
            begun
                .entry(found.id.clone())
                .or_insert(running)
                .play(shared, table)
                .await
        };
        let played = tokio::select! {
            biased;
            _ = statuses.wait_for(|status| status.state.is_ended()) => Ok(TurnEnd::Finished),
            played = playing => played,
        };
        drop(time);
        end_turn(found, played);
    }
    save(shared, found);
}

/// Sets the state of a match after a turn.
pub(super) fn end_turn(found: &Match, played: Result<TurnEnd, MatchError>) {
    match played {
        Ok(TurnEnd::Finished) => found.set_state(MatchState::Finished),
        Ok(TurnEnd::Over) => found.set_state(MatchState::Paused),
        Err(error) => found.fail(error.to_string()),
    }
}

/// Writes the state after a turn, even if the match was stopped. A pair that was being written may
/// have overwritten the state with an earlier one.
pub(super) fn save(shared: &MatchRunnerState, found: &Match) {
    if let Err(error) = shared.save(found) {
        tracing::error!(id = found.id, %error, "cannot save the state of a match");
    }
}

impl RunningMatch {
    fn new(setup: MatchSetup) -> Self {
        Self {
            setup,
            pair: PairInProgress::default(),
            turn: TURN,
        }
    }

    async fn play(
        &mut self,
        shared: &MatchRunnerState,
        table: &mut Venue,
    ) -> Result<TurnEnd, MatchError> {
        let (found, rest) = (Arc::clone(&self.setup.found), self.setup.rest()?);
        let (moves, turn) = (self.pair.moves(), self.turn);
        let end = tokio::select! {
            biased;
            () = sleep(rest) => return Err(MatchError::TooLong),
            turn_end = self.play_pairs(shared, table) => turn_end,
            () = until_others_wait(shared, &found, turn) => Ok(TurnEnd::Over),
        };
        self.turn = if self.pair.moves() == moves {
            (2 * turn).min(LONGEST_TURN)
        } else {
            TURN
        };
        end
    }

    /// Plays pairs until another match is waiting at the end of a pair.
    async fn play_pairs(
        &mut self,
        shared: &MatchRunnerState,
        table: &mut Venue,
    ) -> Result<TurnEnd, MatchError> {
        let Self { setup, pair, .. } = self;
        let (found, games) = (&setup.found, setup.found.request.games as usize);
        loop {
            let played = found.watch().borrow().games.len();
            if played >= games {
                return Ok(TurnEnd::Finished);
            }
            found
                .live
                .count_from((played + usize::from(pair.first.is_some())) as u64);
            let finished = setup
                .pair(played / 2)
                .play(table, &found.live, &NoReferee, pair)
                .await;
            setup.record(shared, finished.map_err(|error| setup.error(error))?)?;
            if shared.end_if_not_allowed(found) {
                return Ok(TurnEnd::Finished);
            }
            if found.watch().borrow().games.len() < games && shared.has_waiting(found) {
                return Ok(TurnEnd::Over);
            }
        }
    }
}

/// Resolves when another match is waiting and the running match has had a turn of this length.
async fn until_others_wait(shared: &MatchRunnerState, running: &Match, turn: Duration) {
    sleep(turn).await;
    while !shared.has_waiting(running) {
        shared.added.notified().await;
    }
}
