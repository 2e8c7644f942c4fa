//! The speed of a machine, and the times that are fair on it.

use std::time::{Duration, Instant};

use tournament::GameSettings;

/// How long each of the five parts of a measurement takes.
const PART: Duration = Duration::from_millis(60);
const DEPTH: u32 = 3;
/// The limits of the time factor.
const FACTORS: std::ops::RangeInclusive<f64> = 0.1..=10.0;

/// Returns how many positions one thread of this machine visits per millisecond in a perft of the
/// start position. Blocks.
pub(crate) fn measure_speed() -> u32 {
    typical(std::array::from_fn(|_| measure_part()))
}

fn measure_part() -> u32 {
    let first = rules::start_position();
    let (started, mut visited) = (Instant::now(), 0_u64);
    while started.elapsed() < PART {
        visited += rules::perft(&first, DEPTH);
    }
    u32::try_from(u128::from(visited) / started.elapsed().as_millis()).unwrap_or(u32::MAX)
}

/// Returns the median, which other work during one or two of the parts does not affect.
fn typical(mut speeds: [u32; 5]) -> u32 {
    speeds.sort_unstable();
    speeds[2]
}

/// Returns the time factor for a machine of this speed.
pub(crate) fn time_factor(reference_speed: Option<u32>, speed: u32) -> f64 {
    reference_speed.map_or(1.0, |reference| {
        (f64::from(reference) / f64::from(speed.max(1))).clamp(*FACTORS.start(), *FACTORS.end())
    })
}

/// Returns the settings of games on a machine of this speed.
pub(crate) fn settings_for(
    settings: GameSettings,
    reference_speed: Option<u32>,
    speed: u32,
) -> GameSettings {
    settings.scaled(time_factor(reference_speed, speed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_disturbance_does_not_change_the_speed() {
        assert_eq!(typical([800, 300, 810, 290, 805]), 800);
    }

    #[test]
    fn a_slower_machine_gets_more_time_within_bounds() {
        for (reference, speed, factor) in [
            (None, 1, 1.0),
            (Some(1000), 500, 2.0),
            (Some(1000), 4000, 0.25),
            (Some(1000), 0, 10.0),
            (Some(1), u32::MAX, 0.1),
        ] {
            let found: f64 = time_factor(reference, speed);
            assert_eq!(found.to_bits(), f64::to_bits(factor), "{found}");
        }
    }
}
