//! The host's side of one worker process.

mod clock;
mod ending;
mod idle;
mod preparation;
mod resources;

use std::{
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream as StdUnixStream, process::CommandExt},
    },
    path::PathBuf,
    process::{Command, Stdio},
    time::Duration,
};

use ai_api::{AiError, OptionSetting};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    task::coop::consume_budget,
    time::{Instant, sleep_until, timeout},
};
use tracing::Span;

use super::{
    WorkerProgram,
    cgroup::{CgroupStatus, NoCgroup, WorkerCgroup},
    child::ProcessGroup,
    computing::ComputingWatch,
    fault::{Fault, FaultReason, with_details},
    frame_decoder::Received,
    smoke_test::FailedSmokeTest,
    stdio_capture::{Captured, capture},
};
use clock::Clock;
use config::AiSettings;
use ending::{AbortCause, abort_cause, ending, is_external, was_killed};
use library::SealedLibrary;
use library::open_files;
use preparation::{Instance, Preparation};
use protocol::{
    self, Confined, FrameError, Iteration, Job, Loaded, PROTOCOL_VERSION, Protection, Refusal, Reply,
    Request, Response, sanitize,
};
use protocol::{RequestId, SandboxMode, SandboxSettings, descriptor};
use text::printable;

pub(super) use clock::{TimeAllowed, thinking_time};
pub(super) use idle::FailedIdle;

/// For a process that ends by itself.
const EXIT_TIMEOUT: Duration = Duration::from_millis(200);
/// For a worker that has closed its socket to end; its low priority makes that slow on a busy machine.
const CRASH_TIMEOUT: Duration = Duration::from_secs(2);
/// What it gets to stop in when nobody waits for the answer any more: others may wait for the worker.
const LEAVING_GRACE: Duration = Duration::from_millis(100);

/// A running worker, and the host's end of its socket. Dropping it kills the worker.
#[derive(Debug)]
pub(super) struct WorkerProcess {
    child: ProcessGroup,
    socket: UnixStream,
    received: Received,
    output: Captured,
    confined: Confined,
    /// Whether its death by a signal of others may be its own doing: no filter of system calls keeps it from that.
    may_end_itself: bool,
    computing: Option<ComputingWatch>,
    /// Dropped after the child, which must have ended for it to be removed.
    cgroup: Option<WorkerCgroup>,
    cgroup_status: CgroupStatus,
    memory_mb: u64,
    /// Until the instance is made.
    starting: (Duration, Instant),
    last_number: u64,
    instance: Instance,
}

/// Why an AI shall come to an end before its time is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GiveUp {
    /// It shall answer with what it has.
    Stop,
    /// Nobody waits for the answer any more.
    Gone,
}

/// Why a worker is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// No process could be made.
    #[error("can't start a worker process: {0}")]
    Spawn(String),
    /// The library can't be used.
    #[error("{}", .0.message)]
    Refused(Refusal),
    /// The AI could not make an instance of itself.
    #[error("the AI does not start: {0}")]
    NotCreated(AiError),
    /// It crashed on the way.
    #[error("while it was started: {0}")]
    Fault(Fault),
    /// It took too long.
    #[error(
        "it was not ready within {} ms (start_timeout_ms in its [ai.ID]) and has been killed; see what its constructors, \
         options or create wait for",
        .0.as_millis()
    )]
    Slow(Duration),
    /// It was ready, and failed when nobody asked it anything.
    #[error("between two questions: {0}")]
    Idle(Fault),
    /// It was ready, and did not answer as it must before it is asked by anybody.
    #[error("in its smoke test, {0}")]
    SmokeTest(FailedSmokeTest),
}

impl StartError {
    /// What clients may read: the kind of the failure, without paths and without the words of the AI.
    pub fn summary(&self) -> String {
        match self {
            Self::Spawn(_) => "its process can't be started".into(),
            Self::Refused(_) => "its worker can't load it".into(),
            Self::NotCreated(_) => "it does not start".into(),
            Self::Fault(fault) => format!("{} while it was started", fault.code()),
            Self::Idle(fault) => format!("between two requests, {fault}"),
            Self::Slow(time) => format!("it was not ready within {} ms", time.as_millis()),
            Self::SmokeTest(failed) => format!("{} in its smoke test, {}", failed.fault.code(), failed.name),
        }
    }

