//! What a simulation has measured.

use serde::Serialize;

use crate::{
    job::{Job, WARM_UP},
    scenario::{SECOND, Scenario, Time},
};

/// Counted while measured jobs arrive, except the ends.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub measured_from: Option<Time>,
    pub measured_until: Time,
    pub asks: u64,
    pub replies: u64,
    pub announcements: u64,
    pub not_needed: u64,
    /// How often queued jobs have woken idle slots.
    pub arrival_wakes: u64,
    pub finished: u64,
    pub busy_time: Time,
    /// Of all jobs: those with a result or a rejection.
    pub ended: usize,
    pub died: usize,
}

/// Waits are from the arrival at a gateway to the start on a node, of the run that has the result.
#[derive(Clone, Debug, Serialize)]
pub struct Measures {
    pub jobs: usize,
    pub jobs_per_second: f64,
    pub mean_wait_ms: f64,
    pub median_wait_ms: f64,
    pub p99_wait_ms: f64,
    pub rejected: f64,
    pub asks_per_job: f64,
    pub utilisation: f64,
    pub messages: Messages,
    /// The idle slots of a gateway that a job wakes when it is queued.
    pub wakes_per_job: f64,
    /// The jobs that did not run to their end once; always 0.
    pub wrong_ends: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub death: Option<DeathMeasures>,
}

/// Messages a second.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Messages {
    pub published: f64,
    pub delivered: f64,
    /// To one gateway.
    pub announcements_per_gateway: f64,
    pub replies_per_gateway: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct DeathMeasures {
    pub nodes: usize,
    /// Of jobs that ran on a node that died.
    pub asked_twice: usize,
    pub asked_twice_mean_wait_ms: f64,
    pub asked_twice_longest_wait_ms: f64,
    /// Of jobs that were first asked of a dead node.
    pub delayed: usize,
    pub delayed_mean_wait_ms: f64,
    /// Of the other jobs that arrived within five seconds.
    pub others_p99_wait_ms: f64,
}

impl Measures {
    pub fn new(scenario: &Scenario, all: &[Job], counts: Counts) -> Self {
        let jobs = &all[all.len() / WARM_UP..];
        let window = counts.measured_until - counts.measured_from.unwrap_or_default();
        let seconds = window.max(1) as f64 / SECOND as f64;
        let per_second = |count: u64| count as f64 / seconds;
        let ran: Vec<&Job> = jobs.iter().filter(|job| !job.is_rejected).collect();
        let waits = sorted(ran.iter().map(|job| wait_ms(job)));
        let slots: u32 = scenario.machines().iter().map(|machine| machine.slots).sum();
        let gateways = scenario.gateways as f64;
        let (announcements, replies) = (per_second(counts.announcements), per_second(counts.replies));
        // Each gateway says each second that it is there, to all nodes. Each result is acknowledged.
        let orders = per_second(counts.asks + counts.finished + counts.not_needed);
        let asks: u32 = ran.iter().map(|job| job.asks).sum();
        Self {
            jobs: jobs.len(),
            jobs_per_second: per_second(counts.finished),
            mean_wait_ms: mean(&waits),
            median_wait_ms: quantile(&waits, 0.5),
            p99_wait_ms: quantile(&waits, 0.99),
            rejected: 1.0 - ran.len() as f64 / jobs.len().max(1) as f64,
            asks_per_job: f64::from(asks) / ran.len().max(1) as f64,
            utilisation: counts.busy_time as f64 / (window.max(1) as f64 * f64::from(slots)),
            messages: Messages {
                published: announcements + replies + orders + gateways,
                delivered: announcements * gateways + replies + orders + gateways * scenario.nodes as f64,
                announcements_per_gateway: announcements,
                replies_per_gateway: replies / gateways,
            },
            wakes_per_job: counts.arrival_wakes as f64 / counts.finished.max(1) as f64,
            wrong_ends: ran.iter().filter(|job| job.ends != 1).count(),
            death: scenario.death.map(|death| DeathMeasures::new(all, counts.died, death.at)),
        }
    }
}

impl DeathMeasures {
    fn new(jobs: &[Job], nodes: usize, at: Time) -> Self {
        let ran = || jobs.iter().filter(|job| !job.is_rejected);
        let of = |is_one: &dyn Fn(&Job) -> bool| sorted(ran().filter(|job| is_one(job)).map(wait_ms));
        let lost = of(&|job| job.is_lost);
        let delayed = of(&|job| job.is_delayed && !job.is_lost);
        let is_after = |job: &Job| (at..at + 5 * SECOND).contains(&job.arrived);
        let others = of(&|job| is_after(job) && !job.is_delayed && !job.is_lost);
        Self {
            nodes,
            asked_twice: lost.len(),
            asked_twice_mean_wait_ms: mean(&lost),
            asked_twice_longest_wait_ms: quantile(&lost, 1.0),
            delayed: delayed.len(),
            delayed_mean_wait_ms: mean(&delayed),
            others_p99_wait_ms: quantile(&others, 0.99),
        }
    }
}

fn wait_ms(job: &Job) -> f64 {
    (job.started - job.arrived) as f64 / 1e6
}

pub fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns a quantile of sorted values; 0 without any.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = (sorted.len() as f64 * share) as usize;
    sorted.get(place.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}
