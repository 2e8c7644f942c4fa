//! Starts a worker from a library to an instance, for the pool and for the conformance checks.

use ai_api::{OptionSetting, OptionSpec};

use crate::{
    manifest_check, process::WorkerProcess, start::error::StartError, worker_program::WorkerProgram,
};
use config::{AiSettings, ungranted_files};
use library::SealedLibrary;
use protocol::{Loaded, SandboxSettings};

/// A worker with an instance.
pub(crate) struct StartedWorker {
    pub(crate) process: WorkerProcess,
    pub(crate) loaded: Loaded,
    /// The value of every option.
    pub(crate) options: Vec<OptionSetting>,
    /// The grants, with the files that the options name.
    pub(crate) sandbox: SandboxSettings,
}

/// Loads the library with some options set, checks the manifest, resolves the value of every option, grants the files that the
/// options name, and creates the instance.
///
/// # Errors
/// The worker failed to start, the manifest is contradictory, the AI needs more than its grants, or `resolve` failed.
pub(crate) async fn start_worker<E: From<StartError>>(
    program: &WorkerProgram,
    library: &SealedLibrary,
    ai: &AiSettings,
    set: &[OptionSetting],
    resolve: impl AsyncFnOnce(&[OptionSpec]) -> Result<Vec<OptionSetting>, E>,
) -> Result<StartedWorker, E> {
    let (process, loaded) = WorkerProcess::start(program, library, ai, set).await?;
    let specs = &loaded.manifest.options;
    let is_consistent = manifest_check::check(specs)
        .and_then(|()| manifest_check::check_needs(&loaded.manifest.capabilities, &ai.sandbox));
    let resolved = match is_consistent {
        Ok(()) => resolve(specs).await,
        Err(refusal) => Err(StartError::Refused(refusal).into()),
    };
    let options = match resolved {
        Ok(options) => options,
        Err(error) => {
            process.stop().await;
            return Err(error);
        }
    };
    let files = ungranted_files(specs, &options, set, &ai.sandbox);
    let (process, sandbox) = if files.is_empty() {
        (process, ai.sandbox.clone())
    } else {
        // The files are known only now, and a sandbox can't be opened: another process gets them.
        process.stop().await;
        let mut granted = ai.clone();
        granted.sandbox.read.extend(files);
        let (process, _) = WorkerProcess::start(program, library, &granted, &options).await?;
        (process, granted.sandbox)
    };
    let process = process.create(options.clone()).await?;
    Ok(StartedWorker { process, loaded, options, sandbox })
}
