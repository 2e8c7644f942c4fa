//! The training loop: epochs of batches in random order, with a rate that falls linearly to 0.

use crate::random::Random;

/// The settings of a training run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    pub(crate) samples: usize,
    /// How often each sample is used.
    pub(crate) epochs: u32,
    /// The number of samples between two steps, at least 1.
    pub(crate) batch: usize,
    /// The initial rate.
    pub(crate) rate: f32,
}

/// Calls `step` for each batch with the numbers of its samples and the rate, and adds the returned
/// losses. `report` receives the number of each finished epoch, from 1, and its mean loss.
pub(crate) fn descend(
    course: Course,
    mut random: Random,
    mut step: impl FnMut(&[u32], f32) -> f64,
    mut report: impl FnMut(u32, f64),
) {
    let mut order: Vec<u32> = (0..course.samples as u32).collect();
    let steps = order.len().div_ceil(course.batch) * course.epochs as usize;
    let mut rates = (0..steps).map(|done| course.rate * (steps - done) as f32 / steps as f32);
    for epoch in 1..=course.epochs {
        random.shuffle(&mut order);
        let batches = order.chunks(course.batch).zip(&mut rates);
        let loss: f64 = batches.map(|(batch, rate)| step(batch, rate)).sum();
        report(epoch, loss / course.samples as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_epoch_uses_each_sample_once_and_the_rate_falls() {
        let (mut seen, mut rates, mut losses) = (Vec::new(), Vec::new(), Vec::new());
        let course = Course {
            samples: 5,
            epochs: 3,
            batch: 2,
            rate: 9.0,
        };
        let step = |batch: &[u32], rate| {
            seen.extend_from_slice(batch);
            rates.push(rate);
            10.0
        };
        descend(course, Random::new(1), step, |epoch, loss| {
            losses.push((epoch, loss));
        });
        for epoch in seen.chunks_mut(5) {
            epoch.sort_unstable();
            assert_eq!(epoch, [0, 1, 2, 3, 4]);
        }
        assert_eq!(rates, [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]);
        assert_eq!(losses, [(1, 6.0), (2, 6.0), (3, 6.0)]);
    }
}
