//! What is simulated.

use std::{fmt, str::FromStr};

use serde::Serialize;

use crate::random::Random;

/// Nanoseconds since the start.
pub type Time = u64;

pub const SECOND: Time = 1_000_000_000;
pub const MICROSECOND: Time = 1_000;

/// How often the delays are drawn from their distribution; the simulation draws from these.
const DELAYS: usize = 4096;

#[derive(Clone, Debug, Serialize)]
pub struct Scenario {
    pub nodes: usize,
    pub gateways: usize,
    pub machines: Machines,
    pub service: Service,
    pub arrivals: Arrivals,
    /// How many jobs arrive. The first fifth warms up.
    pub jobs: usize,
    pub dispatch: Dispatch,
    /// The requesters of each gateway, which take turns.
    pub requesters: usize,
    /// Of each gateway.
    pub queue_capacity: usize,
    pub delay: Delay,
    pub thread: Thread,
    pub death: Option<Death>,
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Machines {
    /// With this many slots each, and a speed of 1.
    Alike { slots: u32 },
    /// 1 to 16 slots, and speeds of 0.3 to 3, evenly on a logarithmic scale.
    Mixed,
}

/// The time of a job on a node of speed 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Service {
    pub shape: Shape,
    pub mean_ms: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    Exponential,
    /// With a sigma of 1: a hundredth of the jobs takes more than six times the mean.
    Lognormal,
    Fixed,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// At random times; the share of the capacity of all nodes.
    Open { load: f64 },
    /// Clients for each slot that send another request once they have a result.
    Closed { clients_per_slot: u32, pause_us: u64 },
}

/// How gateways choose nodes, and nodes choose gateways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Dispatch {
    /// The node that has been free for the longest time.
    Longest,
    /// An announced count is reduced by the own asks that are not answered.
    Counted,
    /// As `Counted`, and each gateway picks a free node at random.
    OwnOrder,
    /// As `OwnOrder`, and a gateway waits up to this time before it uses a node that was full.
    Pause { us: u64 },
    /// As `OwnOrder`, and a node reserves a slot that becomes free for the gateway that has waited for the longest time.
    Reserved,
}

/// One way between a gateway and a node.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Delay {
    pub median_us: f64,
    /// Of the logarithm; 0 is a fixed delay.
    pub sigma: f64,
}

/// What the single thread of a gateway takes, in nanoseconds; with zeros it is infinitely fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Thread {
    pub announcement_ns: u64,
    pub reply_ns: u64,
    /// For each idle slot that an arrival wakes.
    pub wake_ns: u64,
}

/// A share of the nodes stops without a word.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Death {
    pub share: f64,
    pub at: Time,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    pub slots: u32,
    pub speed: f64,
}

impl Scenario {
    pub fn machines(&self) -> Vec<Machine> {
        let mut random = Random::new(self.seed ^ 0x6e6f_6465);
        let machine = |_| match self.machines {
            Machines::Alike { slots } => Machine { slots, speed: 1.0 },
            Machines::Mixed => {
                let slots = 1 + random.below(16) as u32;
                Machine { slots, speed: 0.3 * 10_f64.powf(random.unit()) }
            }
        };
        (0..self.nodes).map(machine).collect()
    }

    /// Returns the jobs a second that all nodes can run.
    pub fn capacity(&self) -> f64 {
        let speeds =
            self.machines().iter().map(|machine| f64::from(machine.slots) * machine.speed).sum::<f64>();
        speeds * 1000.0 / self.service.mean_ms
    }

    /// Returns the jobs that arrive each second, if they arrive at random times.
    pub fn rate(&self) -> Option<f64> {
        match self.arrivals {
            Arrivals::Open { load } => Some(load * self.capacity()),
            Arrivals::Closed { .. } => None,
        }
    }
}

impl Service {
    /// Returns the time of a job on a node of speed 1.
    pub fn draw(self, random: &mut Random) -> f64 {
        let factor = match self.shape {
            Shape::Exponential => random.exponential(),
            Shape::Lognormal => (random.normal() - 0.5).exp(),
            Shape::Fixed => 1.0,
        };
        self.mean_ms * 1e6 * factor
    }
}

impl Delay {
    pub fn table(self, random: &mut Random) -> Vec<Time> {
        let delay = |_| (self.median_us * 1e3 * (self.sigma * random.normal()).exp()) as Time;
        (0..DELAYS).map(delay).collect()
    }
}

impl Dispatch {
    pub fn counts_asks(self) -> bool {
        self != Self::Longest
    }

    pub fn has_own_order(self) -> bool {
        !matches!(self, Self::Longest | Self::Counted)
    }

    pub fn is_reserved(self) -> bool {
        self == Self::Reserved
    }

    /// Returns the longest pause before a node that was full is used.
    pub fn pause(self) -> Time {
        if let Self::Pause { us } = self { us * MICROSECOND } else { 0 }
    }
}

impl fmt::Display for Dispatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Longest => f.write_str("longest"),
            Self::Counted => f.write_str("counted"),
            Self::OwnOrder => f.write_str("own-order"),
            Self::Pause { us } => write!(f, "pause-{us}"),
            Self::Reserved => f.write_str("reserved"),
        }
    }
}

impl FromStr for Dispatch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "longest" => Ok(Self::Longest),
            "counted" => Ok(Self::Counted),
            "own-order" => Ok(Self::OwnOrder),
            "reserved" => Ok(Self::Reserved),
            _ => {
                let us = text.strip_prefix("pause-").and_then(|us| us.parse().ok());
                let expected = "longest, counted, own-order, pause-MICROSECONDS or reserved";
                us.map(|us| Self::Pause { us }).ok_or_else(|| format!("expected {expected}, found `{text}`"))
            }
        }
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "exponential" => Ok(Self::Exponential),
            "lognormal" => Ok(Self::Lognormal),
            "fixed" => Ok(Self::Fixed),
            _ => Err(format!("expected exponential, lognormal or fixed, found `{text}`")),
        }
    }
}
