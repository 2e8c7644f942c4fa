//! What bounds and counts the resources of a worker from outside.

use std::sync::Arc;

use super::{
    super::{
        cgroup::{CgroupStatus, Cgroups, NoCgroup, WorkerCgroup},
        computing::{ComputingTime, ComputingWatch, Counted},
    },
    WorkerProcess,
};
use protocol::{Missing, Protection, Refusal};
use protocol::{SandboxMode, SandboxSettings};

impl WorkerProcess {
    /// Gives the worker a cgroup of its own, where that is possible.
    pub(super) fn enter_cgroup(&mut self, cgroups: &Arc<Cgroups>, sandbox: &SandboxSettings) {
        let entered = cgroups.worker(sandbox).and_then(|cgroup| {
            // One that has ended already has no number.
            let process = self.child.number().ok_or(NoCgroup::Failed)?;
            cgroup.add(process).map_err(|error| {
                tracing::warn!(process, %error, "cannot move a worker to its cgroup");
                NoCgroup::Failed
            })?;
            Ok(cgroup)
        });
        match entered {
            Ok(cgroup) => {
                self.cgroup_status = cgroup.status(sandbox);
                self.cgroup = Some(cgroup);
            }
            Err(reason) => self.cgroup_status = CgroupStatus::none(reason),
        }
    }

    /// Counts the computing time of a worker that is confined.
    pub(super) fn watch_computing(&mut self, sandbox: &SandboxSettings) -> Result<(), Refusal> {
        if sandbox.mode == SandboxMode::Off {
            return Ok(());
        }
        // One that is reaped already has no number; its end is told elsewhere.
        let Some(number) = self.child.number() else { return Ok(()) };
        // Without the filter of system calls it may start others.
        let is_alone = sandbox.exec.is_empty() && self.confined.enforced.contains(&Protection::SystemCalls);
        let counted = if is_alone { Counted::Process(number) } else { Counted::Tree(number) };
        let of_cgroup = self.cgroup.as_ref().and_then(WorkerCgroup::processor_time);
        let time = of_cgroup.map_or_else(|| ComputingTime::of(counted), ComputingTime::Cgroup);
        match ComputingWatch::start(time) {
            Ok(watch) => {
                self.computing = Some(watch);
                self.confined.enforced.push(Protection::ComputingTime);
                Ok(())
            }
            Err(error) => {
                let reason = format!("its computing time can't be read: {error}; mount /proc for the server");
                let missing = Missing { protection: Protection::ComputingTime, reason };
                self.confined.missing.push(missing);
                match sandbox.mode {
                    SandboxMode::Required => Err(Refusal::unenforceable(&self.confined.missing)),
                    SandboxMode::BestEffort | SandboxMode::Off => Ok(()),
                }
            }
        }
    }
}
