//! Cases with known results.

use crate::{
    fleet, queue_groups,
    scenario::{Arrivals, Death, Delay, Dispatch, Machines, SECOND, Scenario, Service, Shape, Thread},
};

fn scenario(nodes: usize, gateways: usize, load: f64, jobs: usize) -> Scenario {
    Scenario {
        nodes,
        gateways,
        machines: Machines::Mixed,
        service: Service { shape: Shape::Exponential, mean_ms: 100.0 },
        arrivals: Arrivals::Open { load },
        jobs,
        dispatch: Dispatch::Longest,
        requesters: 4,
        queue_capacity: 1_000_000,
        delay: Delay { median_us: 90.0, sigma: 0.4 },
        thread: Thread::default(),
        death: None,
        seed: 1,
    }
}

/// The mean wait of M/M/N, in mean service times.
fn erlang_c(servers: u32, load: f64) -> f64 {
    let offered = f64::from(servers) * load;
    let blocked = (1..=servers).map(f64::from).fold(1.0, |b, n| offered * b / (n + offered * b));
    let waits = blocked / (1.0 - load * (1.0 - blocked));
    waits / (f64::from(servers) * (1.0 - load))
}

#[test]
fn one_gateway_without_delay_is_one_queue() {
    for (nodes, load) in [(1, 0.5), (2, 0.7), (4, 0.7)] {
        let one_slot = Machines::Alike { slots: 1 };
        let delay = Delay { median_us: 0.0, sigma: 0.0 };
        let scenario = Scenario { machines: one_slot, delay, ..scenario(nodes, 1, load, 1_200_000) };
        let measures = fleet::run(&scenario);
        let (wait, expected) = (measures.mean_wait_ms, 100.0 * erlang_c(nodes as u32, load));
        assert!((wait / expected - 1.0).abs() < 0.03, "{nodes} nodes: {wait} ms, expected {expected} ms");
        assert!((measures.utilisation - load).abs() < 0.01, "{}", measures.utilisation);
        assert_eq!(measures.asks_per_job, 1.0);
    }
}

#[test]
fn a_queue_group_of_single_slots_is_many_queues() {
    let machines = Machines::Alike { slots: 1 };
    let scenario = Scenario { machines, ..scenario(10, 1, 0.8, 1_000_000) };
    let groups = queue_groups::run(&scenario).expect("jobs arrive at random times");
    let expected = 100.0 * erlang_c(1, 0.8) + 0.09;
    assert!(
        (groups.mean_wait_ms / expected - 1.0).abs() < 0.03,
        "{} ms, not {expected}",
        groups.mean_wait_ms
    );
    let measures = fleet::run(&Scenario { jobs: 100_000, ..scenario });
    assert!(groups.mean_wait_ms > 5.0 * measures.mean_wait_ms, "{measures:?}");
}

#[test]
fn closed_clients_keep_sleeping_nodes_busy() {
    for gateways in [1, 2] {
        let scenario = Scenario {
            machines: Machines::Alike { slots: 1 },
            service: Service { shape: Shape::Fixed, mean_ms: 100.0 },
            arrivals: Arrivals::Closed { clients_per_slot: 4, pause_us: 350 },
            ..scenario(16, gateways, 1.0, 5_000)
        };
        let measures = fleet::run(&scenario);
        assert!(measures.jobs_per_second >= 0.95 * 160.0, "{measures:?}");
        assert_eq!(measures.wrong_ends, 0);
    }
}

#[test]
fn each_job_is_finished_once_with_each_dispatch() {
    let all = [
        Dispatch::Longest,
        Dispatch::Counted,
        Dispatch::OwnOrder,
        Dispatch::Pause { us: 500 },
        Dispatch::Reserved,
    ];
    for dispatch in all {
        let scenario = Scenario { dispatch, ..scenario(20, 5, 0.95, 20_000) };
        let measures = fleet::run(&scenario);
        assert_eq!((measures.jobs, measures.wrong_ends), (16_000, 0), "{dispatch}");
        assert_eq!(measures.rejected, 0.0);
        assert!(measures.asks_per_job >= 1.0);
    }
}

#[test]
fn no_job_is_lost_when_nodes_die() {
    let death = Some(Death { share: 0.1, at: 2 * SECOND });
    let scenario = Scenario { death, ..scenario(50, 3, 0.7, 60_000) };
    let measures = fleet::run(&scenario);
    assert_eq!(measures.wrong_ends, 0);
    let death = measures.death.expect("nodes died");
    assert_eq!(death.nodes, 5);
    assert!(death.asked_twice > 0);
    assert!((3_000.0..4_500.0).contains(&death.asked_twice_longest_wait_ms), "{death:?}");
}

#[test]
fn equal_seeds_give_equal_figures() {
    let figures = |seed| {
        let scenario = Scenario { seed, ..scenario(10, 2, 0.8, 5_000) };
        serde_json::to_string(&fleet::run(&scenario)).expect("figures are plain")
    };
    assert_eq!(figures(7), figures(7));
    assert_ne!(figures(7), figures(8));
}

#[test]
fn a_full_queue_rejects_jobs() {
    let scenario = Scenario { queue_capacity: 8, ..scenario(2, 2, 2.0, 5_000) };
    let measures = fleet::run(&scenario);
    assert!(measures.rejected > 0.3, "{measures:?}");
    assert_eq!(measures.wrong_ends, 0);
}