    /// The message with what only operators read.
    pub fn in_full(&self) -> String {
        let details = match self {
            Self::Fault(fault) | Self::Idle(fault) | Self::SmokeTest(FailedSmokeTest { fault, .. }) => {
                fault.details()
            }
            Self::Spawn(_) | Self::Refused(_) | Self::NotCreated(_) | Self::Slow(_) => None,
        };
        with_details(self, details)
    }

    /// Whether the AI is to blame.
    pub(super) const fn is_ai_fault(&self) -> bool {
        !matches!(
            self,
            Self::Fault(Fault::Killed(_))
                | Self::Idle(Fault::Killed(_))
                | Self::SmokeTest(FailedSmokeTest { fault: Fault::Killed(_), .. })
        )
    }
}

impl WorkerProcess {
    /// Starts a worker for an AI, lets it enter its sandbox, load the library and tell what it declares when
    /// `options` are set.
    ///
    /// `program` is the `rookery` binary. To be called on a thread that lives as long as the workers shall.
    ///
    /// # Errors
    /// Why there is no worker.
    pub(super) async fn start(
        program: &WorkerProgram,
        library: &SealedLibrary,
        settings: &AiSettings,
        options: &[OptionSetting],
    ) -> Result<(Self, Loaded), StartError> {
        let time_allowed = Duration::from_millis(settings.start_timeout_ms);
        let sandbox = &settings.sandbox;
        let mut process = Self::spawn(&program.path, library, &settings.id, sandbox, time_allowed)
            .map_err(|error| StartError::Spawn(open_files::explain(&error)))?;
        // Before any code of the AI can run.
        process.enter_cgroup(&program.cgroups, sandbox);
        let load = Request::Load(sandbox.clone(), options.to_vec());
        if let Err(error) = process.send(&[load], process.starting.1).await {
            let fault = process.fault_of(error).await;
            return Err(process.failed_start(fault).await);
        }
        let mut reply = process.starting_reply().await?;
        if let Reply::Confined(confined, number) = reply {
            process.child.mirrors(number);
            process.may_end_itself = !confined.enforced.contains(&Protection::SystemCalls);
            process.confined = confined;
            if let Err(refusal) = process.watch_computing(sandbox) {
                process.stop().await;
                return Err(StartError::Refused(refusal));
            }
            reply = process.starting_reply().await?;
        }
        match reply {
            Reply::Loaded(loaded) if loaded.protocol == PROTOCOL_VERSION => Ok((process, loaded)),
            Reply::Loaded(loaded) => {
                let version = loaded.protocol;
                let message =
                    format!("the worker speaks version {version} of the protocol, not {PROTOCOL_VERSION}");
                Err(process.failed_start(Fault::Protocol(message.into())).await)
            }
            Reply::Refused(refusal) => {
                process.stop().await;
                Err(StartError::Refused(sanitize::refusal(refusal)))
            }
            _ => Err(process.failed_start(out_of_turn()).await),
        }
    }

    /// What the sandbox holds back, as the worker found before any code of the AI ran.
    pub(super) const fn confined(&self) -> &Confined {
        &self.confined
    }

    /// What cgroups enforce beside that.
    pub(super) const fn cgroup_status(&self) -> &CgroupStatus {
        &self.cgroup_status
    }

    /// Its number, until it is reaped.
    pub(super) fn id(&self) -> Option<u32> {
        self.child.pid().map(|pid| pid.as_raw_nonzero().get().cast_unsigned())
    }

    /// The end of what it has written.
    pub(super) fn output(&self) -> String {
        self.output.end()
    }

