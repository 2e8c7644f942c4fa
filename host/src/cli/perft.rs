//! `rookery perft`.

use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Map, json};

use crate::cli::{
    failure::Failure,
    output::{print, print_json},
};

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
    /// Print JSON
    #[arg(long)]
    json: bool,
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
        let (count, moves) = if self.divide && self.depth > 0 {
            let counts = rules::divide(&position, self.depth).into_iter();
            let moves: Vec<_> =
                counts.map(|(chosen, paths)| (rules::format_uci(&position, chosen), paths)).collect();
            (moves.iter().map(|(_, paths)| paths).sum(), moves)
        } else {
            (rules::perft(&position, self.depth), Vec::new())
        };
        let elapsed = started.elapsed();
        if self.json {
            let fen = rules::format_fen(&position);
            let time_ms = elapsed.as_millis() as u64;
            let mut reply = json!({"fen": fen, "depth": self.depth, "count": count, "time_ms": time_ms});
            if self.divide {
                let moves = moves.into_iter().map(|(chosen, paths)| (chosen.to_string(), paths.into()));
                reply["moves"] = moves.collect::<Map<_, _>>().into();
            }
            return Ok(print_json(&reply)?);
        }
        for (chosen, paths) in &moves {
            print(&format!("{chosen}: {paths}"))?;
        }
        Ok(print(&summary(self.depth, count, elapsed))?)
    }
}

fn summary(depth: u32, count: u64, time: Duration) -> String {
    #[expect(clippy::cast_precision_loss, reason = "the rate is rounded")]
    let rate = count as f64 / time.as_secs_f64().max(1e-9) / 1e6;
    format!("perft({depth}) = {count}  in {:.3} s, {rate:.1} million per second", time.as_secs_f64())
}
