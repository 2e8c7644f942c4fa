//! The command `workshop`.

use clap::Parser;
use workshop::{BookArgs, GenerateArgs, TrainArgs, TuneArgs};

/// Makes positions, weights, nets and openings for Rookery's AIs
#[derive(Parser)]
#[command(version)]
enum Command {
    Generate(GenerateArgs),
    Tune(TuneArgs),
    Train(TrainArgs),
    Book(BookArgs),
}

fn main() -> anyhow::Result<()> {
    match Command::parse() {
        Command::Generate(args) => args.run(),
        Command::Tune(args) => args.run(),
        Command::Train(args) => args.run(),
        Command::Book(args) => args.run(),
    }
}
