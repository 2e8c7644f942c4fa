//! A match and its progress.

use serde::{Deserialize, Serialize};
use strum::VariantNames;
use tokio::sync::{broadcast, watch};
use tournament::{GameResult, Tally};

use super::request::MatchRequest;
use crate::{
    live::{Live, LiveEvent, LiveGame},
    player::PlayerId,
    retention::{KeptMatch, OVERHEAD_BYTES},
    stored_match::{MatchProgress, StoredMatch},
};

/// The reason that the client sees when its match is no longer allowed.
const NOT_ALLOWED: &str =
    "the server's configuration no longer lets the client play this match; ask the operator";

/// A match that a client asked for.
#[derive(Debug)]
pub struct Match {
    pub id: String,
    pub client: String,
    pub request: MatchRequest,
    pub(super) idempotency_key: Option<String>,
    /// The size of the request as JSON.
    request_bytes: u64,
    status: watch::Sender<MatchStatus>,
    pub(super) live: Live,
}

/// The progress of a match. The file stores it as JSON, without the games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchStatus {
    pub state: MatchState,
    /// Why it failed.
    pub reason: Option<String>,
    /// The ids of the players in the file, once the match has begun.
    pub(super) players: Option<[PlayerId; 2]>,
    /// How long it has been played.
    #[serde(default)]
    pub(super) played_ms: u64,
    /// Whether the configuration allowed the match when it was added.
    #[serde(default)]
    pub(super) was_allowed: bool,
    /// Whether nodes play it.
    #[serde(default)]
    pub(super) is_for_nodes: bool,
    /// The finished games, in complete pairs except for an odd last game.
    #[serde(skip)]
    pub games: Vec<MatchGame>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MatchState {
    /// It has not begun. It is waiting for its turn or for a node.
    Waiting,
    Running,
    /// It has begun, and is waiting for its next turn or for a node.
    Paused,
    Finished,
    /// A client stopped it.
    Stopped,
    Failed,
}

/// A finished game of a match.
#[derive(Clone, Debug)]
pub struct MatchGame {
    /// White's result.
    pub result: GameResult,
    /// How the game ended, in English.
    pub termination: String,
    /// Empty if the arena's file stores it.
    pub(super) pgn: String,
}

impl Match {
    pub(super) fn new(
        id: String,
        client: String,
        request: MatchRequest,
        idempotency_key: Option<String>,
    ) -> Self {
        let status = MatchStatus {
            state: MatchState::Waiting,
            reason: None,
            players: None,
            played_ms: 0,
            was_allowed: false,
            is_for_nodes: false,
            games: Vec::new(),
        };
        let (status, live) = (watch::Sender::new(status), Live::default());
        let request_bytes = json(&request).len() as u64;
        Self {
            id,
            client,
            request,
            idempotency_key,
            request_bytes,
            status,
            live,
        }
    }

    /// Restores a match from the file. `games` holds the results of its games and how they ended,
    /// oldest first. Returns `None` if its JSON is unknown.
    pub(super) fn read(stored: StoredMatch, games: Vec<(GameResult, String)>) -> Option<Self> {
        let StoredMatch {
            client,
            idempotency_key,
            request,
            progress,
        } = stored;
        let found = Self::new(
            progress.id,
            client,
            serde_json::from_str(&request).ok()?,
            idempotency_key,
        );
        let status: MatchStatus = serde_json::from_str(&progress.state).ok()?;
        let games = games.into_iter().map(|(result, termination)| MatchGame {
            result,
            termination,
            pgn: String::new(),
        });
        found.status.send_replace(MatchStatus {
            games: games.collect(),
            ..status
        });
        Some(found)
    }

    pub(super) fn stored(&self) -> StoredMatch {
        StoredMatch {
            client: self.client.clone(),
            idempotency_key: self.idempotency_key.clone(),
            request: json(&self.request),
            progress: self.progress(),
        }
    }

