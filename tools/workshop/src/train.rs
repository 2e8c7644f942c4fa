//! Trains a network from samples.
//!
//! The same samples, options and seed give the same network on every machine: all sums have a fixed
//! order, and no fused or platform-dependent functions are used.

mod gradient;
mod inputs;
mod parameters;

use std::{path::PathBuf, thread, time::Instant};

use ai_nnue1::net::Net;
use anyhow::{Context, ensure};

use crate::{
    adam::Adam,
    data_file::read_samples,
    descent::{Course, descend},
    random::Random,
    sample::Sample,
    target::Targets,
};
use gradient::Gradient;
use parameters::{MAX_WEIGHT, Parameters};

/// Each batch is divided among this many threads. Their gradients are added in order.
const SHARDS: usize = 2;

const WEIGHT_DECAY: f32 = 0.01;

/// Trains a network from samples.
#[derive(Debug, clap::Args)]
pub struct TrainArgs {
    /// Sample files, in this order
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// The network file to write
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    training: Training,
}

/// The options of a training run.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Training {
    /// The width of the hidden layer for one view, a multiple of 16 up to 256
    #[arg(long, default_value_t = 256)]
    pub width: usize,
    /// How often each sample is used
    #[arg(long, default_value_t = 14)]
    pub epochs: u32,
    /// The seed for the initial weights and the sample order
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Samples between two steps
    #[arg(long, default_value_t = 2048)]
    pub batch: usize,
    /// The initial learning rate; it falls linearly to 0
    #[arg(long, default_value_t = 0.0015)]
    pub rate: f32,
    #[command(flatten)]
    pub targets: Targets,
}

impl TrainArgs {
    /// Reads the samples, trains and writes the network.
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
        let net = train(&samples, &self.training, |epoch, loss| {
            eprintln!(
                "epoch {epoch}: loss {loss:.6}, {:.0} s",
                start.elapsed().as_secs_f64()
            );
        })?;
        let bytes = net.to_bytes();
        std::fs::write(&self.out, &bytes).with_context(|| self.out.display().to_string())?;
        eprintln!("{}: {} bytes", self.out.display(), bytes.len());
        Ok(())
    }
}

/// Trains a network. `report` receives the number of each finished epoch, from 1, and its mean
/// loss.
///
/// # Errors
/// There are no samples, or an option is out of bounds.
pub fn train(
    samples: &[Sample],
    options: &Training,
    report: impl FnMut(u32, f64),
) -> anyhow::Result<Net> {
    ensure!(
        !samples.is_empty(),
        "the files have no samples; expected at least one"
    );
    ensure!(
        Net::is_width(options.width),
        "--width {}: expected a multiple of 16 up to 256",
        options.width
    );
    ensure!(
        options.batch > 0 && options.epochs > 0,
        "--batch and --epochs: expected at least 1"
    );
    let mut random = Random::new(options.seed);
    let mut parameters = Parameters::random(options.width, &mut random);
    let mut adam = Adam::new(parameters.values.len(), WEIGHT_DECAY);
    let mut gradients: [Gradient; SHARDS] = std::array::from_fn(|_| Gradient::new(options.width));
    let course = Course {
        samples: samples.len(),
        epochs: options.epochs,
        batch: options.batch,
        rate: options.rate,
    };
    let step = |batch: &[u32], rate| {
        let shard_size = batch.len().div_ceil(SHARDS);
        thread::scope(|scope| {
            for (gradient, shard) in gradients.iter_mut().zip(batch.chunks(shard_size)) {
                let parameters = &parameters;
                scope.spawn(move || {
                    for &index in shard {
                        gradient.add(parameters, &samples[index as usize], options.targets);
                    }
                });
            }
        });
        let [total, others @ ..] = &mut gradients;
        for other in others {
            total.take(other);
        }
        adam.step(
            &mut parameters.values,
            &mut total.values,
            rate,
            batch.len(),
            MAX_WEIGHT,
        );
        std::mem::take(&mut total.loss)
    };
    descend(course, random, step, report);
    Ok(parameters.quantised())
}
