//! Which consumer of a queue takes which job. The queue has the order of the jobs.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::Notify;

use crate::client_identity::ClientIdentity;
use crate::worker_pool::tenancy::Fit;

/// A job of a queue.
pub(crate) trait Queued {
    fn client(&self) -> &ClientIdentity;

    /// Returns whether only this machine may run it.
    fn is_local_only(&self) -> bool;
}

/// What takes jobs from a queue.
#[derive(Debug)]
pub(crate) enum Consumer {
    /// A worker of this machine.
    Worker,
    /// A worker of an isolated AI, whose process has served this client or none.
    IsolatedWorker { served: Option<ClientIdentity> },
    /// A slot of another machine.
    RemoteSlot,
}

/// A waiting consumer. They are chosen in the order in which they came.
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

    /// Returns whether a waiting consumer may take a job now: an isolated worker unless another one
    /// fits better, a slot of another machine if no worker of this one is idle.
    pub(super) fn may_take(&self, id: ConsumerId, job: &impl Queued) -> bool {
        match self.waiting.get(&id) {
            None => false,
            Some((Consumer::Worker, _)) => true,
            Some((Consumer::IsolatedWorker { served }, _)) => {
                let fit = Fit::of(served.as_ref(), job.client());
                self.best_fit(job).is_none_or(|best| fit <= best)
            }
            Some((Consumer::RemoteSlot, _)) => !job.is_local_only() && !self.has_worker(),
        }
    }

    /// Wakes a consumer that may take one of these jobs. A slot of another machine is chosen at
    /// random, so servers rarely pick the same node.
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

    fn best_fit(&self, job: &impl Queued) -> Option<Fit> {
        let consumers = self.waiting.values();
        consumers
            .filter_map(|(consumer, _)| match consumer {
                Consumer::IsolatedWorker { served } => Some(Fit::of(served.as_ref(), job.client())),
                Consumer::Worker | Consumer::RemoteSlot => None,
            })
            .min()
    }

    /// Returns whether a consumer waits, or will as soon as it has sent a result.
    pub(super) fn has_consumer(&self) -> bool {
        self.finishing_workers > 0 || !self.waiting.is_empty()
    }

    fn has_worker(&self) -> bool {
        let is_worker = |(consumer, _): &(_, _)| !matches!(consumer, Consumer::RemoteSlot);
        self.finishing_workers > 0 || self.waiting.values().any(is_worker)
    }
}
