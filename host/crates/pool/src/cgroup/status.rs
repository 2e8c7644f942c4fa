//! The cgroup controllers, and whether they are enforced.

use std::fmt;

use strum::{Display, IntoStaticStr, VariantArray};

/// A controller that the host uses, with the kernel's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray, IntoStaticStr, Display)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Controller {
    Cpu,
    Memory,
    /// Processes and threads.
    Pids,
}

/// Why workers have no cgroup, or lack controllers. The messages contain no paths because clients
/// read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCgroup {
    #[error("this command does not use cgroups")]
    NotUsed,
    /// The system is too old.
    #[error("cgroup v2 is not mounted")]
    NotMounted,
    /// The kernel does not allow controllers below a cgroup with processes.
    #[error(
        "the server shares its cgroup with other processes; run it as a systemd service with \
         Delegate=yes"
    )]
    Shared,
    #[error("the server may not create cgroups; run it as a systemd service with Delegate=yes")]
    NotWritable,
    /// Some controllers are missing.
    #[error("not every cgroup v2 controller (cpu, memory, pids) is available to the server")]
    NoControllers,
    #[error("the worker's cgroup could not be set up; see the server's log")]
    Failed,
}

/// The cgroups of an AI's workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CgroupStatus {
    /// The enforced controllers.
    pub controllers: Vec<Controller>,
    /// Why some controllers are not enforced.
    pub reason: Option<NoCgroup>,
}

impl CgroupStatus {
    pub(crate) fn none(reason: NoCgroup) -> Self {
        Self {
            controllers: Vec::new(),
            reason: Some(reason),
        }
    }
}

impl fmt::Display for CgroupStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.controllers.iter().map(Controller::into_str).collect();
        f.write_str(if names.is_empty() { "not used" } else { "" })?;
        f.write_str(&names.join(", "))?;
        self.reason
            .map_or(Ok(()), |reason| write!(f, " ({reason})"))
    }
}
