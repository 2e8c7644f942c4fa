//! Makes the training data and results for Rookery's AIs: positions, weights, nets and openings.
//! Every result is repeatable from its seed.
//!
//! `tools/workshop/README.md` lists the commands that made the files in the repository.
#![expect(
    clippy::cast_precision_loss,
    reason = "learning works with rounded numbers"
)]

mod adam;
mod book;
mod data_file;
mod descent;
mod generate;
mod opening;
mod player;
mod random;
mod sample;
mod target;
mod tune;

mod train;

pub use self::book::{BalancedOpening, BookArgs, BookSettings, book};
pub use data_file::{DataFile, DataFileError, read_samples};
pub use generate::{GameSettings, GenerateArgs};
pub use random::Random;
pub use sample::{GameResult, Origin, Sample};
pub use target::Targets;
pub use train::{TrainArgs, Training, train};
pub use tune::{TuneArgs, Tuning, tune};
