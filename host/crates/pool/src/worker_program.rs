//! The binary that runs as a worker.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{cgroup::Cgroups, trace::Trace};

/// The binary of the workers: the server's own, except in tests.
#[derive(Clone, Debug)]
pub struct WorkerProgram {
    pub(crate) path: PathBuf,
    pub(crate) cgroups: Arc<Cgroups>,
    pub(crate) trace: Option<Arc<Trace>>,
}

impl WorkerProgram {
    /// Returns the binary of this process, even if its file was replaced.
    pub fn this_binary() -> Self {
        Self::at(Path::new("/proc/self/exe"))
    }

    /// Returns another `rookery` binary.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_path_buf(), cgroups: Arc::new(Cgroups::unused()), trace: None }
    }

    /// Starts each worker in a cgroup of its own.
    #[must_use]
    pub fn in_cgroups(self, cgroups: Arc<Cgroups>) -> Self {
        Self { cgroups, ..self }
    }

    /// Traces each worker, which makes it slow.
    #[must_use]
    pub fn traced(self, trace: Arc<Trace>) -> Self {
        Self { trace: Some(trace), ..self }
    }
}
