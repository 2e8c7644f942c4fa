//! The tables of the default run, and that of a single scenario.

use std::fmt::Write as _;

use serde::Serialize;

use crate::{
    fleet,
    measures::Measures,
    queue_groups::{self, Baseline},
    scenario::{Arrivals, Death, Dispatch, Machines, SECOND, Scenario, Service, Shape},
    thread_costs::ThreadCosts,
};

const LOADS: [f64; 4] = [0.5, 0.8, 0.95, 1.05];
const GATEWAYS: [usize; 3] = [1, 2, 10];
const NODES: [usize; 3] = [10, 100, 1_000];
/// The jobs of a scenario: for each slot, and the least and the most.
const JOBS_PER_SLOT: usize = 30;
const LEAST_JOBS: usize = 60_000;
const MOST_JOBS: usize = 160_000;
/// The running jobs of an announcement: the mean of mixed machines at a load of 0.8.
const ANNOUNCED_JOBS: usize = 7;

/// One simulation.
#[derive(Debug, Serialize)]
pub struct Run {
    pub scenario: Scenario,
    pub measures: Measures,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_groups: Option<Baseline>,
}

/// What one thread of a gateway can do.
#[derive(Debug, Serialize)]
pub struct ThreadLimit {
    pub costs: ThreadCosts,
    pub gateways: usize,
    /// The share of the thread that announcements without any job take.
    pub heartbeats: f64,
    /// The jobs a second of the whole fleet at which the threads are busy all the time.
    pub jobs_per_second: f64,
}

#[derive(Debug, Default, Serialize)]
pub struct Report {
    pub dispatch: Vec<Run>,
    pub proposals: Vec<Run>,
    pub shapes: Vec<Run>,
    pub deaths: Vec<Run>,
    pub threads: Vec<Run>,
    pub limits: Vec<ThreadLimit>,
}

impl Run {
    pub fn new(scenario: Scenario) -> Self {
        let measures = fleet::run(&scenario);
        let queue_groups = queue_groups::run(&scenario);
        Self { scenario, measures, queue_groups }
    }

    fn load(&self) -> String {
        match self.scenario.arrivals {
            Arrivals::Open { load } => load.to_string(),
            Arrivals::Closed { clients_per_slot, .. } => format!("{clients_per_slot} clients a slot"),
        }
    }
}

/// Returns enough jobs for a scenario.
pub fn jobs(scenario: &Scenario) -> usize {
    let slots: u32 = scenario.machines().iter().map(|machine| machine.slots).sum();
    (slots as usize * JOBS_PER_SLOT).clamp(LEAST_JOBS, MOST_JOBS)
}

fn with(base: &Scenario, nodes: usize, gateways: usize, load: f64) -> Scenario {
    let mut scenario = Scenario { nodes, gateways, arrivals: Arrivals::Open { load }, ..base.clone() };
    scenario.jobs = jobs(&scenario);
    scenario
}

impl Report {
    /// Runs all tables; `base` has the settings that they do not vary.
    pub fn new(base: &Scenario) -> Self {
        let mut report = Self::default();
        for (nodes, gateways) in
            NODES.into_iter().flat_map(|nodes| GATEWAYS.map(|gateways| (nodes, gateways)))
        {
            let runs = LOADS.map(|load| Run::new(with(base, nodes, gateways, load)));
            report.dispatch.extend(runs);
        }
        let proposals = [
            Dispatch::Longest,
            Dispatch::Counted,
            Dispatch::OwnOrder,
            Dispatch::Pause { us: 2_000 },
            Dispatch::Reserved,
        ];
        for (nodes, load) in NODES.into_iter().flat_map(|nodes| [0.8, 0.95, 1.05].map(|load| (nodes, load))) {
            let run = |dispatch| Run::new(Scenario { dispatch, ..with(base, nodes, 10, load) });
            report.proposals.extend(proposals.map(run));
        }
        for shape in [Shape::Fixed, Shape::Exponential, Shape::Lognormal] {
            let service = Service { shape, ..base.service };
            report.shapes.push(Run::new(Scenario { service, ..with(base, 100, 2, 0.95) }));
            let machines = Machines::Alike { slots: 8 };
            report.shapes.push(Run::new(Scenario { service, machines, ..with(base, 100, 2, 0.95) }));
        }
        for (nodes, gateways, load) in
            [(10, 2, 0.5), (10, 2, 0.8), (100, 2, 0.5), (100, 2, 0.8), (100, 10, 0.8), (1_000, 2, 0.8)]
        {
            report.deaths.push(Run::new(dying(with(base, nodes, gateways, load))));
        }
        report.add_limits(base);
        report
    }

