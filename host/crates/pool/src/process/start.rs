//! Starts a worker: process, cgroup, sandbox, library, instance.

use std::mem;

use ai_api::OptionSetting;
use tokio::time::timeout_at;

use super::{idle_cpu::IdleCpuWatch, instance::InstanceOptions, worker_process::WorkerProcess};
use crate::{fault::Fault, procfs, start::error::StartError, worker_program::WorkerProgram};
use config::AiSettings;
use library::{SealedLibrary, open_files};
use protocol::{Loaded, PROTOCOL_VERSION, Protection, Request, WorkerReply, sanitize};

impl WorkerProcess {
    /// Starts a worker, which enters its sandbox, loads the library and returns the manifest for
    /// `options`.
    ///
    /// The calling thread must outlive the worker, because the kernel kills the worker when the
    /// thread exits.
    ///
    /// # Errors
    /// A pinned file has changed, the process could not be spawned, the worker rejected the library
    /// or the sandbox, or the worker failed.
    pub(crate) async fn start(
        program: &WorkerProgram,
        library: &SealedLibrary,
        settings: &AiSettings,
        options: &[OptionSetting],
    ) -> Result<(Self, Loaded), StartError> {
        check_files(settings).await?;
        let sandbox = &settings.sandbox;
        let mut process = Self::spawn(program, library, settings)
            .map_err(|error| StartError::Spawn(open_files::explain(&error)))?;
        // The worker must join its cgroup before any code of the AI runs.
        process.enter_cgroup(&program.cgroups, sandbox);
        let load = Request::Load(sandbox.clone(), options.to_vec());
        let mut reply = process.start_reply(&[load]).await?;
        if let WorkerReply::Confined(confined, number) = reply {
            // The worker may have exited, or may see a different `/proc`.
            let started = process.id().unwrap_or_default();
            let worker = if procfs::descends(number, started) {
                number
            } else {
                started
            };
            process.child.mirror(worker);
            process.may_end_itself = !confined.enforced.contains(&Protection::SystemCalls);
            process.confined = confined;
            let watched = process.watch_resources(sandbox, worker);
            // A worker that has exited can't be measured. In that case, the next reply reports its
            // exit or its refusal.
            reply = process.start_reply(&[]).await?;
            if let (Err(refusal), WorkerReply::Loaded(_)) = (watched, &reply) {
                process.stop().await;
                return Err(StartError::Refused(refusal));
            }
        }
        match reply {
            WorkerReply::Loaded(loaded) if loaded.protocol == PROTOCOL_VERSION => {
                Ok((process, loaded))
            }
            WorkerReply::Loaded(loaded) => {
                let found = loaded.protocol;
                let message =
                    format!("the worker has protocol version {found}, expected {PROTOCOL_VERSION}");
                process.kill().await;
                Err(StartError::Fault(Fault::Protocol(message.into())))
            }
            WorkerReply::Refused(refusal) => {
                process.stop().await;
                Err(StartError::Refused(sanitize::refusal(refusal)))
            }
            _ => {
                process.kill().await;
                Err(StartError::Fault(Fault::unexpected_reply()))
            }
        }
    }

    /// Stops the worker if a pinned file has changed in the meantime, because the programs that it
    /// has started may differ from the pinned programs.
    pub(crate) async fn with_checked_files(
        self,
        settings: &AiSettings,
    ) -> Result<Self, StartError> {
        match check_files(settings).await {
            Ok(()) => Ok(self),
            Err(error) => {
                self.kill().await;
                Err(error)
            }
        }
    }

    pub(crate) async fn create(mut self, options: Vec<OptionSetting>) -> Result<Self, StartError> {
        match self
            .start_reply(&[Request::Configure(options.clone())])
            .await?
        {
            WorkerReply::Created => {
                self.instance = InstanceOptions::configured(options);
                self.idle_cpu.iter_mut().for_each(IdleCpuWatch::resume);
                Ok(self)
            }
            WorkerReply::NotCreated(error) => {
                let printed = self.output.printed().await;
                self.stop().await;
                Err(StartError::NotCreated(sanitize::error(error), printed))
            }
            _ => {
                self.kill().await;
                Err(StartError::Fault(Fault::unexpected_reply()))
            }
        }
    }

    /// Sends requests and returns the next reply, until the start deadline.
    async fn start_reply(&mut self, requests: &[Request]) -> Result<WorkerReply, StartError> {
        let ready_by = self.ready_by;
        let mut sent = self.send(requests, ready_by).await;
        loop {
            let measurement = self.next_measurement();
            let exchange = async {
                mem::replace(&mut sent, Ok(()))?;
                self.receive().await
            };
            tokio::select! {
                replied = timeout_at(ready_by, exchange) => return match replied {
                    Ok(Ok(reply)) => Ok(reply),
                    Ok(Err(error)) => Err(StartError::Fault(self.fault_of(error).await)),
                    Err(_) => {
                        let printed = self.output.printed().await;
                        Err(StartError::Slow(self.start_timeout, printed))
                    }
                },
                () = measurement => self.measure_memory().map_err(StartError::Fault)?,
            }
        }
    }
}

/// Compares the pinned files on a thread for blocking calls.
///
/// # Errors
/// The first file that has changed.
async fn check_files(settings: &AiSettings) -> Result<(), StartError> {
    if settings.files_sha256.is_empty() {
        return Ok(());
    }
    let settings = settings.clone();
    let changed =
        tokio::task::spawn_blocking(move || settings.changed_files().into_iter().next()).await;
    match changed.map_err(|error| StartError::Spawn(error.to_string()))? {
        Some(file) => Err(StartError::Pin(Box::new(file))),
        None => Ok(()),
    }
}