    /// Lets the AI make its instance.
    ///
    /// # Errors
    /// The AI can't; the process has ended.
    pub(super) async fn create(mut self, options: Vec<OptionSetting>) -> Result<Self, StartError> {
        if let Err(error) = self.send(&[Request::Configure(options.clone())], self.starting.1).await {
            let fault = self.fault_of(error).await;
            return Err(self.failed_start(fault).await);
        }
        match self.starting_reply().await? {
            Reply::Created => {
                self.instance = Instance::configured(options);
                self.computing.iter_mut().for_each(ComputingWatch::question_ends);
                Ok(self)
            }
            Reply::NotCreated(error) => {
                self.stop().await;
                Err(StartError::NotCreated(sanitize::error(error)))
            }
            _ => Err(self.failed_start(out_of_turn()).await),
        }
    }

    /// Asks the AI, and waits for its answer as long as it is allowed. Shortly before that is over, when the time of the
    /// question's bounds is up, or when `give_up` comes, it is asked to answer with what it has; when `ponder_hit` comes, it
    /// hears that. Where the question does not go on with the game of the one before, a new game is begun first, and where it
    /// wants other options, a new instance is made; then the answer's time begins.
    ///
    /// # Errors
    /// What the AI did instead; see [`Fault::kills_worker`].
    pub(super) async fn ask(
        &mut self,
        question: &Job,
        time_allowed: TimeAllowed,
        ponder_hit: impl Future<Output = ()>,
        give_up: impl Future<Output = GiveUp>,
        on_iteration: impl FnMut(Iteration),
    ) -> Result<Response, Fault> {
        self.computing.iter_mut().for_each(ComputingWatch::question_begins);
        let answer = self.answer(question, time_allowed, ponder_hit, give_up, on_iteration).await;
        self.computing.iter_mut().for_each(ComputingWatch::question_ends);
        answer
    }

    async fn answer(
        &mut self,
        question: &Job,
        time_allowed: TimeAllowed,
        ponder_hit: impl Future<Output = ()>,
        give_up: impl Future<Output = GiveUp>,
        mut on_iteration: impl FnMut(Iteration),
    ) -> Result<Response, Fault> {
        let mut preparing = self.instance.begin(question, self.last_number + 1);
        let number = self.last_number + 1 + u64::from(preparing.is_some());
        self.last_number = number;
        self.output.question_begins(Span::current());
        let asked = Job { options: Vec::new(), ..question.clone() };
        let mut clock = preparing.as_ref().map_or_else(
            || Clock::answer(&time_allowed, question),
            |preparation| preparation.clock(&time_allowed),
        );
        // Both at once, so that what comes first costs no round trip.
        let mut requests: Vec<_> = preparing.iter().map(Preparation::request).collect();
        requests.push(Request::Ask(number, RequestId::current(), asked));
        if let Err(error) = self.send(&requests, clock.deadline).await {
            return Err(self.fault_of(error).await);
        }
        let (stalled, time_to_stop) = (sleep_until(clock.deadline), sleep_until(clock.stop_at));
        tokio::pin!(ponder_hit, give_up, stalled, time_to_stop);
        let (mut stopping, mut why_ended, mut unready) = (false, None, None);
        let mut is_pondering = question.wishes.ponder;
        loop {
            let reply = tokio::select! {
                biased;
                // These two first, so that no flood of reports can put them off.
                () = &mut stalled => return Err(Fault::Stalled(clock.stall)),
                () = &mut time_to_stop, if !stopping && preparing.is_none() => {
                    stopping = true;
                    self.send(&[Request::Stop(number)], clock.deadline).await.map(|()| None)
                }
                () = &mut ponder_hit, if is_pondering => {
                    is_pondering = false;
                    self.send(&[Request::PonderHit(number)], clock.deadline).await.map(|()| None)
                }
                reply = self.receive() => reply,
                why = &mut give_up, if why_ended.is_none() => {
                    why_ended = Some(why);
                    let is_in_the_way = !preparing.as_ref().is_some_and(Preparation::is_worth_waiting_for);
                    if why == GiveUp::Gone && is_in_the_way {
                        stalled.as_mut().reset(clock.deadline.min(Instant::now() + LEAVING_GRACE));
                    }
                    if stopping {
                        continue;
                    }
                    stopping = true;
                    self.send(&[Request::Stop(number)], clock.deadline).await.map(|()| None)
                }
            };
            let reply = match reply {
                Ok(None) => continue,
                Ok(Some(reply)) => reply,
                Err(error) => return Err(self.fault_of(error).await),
            };
            if let Some(preparation) = preparing.take() {
                let was_waited_for = preparation.is_worth_waiting_for();
                unready = self.instance.prepared(preparation, reply)?;
                match why_ended {
                    None => {
                        clock = Clock::answer(&time_allowed, question);
                        stalled.as_mut().reset(clock.deadline);
                        time_to_stop.as_mut().reset(clock.stop_at);
                    }
                    Some(GiveUp::Gone) if was_waited_for => {
                        stalled.as_mut().reset(clock.deadline.min(Instant::now() + LEAVING_GRACE));
                    }
                    Some(_) => {}
                }
                continue;
            }
            match reply {
                Reply::Report(of, iteration) if of == number => on_iteration(sanitize::iteration(iteration)),
                Reply::Answered(of, answer) if of == number => {
                    // What an AI answers that can't begin a game, or has no instance, is no answer to this question.
                    let answer = unready.map_or(answer, Err);
                    let answer = answer.map(|found| sanitize::response(found, &question.wishes));
                    return answer.map_err(|error| {
                        Fault::Failed(FaultReason::returned_error(printable(&error.to_string())))
                    });
                }
                _ => return Err(out_of_turn()),
            }
        }
    }

