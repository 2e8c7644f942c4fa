//! The jobs that a node runs, and their results until they are acknowledged.

use std::{collections::HashMap, sync::Arc, time::Duration};

use ai_api::OptionSetting;
use pool::{Ai, ClientIdentity, Fault, Listener, RequestContext, RequestScope, RetryPolicy, Stall};
use protocol::{Iteration, Job, Response};
use tokio::{
    sync::{mpsc, watch},
    task::{JoinHandle, spawn_local},
    time::Instant,
};

use super::askers::Asker;
use crate::wire::{Ask, Hashed, Id, JobFault, JobFaultKind, JobReply, RunningJob};

/// How long a result is kept for its acknowledgement.
const RESULT_TIME: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(super) struct NodeJobs(HashMap<Id, NodeJob>);

#[derive(Debug)]
struct NodeJob {
    asker: Asker,
    announced: RunningJob,
    ai: Arc<Ai>,
    state: NodeJobState,
}

#[derive(Debug)]
enum NodeJobState {
    Running(RunningTask),
    /// The result, and the time until which it is kept.
    Finished(JobReply, Instant),
}

/// A running job. Dropping it cancels the job.
#[derive(Debug)]
struct RunningTask {
    stop: watch::Sender<bool>,
    ponder_hit: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// An event of a job.
#[derive(Debug)]
pub(super) enum JobOutcome {
    Iteration(Iteration),
    Finished(Result<Response, Fault>),
}

impl NodeJobs {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, job: &Id) -> bool {
        self.0.contains_key(job)
    }

    pub(super) fn list(&self) -> Vec<RunningJob> {
        self.0
            .values()
            .map(|entry| entry.announced.clone())
            .collect()
    }

    /// Returns how many more jobs an AI can run now.
    pub(super) fn free_slots(&self, ai: &Arc<Ai>) -> usize {
        let is_running = |entry: &&NodeJob| {
            Arc::ptr_eq(&entry.ai, ai) && matches!(entry.state, NodeJobState::Running(_))
        };
        let running = self.0.values().filter(is_running).count();
        if ai.is_available() {
            ai.workers.saturating_sub(running)
        } else {
            0
        }
    }

    /// Starts a job, and sends its events to `events`.
    pub(super) fn start(
        &mut self,
        asker: Asker,
        ask: Ask,
        ai: Arc<Ai>,
        events: mpsc::Sender<(Id, JobOutcome)>,
    ) {
        let (stop, stopped) = watch::channel(false);
        let (ponder_hit, ponder_hits) = watch::channel(false);
        let Ask {
            job: id,
            time,
            request_id,
            traceparent,
            tenant,
            question,
            ..
        } = ask;
        let client = match tenant {
            Some(tenant) => {
                ClientIdentity::Keyed(format!("{} {} {tenant}", asker.server, asker.gateway).into())
            }
            None => ClientIdentity::Keyed(id.as_str().into()),
        };
        let context = RequestContext {
            stop: Some(stopped),
            ponder_hit: Some(ponder_hits),
            time_allowed: Some(time.left()),
            // The gateway retries, on another node if necessary.
            retry: RetryPolicy::Never,
            ..RequestContext::of(client)
        };
        let question = allowed(question, &ai);
        let (running, job) = (Arc::clone(&ai), id.clone());
        let request = request_id.map(|given| RequestScope::new(given, traceparent));
        let task = spawn_local(RequestScope::enter(request, async move {
            let listener = Box::new(Events {
                job: job.clone(),
                events: events.clone(),
            });
            let result = running.ask(context, question, Some(listener)).await;
            let _ = events.send((job, JobOutcome::Finished(result))).await;
        }));
        let state = NodeJobState::Running(RunningTask {
            stop,
            ponder_hit,
            task,
        });
        let announced = RunningJob {
            gateway: asker.gateway.hashed(),
            job: id.hashed(),
        };
        self.0.insert(
            id,
            NodeJob {
                asker,
                announced,
                ai,
                state,
            },
        );
    }

    pub(super) fn stop(&self, job: &Id, asker: &Asker) {
        if let Some(running) = self.running(job, asker) {
            running.stop.send_replace(true);
        }
    }

    pub(super) fn ponder_hit(&self, job: &Id, asker: &Asker) {
        if let Some(running) = self.running(job, asker) {
            running.ponder_hit.send_replace(true);
        }
    }

    /// Cancels a job. Returns whether it existed.
    pub(super) fn cancel(&mut self, job: &Hashed, asker: &Asker) -> bool {
        let before = self.0.len();
        self.0
            .retain(|_, entry| entry.announced.job != *job || entry.asker != *asker);
        self.0.len() < before
    }

    pub(super) fn acknowledge(&mut self, job: &Id, asker: &Asker) {
        let is_finished = |entry: &NodeJob| {
            entry.asker == *asker && matches!(entry.state, NodeJobState::Finished(..))
        };
        if self.0.get(job).is_some_and(is_finished) {
            self.0.remove(job);
        }
    }

