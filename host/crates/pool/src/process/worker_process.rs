//! A worker process and the host's end of its socket.

use std::{
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::{net::UnixStream as StdUnixStream, process::CommandExt},
    },
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    task::coop::consume_budget,
    time::{Instant, timeout, timeout_at},
};

use super::{
    clock::TimeAllowed,
    exit::{Exit, fault},
    idle_cpu::IdleCpuWatch,
    instance::InstanceOptions,
    memory::{MemoryWatch, pause},
    probe_flag::ProbeFlag,
};
use crate::{
    cgroup::{CgroupStatus, NoCgroup, WorkerCgroup},
    fault::{Fault, FaultReason, Shortage},
    frame_decoder::FrameDecoder,
    process_group::ProcessGroup,
    procfs::RunQueue,
    stdio_capture::{Captured, capture},
    worker_program::WorkerProgram,
};
use config::AiSettings;
use library::SealedLibrary;
use protocol::{
    Confined, Control, FrameError, Job, Protection, Request, SandboxMode, WorkerReply, descriptor,
    encode, sanitize,
};

/// How long a worker may take to exit after its socket is closed.
const EXIT_TIMEOUT: Duration = Duration::from_millis(200);
/// How long a worker may take to exit after it closes its socket. On a busy machine, its low
/// priority makes that slow.
const CRASH_TIMEOUT: Duration = Duration::from_secs(2);

/// A running worker. Dropping it kills the worker.
#[derive(Debug)]
pub(crate) struct WorkerProcess {
    pub(super) child: ProcessGroup,
    socket: UnixStream,
    control: UnixStream,
    received: FrameDecoder,
    pub(crate) output: Captured,
    /// The enforced sandbox, as the worker reported it before any code of the AI ran.
    pub(crate) confined: Confined,
    /// Whether it can send itself a signal that otherwise comes from outside, because no system
    /// call filter is in force.
    pub(super) may_end_itself: bool,
    pub(super) idle_cpu: Option<IdleCpuWatch>,
    pub(super) memory: Option<MemoryWatch>,
    /// Dropped after the child, which must exit before the cgroup can be removed.
    pub(super) cgroup: Option<WorkerCgroup>,
    pub(crate) cgroup_status: CgroupStatus,
    memory_mb: u64,
    pub(super) start_timeout: Duration,
    pub(crate) stop_grace: Duration,
    new_game_timeout: Duration,
    /// The deadline for the start.
    pub(super) ready_by: Instant,
    /// The last request number in use.
    pub(super) last_number: u64,
    pub(super) instance: InstanceOptions,
    probe_flag: ProbeFlag,
}

impl WorkerProcess {
    /// Returns the worker's process id until it is reaped.
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns the worker's last job, unless its instance is fresh.
    pub(crate) fn last_job(&self) -> Option<Arc<Job>> {
        self.instance.last_job.clone()
    }

    /// Returns the time allowed for a job that may take this long after its preparation.
    pub(crate) const fn time_allowed(&self, job: Duration) -> TimeAllowed {
        TimeAllowed {
            preparation: self.new_game_timeout,
            job,
            left: job,
        }
    }

    pub(crate) fn output(&self) -> String {
        self.output.end()
    }

    /// Returns the threads of the worker and of the programs it has started.
    pub(super) fn run_queue(&self) -> RunQueue {
        RunQueue::of(self.id())
    }

    /// Closes the sockets and waits for the process to exit, or kills it after a while. Reaps it.
    pub(crate) async fn stop(self) {
        let Self {
            mut child,
            socket,
            control,
            ..
        } = self;
        drop((socket, control));
        let _ = timeout(EXIT_TIMEOUT, child.exited()).await;
        let _ = child.end().await;
    }

    /// Kills and reaps the process and everything it started.
    pub(crate) async fn kill(mut self) {
        let _ = self.child.end().await;
    }

    pub(super) fn spawn(
        program: &WorkerProgram,
        library: &SealedLibrary,
        settings: &AiSettings,
    ) -> std::io::Result<Self> {
        let AiSettings { id, sandbox, .. } = settings;
        let start_timeout = Duration::from_millis(settings.start_timeout_ms);
        // A sandboxed worker has its own working directory.
        let unconfined = || {
            sandbox
                .working_directory
                .clone()
                .filter(|folder| folder.is_dir())
        };
        let folder = match sandbox.mode {
            SandboxMode::Off => unconfined().unwrap_or_else(std::env::temp_dir),
            SandboxMode::Required | SandboxMode::BestEffort => "/".into(),
        };
        let (ours, theirs) = StdUnixStream::pair()?;
        let (control, their_control) = StdUnixStream::pair()?;
        let probe_flag = ProbeFlag::new()?;
        descriptor::send(
            &ours,
            [library.memory(), their_control.as_fd(), probe_flag.file()],
        )?;
        for socket in [&ours, &control] {
            socket.set_nonblocking(true)?;
        }
        // No `pre_exec`, so that the child need not copy the server's page tables.
        let mut command = Command::new(&program.path);
        command
            .arg0("rookery")
            .args([
                "worker",
                "--parent",
                &std::process::id().to_string(),
                "--ai",
                id,
            ])
            .args(program.is_idle.then_some("--idle"))
            .args(
                program
                    .trace
                    .iter()
                    .flat_map(|trace| ["--trace".into(), trace.path()]),
            )
            .env_clear()
            .current_dir(folder)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = ProcessGroup::spawn(&mut command.into())?;
        let (stdout, stderr) = child.take_output();
        let span = tracing::info_span!("worker", ai = id, worker = child.id());
        let output = capture(stdout, stderr, span, program.logs.of(id));
        let (socket, control) = (UnixStream::from_std(ours)?, UnixStream::from_std(control)?);
        Ok(Self {
            child,
            socket,
            control,
            received: FrameDecoder::default(),
            output,
            confined: Confined::default(),
            may_end_itself: sandbox.mode == SandboxMode::Off,
            idle_cpu: None,
            memory: None,
            cgroup: None,
            cgroup_status: CgroupStatus::none(NoCgroup::NotUsed),
            memory_mb: sandbox.memory_mb,
            start_timeout,
            stop_grace: settings.stop_grace(),
            new_game_timeout: Duration::from_millis(settings.new_game_timeout_ms),
            ready_by: Instant::now() + start_timeout,
            last_number: 0,
            instance: InstanceOptions::default(),
            probe_flag,
        })
    }

