//! Starts a worker: process, cgroup, sandbox, library, instance.

use std::time::Duration;

use ai_api::OptionSetting;
use tokio::time::sleep_until;

use super::{idle_cpu::IdleCpuWatch, instance::Instance, worker_process::WorkerProcess};
use crate::{fault::Fault, start_error::StartError, worker_program::WorkerProgram};
use config::AiSettings;
use library::{SealedLibrary, open_files};
use protocol::{Loaded, PROTOCOL_VERSION, Protection, Reply, Request, sanitize};

impl WorkerProcess {
    /// Starts a worker, which enters its sandbox, loads the library and returns the manifest for `options`.
    ///
    /// The calling thread must live as long as the worker, because the kernel kills the worker when it ends.
    ///
    /// # Errors
    /// The process could not be spawned, the worker rejected the library or the sandbox, or it failed.
    pub(crate) async fn start(
        program: &WorkerProgram,
        library: &SealedLibrary,
        settings: &AiSettings,
        options: &[OptionSetting],
    ) -> Result<(Self, Loaded), StartError> {
        let start_timeout = Duration::from_millis(settings.start_timeout_ms);
        let sandbox = &settings.sandbox;
        let mut process = Self::spawn(&program.path, library, &settings.id, sandbox, start_timeout)
            .map_err(|error| StartError::Spawn(open_files::explain(&error)))?;
        // Before any code of the AI can run.
        process.enter_cgroup(&program.cgroups, sandbox);
        process.send_at_start(Request::Load(sandbox.clone(), options.to_vec())).await?;
        let mut reply = process.start_reply().await?;
        if let Reply::Confined(confined, number) = reply {
            process.child.mirror(number);
            process.may_end_itself = !confined.enforced.contains(&Protection::SystemCalls);
            process.confined = confined;
            if let Err(refusal) = process.watch_idle_cpu(sandbox) {
                process.stop().await;
                return Err(StartError::Refused(refusal));
            }
            reply = process.start_reply().await?;
        }
        match reply {
            Reply::Loaded(loaded) if loaded.protocol == PROTOCOL_VERSION => Ok((process, loaded)),
            Reply::Loaded(loaded) => {
                let found = loaded.protocol;
                let message = format!("the worker has protocol version {found}, expected {PROTOCOL_VERSION}");
                process.kill().await;
                Err(StartError::Fault(Fault::Protocol(message.into())))
            }
            Reply::Refused(refusal) => {
                process.stop().await;
                Err(StartError::Refused(sanitize::refusal(refusal)))
            }
            _ => {
                process.kill().await;
                Err(StartError::Fault(Fault::unexpected_reply()))
            }
        }
    }

    /// Creates the instance.
    ///
    /// # Errors
    /// The AI returned an error, or the process failed.
    pub(crate) async fn create(mut self, options: Vec<OptionSetting>) -> Result<Self, StartError> {
        self.send_at_start(Request::Configure(options.clone())).await?;
        match self.start_reply().await? {
            Reply::Created => {
                self.instance = Instance::configured(options);
                self.idle_cpu.iter_mut().for_each(IdleCpuWatch::resume);
                Ok(self)
            }
            Reply::NotCreated(error) => {
                self.stop().await;
                Err(StartError::NotCreated(sanitize::error(error)))
            }
            _ => {
                self.kill().await;
                Err(StartError::Fault(Fault::unexpected_reply()))
            }
        }
    }

    async fn send_at_start(&mut self, request: Request) -> Result<(), StartError> {
        match self.send(&[request], self.ready_by).await {
            Ok(()) => Ok(()),
            Err(error) => Err(StartError::Fault(self.fault_of(error).await)),
        }
    }

    async fn start_reply(&mut self) -> Result<Reply, StartError> {
        let ready_by = self.ready_by;
        let received = tokio::select! {
            received = self.receive() => received,
            () = sleep_until(ready_by) => return Err(StartError::Slow(self.start_timeout)),
        };
        match received {
            Ok(reply) => Ok(reply),
            Err(error) => Err(StartError::Fault(self.fault_of(error).await)),
        }
    }
}
