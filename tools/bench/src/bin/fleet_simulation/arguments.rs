//! The arguments of the command.

use std::{error::Error, str::FromStr};

use crate::{
    report,
    scenario::{Arrivals, Death, Delay, Dispatch, Machines, SECOND, Scenario, Service, Shape, Thread},
};

pub const HELP: &str = "Simulates the dispatch of a fleet: gateways that ask nodes over NATS.

Without --nodes, prints all tables: waits, proposals, deaths and limits.

Usage: fleet_simulation [OPTIONS]

  --nodes N            Simulate one scenario with this many nodes
  --gateways N         Its gateways [2]
  --load SHARE         The jobs that arrive, as a share of what the nodes can run [0.8]
  --clients N          In place of a load: clients for each slot that wait for their results
  --slots N            Nodes alike with this many slots [1 to 16 slots, speeds 0.3 to 3]
  --jobs N             How many jobs arrive [30 a slot, 60,000 to 160,000]
  --dying SHARE        Nodes that die after two seconds [0]
  --dispatch NAME      longest, counted, own-order, pause-MICROSECONDS or reserved [pause-2000]
  --service NAME       exponential, lognormal or fixed [exponential]
  --service-ms MS      The mean time of a job on a node of speed 1 [100]
  --delay-us US        The median delay of a message, one way [90]
  --delay-sigma SIGMA  The sigma of its logarithm; 0 is a fixed delay [0.4]
  --queue N            The capacity of each gateway's queue [64]
  --requesters N       The requesters of each gateway [8]
  --thread-us A,R      What an announcement and a reply take of a gateway's thread [0,0]
  --seed N             Equal seeds give equal tables, except what is measured: the costs of a thread [1]
  --json               Print JSON
  --help               Print this help

Examples:
  fleet_simulation
  fleet_simulation --json > fleet.json
  fleet_simulation --nodes 100 --gateways 10 --load 0.95 --dispatch reserved
  fleet_simulation --nodes 16 --slots 1 --clients 4 --service fixed
  fleet_simulation --nodes 1000 --load 0.8 --dying 0.1
";

/// What the command does.
#[derive(Debug)]
pub enum Command {
    Help,
    /// All tables; the scenario has the settings that they do not vary.
    Tables {
        base: Scenario,
        json: bool,
    },
    One {
        scenario: Scenario,
        json: bool,
    },
}

impl Command {
    /// # Errors
    /// An argument is unknown or can't be used.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut scenario = Scenario {
            nodes: 0,
            gateways: 2,
            machines: Machines::Mixed,
            service: Service { shape: Shape::Exponential, mean_ms: 100.0 },
            arrivals: Arrivals::Open { load: 0.8 },
            jobs: 0,
            dispatch: Dispatch::Pause { us: 2_000 },
            requesters: 8,
            queue_capacity: 64,
            delay: Delay { median_us: 90.0, sigma: 0.4 },
            thread: Thread::default(),
            death: None,
            seed: 1,
        };
        let mut json = false;
        while let Some(name) = arguments.next() {
            match name.as_str() {
                "--help" | "-h" => return Ok(Self::Help),
                "--json" => {
                    json = true;
                    continue;
                }
                _ => {}
            }
            let value = arguments.next().ok_or_else(|| format!("`{name}` needs a value; see --help"))?;
            match name.as_str() {
                "--nodes" => scenario.nodes = count(&name, &value)?,
                "--gateways" => scenario.gateways = count(&name, &value)?,
                "--load" => scenario.arrivals = Arrivals::Open { load: positive(&name, &value)? },
                "--clients" => {
                    let clients_per_slot = number(&name, &value)?;
                    scenario.arrivals = Arrivals::Closed { clients_per_slot, pause_us: 350 };
                }
                "--slots" => scenario.machines = Machines::Alike { slots: number(&name, &value)? },
                "--jobs" => scenario.jobs = count(&name, &value)?,
                "--dying" => {
                    let share = number(&name, &value)?;
                    scenario.death = Some(Death { share, at: 2 * SECOND });
                }
                "--dispatch" => scenario.dispatch = number(&name, &value)?,
                "--service" => scenario.service.shape = number(&name, &value)?,
                "--service-ms" => scenario.service.mean_ms = positive(&name, &value)?,
                "--delay-us" => scenario.delay.median_us = number(&name, &value)?,
                "--delay-sigma" => scenario.delay.sigma = number(&name, &value)?,
                "--queue" => scenario.queue_capacity = count(&name, &value)?,
                "--requesters" => scenario.requesters = count(&name, &value)?,
                "--thread-us" => scenario.thread = thread(&name, &value)?,
                "--seed" => scenario.seed = number(&name, &value)?,
                _ => return Err(format!("unknown argument `{name}`; see --help").into()),
            }
        }
        if scenario.nodes == 0 {
            return Ok(Self::Tables { base: scenario, json });
        }
        match scenario.death {
            Some(death) if scenario.jobs == 0 && scenario.rate().is_some() => {
                scenario = report::dying(scenario);
                scenario.death = Some(death);
            }
            _ if scenario.jobs == 0 => scenario.jobs = report::jobs(&scenario),
            _ => {}
        }
        Ok(Self::One { scenario, json })
    }
}

fn number<T: FromStr>(name: &str, value: &str) -> Result<T, String>
where
    T::Err: std::fmt::Display,
{
    value.parse().map_err(|error| format!("`{name} {value}`: {error}"))
}

fn count(name: &str, value: &str) -> Result<usize, String> {
    let count = number(name, value)?;
    if count == 0 { Err(format!("`{name}` is at least 1")) } else { Ok(count) }
}

fn positive(name: &str, value: &str) -> Result<f64, String> {
    let positive = number(name, value)?;
    if positive > 0.0 { Ok(positive) } else { Err(format!("`{name}` is above 0")) }
}

fn thread(name: &str, value: &str) -> Result<Thread, String> {
    let (announcement, reply) =
        value.split_once(',').ok_or_else(|| format!("`{name}` has two numbers with a comma"))?;
    let ns = |text: &str| Ok::<_, String>((number::<f64>(name, text)? * 1e3) as u64);
    Ok(Thread { announcement_ns: ns(announcement)?, reply_ns: ns(reply)?, wake_ns: 0 })
}
