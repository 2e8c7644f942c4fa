//! Measures contenders in turns.

use std::time::{Duration, Instant};

/// The rounds of a row; each runs every contender once.
pub const ROUNDS: usize = 9;
const ROUND_TIME: Duration = Duration::from_millis(60);

/// A way to do the work of a row; returns a checksum, which is equal for all contenders of the row.
pub struct Contender<'a> {
    pub name: &'static str,
    pub run: Box<dyn FnMut() -> u64 + 'a>,
}

pub fn contender<'a>(name: &'static str, run: impl FnMut() -> u64 + 'a) -> Contender<'a> {
    Contender { name, run: Box::new(run) }
}

/// The seconds that one run of a contender takes, in each round.
pub struct Timing {
    pub name: &'static str,
    pub seconds: Vec<f64>,
}

impl Timing {
    pub fn best(&self) -> f64 {
        self.seconds.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Runs the contenders in turns, each as often as fits a round.
///
/// # Panics
/// If two contenders return different checksums.
pub fn compare(row: &str, contenders: &mut [Contender<'_>]) -> Vec<Timing> {
    let mut repeats = Vec::new();
    let mut expected = None;
    for contender in &mut *contenders {
        let started = Instant::now();
        let sum = (contender.run)();
        let took = started.elapsed().max(Duration::from_nanos(50));
        assert_eq!(*expected.get_or_insert(sum), sum, "{row}: {} differs from the first", contender.name);
        repeats.push((ROUND_TIME.as_secs_f64() / took.as_secs_f64()).ceil().max(1.0) as u32);
    }
    let mut timings: Vec<Timing> =
        contenders.iter().map(|contender| Timing { name: contender.name, seconds: Vec::new() }).collect();
    for _ in 0..ROUNDS {
        for ((contender, timing), &repeats) in contenders.iter_mut().zip(&mut timings).zip(&repeats) {
            let started = Instant::now();
            for _ in 0..repeats {
                std::hint::black_box((contender.run)());
            }
            timing.seconds.push(started.elapsed().as_secs_f64() / f64::from(repeats));
        }
    }
    timings
}
