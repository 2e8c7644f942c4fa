//! Sends copies of requests to candidates, at idle priority.

use std::{num::NonZero, sync::Arc, thread::available_parallelism, time::Duration};

use game::{AnsweredRequest, RolloutAnswer, ServiceError, identity_of};
use pool::{Ai, Ais, Fault, WorkerProgram};
use tokio::{sync::mpsc, time::timeout};

use crate::state::RolloutState;

/// The maximum number of waiting copies. They are small, but old ones say less about the load.
pub(crate) const MAX_WAITING: usize = 16;
/// How long a copy waits for the reply to be written, and then for a free processor. The reply to
/// a batch may be written late.
const PATIENCE: Duration = Duration::from_secs(1);
/// A worker at idle priority starts slowly on a busy machine.
const START_TIMEOUT_MS: u64 = 600_000;
/// A normal scheduling delay. A longer wait disturbs a search if it exceeds 5 % of the search time.
const TOLERATED_WAIT: Duration = Duration::from_millis(5);

/// Sends copies until the future is dropped.
pub(crate) async fn ask_copies(
    state: &RolloutState,
    program: &WorkerProgram,
    mut copies: mpsc::Receiver<Arc<AnsweredRequest>>,
) {
    let mut workers: Option<IdleCandidate> = None;
    let mut changed = state.changed.subscribe();
    loop {
        let copy = tokio::select! {
            copy = copies.recv() => copy,
            _ = changed.changed() => {
                workers = workers.filter(|workers| workers.is_needed(state));
                continue;
            }
        };
        let Some(request) = copy else { return };
        let reply = timeout(PATIENCE, request.reply.clone().written()).await;
        if reply.is_err() || !has_processor(state).await {
            state.add_dropped(&request);
            continue;
        }
        if workers
            .as_ref()
            .is_none_or(|workers| !workers.runs(&request))
        {
            workers = IdleCandidate::start(state, program, &request);
        }
        match &workers {
            Some(workers) => workers.ask(state, &request).await,
            None => state.add_dropped(&request),
        }
    }
}

/// Waits until fewer jobs are running than there are processors. Returns `false` if that takes too
/// long.
async fn has_processor(state: &RolloutState) -> bool {
    let most = available_parallelism().map_or(1, NonZero::get);
    timeout(PATIENCE, state.activity.fewer_than(most))
        .await
        .is_ok()
}

/// A candidate in a worker at idle priority that serves no client.
struct IdleCandidate {
    ais: Ais,
    id: String,
}

impl IdleCandidate {
    /// Starts a candidate's worker. Blocks. Returns `None` if the worker does not start, or if its
    /// files have changed since the request.
    fn start(
        state: &RolloutState,
        program: &WorkerProgram,
        request: &AnsweredRequest,
    ) -> Option<Self> {
        let mut config = (*state.config()).clone();
        let id = request.candidate.id.clone();
        config.keep_only(&id);
        for ai in config.ais.values_mut() {
            ai.start_timeout_ms = ai.start_timeout_ms.max(START_TIMEOUT_MS);
        }
        let ais = Ais::start(&config, program.clone())
            .inspect_err(|error| tracing::warn!(ai = id, %error, "cannot start a shadow"))
            .ok()?;
        let started = Self { ais, id };
        started.ai()?.read_fingerprint();
        started.runs(request).then_some(started)
    }

    fn ai(&self) -> Option<&Arc<Ai>> {
        self.ais.get(&self.id)
    }

    fn runs(&self, request: &AnsweredRequest) -> bool {
        let wanted = identity_of(&request.candidate);
        self.id == request.candidate.id && self.ai().is_some_and(|ai| identity_of(ai) == wanted)
    }

    fn is_needed(&self, state: &RolloutState) -> bool {
        let running = state.running();
        let mut rollouts = running.values();
        rollouts.any(|rollout| rollout.settings.id.as_ref() == Some(&self.id))
    }

    async fn ask(&self, state: &RolloutState, request: &AnsweredRequest) {
        let Some(ai) = self.ai() else { return };
        let before = ai.run_queue();
        let answer: Result<RolloutAnswer, Fault> = match request.ask(ai).await {
            Ok(answer) => Ok(answer),
            Err(ServiceError::Fault { fault, .. }) => Err(fault),
            // The request is not valid for the candidate.
            Err(_) => return state.add_dropped(request),
        };
        let time = match &answer {
            Ok(RolloutAnswer::Move(answer)) => answer.time,
            _ => Duration::ZERO,
        };
        let waited = ai.run_queue().starved_since(&before, Duration::ZERO);
        let is_disturbed = waited > TOLERATED_WAIT.max(time / 20);
        state.add_shadow(request, &answer, is_disturbed);
    }
}
