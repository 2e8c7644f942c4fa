//! The delay before a lost worker restarts.

use std::time::Duration;

const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(5);

/// The delays after losses: none after the first loss, then a delay that doubles with each further
/// loss until a success.
#[derive(Debug, Default)]
pub(super) struct BackOff {
    losses: u32,
}

impl BackOff {
    /// Returns the delay after another loss. `chance`, from 0 to 1, shortens it by up to half,
    /// which spreads out workers that were lost together.
    pub(super) fn after_loss(&mut self, chance: f64) -> Duration {
        let delay = match self.losses {
            0 => Duration::ZERO,
            losses => FIRST_DELAY
                .saturating_mul(1 << (losses - 1).min(16))
                .min(LONGEST_DELAY),
        };
        self.losses = self.losses.saturating_add(1);
        delay.mul_f64(1.0 - chance.clamp(0.0, 1.0) / 2.0)
    }

    pub(super) fn reset(&mut self) {
        self.losses = 0;
    }
}

/// Returns a random number from 0 to 1.
pub(super) fn chance() -> f64 {
    getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays_ms(back_off: &mut BackOff, chance: f64) -> Vec<u128> {
        (0..9)
            .map(|_| back_off.after_loss(chance).as_millis())
            .collect()
    }

    #[test]
    fn doubles_the_delay_after_each_further_loss_within_bounds() {
        let mut back_off = BackOff::default();
        assert_eq!(
            delays_ms(&mut back_off, 0.0),
            [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000]
        );
        for _ in 0..100 {
            assert!(back_off.after_loss(0.0) <= LONGEST_DELAY);
        }
    }

    #[test]
    fn randomly_shortens_a_delay_by_up_to_half() {
        assert_eq!(
            delays_ms(&mut BackOff::default(), 1.0),
            [0, 50, 100, 200, 400, 800, 1600, 2500, 2500]
        );
        for _ in 0..100 {
            assert!((0.0..=1.0).contains(&chance()));
        }
    }

    #[test]
    fn resets_after_a_success() {
        let mut back_off = BackOff::default();
        delays_ms(&mut back_off, 0.0);
        back_off.reset();
        assert_eq!(delays_ms(&mut back_off, 0.0)[..3], [0, 100, 200]);
    }
}
