//! One worker slot of a pool: runs a process, and replaces it when it stops.

use std::{future::pending, sync::Arc, time::Duration};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use tracing::Instrument;

use super::{
    Cause, Event, Fault, FaultReason, QueuedJob, Requester, Ticket, WorkerPool,
    back_off::{BackOff, chance},
    tenancy::{Fit, may_share},
};
use crate::process::{FailedIdle, GiveUp, StartError, TimeAllowed, WorkerProcess};
use config::Isolation;
use protocol::RequestId;

/// The loss of a process that has run this long does not count as a failed start.
const LONG_LIFE: Duration = Duration::from_mins(1);

/// A slot for one process at a time.
pub(super) struct Worker {
    pool: Arc<WorkerPool>,
    number: usize,
    stop: watch::Receiver<bool>,
    back_off: BackOff,
    started_at: Instant,
    /// The delay before the next start, after a loss.
    pause: Option<Duration>,
    /// A request that this slot returned to the queue, and whose deadline it watches until a worker takes it.
    owed: Option<Owed>,
    /// For an isolated AI: the requester that the process has served.
    served: Option<Requester>,
    /// A request that waits for a fresh process of this slot.
    held: Option<(Ticket, Box<QueuedJob>)>,
}

struct Owed {
    requester: Requester,
    ticket: Ticket,
    answer_by: Instant,
}

/// The next step of a worker.
enum Next {
    Answer(Ticket, Box<QueuedJob>),
    Replace(FailedIdle),
    End,
}

impl Worker {
    pub(super) fn new(pool: Arc<WorkerPool>, number: usize, stop: watch::Receiver<bool>) -> Self {
        let back_off = BackOff::default();
        Self {
            pool,
            number,
            stop,
            back_off,
            started_at: Instant::now(),
            pause: None,
            owed: None,
            served: None,
            held: None,
        }
    }

    /// Runs until the server stops or the AI is dropped. The first worker of an AI has a process already.
    pub(super) async fn run(mut self, first: Option<WorkerProcess>) {
        let mut process = first;
        loop {
            let mut running = match process.take() {
                Some(running) => running,
                None => match self.start().await {
                    Some(running) => running,
                    None => return,
                },
            };
            self.pool.stats.started(self.number, running.id());
            let next = match self.held.take() {
                Some((ticket, job)) => Next::Answer(ticket, job),
                None => self.next(&mut running).await,
            };
            match next {
                Next::Answer(ticket, job) if self.must_be_replaced_for(&job) => {
                    self.held = Some((ticket, job));
                    self.replace(running).await;
                }
                Next::Answer(ticket, job) => {
                    process = self.answer_as_told(ticket, job, running).await;
                    if self.served.as_ref().is_some_and(|served| !may_share(served))
                        && let Some(spent) = process.take()
                    {
                        self.replace(spent).await;
                    }
                }
                Next::Replace(failed) => {
                    self.lost();
                    let (fault, output) = running.fault_when_idle(failed).await;
                    self.pool.stats.failed(&fault, output);
                    self.failed(&StartError::Idle(fault));
                }
                Next::End => return running.stop().await,
            }
        }
    }

    /// Starts a process, with retries; `None` when the worker must stop.
    async fn start(&mut self) -> Option<WorkerProcess> {
        loop {
            if let Some(pause) = self.pause.take() {
                self.wait_out(pause).await?;
                self.tell(Event::Retried);
            }
            let pool = Arc::clone(&self.pool);
            match self.unless_ended(pool.start_process()).await? {
                Ok(process) => {
                    self.started_at = Instant::now();
                    self.served = None;
                    self.tell(Event::Started);
                    return Some(process);
                }
                Err(error) => {
                    self.lost();
                    if let Some((ticket, job)) = self.held.take() {
                        self.pool.queue.give_back(ticket, job);
                    }
                    self.failed(&error);
                }
            }
        }
    }

    /// Whether the process has served a requester that may not share it with this one.
    fn must_be_replaced_for(&self, job: &QueuedJob) -> bool {
        self.is_isolated() && Fit::of(self.served.as_ref(), job.requester()) == Fit::Replaced
    }

