//! Runs one job in a worker as a state machine.
//!
//! In the phase `Preparing`, the AI starts a new game or gets an instance with different options.
//! The job is sent together with the preparation, so no extra round trip is needed. In `Running`,
//! the AI works on the job. The host sends one stop: at the soft limit, when the caller stops the
//! job, when the job yields to another, or when the client disconnects. At the hard limit the job
//! fails and the caller kills the worker. The hard limit is extended by the time after the soft
//! limit in which the worker, or the host, had no processor.

use std::{
    future::poll_fn,
    mem,
    task::{Context, Poll},
    time::Duration,
};

use ai_api::AiError;
use tokio::time::{Instant, sleep_until};
use tracing::Span;

use super::{
    clock::{Deadlines, TimeAllowed},
    idle_cpu::IdleCpuWatch,
    instance::Preparation,
    lateness::Lateness,
    worker_process::WorkerProcess,
};
use crate::{
    fault::{Fault, FaultReason, Stall},
    request_scope::RequestScope,
};
use protocol::{
    Control, FrameError, Iteration, Job, Request, Response, Wanted, WorkerReply, sanitize,
};
use text::printable;

/// How long a job may take to stop after its client disconnects. Short, because other clients may
/// need the worker.
const DISCONNECT_GRACE: Duration = Duration::from_millis(100);

/// Why the host stops a job early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The job's time is up.
    SoftLimit,
    /// The caller wants the best result found so far.
    Requested,
    /// A job that plays is waiting for the worker. This job continues after that one.
    Yield,
    /// The client has disconnected.
    Disconnected,
}

enum RunPhase {
    Preparing(Preparation),
    Running,
    /// Like `Running`, but without a usable instance or game: the job's result is this error.
    Unprepared(AiError),
}

impl WorkerProcess {
    /// Runs a job. `on_iteration` receives the iterations that are `wanted`. `interrupt` is polled
    /// for a reason to stop it early and, after [`StopReason::Yield`], for another reason.
    /// `ponder_hit` starts the clock of a job that ponders.
    ///
    /// If the future is dropped before it resolves, the job continues, so the process must be
    /// dropped with it.
    ///
    /// # Errors
    /// The AI's fault; see [`Fault::kills_worker`].
    pub(crate) async fn run(
        &mut self,
        job: &Job,
        time_allowed: TimeAllowed,
        wanted: Wanted,
        ponder_hit: impl Future<Output = ()>,
        interrupt: impl FnMut(&mut Context<'_>) -> Poll<StopReason>,
        on_iteration: impl FnMut(Iteration),
    ) -> Result<Response, Fault> {
        self.idle_cpu.iter_mut().for_each(IdleCpuWatch::pause);
        let result = match Run::start(self, job, time_allowed, wanted).await {
            Ok(run) => run.finish(ponder_hit, interrupt, on_iteration).await,
            Err(fault) => Err(fault),
        };
        self.idle_cpu.iter_mut().for_each(IdleCpuWatch::resume);
        result.map_err(|fault| self.attribute(fault))
    }
}

struct Run<'a> {
    process: &'a mut WorkerProcess,
    job: &'a Job,
    number: u64,
    time_allowed: TimeAllowed,
    phase: RunPhase,
    deadlines: Deadlines,
    /// Set once the stop has been sent.
    stopped: Option<StopReason>,
    /// Set once the phase has reached its soft limit or is stopped.
    lateness: Option<Lateness>,
    is_pondering: bool,
}

impl<'a> Run<'a> {
    /// Sends the job after its preparation.
    async fn start(
        process: &'a mut WorkerProcess,
        job: &'a Job,
        time_allowed: TimeAllowed,
        wanted: Wanted,
    ) -> Result<Self, Fault> {
        let preparation = process.instance.begin(job, process.last_number + 1);
        let number = process.last_number + 1 + u64::from(preparation.is_some());
        process.last_number = number;
        process.output.request_started(Span::current());
        let deadlines = match &preparation {
            Some(preparation) => preparation.deadlines(&time_allowed, process.stop_grace),
            None => Deadlines::of_job(&time_allowed, process.stop_grace, job, job.params.ponder),
        };
        let mut requests: Vec<_> = preparation.iter().map(Preparation::request).collect();
        // The preparation has set the options.
        let sent = Job {
            options: Vec::new(),
            ..job.clone()
        };
        requests.push(Request::Run(
            number,
            RequestScope::current_id(),
            sent,
            wanted,
        ));
        if let Err(error) = process.send(&requests, deadlines.kill_at).await {
            return Err(process.fault_of(error).await);
        }
        let phase = preparation.map_or(RunPhase::Running, RunPhase::Preparing);
        let is_pondering = job.params.ponder;
        Ok(Self {
            process,
            job,
            number,
            time_allowed,
            phase,
            deadlines,
            stopped: None,
            lateness: None,
            is_pondering,
        })
    }

