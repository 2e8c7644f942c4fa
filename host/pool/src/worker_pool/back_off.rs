//! The delay before a lost worker restarts.

use std::time::Duration;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// No delay after the first loss; twice as long after each further one, until a success.
#[derive(Debug, Default)]
pub(super) struct BackOff {
    losses: u32,
}

impl BackOff {
    /// The delay after one more loss. `chance`, from 0 to 1, shortens it by up to a half, which spreads workers that were lost
    /// together.
    pub(super) fn after_loss(&mut self, chance: f64) -> Duration {
        let pause = match self.losses {
            0 => Duration::ZERO,
            losses => FIRST_PAUSE.saturating_mul(1 << (losses - 1).min(16)).min(LONGEST_PAUSE),
        };
        self.losses = self.losses.saturating_add(1);
        pause.mul_f64(1.0 - chance.clamp(0.0, 1.0) / 2.0)
    }

    pub(super) fn reset(&mut self) {
        self.losses = 0;
    }
}

/// A random number from 0 to 1.
pub(super) fn chance() -> f64 {
    getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses_ms(back_off: &mut BackOff, chance: f64) -> Vec<u128> {
        (0..9).map(|_| back_off.after_loss(chance).as_millis()).collect()
    }

    #[test]
    fn the_first_loss_costs_no_time_and_each_further_one_twice_as_much_within_bounds() {
        let mut back_off = BackOff::default();
        assert_eq!(pauses_ms(&mut back_off, 0.0), [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        for _ in 0..100 {
            assert!(back_off.after_loss(0.0) <= LONGEST_PAUSE);
        }
    }

    #[test]
    fn chance_makes_a_pause_up_to_a_half_shorter() {
        assert_eq!(pauses_ms(&mut BackOff::default(), 1.0), [0, 50, 100, 200, 400, 800, 1600, 2500, 2500]);
        for _ in 0..100 {
            assert!((0.0..=1.0).contains(&chance()));
        }
    }

    #[test]
    fn success_begins_anew() {
        let mut back_off = BackOff::default();
        pauses_ms(&mut back_off, 0.0);
        back_off.reset();
        assert_eq!(pauses_ms(&mut back_off, 0.0)[..3], [0, 100, 200]);
    }
}