    fn is_isolated(&self) -> bool {
        self.pool.settings.isolate == Isolation::Client
    }

    /// Replaces a healthy process by a fresh one.
    async fn replace(&mut self, process: WorkerProcess) {
        self.tell(Event::Replaced);
        process.kill().await;
    }

    /// Waits for the delay after a loss, and while the circuit is open.
    async fn wait_out(&mut self, pause: Duration) -> Option<()> {
        let mut until = Instant::now() + pause;
        let mut is_left_alone = false;
        loop {
            let now = Instant::now();
            if let Some(quarantine) = self.pool.quarantine(now) {
                until = until.max(now + quarantine);
                if !is_left_alone {
                    is_left_alone = true;
                    self.tell(Event::LeftAlone);
                }
            } else if until <= now {
                return Some(());
            }
            self.unless_ended(sleep_until(until)).await?;
        }
    }

    /// Runs a future unless the worker must stop first. The returned request fails at its deadline.
    async fn unless_ended<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let pool = Arc::clone(&self.pool);
        let mut owed = self.owed.take();
        let is_held = self.held.is_some();
        tokio::pin!(work);
        loop {
            let too_late = async {
                match &owed {
                    Some(owed) => sleep_until(owed.answer_by).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                _ = self.stop.wait_for(|stop| *stop) => {
                    pool.end();
                    return None;
                }
                () = pool.queue.finished(), if !is_held => return None,
                done = &mut work => {
                    self.owed = owed;
                    return Some(done);
                }
                () = too_late => {}
            }
            if let Some(Owed { requester, ticket, .. }) = owed.take()
                && let Some(mut job) = pool.queue.leave(&requester, ticket)
            {
                let fault = job.fault.take().unwrap_or_else(|| pool.not_started(&requester));
                job.answer(Err(fault));
            }
        }
    }

    async fn next(&mut self, running: &mut WorkerProcess) -> Next {
        // This slot takes it now, unless another worker has.
        self.owed = None;
        let pool = Arc::clone(&self.pool);
        let (is_isolated, number, served) = (self.is_isolated(), self.number, self.served.clone());
        let next = async {
            if is_isolated { pool.queue.next_for(number, served).await } else { pool.queue.next().await }
        };
        tokio::select! {
            biased;
            _ = self.stop.wait_for(|stop| *stop) => {
                pool.end();
                Next::End
            }
            failed = running.failed_idle() => Next::Replace(failed),
            next = next => next.map_or(Next::End, |(ticket, job)| Next::Answer(ticket, job)),
        }
    }

    /// Runs a request in a span with the request, the AI and the process.
    async fn answer_as_told(
        &mut self,
        ticket: Ticket,
        job: Box<QueuedJob>,
        running: WorkerProcess,
    ) -> Option<WorkerProcess> {
        let request_id = job.request_id.clone();
        let span = tracing::info_span!(
            "question",
            ai = %self.pool.settings.id,
            worker = running.id(),
            request_id = request_id.as_ref().map(RequestId::as_str)
        );
        RequestId::scope(request_id, self.answer(ticket, job, running)).instrument(span).await
    }

