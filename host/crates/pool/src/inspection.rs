//! Inspects a configuration's AIs without serving them.

use std::sync::Arc;

use ai_api::OptionSetting;

use crate::{
    about::About,
    ais::skip_reason,
    cgroup::CgroupStatus,
    smoke::SmokeTest,
    start::ais::{AiStartError, StartErrors, candidates, start_ai},
    worker_program::WorkerProgram,
};
use config::{AiSettings, Candidate, Config, Discovery, SkippedLibrary};
use library::sha256::Sha256Sum;
use protocol::Confined;

/// What is known about an AI after starting and stopping it.
#[derive(Debug)]
pub struct Inspection {
    pub settings: AiSettings,
    /// The SHA-256 of its library, unless it can't be read.
    pub sha256: Option<Sha256Sum>,
    /// Its manifest, or why it can't be served.
    pub about: Result<About, StartErrors>,
    /// The value of every option, or only the configured ones if it can't be served.
    pub options: Vec<OptionSetting>,
    /// The enforced sandbox, if the AI started.
    pub confined: Option<Confined>,
    /// The cgroups of its workers, if the AI started.
    pub cgroup: Option<CgroupStatus>,
}

#[derive(Debug)]
pub struct Inspections {
    pub configured: Vec<Inspection>,
    /// AIs in the plugin directories that the configuration does not name.
    pub discovered: Vec<Inspection>,
    /// Libraries in the plugin directories that are not served.
    pub skipped: Vec<SkippedLibrary>,
}

/// Starts and stops every AI in turn; plugins must pass the smoke tests. If one fails, the others
/// are still inspected.
///
/// # Errors
/// The runtime for the workers can't start.
pub fn inspect(
    config: &Config,
    program: &WorkerProgram,
    smoke_tests: &[SmokeTest],
) -> Result<Inspections, StartErrors> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(StartErrors::supervisor)?;
    let Discovery {
        candidates: found,
        mut skipped,
    } = Discovery::find(&config.plugins, &config.ais);
    runtime.block_on(async {
        let mut configured = Vec::new();
        for (settings, candidate) in config.ais.values().zip(candidates(config)) {
            configured.push(inspect_one(config, settings.clone(), candidate, program, &[]).await);
        }
        let mut discovered = Vec::new();
        for candidate in found {
            let settings = candidate.settings.clone();
            let inspection =
                inspect_one(config, settings, Ok(candidate), program, smoke_tests).await;
            match inspection.about {
                Err(StartErrors(errors)) if errors.iter().all(AiStartError::is_not_created) => {
                    skipped.push(SkippedLibrary {
                        file: inspection.settings.library,
                        sha256: inspection.sha256,
                        why: Arc::new(skip_reason(&errors)),
                        kept: None,
                    });
                }
                _ => discovered.push(inspection),
            }
        }
        Ok(Inspections {
            configured,
            discovered,
            skipped,
        })
    })
}

async fn inspect_one(
    config: &Config,
    settings: AiSettings,
    candidate: Result<Candidate, AiStartError>,
    program: &WorkerProgram,
    smoke_tests: &[SmokeTest],
) -> Inspection {
    let (mut confined, mut cgroup, mut options) = (None, None, settings.options.clone());
    let sha256 = candidate
        .as_ref()
        .ok()
        .map(|candidate| candidate.library.sha256());
    let started = match candidate {
        Ok(candidate) => start_ai(config, candidate, program, smoke_tests).await,
        Err(error) => Err(vec![error]),
    };
    let about = match started {
        Ok(started) => {
            confined = Some(started.process.confined.clone());
            cgroup = Some(started.process.cgroup_status.clone());
            options = started.options;
            started.process.stop().await;
            Ok(started.about)
        }
        Err(errors) => Err(StartErrors(errors)),
    };
    Inspection {
        settings,
        sha256,
        about,
        options,
        confined,
        cgroup,
    }
}
