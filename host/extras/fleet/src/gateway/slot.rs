//! A slot of a node, for the pool of its AI.

use std::{
    cell::Cell,
    future::poll_fn,
    rc::Rc,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use library::sha256::Sha256Sum;
use pool::{
    ClientIdentity, Fault, FaultReason, Question, RemoteSlot, RequestScope, Slot, Stall, StopReason,
};
use protocol::{Iteration, Response, sanitize};
use text::printable;
use tokio::{
    sync::watch,
    task::spawn_local,
    time::{Instant, sleep, sleep_until},
};

use super::jobs::{GatewayJobs, JobEnd, JobProgress};
use crate::{
    connection::NatsConnection,
    metrics::{AskOutcome, FleetMetrics},
    subjects,
    wire::{Ask, Id, JobFault, JobFaultKind, Order, OrderKind, TimeLeft},
};

/// How long a node may take to accept a job. It refuses a question that took more than 500 ms to
/// arrive, so the remaining time is for its reply.
const ACCEPTANCE_TIME: Duration = Duration::from_millis(750);
/// How long the result may take to arrive, in addition to the job's time.
const WAY_TIME: Duration = Duration::from_secs(1);
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// The longest pause before taking a slot for which several gateways wait, so that they do not all
/// ask at once.
const LONGEST_PAUSE: Duration = Duration::from_millis(2);
/// The maximum length of a fault text, in characters.
const MAX_TEXT: usize = 1000;

/// The clock that a node last announced.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeClock {
    pub(super) tick_ms: u64,
    pub(super) heard: Instant,
}

impl NodeClock {
    fn now_ms(self) -> u64 {
        self.tick_ms
            .saturating_add(self.heard.elapsed().as_millis() as u64)
    }
}

/// The data that the slots of one AI on one node share.
pub(super) struct SlotSource {
    pub(super) connection: NatsConnection,
    /// The name of this server.
    pub(super) server: Arc<str>,
    pub(super) gateway: Id,
    pub(super) jobs: Rc<GatewayJobs>,
    pub(super) metrics: FleetMetrics,
    pub(super) node: String,
    pub(super) clock: Rc<Cell<NodeClock>>,
    /// The id and the fingerprint of the AI on the node.
    pub(super) ai: String,
    pub(super) fingerprint: String,
    /// The number of questions that the node has neither accepted nor declined yet. Its
    /// announcements may leave them out.
    pub(super) unanswered: Rc<Cell<usize>>,
    /// Whether the node was busy with another gateway's questions when it was last asked.
    pub(super) is_contested: Cell<bool>,
    /// The number of free slots; `None` once the slots are gone.
    pub(super) free: watch::Sender<Option<usize>>,
}

/// One slot of an AI on a node.
pub(super) struct NodeSlot {
    pub(super) source: Rc<SlotSource>,
    pub(super) free: watch::Receiver<Option<usize>>,
}

impl RemoteSlot for NodeSlot {
    async fn free(&mut self) -> bool {
        if self.source.is_contested.get() {
            let _ = self.free.wait_for(|free| *free != Some(0)).await;
            sleep(LONGEST_PAUSE.mul_f64(fastrand::f64())).await;
        }
        self.free
            .wait_for(|free| *free != Some(0))
            .await
            .is_ok_and(|free| free.is_some())
    }

    async fn taken(&mut self) {
        let _ = self
            .free
            .wait_for(|free| matches!(free, None | Some(0)))
            .await;
    }

    fn gone(&self) -> impl Future<Output = ()> + 'static {
        let mut free = self.free.clone();
        async move { _ = free.wait_for(Option::is_none).await }
    }
}

