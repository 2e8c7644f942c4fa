//! Measures the strength of candidates from clients' positions, while the machine is idle.

use std::sync::Arc;

use arena::{Arena, Guest};
use pool::WorkerProgram;
use tokio::runtime::Handle;
use tournament::{GameOpening, Player};

use crate::state::{NextPair, RolloutKey, RolloutState};

/// The players of a rollout.
struct Opponents {
    key: RolloutKey,
    /// The candidate and the AI.
    players: [Player; 2],
}

/// Plays until the future is dropped.
pub(crate) async fn play_pairs(
    state: &RolloutState,
    arena: &Arc<Arena>,
    program: &WorkerProgram,
    runtime: Handle,
) {
    let mut guest = arena.guest(runtime);
    let mut opponents: Option<Opponents> = None;
    let mut changed = state.changed.subscribe();
    loop {
        changed.borrow_and_update();
        let Some(next) = state.next_pair() else {
            guest.rest();
            opponents = None;
            // This cannot fail: the sender lives as long as this future.
            let _ = changed.changed().await;
            continue;
        };
        if opponents.as_ref().is_none_or(|found| found.key != next.key) {
            opponents = load(state, program, &next.key);
        }
        match &opponents {
            Some(found) => {
                if !play(state, &mut guest, found, next).await {
                    opponents = None;
                }
            }
            // Tries again after a change, since the players of another configuration might start.
            None => _ = changed.changed().await,
        }
    }
}

/// Plays a pair, unless its rollout ends first. Returns `false` if the players cannot play.
async fn play(
    state: &RolloutState,
    guest: &mut Guest,
    opponents: &Opponents,
    next: NextPair,
) -> bool {
    let NextPair { key, game, number } = next;
    let opening = GameOpening { name: None, game };
    let [candidate, ai] = &opponents.players;
    let mut changed = state.changed.subscribe();
    let ended = async {
        while state.has(&key) {
            let _ = changed.changed().await;
        }
    };
    let played = tokio::select! {
        biased;
        () = ended => return true,
        played = guest.play_pair([candidate, ai], &opening, number) => played,
    };
    let error = match played {
        Ok(results) => {
            state.add_pair(&key, results);
            return true;
        }
        Err(error) => error,
    };
    tracing::warn!(ai = key.ai, %error, "a candidate cannot play against its AI");
    state.set_note(
        &key,
        "a pair of games has no result; see the log".to_owned(),
    );
    false
}

/// Starts each player once to check it. Blocks. Returns `None` if a player does not start, or if
/// its files differ from the files that are served.
fn load(state: &RolloutState, program: &WorkerProgram, key: &RolloutKey) -> Option<Opponents> {
    let config = state.config();
    let load = |id: &str| {
        Player::load(&config, id, program)
            .map(Player::with_configured_limits)
            .map_err(|error| {
                tracing::warn!(ai = id, %error, "cannot start a player of a rollout");
                state.set_note(
                    key,
                    format!("'{id}' failed to start for the games; see the log"),
                );
            })
            .ok()
    };
    let players = [load(&key.candidate)?, load(&key.ai)?];
    let [candidate, ai] = players.each_ref().map(Player::ai_fingerprint);
    if format!("{ai} {candidate}") != key.versions {
        let note = "an AI's files have changed; reload to measure the strength again";
        state.set_note(key, note.to_owned());
        return None;
    }
    let key = key.clone();
    Some(Opponents { key, players })
}