    /// Returns the peak memory measured for a worker that may start programs.
    pub(crate) fn most_bytes(&self) -> Option<u64> {
        self.memory.as_ref().map(MemoryWatch::most_bytes)
    }

    /// Measures the memory of a worker that may start programs.
    ///
    /// # Errors
    /// It exceeds the limit.
    pub(super) fn measure_memory(&mut self) -> Result<(), Fault> {
        self.memory.as_mut().map_or(Ok(()), MemoryWatch::measure)
    }

    /// Returns the resource that a failing worker with programs lacks. `printed` is the end of its
    /// output, or its error.
    pub(super) fn shortage(&self, printed: &str) -> Option<Shortage> {
        self.memory.as_ref()?.shortage(printed)
    }

    pub(super) fn memory_period(&self) -> Option<Duration> {
        self.memory.as_ref().map(MemoryWatch::period)
    }

    /// Resolves when the worker's memory is due for measurement; never for a worker without
    /// programs.
    pub(super) fn next_measurement(&self) -> impl Future<Output = ()> + use<> {
        pause(self.memory_period())
    }

    /// Returns a tablebase fault instead of a job's fault if the worker was probing a tablebase.
    pub(super) fn attribute(&self, fault: Fault) -> Fault {
        let reason = match &fault {
            Fault::Crashed(reason) | Fault::OutOfMemory(reason) => reason.clone(),
            Fault::Stalled(stall) if fault.is_ai_fault() => stall.to_string().into(),
            _ => return fault,
        };
        if self.probe_flag.is_raised() {
            Fault::Tablebase(reason)
        } else {
            fault
        }
    }

    /// Writes requests. Returns `Ok` at the deadline, because the caller has the same deadline for
    /// the reply.
    pub(super) async fn send(
        &mut self,
        requests: &[Request],
        deadline: Instant,
    ) -> Result<(), FrameError> {
        let frames: Result<Vec<_>, _> = requests.iter().map(encode).collect();
        write(&mut self.socket, &frames?.concat(), deadline).await
    }

    /// Writes a message to a running job. Returns `Ok` at the deadline, as [`Self::send`] does.
    pub(super) async fn control(
        &mut self,
        message: Control,
        deadline: Instant,
    ) -> Result<(), FrameError> {
        write(&mut self.control, &encode(&message)?, deadline).await
    }

    /// Returns the next reply; logs the AI's messages. Dropping the future loses nothing.
    pub(super) async fn receive(&mut self) -> Result<WorkerReply, FrameError> {
        loop {
            // A flood of frames must not keep the thread from serving the other workers.
            consume_budget().await;
            match self.received.next_frame()? {
                Some(WorkerReply::Log(level, message)) => {
                    self.output.log(level, &sanitize::log_message(&message));
                    continue;
                }
                Some(reply) => return Ok(reply),
                None => {}
            }
            let buffer = self.received.buffer();
            let count = tokio::select! {
                biased;
                count = self.socket.read_buf(buffer) => count?,
                // A process that the worker started may keep the other end open.
                () = self.child.exited() => read_rest(&self.socket, buffer),
            };
            if count == 0 {
                return Err(FrameError::Closed);
            }
        }
    }

    /// Returns the fault behind a failed socket or frame. Usually the process has exited; if so,
    /// this reaps it.
    pub(super) async fn fault_of(&mut self, error: FrameError) -> Fault {
        match error {
            FrameError::Closed | FrameError::Socket(_) => {}
            FrameError::TooLong(_) | FrameError::Malformed(_) => {
                return Fault::Protocol(error.to_string().into());
            }
        }
        if timeout(CRASH_TIMEOUT, self.child.exited()).await.is_err() {
            return Fault::Protocol("it closed its socket and kept running".into());
        }
        let status = match self.child.end().await {
            Ok(status) => status,
            Err(wait_error) => {
                let reason =
                    FaultReason::from("its process exited, but its exit status cannot be read");
                return Fault::Crashed(reason.with_details(wait_error.to_string()));
            }
        };
        fault(&Exit {
            status,
            last_words: self.output.last_words().await,
            exceeded_cgroup_memory: self
                .cgroup
                .as_ref()
                .is_some_and(WorkerCgroup::is_out_of_memory),
            may_end_itself: self.may_end_itself,
            memory_mb: self.memory_mb,
            has_memory_limit: self.confined.enforced.contains(&Protection::Memory),
        })
    }
}

async fn write(
    socket: &mut UnixStream,
    frames: &[u8],
    deadline: Instant,
) -> Result<(), FrameError> {
    timeout_at(deadline, socket.write_all(frames))
        .await
        .unwrap_or(Ok(()))
        .map_err(FrameError::from)
}

/// Reads what a process wrote before it exited; tokio may not have noticed it yet. Returns 0 at the
/// end of the stream.
fn read_rest(socket: &UnixStream, buffer: &mut Vec<u8>) -> usize {
    let mut bytes = [0; 4096];
    let count = rustix::io::read(socket, &mut bytes).unwrap_or(0);
    buffer.extend_from_slice(&bytes[..count]);
    count
}
