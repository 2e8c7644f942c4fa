//! Measures contenders in turn.

use std::time::{Duration, Instant};

use crate::row::Row;

const ROUND_TIME: Duration = Duration::from_millis(60);

/// An implementation of the work in a row. It returns a checksum, which is equal for all contenders
/// in the row.
pub struct Contender<'a> {
    pub name: &'static str,
    pub run: Box<dyn FnMut() -> u64 + 'a>,
}

pub fn contender<'a>(name: &'static str, run: impl FnMut() -> u64 + 'a) -> Contender<'a> {
    Contender {
        name,
        run: Box::new(run),
    }
}

/// Runs the contenders in turn, each as often as fits in a round. Returns the seconds of one run
/// for each contender and round, and the checksum.
///
/// # Panics
/// Two contenders return different checksums.
pub fn in_turns(
    work: &str,
    contenders: &mut [Contender<'_>],
    rounds: usize,
) -> (Vec<Vec<f64>>, u64) {
    let mut repeats = Vec::new();
    let mut expected = None;
    for contender in &mut *contenders {
        let started = Instant::now();
        let sum = (contender.run)();
        let took = started.elapsed().max(Duration::from_nanos(50));
        assert_eq!(
            *expected.get_or_insert(sum),
            sum,
            "{work}: {} differs from the first",
            contender.name
        );
        repeats.push(
            (ROUND_TIME.as_secs_f64() / took.as_secs_f64())
                .ceil()
                .max(1.0) as u32,
        );
    }
    let mut seconds = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        for ((contender, seconds), &repeats) in
            contenders.iter_mut().zip(&mut seconds).zip(&repeats)
        {
            let started = Instant::now();
            for _ in 0..repeats {
                std::hint::black_box((contender.run)());
            }
            seconds.push(started.elapsed().as_secs_f64() / f64::from(repeats));
        }
    }
    (seconds, expected.unwrap_or_default())
}

/// Prints a row for each contender: millions of units per second in each round, as the geometric
/// mean of the cases. A case's checksum is its number of units.
pub fn report(group: &str, work: &str, unit: &str, rounds: usize, cases: Vec<Vec<Contender<'_>>>) {
    let mut rows: Vec<Row> = Vec::new();
    let count = cases.len() as f64;
    for mut contenders in cases {
        let (seconds, units) = in_turns(work, &mut contenders, rounds);
        if rows.is_empty() {
            let row = |contender: &Contender<'_>| {
                Row::new(group, work, unit, contender.name, vec![1.0; rounds])
            };
            rows = contenders.iter().map(row).collect();
        }
        for (row, seconds) in rows.iter_mut().zip(&seconds) {
            for (value, seconds) in row.values.iter_mut().zip(seconds) {
                *value *= (units as f64 / seconds / 1e6).powf(1.0 / count);
            }
        }
    }
    rows.iter().for_each(Row::print);
}