    fn add_limits(&mut self, base: &Scenario) {
        for nodes in NODES {
            let costs = ThreadCosts::measure(nodes, ANNOUNCED_JOBS);
            self.limits.extend(GATEWAYS.map(|gateways| ThreadLimit::new(costs, gateways)));
        }
        // The gateway's own time, below and above the limit.
        for (nodes, share) in [(100, 0.2), (100, 0.5), (100, 1.3), (1_000, 0.2), (1_000, 0.5)] {
            let Some(limit) =
                self.limits.iter().find(|limit| limit.costs.nodes == nodes && limit.gateways == 10)
            else {
                continue;
            };
            let mut scenario = with(base, nodes, 10, 0.8);
            // The service time at which a load of 0.8 has this share of the limit.
            scenario.service.mean_ms *= scenario.rate().unwrap_or_default() / (share * limit.jobs_per_second);
            scenario.thread = limit.costs.thread();
            self.threads.push(Run::new(scenario));
        }
    }

    pub fn markdown(&self) -> String {
        let mut text = dispatch_table(&self.dispatch);
        text += &proposal_table(&self.proposals);
        text += &shape_table(&self.shapes);
        text += &death_table(&self.deaths);
        text += &limit_table(&self.limits);
        text += &thread_table(&self.threads);
        text
    }
}

/// Adds the death of a tenth of the nodes after two seconds, and five seconds of arrivals.
pub fn dying(mut scenario: Scenario) -> Scenario {
    let jobs_in = |seconds: f64| (scenario.rate().unwrap_or_default() * seconds) as usize;
    (scenario.jobs, scenario.death) = (jobs_in(7.0), Some(Death { share: 0.1, at: 2 * SECOND }));
    scenario
}

impl ThreadLimit {
    fn new(costs: ThreadCosts, gateways: usize) -> Self {
        let thread = costs.thread();
        // A job is two announcements to each gateway, and two replies and a wake-up of a slot at one.
        let announcement = thread.announcement_ns as f64 / 1e9;
        let own = (2 * thread.reply_ns + thread.wake_ns) as f64 / 1e9;
        let heartbeats = costs.nodes as f64 * announcement;
        let jobs_per_second = (1.0 - heartbeats).max(0.0) / (2.0 * announcement + own / gateways as f64);
        Self { costs, gateways, heartbeats, jobs_per_second }
    }
}

fn dispatch_table(runs: &[Run]) -> String {
    let mut text = String::from(
        "| nodes | gateways | load | wait ms: mean | median | p99 | queue groups: mean | p99 | asks a job | busy slots | rejected \
         | published a second | delivered a second | announcements a second to a gateway | wakes a job |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for run in runs {
        let (scenario, measures) = (&run.scenario, &run.measures);
        let groups = run.queue_groups.map(|groups| (number(groups.mean_wait_ms), number(groups.p99_wait_ms)));
        let (groups_mean, groups_p99) = groups.unwrap_or_default();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {groups_mean} | {groups_p99} | {:.2} | {} | {} | {} | {} | {} | {} |",
            scenario.nodes,
            scenario.gateways,
            run.load(),
            number(measures.mean_wait_ms),
            number(measures.median_wait_ms),
            number(measures.p99_wait_ms),
            measures.asks_per_job,
            percent(measures.utilisation),
            percent(measures.rejected),
            count(measures.messages.published),
            count(measures.messages.delivered),
            count(measures.messages.announcements_per_gateway),
            count(measures.wakes_per_job),
        );
    }
    text
}

