//! Samples from games that `ai-nnue1` plays against itself.
//!
//! A game starts with eight or nine random moves. Samples are positions from the game and from the
//! trees of its searches, which are searched again. A game depends only on the options, the seed
//! and its number.

mod game;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use ai_nnue1::{
    evaluation::{Evaluate, Terms},
    net::{Net, NetEvaluation},
};

use crate::{data_file::DataFile, random::Random};
use game::play_game;

const PROGRESS_INTERVAL: Duration = Duration::from_secs(30);

/// Plays the AI against itself and keeps positions from the games
#[derive(Debug, clap::Args)]
pub struct GenerateArgs {
    /// The sample file to write; an existing file is continued
    #[arg(long)]
    out: PathBuf,
    /// The seed of the games; give parallel processes different seeds and files
    #[arg(long)]
    seed: u64,
    /// The number of games in the finished file
    #[arg(long)]
    games: u32,
    /// A network for the evaluation, instead of the hand-written terms
    #[arg(long)]
    net: Option<PathBuf>,
    #[command(flatten)]
    settings: GameSettings,
}

/// How games are played.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct GameSettings {
    /// Nodes of the search for each move
    #[arg(long, default_value_t = 400)]
    pub nodes: u64,
    /// Positions sampled from the tree of each of these searches
    #[arg(long, default_value_t = 8)]
    pub leaves: usize,
    /// Nodes of the search for each sampled position
    #[arg(long, default_value_t = 100)]
    pub leaf_nodes: u64,
}

impl GenerateArgs {
    /// Plays until the file contains all games.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn run(&self) -> anyhow::Result<()> {
        match &self.net {
            Some(path) => self.run_with(&NetEvaluation::new(Arc::new(Net::read(path)?))),
            None => self.run_with(&Terms::default()),
        }
    }

    fn run_with(&self, evaluation: &impl Evaluate) -> anyhow::Result<()> {
        let mut data = DataFile::open(&self.out)?;
        let (start, samples_before) = (Instant::now(), data.samples);
        let mut last_progress = start;
        while data.next_game < self.games {
            let random = Random::for_task(self.seed, data.next_game.into());
            data.append(&play_game(evaluation, random, &self.settings)?)?;
            if last_progress.elapsed() >= PROGRESS_INTERVAL || data.next_game == self.games {
                last_progress = Instant::now();
                let rate = (data.samples - samples_before) as f64 / start.elapsed().as_secs_f64();
                eprintln!(
                    "{} games, {} samples, {rate:.0} samples/s",
                    data.next_game, data.samples
                );
            }
        }
        Ok(())
    }
}
