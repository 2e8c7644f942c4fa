//! Matches that nodes play, in addition to the matches on this machine.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc, time::Duration};

use fleet_match::{AcceptedNodes, OrganizerError};
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use tokio::{task::spawn_blocking, time::sleep};
use tournament::{PlayedMatchGame, Tournament};

use super::{
    queue::QueuedMatch,
    record::{Match, MatchState},
    runner::{TurnEnd, end_turn, save},
    setup::{MatchError, MatchSetup, PlayTime},
    shared::MatchRunnerState,
};
use crate::{
    contestant::ArenaPlayer,
    finished::FinishedPair,
    nodes::{NodeWatch, NodesError, PlayingFleet, tournament},
};

/// How often the state of a match is updated from its nodes.
const STATE_INTERVAL: Duration = Duration::from_secs(1);
/// A match is paused when no node has played it for this long.
const PAUSED_AFTER: Duration = Duration::from_secs(5);
/// The interval between attempts to reach NATS.
const RETRY: Duration = Duration::from_secs(10);

/// How a match ends or leaves the nodes.
type End = Result<TurnEnd, MatchError>;

/// Plays until the future is dropped.
pub(super) async fn play_matches(shared: &Arc<MatchRunnerState>, fleet: &PlayingFleet) {
    let (mut running, mut playing) = (FuturesUnordered::new(), Vec::<Arc<Match>>::new());
    loop {
        let next = shared.queue().next_for_nodes(&playing);
        if let Some(next) = next {
            playing.push(Arc::clone(&next.found));
            running.push(play_match(shared, fleet, next));
            continue;
        }
        tokio::select! {
            Some(ended) = running.next() => playing.retain(|found| found.id != ended),
            () = shared.added_for_nodes.notified() => {}
        }
    }
}

/// Plays a match until it ends or this machine has to play it. Returns its id.
async fn play_match(
    shared: &Arc<MatchRunnerState>,
    fleet: &PlayingFleet,
    QueuedMatch { found, config, .. }: QueuedMatch,
) -> String {
    if !shared.end_if_not_allowed(&found) {
        let (state, starting) = (Arc::clone(shared), Arc::clone(&found));
        let start = move || {
            let _starting = state.activity.begin();
            MatchSetup::start(&state, &starting, &config)
        };
        let started = spawn_blocking(start).await;
        let end = match started.expect("starting players does not panic") {
            Ok(setup) => play_pairs(shared, fleet, &Arc::new(setup)).await,
            Err(error) => Err(error),
        };
        end_turn(&found, end);
    }
    save(shared, &found);
    shared.wake(&found);
    found.id.clone()
}

async fn play_pairs(
    shared: &Arc<MatchRunnerState>,
    fleet: &PlayingFleet,
    setup: &Arc<MatchSetup>,
) -> End {
    let found = &setup.found;
    let mut is_noted = false;
    loop {
        let error = if setup.contestants.iter().any(ArenaPlayer::has_tables) {
            "a player has tablebases, which are not sent to nodes".to_owned()
        } else {
            match play_on(shared, fleet, setup).await {
                Ok(()) => return Ok(TurnEnd::Finished),
                Err(NodesError::Ended(end)) => return end,
                Err(NodesError::Organizer(
                    error @ (OrganizerError::Fleet(_) | OrganizerError::Queue(_)),
                )) => {
                    if !is_noted {
                        tracing::warn!(id = found.id, %error, "a match is waiting for its fleet");
                        is_noted = true;
                    }
                    let mut statuses = found.watch();
                    tokio::select! {
                        _ = statuses.wait_for(|status| status.state.is_ended()) => {
                            return Ok(TurnEnd::Finished);
                        }
                        () = sleep(RETRY) => continue,
                    }
                }
                Err(NodesError::Organizer(error)) => error.to_string(),
            }
        };
        tracing::warn!(
            id = found.id,
            error,
            "playing a match on this machine instead of on nodes"
        );
        found.update(|status| status.is_for_nodes = false);
        return Ok(TurnEnd::Over);
    }
}

/// Has nodes play the missing pairs, and records them in order.
async fn play_on(
    shared: &Arc<MatchRunnerState>,
    fleet: &PlayingFleet,
    setup: &Arc<MatchSetup>,
) -> Result<(), NodesError<End>> {
    let found = &setup.found;
    let (nodes, time) = (NodeWatch::default(), RefCell::new(None));
    let stopped = async {
        let mut statuses = found.watch();
        let ended = statuses.wait_for(|status| status.state.is_ended());
        let watching = async {
            loop {
                show(setup, &nodes, &mut time.borrow_mut())?;
                sleep(STATE_INTERVAL).await;
            }
        };
        tokio::select! {
            biased;
            _ = ended => Ok(TurnEnd::Finished),
            error = watching => error,
        }
    };
    let mut waiting = BTreeMap::new();
    let on_pair = async |games: Vec<PlayedMatchGame>| {
        waiting.insert(games[0].scheduled.round, games);
        nodes.note_played();
        show(setup, &nodes, &mut time.borrow_mut()).map_err(Err)?;
        while let Some(next) = waiting.remove(&(played_games(found) / 2)) {
            record(shared, setup, next).await.map_err(Err)?;
            if shared.end_if_not_allowed(found) {
                return Err(Ok(TurnEnd::Finished));
            }
        }
        Ok(())
    };
    let tournament = tournament_of(setup, shared);
    let after = played_games(found);
    let accepted = AcceptedNodes::Listed;
    Box::pin(fleet.play(tournament, after, accepted, &nodes, stopped, on_pair)).await
}

fn played_games(found: &Match) -> usize {
    found.watch().borrow().games.len()
}

fn tournament_of(setup: &MatchSetup, shared: &MatchRunnerState) -> Tournament {
    tournament(
        &setup.contestants,
        setup.found.request.games as usize,
        setup.settings(),
        setup.openings.clone(),
        0,
        &shared.program,
    )
}

/// Shows whether nodes are playing a match, and measures how long they play.
///
/// # Errors
/// The match has been played for too long.
fn show(
    setup: &MatchSetup,
    nodes: &NodeWatch,
    time: &mut Option<PlayTime>,
) -> Result<(), MatchError> {
    let found = &setup.found;
    if !nodes.has_played_within(PAUSED_AFTER) {
        *time = None;
        let has_begun = played_games(found) > 0 || found.watch().borrow().played_ms > 0;
        if has_begun && found.watch().borrow().state != MatchState::Paused {
            found.set_state(MatchState::Paused);
        }
        return Ok(());
    }
    let running = time.get_or_insert_with(|| {
        found.set_state(MatchState::Running);
        PlayTime::begin(found)
    });
    if running.elapsed() < setup.rest()? {
        Ok(())
    } else {
        Err(MatchError::TooLong)
    }
}

/// Writes the next pair of a match. This may wait for the file.
async fn record(
    shared: &Arc<MatchRunnerState>,
    setup: &Arc<MatchSetup>,
    games: Vec<PlayedMatchGame>,
) -> Result<(), MatchError> {
    let (shared, setup) = (Arc::clone(shared), Arc::clone(setup));
    let recording = spawn_blocking(move || {
        let pair: FinishedPair = setup.pair(games[0].scheduled.round).of_node(games);
        setup.record(&shared, pair)
    });
    recording.await.expect("writing a pair does not panic")
}
