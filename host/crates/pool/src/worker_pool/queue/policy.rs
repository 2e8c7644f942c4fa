//! Decides which consumer of a queue takes which job. The queue keeps the order of the jobs.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::Notify;

use crate::client_identity::ClientIdentity;
use crate::worker_pool::tenancy::Fit;
use protocol::Job;

/// Which jobs go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Play,
    Analysis,
}

/// A job in a queue.
pub(crate) trait Queued {
    fn client(&self) -> &ClientIdentity;

    fn rank(&self) -> Rank;

    /// Returns how many moves follow the position of a worker's last job if this job continues the
    /// same game with the worker's state; `None` for any other game.
    fn moves_since(&self, last: &Job) -> Option<usize>;

    /// Returns whether only this machine may run the job.
    fn is_local_only(&self) -> bool;
}

/// Takes jobs from a queue.
#[derive(Debug)]
pub(crate) enum Consumer {
    /// A worker on this machine, with the last job of its process.
    Worker { last: Option<Arc<Job>> },
    /// A worker of an isolated AI, whose process has served only this client, or none.
    IsolatedWorker {
        served: Option<ClientIdentity>,
        last: Option<Arc<Job>>,
    },
    /// A slot on another machine.
    RemoteSlot,
}

/// How well a worker fits a job, best first: by the client that it served, then by how many moves
/// are new to it.
type WorkerFit = (Fit, usize);

impl Consumer {
    /// Returns how well a local worker fits a job; `None` for a slot on another machine.
    fn fit(&self, job: &impl Queued) -> Option<WorkerFit> {
        let (fit, last) = match self {
            Self::Worker { last } => (Fit::Own, last),
            Self::IsolatedWorker { served, last } => (Fit::of(served.as_ref(), job.client()), last),
            Self::RemoteSlot => return None,
        };
        let new_moves = last.as_ref().and_then(|last| job.moves_since(last));
        Some((fit, new_moves.unwrap_or(usize::MAX)))
    }
}

/// A waiting consumer. Consumers are chosen in order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ConsumerId(u64);

/// The consumers that wait for a job.
#[derive(Debug, Default)]
pub(super) struct IdleConsumers {
    waiting: BTreeMap<ConsumerId, (Consumer, Arc<Notify>)>,
    next_id: u64,
    /// The workers that will wait as soon as they have sent a result.
    pub(super) finishing_workers: usize,
}

impl IdleConsumers {
    pub(super) fn add(&mut self, consumer: Consumer, wake: Arc<Notify>) -> ConsumerId {
        let id = ConsumerId(self.next_id);
        self.next_id += 1;
        self.waiting.insert(id, (consumer, wake));
        id
    }

    pub(super) fn remove(&mut self, id: ConsumerId) {
        self.waiting.remove(&id);
    }

    /// Returns whether this waiting consumer may take a job now. A worker may unless another fits
    /// better; a remote slot may if no local worker is idle.
    pub(super) fn may_take(&self, id: ConsumerId, job: &impl Queued) -> bool {
        let Some((consumer, _)) = self.waiting.get(&id) else {
            return false;
        };
        match consumer.fit(job) {
            Some(fit) => self.best_fit(job).is_none_or(|best| fit <= best),
            None => !job.is_local_only() && !self.has_worker(),
        }
    }

    /// Returns whether any waiting consumer may take the job now.
    pub(super) fn can_take(&self, job: &impl Queued) -> bool {
        self.waiting.keys().any(|&id| self.may_take(id, job))
    }

    /// Wakes a consumer that may take one of these jobs. A remote slot is chosen at random, so that
    /// servers rarely pick the same node.
    pub(super) fn wake_for<'j, J: Queued + 'j>(&self, jobs: impl Iterator<Item = &'j J>) {
        if self.waiting.is_empty() {
            return;
        }
        let jobs: Vec<_> = jobs.collect();
        let may_take_one = |id: ConsumerId| jobs.iter().any(|job| self.may_take(id, *job));
        let able: Vec<_> = self
            .waiting
            .iter()
            .filter(|(id, _)| may_take_one(**id))
            .map(|(_, waiting)| waiting)
            .collect();
        let chosen = match able.first() {
            None => return,
            Some((Consumer::RemoteSlot, _)) => fastrand::usize(..able.len()),
            Some(_) => 0,
        };
        able[chosen].1.notify_one();
    }

    pub(super) fn wake_all(&self) {
        self.waiting
            .values()
            .for_each(|(_, wake)| wake.notify_one());
    }

    fn best_fit(&self, job: &impl Queued) -> Option<WorkerFit> {
        let consumers = self.waiting.values();
        consumers
            .filter_map(|(consumer, _)| consumer.fit(job))
            .min()
    }

    /// Returns whether a consumer waits, or will wait as soon as it has sent a result.
    pub(super) fn has_consumer(&self) -> bool {
        self.finishing_workers > 0 || !self.waiting.is_empty()
    }

    fn has_worker(&self) -> bool {
        let is_worker = |(consumer, _): &(_, _)| !matches!(consumer, Consumer::RemoteSlot);
        self.finishing_workers > 0 || self.waiting.values().any(is_worker)
    }
}
