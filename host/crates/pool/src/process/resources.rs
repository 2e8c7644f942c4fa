//! Limits and measures a worker's resources from outside.

use std::sync::Arc;

use super::{
    cpu_time::{CpuTime, TreeTime},
    idle_cpu::IdleCpuWatch,
    memory::MemoryWatch,
    worker_process::WorkerProcess,
};
use crate::cgroup::{CgroupStatus, Cgroups, Controller, NoCgroup, WorkerCgroup};
use protocol::{Missing, Protection, Refusal, SandboxMode, SandboxSettings};

impl WorkerProcess {
    /// Moves the worker into its own cgroup if possible.
    pub(super) fn enter_cgroup(&mut self, cgroups: &Arc<Cgroups>, sandbox: &SandboxSettings) {
        let entered = cgroups.worker(sandbox).and_then(|cgroup| {
            // A reaped process has no id.
            let process = self.child.id().ok_or(NoCgroup::Failed)?;
            cgroup.add(process).map_err(|error| {
                tracing::warn!(process, %error, "cannot move a worker into its cgroup");
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

    /// Starts measuring the processor time and the memory of a confined worker with this process
    /// id.
    pub(super) fn watch_resources(
        &mut self,
        sandbox: &SandboxSettings,
        worker: u32,
    ) -> Result<(), Refusal> {
        if sandbox.mode == SandboxMode::Off {
            return Ok(());
        }
        // A reaped process has no id; `receive` reports its exit.
        let Some(process) = self.child.id() else {
            return Ok(());
        };
        let limits_memory = |cgroup: &WorkerCgroup| {
            cgroup
                .status(sandbox)
                .controllers
                .contains(&Controller::Memory)
        };
        let is_limit = !self.cgroup.as_ref().is_some_and(limits_memory);
        self.memory =
            (!sandbox.exec.is_empty()).then(|| MemoryWatch::new(process, sandbox, is_limit));
        let of_cgroup = self.cgroup.as_ref().and_then(WorkerCgroup::processor_time);
        // Without the system call filter, a worker may start other processes.
        let enforces = |protection| self.confined.enforced.contains(&protection);
        let is_found = worker != process || !enforces(Protection::PidNamespace);
        let is_alone = is_found && sandbox.exec.is_empty() && enforces(Protection::SystemCalls);
        let time = match of_cgroup {
            Some(counter) => CpuTime::Cgroup(counter),
            None if is_alone => CpuTime::Process(worker),
            None => CpuTime::Tree(TreeTime::new(process)),
        };
        match IdleCpuWatch::start(time) {
            Ok(watch) => {
                self.idle_cpu = Some(watch);
                self.confined.enforced.push(Protection::ComputingTime);
                Ok(())
            }
            Err(error) => {
                let reason = format!(
                    "its processor time can't be read: {error}; mount /proc for the server"
                );
                let missing = Missing {
                    protection: Protection::ComputingTime,
                    reason,
                };
                self.confined.missing.push(missing);
                match sandbox.mode {
                    SandboxMode::Required => Err(Refusal::unenforceable(&self.confined.missing)),
                    SandboxMode::BestEffort | SandboxMode::Off => Ok(()),
                }
            }
        }
    }
}