    /// Handles events until there is a result or a fault.
    async fn finish(
        mut self,
        ponder_hit: impl Future<Output = ()>,
        mut interrupt: impl FnMut(&mut Context<'_>) -> Poll<StopReason>,
        mut on_iteration: impl FnMut(Iteration),
    ) -> Result<Response, Fault> {
        let hard_limit = sleep_until(self.deadlines.kill_at);
        let soft_limit = sleep_until(self.deadlines.stop_at);
        let measurement = self.process.next_measurement();
        tokio::pin!(ponder_hit, hard_limit, soft_limit, measurement);
        loop {
            let handled = tokio::select! {
                biased;
                // Limits are checked first, so that a flood of replies cannot delay them.
                () = &mut soft_limit, if self.lateness.is_none() => self.soft_limit().await,
                () = &mut hard_limit => self.hard_limit().map(Ok)?,
                () = &mut measurement => {
                    self.process.measure_memory()?;
                    measurement.set(self.process.next_measurement());
                    Ok(())
                }
                () = &mut ponder_hit, if self.is_pondering => self.ponder_hit().await,
                reply = self.process.receive() => match reply {
                    Ok(reply) => match self.on_reply(reply, &mut on_iteration)? {
                        Some(response) => return Ok(response),
                        None => Ok(()),
                    },
                    Err(error) => Err(error),
                },
                reason = poll_fn(&mut interrupt), if self.is_interruptible() => {
                    self.interrupt(reason).await
                }
            };
            if let Err(error) = handled {
                return Err(self.process.fault_of(error).await);
            }
            if hard_limit.deadline() != self.deadlines.kill_at {
                hard_limit.as_mut().reset(self.deadlines.kill_at);
            }
            if soft_limit.deadline() != self.deadlines.stop_at {
                soft_limit.as_mut().reset(self.deadlines.stop_at);
            }
        }
    }

    /// Stops the job. A preparation can't be stopped.
    async fn soft_limit(&mut self) -> Result<(), FrameError> {
        if matches!(self.phase, RunPhase::Preparing(_)) {
            self.lateness = Some(Lateness::since(self.deadlines.stop_at, self.process));
            return Ok(());
        }
        self.stop(StopReason::SoftLimit).await
    }

    /// Extends the deadline by the time that the worker lost without a processor.
    ///
    /// # Errors
    /// No time was lost, or the worker kept computing after the stop.
    fn hard_limit(&mut self) -> Result<(), Fault> {
        let due = self.deadlines.kill_at;
        let late = self
            .lateness
            .as_mut()
            .map(|lateness| lateness.until(due, self.process));
        let extended = self
            .deadlines
            .extend(late.unwrap_or_default(), self.process.stop_grace);
        extended.map_err(|stall| {
            let is_starved = matches!(stall, Stall::Starved(_));
            let shortage = self
                .process
                .shortage(&self.process.output())
                .filter(|_| !is_starved);
            let time = stall.time();
            Fault::Stalled(shortage.map_or(stall, |shortage| Stall::Short { time, shortage }))
        })
    }

    /// Returns whether the caller still wants the full result.
    const fn is_interruptible(&self) -> bool {
        matches!(
            self.stopped,
            None | Some(StopReason::SoftLimit | StopReason::Yield)
        )
    }

    async fn interrupt(&mut self, reason: StopReason) -> Result<(), FrameError> {
        let outlives_client =
            matches!(&self.phase, RunPhase::Preparing(it) if it.outlives_client());
        if reason == StopReason::Disconnected && !outlives_client {
            self.deadlines.shorten(DISCONNECT_GRACE);
        }
        self.stop(reason).await
    }

    /// Sends the stop unless it has been sent.
    async fn stop(&mut self, reason: StopReason) -> Result<(), FrameError> {
        if self.lateness.is_none() {
            let due = self.deadlines.stop_at.min(Instant::now());
            self.lateness = Some(Lateness::since(due, self.process));
        }
        match self.stopped.replace(reason) {
            None => {
                self.process
                    .control(Control::Stop(self.number), self.deadlines.kill_at)
                    .await
            }
            Some(_) => Ok(()),
        }
    }

    async fn ponder_hit(&mut self) -> Result<(), FrameError> {
        self.is_pondering = false;
        if !matches!(self.phase, RunPhase::Preparing(_)) {
            self.deadlines.start_time_of(self.job);
        }
        self.process
            .control(Control::PonderHit(self.number), self.deadlines.kill_at)
            .await
    }

    /// Returns the response if the reply contains one.
    fn on_reply(
        &mut self,
        reply: WorkerReply,
        on_iteration: &mut impl FnMut(Iteration),
    ) -> Result<Option<Response>, Fault> {
        let phase = mem::replace(&mut self.phase, RunPhase::Running);
        match (phase, reply) {
            (RunPhase::Preparing(preparation), reply) => {
                self.prepared(preparation, reply)?;
                Ok(None)
            }
            (phase, WorkerReply::Iteration(of, iteration)) if of == self.number => {
                self.phase = phase;
                on_iteration(sanitize::iteration(iteration));
                Ok(None)
            }
            (phase, WorkerReply::Finished(of, result)) if of == self.number => {
                let result = match phase {
                    RunPhase::Unprepared(error) => Err(error),
                    RunPhase::Running | RunPhase::Preparing(_) => result,
                };
                let result =
                    result.map(|response| Some(sanitize::response(response, &self.job.params)));
                result.map_err(|error| {
                    // The message is for operators only: it may name files on the server or another
                    // client's game.
                    let reason = FaultReason::from("it returned an error");
                    let mut message = error.to_string();
                    if let Some(shortage) = self.process.shortage(&message) {
                        message = format!("{shortage}; {message}");
                    }
                    Fault::Failed(reason.with_details(printable(&message)))
                })
            }
            _ => Err(Fault::unexpected_reply()),
        }
    }

    /// Ends the preparation and starts the job's time.
    fn prepared(&mut self, preparation: Preparation, reply: WorkerReply) -> Result<(), Fault> {
        let outlives_client = preparation.outlives_client();
        if let Some(error) = self.process.instance.prepared(preparation, reply)? {
            self.phase = RunPhase::Unprepared(error);
        }
        match self.stopped {
            None => {
                let (time_allowed, grace) = (&self.time_allowed, self.process.stop_grace);
                self.deadlines =
                    Deadlines::of_job(time_allowed, grace, self.job, self.is_pondering);
                self.lateness = None;
            }
            Some(StopReason::Disconnected) if outlives_client => {
                self.deadlines.shorten(DISCONNECT_GRACE);
            }
            Some(_) => {}
        }
        Ok(())
    }
}
