//! Measures what the thread of a gateway does for a message, with the structures of `host/crates/fleet` and without its types.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use crate::scenario::Thread;

/// How long one thing is measured. The fastest run counts, since other programs share the machine.
const TIME: Duration = Duration::from_millis(60);
/// Measured with tokio 1.54: tasks that wait in a `select!` for a `Notify` and a watch channel, 123 to 162 ns.
pub const WAKE_NS: u64 = 150;

#[derive(Clone, Copy, Debug, Serialize)]
pub struct ThreadCosts {
    pub nodes: usize,
    pub announcement_bytes: usize,
    pub parse_announcement_ns: u64,
    pub parse_reply_ns: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Announcement {
    instance: String,
    number: u64,
    tick_ms: u64,
    draining: bool,
    ais: Vec<OfferedAi>,
    jobs: Vec<RunningJob>,
}

#[derive(Debug, Serialize, Deserialize)]
struct OfferedAi {
    id: String,
    fingerprint: String,
    slots: u32,
    free: u32,
}

#[derive(Debug, Serialize, Deserialize)]
struct RunningJob {
    gateway: String,
    job: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Accepted { job: String, number: u64 },
}

impl ThreadCosts {
    /// Measures them for a fleet of this size, of one AI, with this many running jobs in an announcement.
    pub fn measure(nodes: usize, jobs: usize) -> Self {
        let id = |number: usize| format!("{:032x}", number as u128 * 0x9e37_79b9_7f4a_7c15_f39c);
        let announcement = Announcement {
            instance: id(1),
            number: 123_456,
            tick_ms: 12_345_678,
            draining: false,
            ais: vec![OfferedAi { id: "basic1".into(), fingerprint: id(2).repeat(2), slots: 8, free: 1 }],
            jobs: (0..jobs).map(|job| RunningJob { gateway: id(3), job: id(100 + job) }).collect(),
        };
        let text = serde_json::to_vec(&announcement).expect("an announcement is plain");
        let reply =
            serde_json::to_vec(&Reply::Accepted { job: id(4), number: 123_457 }).expect("so is a reply");
        Self {
            nodes,
            announcement_bytes: text.len(),
            parse_announcement_ns: fastest(|| {
                black_box(serde_json::from_slice::<Announcement>(black_box(&text)).is_ok());
            }),
            parse_reply_ns: fastest(|| {
                black_box(serde_json::from_slice::<Reply>(black_box(&reply)).is_ok());
            }),
        }
    }

    pub fn thread(self) -> Thread {
        Thread {
            announcement_ns: self.parse_announcement_ns,
            reply_ns: self.parse_reply_ns,
            wake_ns: WAKE_NS,
        }
    }
}

/// Returns the nanoseconds of the fastest run.
fn fastest(mut run: impl FnMut()) -> u64 {
    /// So that the clock is not what is measured.
    const RUNS: u32 = 16;
    let (started, mut best) = (Instant::now(), Duration::MAX);
    while started.elapsed() < TIME {
        let run_started = Instant::now();
        (0..RUNS).for_each(|_| run());
        best = best.min(run_started.elapsed());
    }
    u64::try_from((best / RUNS).as_nanos()).unwrap_or(u64::MAX).max(1)
}
