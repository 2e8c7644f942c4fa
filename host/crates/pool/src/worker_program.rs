//! The binary that runs as a worker.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{activity::Activity, cgroup::Cgroups, log_limit::AiLogs, trace::Trace};

/// The binary that runs the workers: the server's own, except in tests.
#[derive(Clone, Debug)]
pub struct WorkerProgram {
    pub(crate) path: PathBuf,
    pub(crate) cgroups: Arc<Cgroups>,
    pub(crate) trace: Option<Arc<Trace>>,
    /// Counts the jobs of the AIs that it runs.
    pub(crate) activity: Activity,
    pub(crate) is_idle: bool,
    pub(crate) logs: AiLogs,
}

impl WorkerProgram {
    /// Returns the binary of this process, even if its file has been replaced.
    pub fn this_binary() -> Self {
        Self::at(Path::new("/proc/self/exe"))
    }

    /// Returns the `rookery` binary at this path.
    pub fn at(path: &Path) -> Self {
        let cgroups = Arc::new(Cgroups::unused());
        Self {
            path: path.to_path_buf(),
            cgroups,
            trace: None,
            activity: Activity::default(),
            is_idle: false,
            logs: AiLogs::default(),
        }
    }

    /// Starts each worker in a separate cgroup.
    #[must_use]
    pub fn in_cgroups(self, cgroups: Arc<Cgroups>) -> Self {
        Self { cgroups, ..self }
    }

    /// Traces each worker, which slows it down.
    #[must_use]
    pub fn traced(self, trace: Arc<Trace>) -> Self {
        Self {
            trace: Some(trace),
            ..self
        }
    }

    /// Counts the jobs of the AIs that it runs.
    #[must_use]
    pub fn counted_by(self, activity: Activity) -> Self {
        Self { activity, ..self }
    }

    /// Lets the workers compute only while the machine has no other work, and counts their jobs
    /// separately.
    #[must_use]
    pub fn at_idle_priority(self) -> Self {
        Self {
            activity: Activity::default(),
            is_idle: true,
            ..self
        }
    }
}
