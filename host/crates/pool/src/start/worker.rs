//! Starts a worker, loads its library and creates its instance, for the pool and for the
//! conformance checks.

use std::fmt::Write as _;

use ai_api::{OptionSetting, OptionSpec, OptionValue};

use crate::{
    fault::Fault, manifest_check, process::WorkerProcess, start::error::StartError,
    worker_program::WorkerProgram,
};
use config::{AiSettings, ungranted_files};
use library::SealedLibrary;
use protocol::{Loaded, SandboxMode, SandboxSettings};

/// The option that sets the size of the hash table, in our AIs and (as `Hash`) in UCI engines.
const HASH: &str = "hash_mb";
/// An estimate of what an AI needs besides its hash table.
const ROOM_MB: u64 = 1024;

/// A worker with an instance.
pub(crate) struct StartedWorker {
    pub(crate) process: WorkerProcess,
    pub(crate) loaded: Loaded,
    /// The value of every option.
    pub(crate) options: Vec<OptionSetting>,
    /// The grants, including the files that the options name.
    pub(crate) sandbox: SandboxSettings,
}

/// Loads the library with some options set, checks the manifest, resolves the value of every
/// option, grants the files that the options name, and creates the instance.
pub(crate) async fn start_worker<E: From<StartError>>(
    program: &WorkerProgram,
    library: &SealedLibrary,
    ai: &AiSettings,
    set: &[OptionSetting],
    resolve: impl AsyncFnOnce(&[OptionSpec]) -> Result<Vec<OptionSetting>, E>,
) -> Result<StartedWorker, E> {
    let (first_process, loaded) = WorkerProcess::start(program, library, ai, set).await?;
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
            first_process.stop().await;
            return Err(error);
        }
    };
    let files = ungranted_files(specs, &options, set, &ai.sandbox);
    let (waiting, sandbox) = if files.is_empty() {
        (first_process, ai.sandbox.clone())
    } else {
        // The files are known only now. A sandbox can't be extended, so a new process gets access
        // to them.
        first_process.stop().await;
        let mut granted = ai.clone();
        granted.sandbox.read.extend(files);
        let (with_files, _) = WorkerProcess::start(program, library, &granted, &options).await?;
        (with_files, granted.sandbox)
    };
    let created = waiting.create(options.clone()).await;
    let unchecked = created.map_err(|error| with_hash(error, &options, &sandbox))?;
    let process = unchecked.with_checked_files(ai).await?;
    Ok(StartedWorker {
        process,
        loaded,
        options,
        sandbox,
    })
}

/// Adds a note to an error if the hash table leaves the AI too little memory.
fn with_hash(
    error: StartError,
    options: &[OptionSetting],
    sandbox: &SandboxSettings,
) -> StartError {
    let hash_mb = match options
        .iter()
        .find(|option| option.name == HASH)
        .map(|option| &option.value)
    {
        Some(&OptionValue::Integer(hash_mb)) => u64::try_from(hash_mb).unwrap_or(0),
        _ => 0,
    };
    let memory_mb = sandbox.memory_mb;
    let is_limited = sandbox.mode != SandboxMode::Off;
    if !is_limited || hash_mb.saturating_mul(4) <= memory_mb.saturating_mul(3) {
        return error;
    }
    let taken = format!("its option {HASH} takes {hash_mb} MiB of its {memory_mb} MiB");
    match error {
        StartError::NotCreated(mut failed, printed) => {
            let needed_mb = hash_mb.saturating_add(ROOM_MB);
            let _ = write!(
                failed.message,
                "; {taken}: set memory_mb = {needed_mb} in its [ai.ID], or reduce {HASH}"
            );
            StartError::NotCreated(failed, printed)
        }
        StartError::Fault(Fault::OutOfMemory(reason)) => {
            let summary = format!("{reason}; {taken}; try a smaller {HASH}");
            StartError::Fault(Fault::OutOfMemory(reason.with_summary(summary)))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use ai_api::AiError;

    use super::*;

    #[test]
    fn blames_a_large_hash_table_when_memory_runs_out() {
        let text = |error: StartError, hash_mb: i64, mode: SandboxMode| {
            let hash = OptionSetting {
                name: HASH.into(),
                value: OptionValue::Integer(hash_mb),
            };
            let sandbox = SandboxSettings {
                memory_mb: 1024,
                mode,
                ..SandboxSettings::default()
            };
            with_hash(error, &[hash], &sandbox).to_string()
        };
        let failed = || StartError::NotCreated(AiError::new("no"), String::new());
        let exceeded = || StartError::Fault(Fault::OutOfMemory("it uses 1030 MB".into()));
        let taken = "its option hash_mb takes 1024 MiB of its 1024 MiB";
        for (error, remedy) in [
            (
                failed(),
                ": set memory_mb = 2048 in its [ai.ID], or reduce hash_mb",
            ),
            (exceeded(), "; try a smaller hash_mb"),
        ] {
            let shown = text(error, 1024, SandboxMode::Required);
            assert!(shown.ends_with(&format!("; {taken}{remedy}")), "{shown}");
        }
        for error in [failed, exceeded] {
            assert!(!text(error(), 64, SandboxMode::Required).contains(HASH));
            assert!(!text(error(), 1024, SandboxMode::Off).contains(HASH));
        }
    }
}
