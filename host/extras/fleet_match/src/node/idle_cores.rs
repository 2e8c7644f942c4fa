//! The processors that other work leaves to a node.

use std::fs;

use rustix::thread::{CpuSet, sched_getaffinity};

/// A load of up to this many processors is ignored, because the node itself causes some load.
const TOLERATED: f64 = 0.35;

/// The load on this process's processors.
#[derive(Debug)]
pub(super) struct IdleCores {
    own: CpuSet,
    cores: usize,
    last: CpuTimes,
    /// The number of processors that other work used recently.
    others: f64,
}

/// The total busy and idle times of this process's processors since boot, in hundredths of a
/// second. The counters wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CpuTimes {
    busy: u32,
    idle: u32,
}

impl IdleCores {
    pub(super) fn new() -> Self {
        let own = sched_getaffinity(None).unwrap_or_default();
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let last = CpuTimes::now(&own);
        Self {
            own,
            cores,
            last,
            // No pair starts before the first measurement.
            others: f64::INFINITY,
        }
    }

    /// Measures the load since the last call, while games used `used` processors.
    pub(super) fn measure(&mut self, used: usize) {
        let now = CpuTimes::now(&self.own);
        let busy = f64::from(now.busy.wrapping_sub(self.last.busy));
        let idle = f64::from(now.idle.wrapping_sub(self.last.idle));
        self.last = now;
        if busy + idle > 0.0 {
            let all = f64::from(self.own.count().max(1));
            self.others = (busy / (busy + idle) * all - number(used)).max(0.0);
        }
    }

    /// Returns whether `wanted` more processors are idle, while games use `used` processors.
    pub(super) fn has_idle(&self, used: usize, wanted: usize) -> bool {
        number(used + wanted) + self.others <= number(self.cores) + TOLERATED
    }
}

fn number(cores: usize) -> f64 {
    u32::try_from(cores).map_or(f64::INFINITY, f64::from)
}

impl CpuTimes {
    /// Reads `/proc/stat`.
    fn now(own: &CpuSet) -> Self {
        let text = fs::read_to_string("/proc/stat").unwrap_or_default();
        Self::read(&text, |cpu| cpu < CpuSet::MAX_CPU && own.is_set(cpu))
    }

    fn read(text: &str, is_own: impl Fn(usize) -> bool) -> Self {
        let mut times = Self::default();
        for line in text.lines() {
            let Some((name, numbers)) = line.split_once(' ') else {
                continue;
            };
            let cpu = name.strip_prefix("cpu").and_then(|cpu| cpu.parse().ok());
            if !cpu.is_some_and(&is_own) {
                continue;
            }
            // The columns are user, nice, system, idle, iowait, irq, softirq and steal. The user
            // time includes the guest time.
            let ticks = numbers.split_whitespace().take(8);
            let ticks = ticks.filter_map(|number| number.parse::<u64>().ok());
            for (index, count) in ticks.enumerate() {
                let sum = if matches!(index, 3 | 4) {
                    &mut times.idle
                } else {
                    &mut times.busy
                };
                *sum = sum.wrapping_add(count as u32);
            }
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_only_processors_of_this_process() {
        let text = "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 1 2 3 40 5 6 7 8 1 0\ncpu1 1 0 0 9 0 0 0 0 0 0\n\
            intr 1 2 3\n";
        let of = |cpu| CpuTimes::read(text, |other| other == cpu);
        assert_eq!(of(0), CpuTimes { busy: 27, idle: 45 });
        assert_eq!(of(1), CpuTimes { busy: 1, idle: 9 });
        assert_eq!(of(2), CpuTimes::default());
    }

    #[test]
    fn a_pair_starts_only_with_an_idle_processor() {
        let mut cores = IdleCores::new();
        (cores.cores, cores.others) = (4, 0.2);
        assert!(cores.has_idle(3, 1) && !cores.has_idle(4, 1) && cores.has_idle(2, 2));
        cores.others = 1.5;
        assert!(cores.has_idle(1, 1) && !cores.has_idle(2, 1));
    }

    #[test]
    fn no_pair_starts_before_a_measurement() {
        assert!(!IdleCores::new().has_idle(0, 1));
    }
}