impl Slot for NodeSlot {
    async fn run(
        &mut self,
        question: Question<'_>,
        ponder_hit: impl Future<Output = ()>,
        mut interrupt: impl FnMut(&mut Context<'_>) -> Poll<StopReason>,
        mut on_iteration: impl FnMut(Iteration),
    ) -> Result<Response, Fault> {
        let source = Rc::clone(&self.source);
        if !source.take() {
            return Err(Fault::Declined);
        }
        let Question {
            job,
            client,
            time_allowed,
            wanted: _,
        } = question;
        let Ok(id) = Id::random() else {
            return Err(Fault::Declined);
        };
        let mut awaited = source
            .jobs
            .add(id.clone(), &source.node, &source.unanswered);
        let request = RequestScope::current();
        let ask = Ask {
            job: id.clone(),
            ai: source.ai.clone(),
            fingerprint: source.fingerprint.clone(),
            tick_ms: source.clock.get().now_ms(),
            time: TimeLeft {
                left_ms: time_allowed.left.as_millis() as u64,
                preparation_ms: time_allowed.preparation.as_millis() as u64,
            },
            request_id: request.as_ref().map(|request| request.id.clone()),
            traceparent: request.and_then(|request| request.trace.clone()),
            tenant: tenant(&source.gateway, client),
            question: job.clone(),
        };
        if !source.order(OrderKind::Ask(Box::new(ask))).await {
            return Err(source.declined());
        }
        let mut asked_job = AskedJob {
            source: Rc::clone(&source),
            job: Some(id.clone()),
            outcome: AskOutcome::Cancelled,
        };
        let asked = Instant::now();
        let accept_by = sleep_until(asked + ACCEPTANCE_TIME);
        let hard_limit =
            sleep_until(asked + time_allowed.preparation + time_allowed.left + WAY_TIME);
        tokio::pin!(ponder_hit, accept_by, hard_limit);
        let (mut is_accepted, mut is_pondering, mut is_stopped) = (false, job.params.ponder, false);
        loop {
            tokio::select! {
                biased;
                () = &mut hard_limit => {
                    asked_job.outcome = AskOutcome::Late;
                    return Err(Fault::Stalled(Stall::Answer(time_allowed.job)));
                }
                () = &mut accept_by, if !is_accepted => {
                    asked_job.outcome = AskOutcome::Unaccepted;
                    return Err(source.unaccepted(asked));
                }
                Some(progress) = awaited.progress.recv() => match progress {
                    JobProgress::Accepted => {
                        is_accepted = true;
                        source.is_contested.set(false);
                        source.metrics.dispatch.observe(asked.elapsed().as_secs_f64());
                    }
                    JobProgress::Iteration(iteration) => {
                        on_iteration(sanitize::iteration(*iteration));
                    }
                },
                end = &mut awaited.end => {
                    let end = end.unwrap_or(JobEnd::Lost);
                    if !matches!(end, JobEnd::Unreached) {
                        asked_job.job = None;
                    }
                    let (outcome, result) = match end {
                        JobEnd::Unreached => (AskOutcome::Unaccepted, Err(source.declined())),
                        JobEnd::Response(response) => {
                            (AskOutcome::Answered, Ok(sanitize::response(*response, &job.params)))
                        }
                        JobEnd::Busy
                        | JobEnd::Fault(JobFault {
                            kind: JobFaultKind::Unavailable,
                            ..
                        }) => {
                            source.is_contested.set(true);
                            (AskOutcome::Busy, Err(source.declined()))
                        }
                        JobEnd::Fault(fault) => {
                            (AskOutcome::Fault, Err(fault_of(fault, time_allowed.job)))
                        }
                        JobEnd::Lost => (AskOutcome::Lost, Err(source.lost())),
                    };
                    asked_job.outcome = outcome;
                    return result;
                }
                () = &mut ponder_hit, if is_pondering => {
                    is_pondering = false;
                    source.order(OrderKind::PonderHit(id.clone())).await;
                }
                reason = poll_fn(&mut interrupt), if !is_stopped => {
                    if reason == StopReason::Disconnected {
                        return Err(Fault::Declined);
                    }
                    is_stopped = true;
                    source.order(OrderKind::Stop(id.clone())).await;
                }
            }
        }
    }
}

impl SlotSource {
    /// Takes a slot if one is free. The next announcement corrects the number of free slots.
    fn take(&self) -> bool {
        self.free.send_if_modified(|free| match free {
            Some(free) if *free > 0 => {
                *free -= 1;
                true
            }
            _ => false,
        })
    }

