//! Tunes the weights of the hand-written terms by logistic regression of the expected result on
//! the evaluation.

mod features;
mod source;

use std::{path::PathBuf, time::Instant};

use ai_nnue1::evaluation::{Weights, features::COUNT};
use anyhow::{Context, ensure};

use crate::{
    adam::Adam,
    data_file::read_samples,
    descent::{Course, descend},
    random::Random,
    sample::Sample,
    target::Targets,
};
use features::Features;

const BATCH: usize = 16384;
/// The largest weight, in centipawns.
const MAX_WEIGHT: f32 = 2000.0;

/// Tunes the weights of the hand-written terms, starting from their current values
#[derive(Debug, clap::Args)]
pub struct TuneArgs {
    /// Sample files, in this order
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// The Rust file with the weights to write: ais/nnue1/src/evaluation/weights/values.rs
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    tuning: Tuning,
}

/// The options of a tuning run.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Tuning {
    /// How often each sample is used
    #[arg(long, default_value_t = 60)]
    pub epochs: u32,
    /// The seed of the sample order
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The initial step in centipawns; it falls linearly to 0
    #[arg(long, default_value_t = 1.0)]
    pub rate: f32,
    /// The loss of a weight one centipawn away from its current value; it grows with the square.
    /// Features that occur rarely keep their weights
    #[arg(long, default_value_t = 2e-9)]
    pub pull: f32,
    #[command(flatten)]
    pub targets: Targets,
}

impl TuneArgs {
    /// Reads the samples, tunes and writes the weights.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn run(&self) -> anyhow::Result<()> {
        let mut samples = Vec::new();
        for path in &self.data {
            samples.extend(read_samples(path)?);
        }
        eprintln!("{} samples", samples.len());
        let start = Instant::now();
        let weights = tune(
            &Weights::default(),
            &samples,
            &self.tuning,
            |epoch, loss| {
                eprintln!(
                    "epoch {epoch}: loss {loss:.6}, {:.0} s",
                    start.elapsed().as_secs_f64()
                );
            },
        )?;
        std::fs::write(&self.out, source::of(&weights))
            .with_context(|| self.out.display().to_string())
    }
}

/// Tunes weights. `report` receives the number of each finished epoch, from 1, and its mean loss.
///
/// # Errors
/// There are no samples of legal positions.
pub fn tune(
    weights: &Weights,
    samples: &[Sample],
    options: &Tuning,
    report: impl FnMut(u32, f64),
) -> anyhow::Result<Weights> {
    let all: Vec<_> = samples
        .iter()
        .filter_map(|sample| Some((Features::of(sample)?, options.targets.of(sample))))
        .collect();
    ensure!(
        !all.is_empty(),
        "the files have no samples of legal positions; expected at least one"
    );
    let start: Vec<f32> = weights
        .0
        .as_flattened()
        .iter()
        .map(|&weight| weight.into())
        .collect();
    let mut values = start.clone();
    let mut slopes = vec![0.0; values.len()];
    let mut adam = Adam::new(values.len(), 0.0);
    let course = Course {
        samples: all.len(),
        epochs: options.epochs,
        batch: BATCH,
        rate: options.rate,
    };
    let step = |batch: &[u32], rate| {
        let mut loss = 0.0;
        for &index in batch {
            let (features, target) = &all[index as usize];
            loss += features.add_slopes(&values, *target, &mut slopes);
        }
        for ((slope, value), initial) in slopes.iter_mut().zip(&values).zip(&start) {
            *slope += 2.0 * options.pull * (value - initial) * batch.len() as f32;
        }
        adam.step(&mut values, &mut slopes, rate, batch.len(), MAX_WEIGHT);
        loss
    };
    descend(course, Random::new(options.seed), step, report);
    let mut tuned = Weights([[0; 2]; COUNT]);
    for (weight, value) in tuned.0.as_flattened_mut().iter_mut().zip(values) {
        *weight = value.round() as i16;
    }
    Ok(tuned)
}

#[cfg(test)]
mod tests {
    use ai_api::Position;
    use ai_nnue1::evaluation::{Terms, features::Term};

    use super::*;
    use crate::sample::{GameResult, Origin};

    /// Returns positions from random games, judged with these weights.
    fn samples(weights: &Weights) -> Vec<Sample> {
        let terms = Terms::new(weights, &Term::ALL);
        let judged = |position: &Position| {
            let score = terms.for_white(position).clamp(-2000, 2000);
            Sample::new(position, Origin::Leaf, score as i16, GameResult::Draw)
        };
        let mut samples = Vec::new();
        for game in 0..200 {
            let mut random = Random::for_task(1, game);
            let mut position = rules::start_position();
            for _ in 0..80 {
                let Some(&chosen) = random.choose(&rules::legal_moves(&position)) else {
                    break;
                };
                position = rules::play(&position, chosen);
                samples.push(judged(&position));
            }
        }
        samples
    }

    #[test]
    fn finds_an_evaluation_that_agrees_with_the_samples() {
        let judge = Weights::default();
        let mut start = judge.clone();
        start.0[0] = [50, 250];
        start.0[4] = [400, 1500];
        let targets = Targets {
            result_part: 0.0,
            leaf_result_part: 0.0,
        };
        let options = Tuning {
            epochs: 60,
            seed: 1,
            rate: 30.0,
            pull: 0.0,
            targets,
        };
        let mut losses = Vec::new();
        tune(&start, &samples(&judge), &options, |_, loss| {
            losses.push(loss);
        })
        .unwrap();
        assert!(
            losses[59] < losses[0] / 20.0,
            "{} to {}",
            losses[0],
            losses[59]
        );
    }
}
