//! The rollouts of a server.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use arena::{Arena, StoreError};
use config::{CandidateSettings, Config};
use game::{AnsweredRequest, MoveAnswer, Origin, RolloutAnswer, RolloutSide, identity_of};
use pool::{Activity, Ai, Fault};
use rules::Game;
use tokio::sync::watch;
use tournament::GameResult;

use crate::{
    fault_log::FaultLog,
    positions::Positions,
    settings::RolloutSettings,
    tallies::{Tallies, is_rejection},
};

/// The shared state of the rollout threads.
#[derive(Debug)]
pub(crate) struct RolloutState {
    running: Mutex<BTreeMap<String, RunningRollout>>,
    config: Mutex<Arc<Config>>,
    pub(crate) arena: Option<Arc<Arena>>,
    pub(crate) activity: Activity,
    /// Changes when a rollout begins or ends, and when a position becomes available.
    pub(crate) changed: watch::Sender<()>,
}

/// An AI with its candidate.
#[derive(Debug)]
pub(crate) struct RunningRollout {
    /// The fingerprints of the AI and the candidate.
    pub(crate) versions: String,
    pub(crate) settings: CandidateSettings,
    /// When this server began to count.
    pub(crate) since: SystemTime,
    pub(crate) tallies: Tallies,
    pub(crate) faults: FaultLog,
    pub(crate) positions: Positions,
    /// Why the tallies are in memory only; `None` if the arena's file keeps them.
    pub(crate) not_kept: Option<String>,
    is_saved: bool,
    /// Whether it was aborted or promoted automatically, or this was attempted and failed.
    pub(crate) is_decided: bool,
    /// A note for operators.
    pub(crate) note: Option<String>,
}

/// A rollout, identified by its AI and its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RolloutKey {
    pub(crate) ai: String,
    pub(crate) candidate: String,
    pub(crate) versions: String,
}

/// A position from which a candidate's strength is measured.
#[derive(Debug)]
pub(crate) struct NextPair {
    pub(crate) key: RolloutKey,
    pub(crate) game: Game,
    pub(crate) number: u64,
}

pub(crate) fn versions(ai: &Ai, candidate: &Ai) -> String {
    format!("{} {}", identity_of(ai), identity_of(candidate))
}

impl RolloutState {
    pub(crate) fn new(config: &Config, arena: Option<Arc<Arena>>, activity: Activity) -> Self {
        Self {
            running: Mutex::default(),
            config: Mutex::new(Arc::new(config.clone())),
            arena,
            activity,
            changed: watch::Sender::new(()),
        }
    }