    /// Treats all slots as taken until the next announcement.
    fn declined(&self) -> Fault {
        self.free.send_if_modified(|free| match free {
            Some(free) if *free > 0 => {
                *free = 0;
                true
            }
            _ => false,
        });
        Fault::Declined
    }

    /// Gives up a lost question. If the node has announced itself since, the slot is free again:
    /// this question was subtracted from the announced free slots.
    fn unaccepted(&self, asked: Instant) -> Fault {
        if self.clock.get().heard <= asked {
            return self.declined();
        }
        self.free
            .send_if_modified(|free| free.as_mut().map(|free| *free += 1).is_some());
        Fault::Declined
    }

    fn lost(&self) -> Fault {
        Fault::Lost {
            reason: format!("the node {} is lost", self.node).into(),
            retry_after: RETRY_AFTER,
        }
    }

    async fn order(&self, order: OrderKind) -> bool {
        let order = Order {
            gateway: self.gateway.clone(),
            order,
        };
        self.connection
            .publish(subjects::orders(&self.node, &self.server), &order)
            .await
    }
}

/// A job on a node. Dropping this counts the outcome, and cancels the job unless it has ended.
struct AskedJob {
    source: Rc<SlotSource>,
    job: Option<Id>,
    outcome: AskOutcome,
}

impl Drop for AskedJob {
    fn drop(&mut self) {
        self.source.metrics.record(self.outcome);
        if let Some(job) = self.job.take() {
            let source = Rc::clone(&self.source);
            // If the message is lost, the job is cancelled when the node's next announcement lists
            // it.
            spawn_local(async move { source.order(OrderKind::Cancel(job.hashed())).await });
        }
    }
}

/// Returns the name under which requests share a process of an isolated AI. Nodes do not learn the
/// ids or addresses of clients.
fn tenant(gateway: &Id, client: &ClientIdentity) -> Option<String> {
    let name = match client {
        ClientIdentity::Keyed(id) => format!("{gateway} {id}"),
        ClientIdentity::Local => gateway.to_string(),
        ClientIdentity::Keyless(_) => return None,
    };
    Some(Sha256Sum::of(name.as_bytes()).to_string())
}

fn fault_of(fault: JobFault, job_time: Duration) -> Fault {
    let JobFault {
        kind,
        summary,
        details,
    } = fault;
    let bounded = |text: String| printable(&text.chars().take(MAX_TEXT).collect::<String>());
    let reason = FaultReason::from(bounded(summary)).with_details(bounded(details));
    match kind {
        JobFaultKind::Failed => Fault::Failed(reason),
        JobFaultKind::Crashed => Fault::Crashed(reason),
        JobFaultKind::Killed => Fault::Killed(reason),
        JobFaultKind::OutOfMemory => Fault::OutOfMemory(reason),
        JobFaultKind::Protocol => Fault::Protocol(reason),
        JobFaultKind::Stalled => Fault::Stalled(Stall::Answer(job_time)),
        JobFaultKind::Starved => Fault::Stalled(Stall::Starved(job_time)),
        JobFaultKind::Unavailable => Fault::Declined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::jobs::job_fault;

    #[test]
    fn a_busy_node_is_not_the_ais_fault() {
        let time = Duration::from_secs(1);
        for (stall, counts) in [(Stall::Starved(time), false), (Stall::Answer(time), true)] {
            let fault = fault_of(job_fault(&Fault::Stalled(stall)), time);
            assert_eq!(
                matches!(fault, Fault::Stalled(Stall::Answer(_))),
                counts,
                "{fault}"
            );
        }
    }
}
