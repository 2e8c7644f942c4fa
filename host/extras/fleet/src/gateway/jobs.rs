//! The jobs of a gateway that run on nodes.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, HashSet},
    rc::Rc,
};

use protocol::{Iteration, Response};
use tokio::sync::{mpsc, oneshot};

use crate::wire::{Hashed, Id, JobFault, JobReply, RunningJob};

/// The maximum number of waiting iterations of a job. Further iterations are dropped.
const MAX_WAITING: usize = 64;

#[derive(Debug, Default)]
pub(super) struct GatewayJobs(RefCell<HashMap<Id, GatewayJob>>);

#[derive(Debug)]
struct GatewayJob {
    node: String,
    /// The hash under which the node announces the job.
    hash: Hashed,
    /// The first announcement that must contain the job; `None` until the node has accepted it.
    announced_from: Option<u64>,
    /// `None` once the node has accepted the job.
    unanswered: Option<Unanswered>,
    progress: mpsc::Sender<JobProgress>,
    end: oneshot::Sender<JobEnd>,
}

/// Counts an unanswered question until this is dropped. The slot can't count it, because the slot
/// may run only after the node's next announcement.
#[derive(Debug)]
struct Unanswered(Rc<Cell<usize>>);

impl Unanswered {
    fn new(count: &Rc<Cell<usize>>) -> Self {
        count.update(|count| count + 1);
        Self(Rc::clone(count))
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        self.0.update(|count| count - 1);
    }
}

/// The progress that a node reports for a job.
#[derive(Debug)]
pub(super) enum JobProgress {
    Accepted,
    Iteration(Box<Iteration>),
}

/// How a job ends.
#[derive(Debug)]
pub(super) enum JobEnd {
    Response(Box<Response>),
    Fault(JobFault),
    Busy,
    /// The question or its acceptance may have been lost with the connection to NATS.
    Unreached,
    Lost,
}

/// A job that its slot waits for. Dropping it forgets the job.
pub(super) struct Awaited<'a> {
    jobs: &'a GatewayJobs,
    pub(super) id: Id,
    pub(super) progress: mpsc::Receiver<JobProgress>,
    pub(super) end: oneshot::Receiver<JobEnd>,
}

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        self.jobs.0.borrow_mut().remove(&self.id);
    }
}

impl GatewayJobs {
    /// Adds a job before it is sent to a node.
    pub(super) fn add(&self, id: Id, node: &str, unanswered: &Rc<Cell<usize>>) -> Awaited<'_> {
        let (progress, progresses) = mpsc::channel(MAX_WAITING);
        let (end, ended) = oneshot::channel();
        let (node, unanswered) = (node.to_owned(), Some(Unanswered::new(unanswered)));
        let entry = GatewayJob {
            node,
            hash: id.hashed(),
            announced_from: None,
            unanswered,
            progress,
            end,
        };
        self.0.borrow_mut().insert(id.clone(), entry);
        Awaited {
            jobs: self,
            id,
            progress: progresses,
            end: ended,
        }
    }

    /// Passes a reply to the slot that waits for it. Returns the job if its result must be
    /// acknowledged, even if no slot waits for it.
    pub(super) fn deliver(&self, node: &str, reply: JobReply) -> Option<Id> {
        let mut jobs = self.0.borrow_mut();
        let is_of_node = |entry: &GatewayJob| entry.node == node;
        let mut end = |job: &Id, end: JobEnd| {
            if jobs.get(job).is_some_and(is_of_node)
                && let Some(entry) = jobs.remove(job)
            {
                let _ = entry.end.send(end);
            }
        };
        match reply {
            JobReply::Description(_) => None,
            JobReply::Accepted { job, number } => {
                if let Some(entry) = jobs.get_mut(&job).filter(|entry| entry.node == node) {
                    entry.announced_from = Some(number);
                    entry.unanswered = None;
                    let _ = entry.progress.try_send(JobProgress::Accepted);
                }
                None
            }
            JobReply::Info { job, iteration } => {
                if let Some(entry) = jobs.get(&job).filter(|entry| entry.node == node) {
                    let _ = entry
                        .progress
                        .try_send(JobProgress::Iteration(Box::new(iteration)));
                }
                None
            }
            JobReply::Busy { job } => {
                end(&job, JobEnd::Busy);
                None
            }
            JobReply::Result { job, response } => {
                end(&job, JobEnd::Response(response));
                Some(job)
            }
            JobReply::Fault { job, fault } => {
                end(&job, JobEnd::Fault(fault));
                Some(job)
            }
        }
    }

    /// Ends the jobs of a lost node.
    pub(super) fn lose_all(&self, node: &str) {
        self.end(|entry| entry.node == node, || JobEnd::Lost);
    }

    /// Ends the jobs that no node has accepted, after the connection was lost.
    pub(super) fn end_unanswered(&self) {
        self.end(|entry| entry.unanswered.is_some(), || JobEnd::Unreached);
    }

    /// Ends a node's accepted jobs that are missing from its announcement. Returns the announced
    /// jobs of this gateway that no slot waits for.
    pub(super) fn compare(
        &self,
        node: &str,
        number: u64,
        announced: &[RunningJob],
        gateway: &Hashed,
    ) -> Vec<Hashed> {
        let own: HashSet<_> = announced
            .iter()
            .filter(|running| running.gateway == *gateway)
            .map(|running| &running.job)
            .collect();
        let is_lost = |entry: &GatewayJob| {
            entry.node == node
                && entry.announced_from.is_some_and(|from| from <= number)
                && !own.contains(&entry.hash)
        };
        self.end(is_lost, || JobEnd::Lost);
        let jobs = self.0.borrow();
        let awaited: HashSet<_> = jobs
            .values()
            .filter(|entry| entry.node == node)
            .map(|entry| &entry.hash)
            .collect();
        own.difference(&awaited).map(|&job| job.clone()).collect()
    }

    fn end(&self, is_ended: impl Fn(&GatewayJob) -> bool, end: impl Fn() -> JobEnd) {
        let ended: Vec<_> = self
            .0
            .borrow_mut()
            .extract_if(|_, entry| is_ended(entry))
            .collect();
        for (_, entry) in ended {
            let _ = entry.end.send(end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_connection_ends_the_jobs_that_no_node_has_accepted() {
        let (jobs, unanswered) = (GatewayJobs::default(), Rc::default());
        let [mut accepted, mut waiting] = [1, 2].map(|number| {
            jobs.add(
                Id::try_from(format!("{number:032x}")).unwrap(),
                "big",
                &unanswered,
            )
        });
        jobs.deliver(
            "big",
            JobReply::Accepted {
                job: accepted.id.clone(),
                number: 1,
            },
        );
        jobs.end_unanswered();
        assert!(matches!(waiting.end.try_recv(), Ok(JobEnd::Unreached)));
        assert!(accepted.end.try_recv().is_err());
        assert_eq!(unanswered.get(), 0);
    }
}
