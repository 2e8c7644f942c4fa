//! Counters of one AI, and its last fault.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use prometheus_client::metrics::{counter::Counter, histogram::Histogram};

use crate::{
    fault::{Fault, FaultCode},
    procfs::resident_bytes,
    request_scope::RequestScope,
};
use protocol::{RequestId, Response, Task};

/// The maximum number of nodes counted for one result, because an AI may report any number.
const MOST_NODES: u64 = 1 << 50;

const BUCKETS_SECONDS: [f64; 15] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
];

/// Creates an empty histogram of times.
pub fn seconds() -> Histogram {
    Histogram::new(BUCKETS_SECONDS)
}

#[derive(Debug)]
pub struct AiStats {
    /// Searches with a result.
    pub searches: Counter,
    /// Evaluations with a result.
    pub evaluations: Counter,
    /// Nodes, as reported by the AI.
    pub nodes: Counter,
    pub restarts: Counter,
    /// The time each job spent in a worker.
    pub thinking: Histogram,
    /// The time each job spent in the queue.
    pub waiting: Histogram,
    faults: Mutex<Faults>,
    /// The process id of each worker; 0 before its first start.
    processes: Vec<AtomicU32>,
}

#[derive(Debug, Default)]
struct Faults {
    by_code: BTreeMap<FaultCode, u64>,
    last: Option<LastFault>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastFault {
    pub fault: Fault,
    pub time: SystemTime,
    pub request_id: Option<RequestId>,
    /// The last lines of the standard output and error.
    pub output: String,
}

impl LastFault {
    fn now(fault: Fault, output: String) -> Self {
        Self {
            fault,
            time: SystemTime::now(),
            request_id: RequestScope::current_id(),
            output,
        }
    }
}

impl AiStats {
    pub(crate) fn new(workers: usize) -> Self {
        Self {
            searches: Counter::default(),
            evaluations: Counter::default(),
            nodes: Counter::default(),
            restarts: Counter::default(),
            thinking: seconds(),
            waiting: seconds(),
            faults: Mutex::default(),
            processes: (0..workers).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// Records the time a job spent in a worker, and its response, if any.
    pub(crate) fn record_job(&self, task: &Task, time: Duration, response: Option<&Response>) {
        self.thinking.observe(time.as_secs_f64());
        match (task, response) {
            (Task::Search(..), Some(response)) => {
                self.searches.inc();
                if let Response::Searched(result) = response {
                    self.nodes.inc_by(result.nodes.min(MOST_NODES));
                }
            }
            (Task::Evaluate, Some(_)) => _ = self.evaluations.inc(),
            (Task::Probe, _) | (_, None) => {}
        }
    }

    pub fn record_fault(&self, fault: &Fault, output: String) {
        let mut faults = self.faults();
        *faults.by_code.entry(fault.code()).or_default() += 1;
        faults.last = Some(LastFault::now(fault.clone(), output));
    }

    pub(crate) fn record_failed_start(&self, fault: Fault) {
        self.faults().last = Some(LastFault::now(fault, String::new()));
    }

    pub(crate) fn record_start(&self, worker: usize, process: Option<u32>) {
        let before = self.processes[worker].swap(process.unwrap_or(0), Ordering::Relaxed);
        if before != 0 && Some(before) != process {
            self.restarts.inc();
        }
    }

    pub fn faults_by_code(&self) -> BTreeMap<FaultCode, u64> {
        self.faults().by_code.clone()
    }

    pub fn last_fault(&self) -> Option<LastFault> {
        self.faults().last.clone()
    }

    /// Returns the resident memory of the workers and their processes, as the kernel reports it.
    pub fn resident_bytes(&self) -> u64 {
        self.processes().map(resident_bytes).sum()
    }

    /// Returns the process of each worker that has started.
    pub(crate) fn processes(&self) -> impl Iterator<Item = u32> {
        let processes = self
            .processes
            .iter()
            .map(|process| process.load(Ordering::Relaxed));
        processes.filter(|&process| process != 0)
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
