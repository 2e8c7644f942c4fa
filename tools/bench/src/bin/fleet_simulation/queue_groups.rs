//! The baseline: a NATS queue group with a member for each slot. NATS picks one at random, and the node queues.

use std::{cmp::Reverse, collections::BinaryHeap};

use serde::Serialize;

use crate::{
    measures::{mean, quantile, sorted},
    random::Random,
    scenario::{Scenario, Time},
};

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Baseline {
    pub mean_wait_ms: f64,
    pub median_wait_ms: f64,
    pub p99_wait_ms: f64,
}

/// Runs the same jobs on the same nodes; none for closed arrivals.
pub fn run(scenario: &Scenario) -> Option<Baseline> {
    let pace = 1e9 / scenario.rate()?;
    let machines = scenario.machines();
    let mut random = Random::new(scenario.seed);
    let delays = scenario.delay.table(&mut random);
    let members: Vec<usize> = (0..machines.len())
        .flat_map(|node| std::iter::repeat_n(node, machines[node].slots as usize))
        .collect();
    let idle = |slots: u32| (0..slots).map(|_| Reverse(0)).collect::<BinaryHeap<Reverse<Time>>>();
    let mut free_at: Vec<_> = machines.iter().map(|machine| idle(machine.slots)).collect();
    let (mut now, mut waits) = (0.0, Vec::with_capacity(scenario.jobs));
    for _ in 0..scenario.jobs {
        now += random.exponential() * pace;
        let node = members[random.below(members.len())];
        let arrives = now as Time + delays[random.below(delays.len())];
        let work = scenario.service.draw(&mut random) / machines[node].speed;
        let Some(Reverse(free)) = free_at[node].pop() else { continue };
        let started = free.max(arrives);
        free_at[node].push(Reverse(started + work as Time));
        waits.push((started - now as Time) as f64 / 1e6);
    }
    let waits = sorted(waits.drain(..).skip(scenario.jobs / 5));
    Some(Baseline {
        mean_wait_ms: mean(&waits),
        median_wait_ms: quantile(&waits, 0.5),
        p99_wait_ms: quantile(&waits, 0.99),
    })
}
