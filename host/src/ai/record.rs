//! What is remembered of an AI's work: its numbers, and what went wrong last.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use prometheus_client::metrics::{counter::Counter, histogram::Histogram};

use super::{
    Fault,
    memory::resident_bytes,
    protocol::{Findings, Task},
};
use crate::telemetry::{RequestId, metrics::seconds};

/// The most positions that one answer counts for: an AI may say any number.
const MOST_NODES: u64 = 1 << 50;

/// What is remembered of an AI's work. Grows with neither time nor use.
#[derive(Debug)]
pub struct Record {
    /// Searches that were answered.
    pub searches: Counter,
    /// Judgements that were answered.
    pub evaluations: Counter,
    /// Positions looked at, as the AI says.
    pub nodes: Counter,
    /// Worker processes started in the place of others.
    pub restarts: Counter,
    /// How long the AI had each question.
    pub thinking: Histogram,
    faults: Mutex<Faults>,
    /// The process of each worker; 0 where there has been none.
    processes: Vec<AtomicU32>,
}

#[derive(Debug, Default)]
struct Faults {
    by_code: BTreeMap<&'static str, u64>,
    last: Option<LastFault>,
}

/// What went wrong last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastFault {
    /// What the AI did.
    pub fault: Fault,
    /// When.
    pub time: SystemTime,
    /// The request that was being answered, if it has a name.
    pub request_id: Option<RequestId>,
    /// The end of what the AI's process had written, line by line.
    pub output: String,
}

impl LastFault {
    fn now(fault: Fault, output: String) -> Self {
        Self { fault, time: SystemTime::now(), request_id: RequestId::current(), output }
    }
}

impl Record {
    /// Nothing yet, for this many workers.
    pub(super) fn new(workers: usize) -> Self {
        Self {
            searches: Counter::default(),
            evaluations: Counter::default(),
            nodes: Counter::default(),
            restarts: Counter::default(),
            thinking: seconds(),
            faults: Mutex::default(),
            processes: (0..workers).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    /// A worker has had a question for some time, and answered if it did.
    pub(super) fn asked(&self, task: &Task, time: Duration, findings: Option<&Findings>) {
        self.thinking.observe(time.as_secs_f64());
        match (task, findings) {
            (_, None) => {}
            (Task::Search(..), Some(findings)) => {
                self.searches.inc();
                if let Findings::Answer(answer) = findings {
                    self.nodes.inc_by(answer.nodes.min(MOST_NODES));
                }
            }
            (Task::Evaluate, Some(_)) => _ = self.evaluations.inc(),
        }
    }

    /// The AI has done something else than answering; what its process wrote.
    pub(crate) fn failed(&self, fault: &Fault, output: String) {
        let mut faults = self.faults();
        *faults.by_code.entry(fault.code()).or_default() += 1;
        faults.last = Some(LastFault::now(fault.clone(), output));
    }

    /// A worker could not be started, which no request has asked for.
    pub(super) fn not_started(&self, fault: Fault) {
        self.faults().last = Some(LastFault::now(fault, String::new()));
    }

    /// Another process is a worker now.
    pub(super) fn started(&self, worker: usize, process: Option<u32>) {
        let before = self.processes[worker].swap(process.unwrap_or(0), Ordering::Relaxed);
        if before != 0 && Some(before) != process {
            self.restarts.inc();
        }
    }

    /// How often each fault has been seen, by its code.
    pub fn faults_by_code(&self) -> BTreeMap<&'static str, u64> {
        self.faults().by_code.clone()
    }

    /// What went wrong last.
    pub fn last_fault(&self) -> Option<LastFault> {
        self.faults().last.clone()
    }

    /// The memory that the workers hold now, with what they have started. Asks the kernel.
    pub fn resident_bytes(&self) -> u64 {
        let processes = self.processes.iter().map(|process| process.load(Ordering::Relaxed));
        processes.filter(|&process| process != 0).map(resident_bytes).sum()
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