fn proposal_table(runs: &[Run]) -> String {
    let mut text = String::from(
        "\n| nodes | load | dispatch | asks a job | wait ms: mean | p99 | busy slots | rejected | delivered a second |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for run in runs {
        let (scenario, measures) = (&run.scenario, &run.measures);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.2} | {} | {} | {} | {} | {} |",
            scenario.nodes,
            run.load(),
            scenario.dispatch,
            measures.asks_per_job,
            number(measures.mean_wait_ms),
            number(measures.p99_wait_ms),
            percent(measures.utilisation),
            percent(measures.rejected),
            count(measures.messages.delivered),
        );
    }
    text
}

fn shape_table(runs: &[Run]) -> String {
    let mut text = String::from(
        "\n| service times | machines | wait ms: mean | p99 | queue groups: mean | p99 | asks a job |\n|---|---|---|---|---|---|---|\n",
    );
    for run in runs {
        let (scenario, measures) = (&run.scenario, &run.measures);
        let Some(groups) = run.queue_groups else { continue };
        let machines = if scenario.machines == Machines::Mixed { "mixed" } else { "alike" };
        let _ = writeln!(
            text,
            "| {} | {machines} | {} | {} | {} | {} | {:.2} |",
            format!("{:?}", scenario.service.shape).to_lowercase(),
            number(measures.mean_wait_ms),
            number(measures.p99_wait_ms),
            number(groups.mean_wait_ms),
            number(groups.p99_wait_ms),
            measures.asks_per_job,
        );
    }
    text
}

fn death_table(runs: &[Run]) -> String {
    let mut text = String::from(
        "\n| nodes | gateways | load | nodes that died | jobs asked twice | their wait ms: mean | longest | jobs asked of a dead node | \
         their wait ms: mean | p99 wait ms of the others |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for run in runs {
        let Some(death) = run.measures.death else { continue };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            run.scenario.nodes,
            run.scenario.gateways,
            run.load(),
            death.nodes,
            death.asked_twice,
            number(death.asked_twice_mean_wait_ms),
            number(death.asked_twice_longest_wait_ms),
            death.delayed,
            number(death.delayed_mean_wait_ms),
            number(death.others_p99_wait_ms),
        );
    }
    text
}

fn limit_table(limits: &[ThreadLimit]) -> String {
    let mut text = String::from(
        "\n| nodes | gateways | announcement, bytes | µs: parse it | parse a reply | heartbeats alone, of \
         a thread | most jobs a second |\n|---|---|---|---|---|---|---|\n",
    );
    for limit in limits {
        let costs = limit.costs;
        let us = |ns: u64| number(ns as f64 / 1e3);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            costs.nodes,
            limit.gateways,
            costs.announcement_bytes,
            us(costs.parse_announcement_ns),
            us(costs.parse_reply_ns),
            percent(limit.heartbeats),
            count(limit.jobs_per_second),
        );
    }
    text
}

fn thread_table(runs: &[Run]) -> String {
    let mut text = String::from(
        "\n| nodes, 10 gateways | jobs a second that arrive | wait ms: mean | p99 | asks a job | rejected |\n|---|---|---|---|---|---|\n",
    );
    for run in runs {
        let measures = &run.measures;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.2} | {} |",
            run.scenario.nodes,
            count(run.scenario.rate().unwrap_or_default()),
            number(measures.mean_wait_ms),
            number(measures.p99_wait_ms),
            measures.asks_per_job,
            percent(measures.rejected),
        );
    }
    text
}

/// Returns the table of one scenario.
pub fn single(run: &Run) -> String {
    match run.measures.death {
        Some(_) => dispatch_table(std::slice::from_ref(run)) + &death_table(std::slice::from_ref(run)),
        None => dispatch_table(std::slice::from_ref(run)),
    }
}

/// Formats a figure with three significant digits.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => count(value),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Formats a whole number with commas.
fn count(value: f64) -> String {
    let digits = format!("{value:.0}");
    let grouped = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned());
    grouped.collect::<Vec<_>>().join(",")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