    /// Ends the process: politely by closing the socket, then by force; and reaps it.
    pub(super) async fn stop(self) {
        let Self { mut child, socket, .. } = self;
        drop(socket);
        let _ = timeout(EXIT_TIMEOUT, child.ended()).await;
        let _ = child.end().await;
    }

    /// Kills the process with all that it started, and reaps it.
    pub(super) async fn kill(mut self) {
        let _ = self.child.end().await;
    }

    fn spawn(
        program: &PathBuf,
        library: &SealedLibrary,
        id: &str,
        sandbox: &SandboxSettings,
        time_allowed: Duration,
    ) -> std::io::Result<Self> {
        // A sandbox brings a folder of its own.
        let folder = if sandbox.mode == SandboxMode::Off { std::env::temp_dir() } else { "/".into() };
        let (ours, theirs) = StdUnixStream::pair()?;
        descriptor::send(&ours, library.memory())?;
        ours.set_nonblocking(true)?;
        // Nothing is to run between fork and exec: then the child need not copy the server's page tables.
        let mut command = Command::new(program);
        command
            .arg0("rookery")
            .args(["worker", "--parent", &std::process::id().to_string(), "--ai", id])
            .env_clear()
            .current_dir(folder)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = ProcessGroup::spawn(&mut command.into())?;
        let (stdout, stderr) = child.take_output();
        let worker = child.pid().map(|pid| pid.as_raw_nonzero().get());
        let output = capture(stdout, stderr, tracing::info_span!("worker", ai = id, worker));
        let socket = UnixStream::from_std(ours)?;
        Ok(Self {
            child,
            socket,
            received: Received::default(),
            output,
            confined: Confined::default(),
            may_end_itself: sandbox.mode == SandboxMode::Off,
            computing: None,
            cgroup: None,
            cgroup_status: CgroupStatus::none(NoCgroup::NotUsed),
            memory_mb: sandbox.memory_mb,
            starting: (time_allowed, Instant::now() + time_allowed),
            last_number: 0,
            instance: Instance::default(),
        })
    }

    async fn starting_reply(&mut self) -> Result<Reply, StartError> {
        let (time_allowed, deadline) = self.starting;
        let received = tokio::select! {
            received = self.receive() => received,
            () = sleep_until(deadline) => return Err(StartError::Slow(time_allowed)),
        };
        match received {
            Ok(Some(reply)) => Ok(reply),
            Ok(None) => Err(StartError::Fault(out_of_turn())),
            Err(error) => Err(StartError::Fault(self.fault_of(error).await)),
        }
    }

    async fn failed_start(self, fault: Fault) -> StartError {
        self.kill().await;
        StartError::Fault(fault)
    }