    /// Cancels the jobs of the askers that `keeps` rejects, and returns these askers.
    pub(super) fn cancel_unless(&mut self, keeps: impl Fn(&Asker) -> bool) -> Vec<Asker> {
        let mut gone: Vec<_> = self
            .0
            .extract_if(|_, entry| !keeps(&entry.asker))
            .map(|(_, entry)| entry.asker.clone())
            .collect();
        gone.sort();
        gone.dedup();
        gone
    }

    /// Records an event of a job. Returns the reply to its asker, unless the job was cancelled.
    pub(super) fn record(&mut self, job: &Id, outcome: JobOutcome) -> Option<(Asker, JobReply)> {
        let entry = self.0.get_mut(job)?;
        let reply = match outcome {
            JobOutcome::Iteration(iteration) => JobReply::Info {
                job: job.clone(),
                iteration,
            },
            JobOutcome::Finished(result) => {
                let reply = match result {
                    Ok(response) => JobReply::Result {
                        job: job.clone(),
                        response: Box::new(response),
                    },
                    Err(fault) => JobReply::Fault {
                        job: job.clone(),
                        fault: job_fault(&fault),
                    },
                };
                entry.state = NodeJobState::Finished(reply.clone(), Instant::now() + RESULT_TIME);
                reply
            }
        };
        Some((entry.asker.clone(), reply))
    }

    /// Drops expired results. Returns the other unacknowledged results.
    pub(super) fn unacknowledged(&mut self) -> Vec<(Asker, JobReply)> {
        let now = Instant::now();
        self.0.retain(
            |_, entry| !matches!(entry.state, NodeJobState::Finished(_, until) if until < now),
        );
        let finished = self.0.values().filter_map(|entry| match &entry.state {
            NodeJobState::Finished(reply, _) => Some((entry.asker.clone(), reply.clone())),
            NodeJobState::Running(_) => None,
        });
        finished.collect()
    }

    fn running(&self, job: &Id, asker: &Asker) -> Option<&RunningTask> {
        match self.0.get(job).filter(|entry| entry.asker == *asker)? {
            NodeJob {
                state: NodeJobState::Running(running),
                ..
            } => Some(running),
            NodeJob { .. } => None,
        }
    }
}

/// Sends the iterations of a job.
#[derive(Debug)]
struct Events {
    job: Id,
    events: mpsc::Sender<(Id, JobOutcome)>,
}

impl Listener for Events {
    /// Drops the iteration if too many wait.
    fn on_iteration(&self, iteration: Iteration) {
        let _ = self
            .events
            .try_send((self.job.clone(), JobOutcome::Iteration(iteration)));
    }
}

/// Returns the question, limited to the AI's capabilities and to the options that this node's
/// configuration lets requests set.
fn allowed(mut question: Job, ai: &Ai) -> Job {
    let capabilities = &ai.about.capabilities;
    question.params.lines = question
        .params
        .lines
        .clamp(1, capabilities.max_lines.max(1));
    question.params.trace_nodes = question
        .params
        .trace_nodes
        .min(capabilities.max_trace_nodes);
    question.params.ponder &= capabilities.ponder;
    if question.options.is_empty() {
        return question;
    }
    let value = |configured: &OptionSetting| {
        let spec = ai
            .about
            .options
            .iter()
            .find(|spec| spec.name == configured.name)?;
        let is_open = ai.settings.overridable_options.contains(&spec.name)
            && !spec.secret
            && !spec.names_files();
        let asked = question
            .options
            .iter()
            .find(|asked| is_open && asked.name == spec.name);
        Some(
            asked
                .filter(|asked| spec.allows(&asked.value))
                .unwrap_or(configured)
                .clone(),
        )
    };
    question.options = ai.options().iter().filter_map(value).collect();
    question
}

pub(crate) fn job_fault(fault: &Fault) -> JobFault {
    let kind = match fault {
        Fault::Failed(_) => JobFaultKind::Failed,
        Fault::Crashed(_) | Fault::Tablebase(_) => JobFaultKind::Crashed,
        Fault::Killed(_) => JobFaultKind::Killed,
        Fault::OutOfMemory(_) => JobFaultKind::OutOfMemory,
        Fault::Protocol(_) | Fault::IllegalMove(_) => JobFaultKind::Protocol,
        Fault::Stalled(Stall::Starved(_)) => JobFaultKind::Starved,
        Fault::Stalled(_) => JobFaultKind::Stalled,
        Fault::BlockedRequest { fault, .. } => return job_fault(fault),
        Fault::Unavailable { .. }
        | Fault::QueueFull { .. }
        | Fault::NotStarted { .. }
        | Fault::ShuttingDown(_)
        | Fault::Declined
        | Fault::Lost { .. } => JobFaultKind::Unavailable,
    };
    let summary = fault
        .reason()
        .map_or_else(|| fault.to_string(), ToString::to_string);
    JobFault {
        kind,
        summary,
        details: fault.details().unwrap_or_default().to_owned(),
    }
}
