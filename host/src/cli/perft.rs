//! `rookery perft`.

mod suite;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::Args;
use rules::ImportNote;
use serde_json::{Map, json};

use crate::cli::{
    failure::Failure,
    output::{print, print_json, print_message},
};

#[derive(Debug, Args)]
pub(super) struct RunPerft {
    /// Depth in plies; with --suite the greatest depth to count
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "suite",
        value_parser = clap::value_parser!(u32).range(0..=30),
    )]
    depth: Option<u32>,
    /// Position; by default the start position
    #[arg(long)]
    fen: Option<String>,
    /// Print the count of each move
    #[arg(long)]
    divide: bool,
    /// File with positions and counts to compare; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "divide"])]
    suite: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl RunPerft {
    pub(super) fn run(self) -> Result<(), Failure> {
        if let Some(suite) = &self.suite {
            return suite::run(suite, self.depth, self.json);
        }
        let depth = self.depth.expect("it is required without a suite");
        let (position, notes) = match &self.fen {
            None => (rules::start_position(), Vec::new()),
            Some(fen) => rules::import_fen(fen).map_err(|issues| {
                let lines: Vec<_> = issues
                    .iter()
                    .map(|issue| format!("{issue} ({})", issue.code()))
                    .collect();
                Failure::Usage(format!(
                    "the position is not legal:\n  {}",
                    lines.join("\n  ")
                ))
            })?,
        };
        for note in &notes {
            print_message(&format!("note: {note}"));
        }
        let started = Instant::now();
        let (count, moves) = if self.divide && depth > 0 {
            let counts = rules::divide(&position, depth).into_iter();
            let moves: Vec<_> = counts
                .map(|(chosen, paths)| (rules::format_uci(&position, chosen), paths))
                .collect();
            (moves.iter().map(|(_, paths)| paths).sum(), moves)
        } else {
            (rules::perft(&position, depth), Vec::new())
        };
        let elapsed = started.elapsed();
        if self.json {
            let fen = rules::format_fen(&position);
            let time_ms = elapsed.as_millis() as u64;
            let mut reply = json!({"fen": fen, "depth": depth, "count": count, "time_ms": time_ms});
            if !notes.is_empty() {
                reply["notes"] = notes.iter().map(ImportNote::into_str).collect();
            }
            if self.divide {
                let moves = moves
                    .into_iter()
                    .map(|(chosen, paths)| (chosen.to_string(), paths.into()));
                reply["moves"] = moves.collect::<Map<_, _>>().into();
            }
            return Ok(print_json(&reply)?);
        }
        for (chosen, paths) in &moves {
            print(&format!("{chosen}: {paths}"))?;
        }
        Ok(print(&format!(
            "perft({depth}) = {count}  {}",
            rate(count, elapsed)
        ))?)
    }
}

/// Returns the time of a count and the paths counted per second.
fn rate(count: u64, time: Duration) -> String {
    #[expect(clippy::cast_precision_loss, reason = "the rate is rounded")]
    let rate = count as f64 / time.as_secs_f64().max(1e-9) / 1e6;
    format!(
        "in {:.3} s, {rate:.1} million per second",
        time.as_secs_f64()
    )
}