    /// Locks the rollouts. Nothing blocks while it holds the lock.
    pub(crate) fn running(&self) -> MutexGuard<'_, BTreeMap<String, RunningRollout>> {
        // A panic may leave counts half updated, but they are still usable.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn config(&self) -> Arc<Config> {
        Arc::clone(&self.config.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set_config(&self, config: &Config) {
        let config = Arc::new(config.clone());
        *self.config.lock().unwrap_or_else(PoisonError::into_inner) = config;
    }

    pub(crate) fn settings(&self) -> RolloutSettings {
        RolloutSettings::of(&self.config())
    }

    /// Begins the rollouts of the AIs that are served now, and forgets all other rollouts and their
    /// counts. Blocks.
    pub(crate) fn take_over(&self, ais: &[Arc<Ai>]) {
        let config = self.config();
        let find = |id: &str| ais.iter().find(|ai| ai.id == id);
        let mut running = BTreeMap::new();
        for settings in config.ais.values() {
            let rollout = &settings.rollout;
            let candidate = rollout.id.as_deref().and_then(find);
            if let (Some(ai), Some(candidate)) = (find(&settings.id), candidate) {
                running.insert(settings.id.clone(), (versions(ai, candidate), rollout));
            }
        }
        let new: BTreeMap<_, _> = running
            .into_iter()
            .map(|(ai, (versions, settings))| {
                let before = self.running().remove(&ai);
                let before = before.filter(|before| before.versions == versions);
                let mut rollout = before.unwrap_or_else(|| self.begun(&ai, versions));
                rollout.settings = settings.clone();
                (ai, rollout)
            })
            .collect();
        let ids: Vec<_> = new.keys().map(String::as_str).collect();
        if let Some(arena) = &self.arena
            && let Err(error) = arena.store().forget_rollouts_but(&ids)
        {
            tracing::warn!(%error, "cannot remove ended rollouts from the arena's file");
        }
        *self.running() = new;
        self.changed.send_replace(());
    }

    /// Returns a rollout with its counts from the arena's file.
    fn begun(&self, ai: &str, versions: String) -> RunningRollout {
        let mut not_kept = None;
        let kept = match &self.arena {
            None => {
                not_kept = Some("there is no arena".to_owned());
                None
            }
            Some(arena) => arena
                .reader()
                .rollout(ai, &versions)
                .unwrap_or_else(|error| {
                    not_kept = Some(in_log(&error));
                    None
                }),
        };
        RunningRollout {
            versions,
            settings: CandidateSettings::default(),
            since: SystemTime::now(),
            tallies: kept
                .and_then(|text| serde_json::from_str(&text).ok())
                .unwrap_or_default(),
            faults: FaultLog::default(),
            positions: Positions::default(),
            not_kept,
            is_saved: true,
            is_decided: false,
            note: None,
        }
    }

    /// Counts a client's request. Returns whether to copy it.
    pub(crate) fn add(&self, request: &AnsweredRequest) -> bool {
        let versions = versions(&request.ai, &request.candidate);
        let mut running = self.running();
        let Some(rollout) = running
            .get_mut(&request.ai.id)
            .filter(|rollout| rollout.versions == versions)
        else {
            return false;
        };
        rollout.is_saved = false;
        rollout.tallies.add(request);
        if let Err(fault) = &request.answer
            && request.side == RolloutSide::Candidate
            && !is_rejection(fault)
        {
            rollout.faults.add(request, fault);
        }
        let Ok(RolloutAnswer::Move(MoveAnswer { score, origin, .. })) = &request.answer else {
            return false;
        };
        if self.arena.is_some() {
            let waiting = rollout.positions.waiting();
            rollout.positions.add(&request.game, *score);
            if waiting == 0 && rollout.positions.waiting() > 0 {
                self.changed.send_replace(());
            }
        }
        request.side == RolloutSide::Ai
            && *origin == Origin::Searched
            && rollout.settings.shadow.has(fastrand::u64(..))
    }

    pub(crate) fn add_shadow(
        &self,
        request: &AnsweredRequest,
        answer: &Result<RolloutAnswer, Fault>,
        is_disturbed: bool,
    ) {
        self.with(&RolloutKey::of(request), |rollout| {
            rollout.tallies.add_shadow(request, answer, is_disturbed);
            if let Err(fault) = answer
                && !is_rejection(fault)
            {
                rollout.faults.add(request, fault);
            }
        });
    }

    pub(crate) fn add_dropped(&self, request: &AnsweredRequest) {
        self.with(&RolloutKey::of(request), |rollout| {
            rollout.tallies.shadow.dropped += 1;
        });
    }

    pub(crate) fn add_pair(&self, key: &RolloutKey, results: [GameResult; 2]) {
        self.with(key, |rollout| rollout.tallies.add_pair(results));
    }

    pub(crate) fn set_note(&self, key: &RolloutKey, note: String) {
        self.with(key, |rollout| rollout.note = Some(note));
    }

    /// Changes a rollout unless it has ended.
    fn with(&self, key: &RolloutKey, change: impl FnOnce(&mut RunningRollout)) {
        let mut running = self.running();
        if let Some(rollout) = running
            .get_mut(&key.ai)
            .filter(|rollout| rollout.versions == key.versions)
        {
            rollout.is_saved = false;
            change(rollout);
        }
    }

    /// Returns whether a rollout has not ended.
    pub(crate) fn has(&self, key: &RolloutKey) -> bool {
        let running = self.running();
        let found = running.get(&key.ai);
        found.is_some_and(|rollout| rollout.versions == key.versions)
    }

    /// Takes a position for a candidate whose strength is still undecided.
    pub(crate) fn next_pair(&self) -> Option<NextPair> {
        let sprt = self.settings().sprt;
        let mut running = self.running();
        running.iter_mut().find_map(|(ai, rollout)| {
            if sprt.state(&rollout.tallies.strength).accepted.is_some() {
                return None;
            }
            let game = rollout.positions.take()?;
            Some(NextPair {
                game,
                number: u64::from(rollout.tallies.strength.games()) / 2 + 1,
                key: RolloutKey {
                    ai: ai.clone(),
                    candidate: rollout.settings.id.clone()?,
                    versions: rollout.versions.clone(),
                },
            })
        })
    }

    /// Writes the tallies that have changed to the arena's file. Blocks.
    pub(crate) fn save(&self) {
        let Some(arena) = &self.arena else { return };
        let changed: Vec<_> = {
            let mut running = self.running();
            let changed = running.iter_mut().filter(|(_, rollout)| !rollout.is_saved);
            changed
                .map(|(ai, rollout)| {
                    rollout.is_saved = true;
                    (
                        ai.clone(),
                        rollout.versions.clone(),
                        rollout.tallies.clone(),
                    )
                })
                .collect()
        };
        for (ai, versions, tallies) in changed {
            let text = serde_json::to_string(&tallies).unwrap_or_default();
            let kept = arena.store().keep_rollout(&ai, &versions, &text);
            let not_kept = kept.err().map(|error| in_log(&error));
            if let Some(rollout) = self.running().get_mut(&ai) {
                rollout.not_kept = not_kept;
            }
        }
    }
}

impl RolloutKey {
    fn of(request: &AnsweredRequest) -> Self {
        Self {
            ai: request.ai.id.clone(),
            candidate: request.candidate.id.clone(),
            versions: versions(&request.ai, &request.candidate),
        }
    }
}

/// Logs an error, which may contain a path, and returns the text for replies.
fn in_log(error: &StoreError) -> String {
    tracing::warn!(%error, "rollout tallies are only in memory");
    "the arena's file cannot be read or written; see the log".to_owned()
}