    async fn send(&mut self, requests: &[Request], deadline: Instant) -> Result<(), FrameError> {
        let frames: Result<Vec<_>, _> = requests.iter().map(protocol::encode).collect();
        let frames = frames?.concat();
        let written = tokio::time::timeout_at(deadline, self.socket.write_all(&frames)).await;
        // A worker that takes no bytes until its deadline is seen as stalled by whoever waits for the reply.
        written.unwrap_or(Ok(())).map_err(FrameError::from)
    }

    /// The next frame. Nothing is lost when the future is dropped halfway.
    async fn receive(&mut self) -> Result<Option<Reply>, FrameError> {
        loop {
            // A flood of frames must not keep the thread from the other workers.
            consume_budget().await;
            match self.received.next_frame()? {
                Some(Reply::Log(level, message)) => {
                    self.output.log(level, &sanitize::log_message(&message));
                    continue;
                }
                Some(reply) => return Ok(Some(reply)),
                None => {}
            }
            let buffer = self.received.buffer();
            let count = tokio::select! {
                biased;
                count = self.socket.read_buf(buffer) => count?,
                // Something that it has started may hold the other end open.
                () = self.child.ended() => last_bytes(&self.socket, buffer),
            };
            if count == 0 {
                return Err(FrameError::Closed);
            }
        }
    }

    /// What it means that the socket or a frame failed: mostly, that the process has ended.
    async fn fault_of(&mut self, error: FrameError) -> Fault {
        match error {
            FrameError::Closed | FrameError::Socket(_) => {}
            FrameError::TooLong(_) | FrameError::Malformed(_) => {
                return Fault::Protocol(error.to_string().into());
            }
        }
        if timeout(CRASH_TIMEOUT, self.child.ended()).await.is_err() {
            return Fault::Protocol("it closed its socket and went on running".into());
        }
        let status = match self.child.end().await {
            Ok(status) => status,
            Err(error) => {
                let reason = FaultReason::from("its process ended, and its exit status cannot be read");
                return Fault::Crashed(reason.with_details(error.to_string()));
            }
        };
        let last_words = self.output.last_words().await;
        let ending = ending(status);
        // The words can hold the games of other clients.
        let reason = |summary: String| match last_words.as_str() {
            "" => FaultReason::from(summary),
            words => FaultReason::from(summary).with_details(format!("its last words: {words}")),
        };
        let is_out_of_memory = self.cgroup.as_ref().is_some_and(WorkerCgroup::is_out_of_memory);
        if is_out_of_memory && was_killed(status) {
            let allowed = self.memory_mb;
            return Fault::OutOfMemory(reason(format!(
                "{ending}: the kernel needed more memory for it than it may have; it may have {allowed} MB (memory_mb in its \
                 [ai.ID]), which counts all of its processes and what the kernel keeps for them"
            )));
        }
        if !self.may_end_itself && is_external(status) {
            let ending = ending + " by somebody else, or by the kernel for want of memory";
            return Fault::Killed(reason(ending));
        }
        match abort_cause(status, &last_words) {
            Some(AbortCause::OutOfMemory) => {
                let allowed = if self.confined.enforced.contains(&Protection::Memory) {
                    format!("; it may have {} MB (memory_mb in its [ai.ID])", self.memory_mb)
                } else {
                    String::new()
                };
                Fault::OutOfMemory(reason(ending + " after an allocation failed" + &allowed))
            }
            Some(AbortCause::StackOverflow) => Fault::Crashed(reason(ending + " after a stack overflow")),
            None => Fault::Crashed(reason(ending)),
        }
    }
}

/// Takes what a process wrote before it ended; tokio may not have heard of it yet. Nothing where there is no more.
fn last_bytes(socket: &UnixStream, buffer: &mut Vec<u8>) -> usize {
    let mut bytes = [0; 4096];
    let count = rustix::io::read(socket, &mut bytes).unwrap_or(0);
    buffer.extend_from_slice(&bytes[..count]);
    count
}

fn out_of_turn() -> Fault {
    Fault::Protocol("it sent a reply that nobody had asked for".into())
}
