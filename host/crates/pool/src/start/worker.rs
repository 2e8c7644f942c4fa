//! Starts a worker from a library to an instance, for the pool and for the conformance checks.

use std::fmt::Write as _;

use ai_api::{OptionSetting, OptionSpec, OptionValue};

use crate::{
    manifest_check, process::WorkerProcess, start::error::StartError, worker_program::WorkerProgram,
};
use config::{AiSettings, ungranted_files};
use library::SealedLibrary;
use protocol::{Loaded, SandboxMode, SandboxSettings};

/// The name of an engine's option `Hash`, and of ours.
const HASH: &str = "hash_mb";
/// What an AI needs beside its hash table, by a guess.
const ROOM_MB: u64 = 1024;

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
    let created = process.create(options.clone()).await;
    let process = created.map_err(|error| with_hash(error, &options, &sandbox))?;
    Ok(StartedWorker { process, loaded, options, sandbox })
}

/// Names a hash table that leaves the AI little of its memory.
fn with_hash(error: StartError, options: &[OptionSetting], sandbox: &SandboxSettings) -> StartError {
    let (mut failed, printed) = match error {
        StartError::NotCreated(failed, printed) if sandbox.mode != SandboxMode::Off => (failed, printed),
        error => return error,
    };
    let hash_mb = options.iter().find(|option| option.name == HASH).map(|option| &option.value);
    let memory_mb = sandbox.memory_mb;
    if let Some(&OptionValue::Integer(hash_mb)) = hash_mb
        && let Ok(hash_mb) = u64::try_from(hash_mb)
        && hash_mb.saturating_mul(4) > memory_mb.saturating_mul(3)
    {
        let _ = write!(
            failed.message,
            "; its option {HASH} takes {hash_mb} MiB of the {memory_mb} MiB that it may have: set memory_mb = {} in its \
             [ai.ID], or a smaller {HASH}",
            hash_mb.saturating_add(ROOM_MB)
        );
    }
    StartError::NotCreated(failed, printed)
}