    pub(super) fn progress(&self) -> MatchProgress {
        let status = self.status.borrow();
        MatchProgress {
            id: self.id.clone(),
            state: json(&*status),
            is_finished: status.state.is_ended(),
        }
    }

    /// Returns a receiver that follows the status.
    pub fn watch(&self) -> watch::Receiver<MatchStatus> {
        self.status.subscribe()
    }

    /// Returns the game in progress and all later events.
    pub fn watch_game(&self) -> (Option<LiveGame>, broadcast::Receiver<LiveEvent>) {
        let (games, events) = self.live.watch();
        (games.into_iter().next(), events)
    }

    pub fn is_ended(&self) -> bool {
        self.status.borrow().state.is_ended()
    }

    /// Returns whether nodes play it.
    pub(super) fn is_for_nodes(&self) -> bool {
        self.status.borrow().is_for_nodes
    }

    /// Returns its client and size, and whether it has ended.
    pub(super) fn kept(&self) -> KeptMatch<'_> {
        let status = self.status.borrow();
        let games = status
            .games
            .iter()
            .map(|game| game.pgn.len() as u64 + OVERHEAD_BYTES);
        let bytes = self.request_bytes + games.sum::<u64>() + OVERHEAD_BYTES;
        KeptMatch {
            client: &self.client,
            bytes,
            is_ended: status.state.is_ended(),
        }
    }

    /// Changes the status, unless the match has ended.
    pub(super) fn update(&self, change: impl FnOnce(&mut MatchStatus)) {
        self.status.send_if_modified(|status| {
            let is_open = !status.state.is_ended();
            if is_open {
                change(status);
            }
            is_open
        });
    }

    pub(super) fn add_games(&self, games: impl Iterator<Item = MatchGame>) {
        self.status.send_modify(|status| status.games.extend(games));
    }

    pub(super) fn set_state(&self, state: MatchState) {
        self.update(|status| status.state = state);
    }

    /// Ends a match that was allowed when it was added and no longer is. Returns whether it ended.
    pub(super) fn end_unless(&self, is_allowed: bool) -> bool {
        let has_ended = !is_allowed && self.status.borrow().was_allowed;
        if has_ended {
            tracing::info!(
                id = self.id,
                "ended a match because its client may no longer play it"
            );
            self.fail(NOT_ALLOWED.to_owned());
        }
        has_ended
    }

    /// Fails the match for a reason that its client may see, unless it has ended.
    pub(super) fn fail(&self, reason: String) {
        self.update(|status| {
            status.state = MatchState::Failed;
            status.reason = Some(reason);
        });
    }
}

impl MatchStatus {
    /// Returns the results of the first player.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for pair in self.games.chunks(2) {
            tally.add(pair[0].result);
            if let [first, second] = pair {
                tally.add(second.result.reversed());
                tally.add_pair(first.result, second.result.reversed());
            }
        }
        tally
    }
}

impl MatchState {
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Finished | Self::Stopped | Self::Failed)
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("all keys are strings and all numbers are finite")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_names_match_json() {
        for name in MatchState::VARIANTS {
            let text = format!("\"{name}\"");
            assert_eq!(
                json(&serde_json::from_str::<MatchState>(&text).unwrap()),
                text
            );
        }
    }

    #[test]
    fn an_ended_match_keeps_its_state() {
        let form = serde_json::json!({
            "players": ["a", "b"],
            "games": 1,
            "pace": {"time_control": "1+0.1"},
            "maxima": {},
            "openings": [],
        });
        let request: MatchRequest = serde_json::from_str(&form.to_string()).unwrap();
        let found = Match::new("s-1".to_owned(), "c".to_owned(), request, None);
        found.set_state(MatchState::Stopped);
        found.set_state(MatchState::Running);
        let again = Match::read(found.stored(), Vec::new()).unwrap();
        assert_eq!(
            (again.status.borrow().state, &again.request),
            (MatchState::Stopped, &found.request)
        );
    }
}
