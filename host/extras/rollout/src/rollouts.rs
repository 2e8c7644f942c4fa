//! A server's rollouts, as an extra.

use std::{io, sync::Arc};

use arena::{Arena, Threads};
use config::{Config, LoadOptions};
use game::{AnsweredRequest, Extra};
use pool::{Activity, Ai, WorkerProgram};
use prometheus_client::registry::Registry;
use serde_json::json;
use tokio::sync::mpsc;

use crate::{
    automatic, metrics, reply::RolloutsReply, shadow, state::RolloutState, strength,
    verdict::refusals,
};

/// The counts, comparisons and games of a server's candidates. Dropping this saves the tallies.
#[derive(Debug)]
pub struct Rollouts {
    _threads: Threads,
    pub(crate) state: Arc<RolloutState>,
    copies: mpsc::Sender<Arc<AnsweredRequest>>,
}

/// The environment in which candidates are tested.
#[derive(Debug)]
pub struct RolloutVenue {
    /// Without an arena, strength is not measured.
    pub arena: Option<Arc<Arena>>,
    /// The worker binary, which a server runs at idle priority.
    pub program: WorkerProgram,
    /// The server's jobs.
    pub activity: Activity,
    /// The context for reading the configuration.
    pub options: LoadOptions,
}

impl Rollouts {
    /// Starts the threads that test a configuration's candidates.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn start(config: &Config, venue: RolloutVenue) -> io::Result<Self> {
        let RolloutVenue {
            arena,
            program,
            activity,
            options,
        } = venue;
        let state = Arc::new(RolloutState::new(config, arena, activity));
        let threads = Threads::new();
        let (copies, waiting) = mpsc::channel(shadow::MAX_WAITING);
        let (of_shadow, own) = (Arc::clone(&state), program.clone());
        threads.start("shadow".to_owned(), async move |_| {
            shadow::ask_copies(&of_shadow, &own, waiting).await;
        })?;
        let of_changes = Arc::clone(&state);
        threads.start("rollouts".to_owned(), async move |_| {
            automatic::keep(&of_changes, &options).await;
        })?;
        if let Some(games) = state.arena.clone() {
            let of_games = Arc::clone(&state);
            threads.start("strength".to_owned(), async move |runtime| {
                strength::play_pairs(&of_games, &games, &program, runtime).await;
            })?;
        }
        Ok(Self {
            _threads: threads,
            state,
            copies,
        })
    }

    /// Returns the reply of `GET /v1/rollouts`.
    pub(crate) fn reply(&self) -> RolloutsReply {
        RolloutsReply::of(&self.state)
    }

    /// Returns, in JSON, the reasons not to promote an AI's candidate and, separately, the reasons
    /// that the operator overrides. If `is_meant` is true, logs the promotion unless a reason
    /// remains.
    fn check(&self, ai: &str, despite: &[&str], is_meant: bool) -> String {
        let settings = self.state.settings();
        let running = self.state.running();
        let Some(rollout) = running.get(ai) else {
            return json!({"unknown": ai}).to_string();
        };
        let all = refusals(&rollout.tallies, &settings);
        let overridden = |reason: &str| despite.contains(&reason);
        let (overridden, refused): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|refusal| overridden(refusal.reason));
        if refused.is_empty() && is_meant {
            let candidate = rollout.settings.id.as_deref();
            tracing::warn!(ai, candidate, "operator promotes a candidate");
            for refusal in &overridden {
                tracing::warn!(
                    ai,
                    candidate,
                    despite = refusal.reason,
                    "{}",
                    refusal.detail
                );
            }
        }
        json!({"refusals": refused, "overridden": overridden}).to_string()
    }
}

impl Drop for Rollouts {
    fn drop(&mut self) {
        self.state.save();
    }
}

impl Extra for Rollouts {
    fn feature(&self) -> &'static str {
        "rollouts"
    }

    fn reconfigure(&self, config: &Config) -> Vec<String> {
        self.state.set_config(config);
        Vec::new()
    }

    fn set_local_ais(&self, ais: Vec<Arc<Ai>>) {
        self.state.take_over(&ais);
    }

    fn answered(&self, request: &Arc<AnsweredRequest>) {
        if self.state.add(request) && self.copies.try_send(Arc::clone(request)).is_err() {
            self.state.add_dropped(request);
        }
    }

    fn command(&self, words: &[&str]) -> Option<String> {
        match words {
            ["rollouts"] => serde_json::to_string(&self.reply()).ok(),
            ["check", ai, despite @ ..] => Some(self.check(ai, despite, false)),
            ["promote", ai, despite @ ..] => Some(self.check(ai, despite, true)),
            _ => None,
        }
    }

    fn register_metrics(&self, registry: &mut Registry) {
        metrics::register(&self.state, registry);
    }
}