    /// Returns the process unless the request killed it.
    async fn answer(
        &mut self,
        ticket: Ticket,
        mut job: Box<QueuedJob>,
        mut running: WorkerProcess,
    ) -> Option<WorkerProcess> {
        let asked = Instant::now();
        if let Some(refusal) = self.refusal(&mut job, asked) {
            job.answer(Err(refusal));
            return Some(running);
        }
        if self.is_isolated() {
            self.served = Some(job.requester().clone());
        }
        self.tell(Event::Asked);
        let settings = &self.pool.settings;
        let usual = Duration::from_millis(settings.move_timeout_ms);
        let answer = job.context.time_allowed.unwrap_or(usual);
        let answer_by = *job.answer_by.get_or_insert(asked + answer);
        job.times_asked += 1;
        let new_game = Duration::from_millis(settings.new_game_timeout_ms);
        let time_allowed = TimeAllowed { new_game, answer, left: answer_by - asked };
        let answer = {
            let QueuedJob { question, context, listener, reply, .. } = &mut *job;
            let give_up = async {
                tokio::select! {
                    () = reply.closed() => GiveUp::Gone,
                    () = context.stopped() => GiveUp::Stop,
                }
            };
            let (ponder_hit, listener) = (context.ponder_hit(), listener.as_deref());
            if let Some(listener) = listener {
                listener.begins();
            }
            let on_iteration = |iteration| {
                if let Some(listener) = listener {
                    listener.hears(iteration);
                }
            };
            running.ask(question, time_allowed, ponder_hit, give_up, on_iteration).await
        };
        let time = asked.elapsed();
        self.pool.stats.asked(&job.question.task, time, answer.as_ref().ok());
        if let Err(fault) = &answer
            && !job.reply.is_closed()
        {
            self.pool.stats.failed(fault, running.output());
        }
        // The slot is free before the client receives the result and may send another request.
        match answer {
            Ok(response) => {
                self.pool.answered(&job, time);
                self.back_off.reset();
                self.tell(Event::Answered);
                job.answer(Ok(response));
                Some(running)
            }
            Err(fault) if !fault.kills_worker() => {
                tracing::warn!(code = fault.code(), fault = %fault.in_full(), "request failed");
                self.pool.keep_pace(time);
                self.tell(Event::Answered);
                job.answer(Err(fault));
                Some(running)
            }
            Err(fault) => {
                self.lost();
                self.give_back_or_answer(ticket, job, fault, time);
                running.kill().await;
                None
            }
        }
    }

    /// The reason to reject a request at the head of the queue.
    fn refusal(&self, job: &mut QueuedJob, now: Instant) -> Option<Fault> {
        match job.answer_by {
            // The client has disconnected.
            _ if job.reply.is_closed() => Some(self.pool.not_started(job.requester())),
            None if now > job.start_by => Some(self.pool.not_started(job.requester())),
            Some(answer_by) if now >= answer_by => job.fault.take(),
            _ => self.pool.refusal(job.requester(), &job.question, now),
        }
    }

    /// Retries or fails a request that killed the worker.
    fn give_back_or_answer(&mut self, ticket: Ticket, mut job: Box<QueuedJob>, fault: Fault, time: Duration) {
        let code = fault.code();
        if job.reply.is_closed() {
            // It had little time to stop, for a client that had disconnected: not a failure.
            tracing::info!(code, "replacing a worker that did not stop after its client disconnected");
            return;
        }
        tracing::warn!(code, fault = %fault.in_full(), "replacing a worker");
        match job.answer_by.filter(|_| self.pool.killed(&job, &fault, time)) {
            Some(answer_by) => {
                let requester = job.requester().clone();
                job.fault = Some(fault);
                self.owed = Some(Owed { requester, ticket, answer_by });
                self.pool.queue.give_back(ticket, job);
            }
            None => job.answer(Err(fault)),
        }
    }

    /// Records that there is no process.
    fn lost(&mut self) {
        if self.started_at.elapsed() >= LONG_LIFE {
            self.back_off.reset();
        }
        self.pause = Some(self.back_off.after_loss(chance()));
        self.tell(Event::Lost);
    }

    /// Records a failure without a request: of an idle process, or of a start.
    fn failed(&self, error: &StartError) {
        let (ai, full) = (&self.pool.settings.id, error.in_full());
        let reason = FaultReason::from(error.summary()).with_details(full.as_str());
        if !matches!(error, StartError::Idle(_)) {
            let retry_after = self.pause.unwrap_or_default();
            self.pool.stats.not_started(Fault::Unavailable { reason: reason.clone(), retry_after });
        }
        tracing::error!(%ai, error = %full, "worker unavailable; restarting");
        // Any other cause is a signal from outside.
        if error.is_ai_fault() {
            self.pool.failed(Cause::Ai, reason);
        }
    }

    fn tell(&self, event: Event) {
        self.pool.states.tell(self.number, event);
    }
}
