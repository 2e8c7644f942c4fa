//! `rookery perft`.

use std::time::{Duration, Instant};

use clap::Args;

use crate::cli::{failure::Failure, output::print};

#[derive(Debug, Args)]
pub(super) struct RunPerft {
    /// Depth in half-moves
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=30))]
    depth: u32,
    /// The position; by default the standard start
    #[arg(long)]
    fen: Option<String>,
    /// Print the count of each move
    #[arg(long)]
    divide: bool,
}

impl RunPerft {
    pub(super) fn run(self) -> Result<(), Failure> {
        let position = match &self.fen {
            None => rules::start_position(),
            Some(fen) => rules::parse_fen(fen).map_err(|issues| {
                let lines: Vec<_> =
                    issues.iter().map(|issue| format!("{issue} ({})", issue.code())).collect();
                Failure::Usage(format!("the position is not legal:\n  {}", lines.join("\n  ")))
            })?,
        };
        let started = Instant::now();
        let count = if self.divide && self.depth > 0 {
            let counts = rules::divide(&position, self.depth);
            for (chosen, paths) in &counts {
                print(&format!("{}: {paths}", rules::format_uci(&position, *chosen)))?;
            }
            counts.iter().map(|(_, paths)| paths).sum()
        } else {
            rules::perft(&position, self.depth)
        };
        Ok(print(&summary(self.depth, count, started.elapsed()))?)
    }
}

fn summary(depth: u32, count: u64, time: Duration) -> String {
    #[expect(clippy::cast_precision_loss, reason = "the rate is rounded")]
    let rate = count as f64 / time.as_secs_f64().max(1e-9) / 1e6;
    format!("perft({depth}) = {count}  in {:.3} s, {rate:.1} million per second", time.as_secs_f64())
}
