//! A distribution of times.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

/// The number of steps per doubling of the time. A step is 4.4 %.
const STEPS: f64 = 16.0;

/// The number of measured times within each step. The first step starts at a microsecond.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Times(BTreeMap<u16, u64>);

impl Times {
    pub fn add(&mut self, time: Duration) {
        let micros = (time.as_secs_f64() * 1e6).max(1.0);
        let step = (micros.log2() * STEPS) as u16;
        *self.0.entry(step).or_default() += 1;
    }

    /// Returns the number of times.
    pub fn count(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns the time that a share of the times does not exceed, accurate to 3 %, or `None` if
    /// there are no times.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let rank = (self.count() as f64 * share).ceil().max(1.0) as u64;
        let mut before = 0;
        let found = self.0.iter().find(|(_, count)| {
            before += **count;
            before >= rank
        });
        let (step, _) = found?;
        let micros = ((f64::from(*step) + 0.5) / STEPS).exp2();
        Some(Duration::from_secs_f64(micros / 1e6))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_three_percent() {
        let mut times = Times::default();
        assert_eq!(times.quantile(0.5), None);
        for ms in 1..=1000 {
            times.add(Duration::from_millis(ms));
        }
        for (share, expected) in [(0.5, 500.0), (0.99, 990.0), (0.001, 1.0)] {
            let found = times.quantile(share).unwrap().as_secs_f64() * 1e3;
            assert!((found / expected - 1.0).abs() < 0.03, "{share}: {found}");
        }
        times.add(Duration::ZERO);
        assert_eq!(times.count(), 1001);
    }
}
