//! `rookery book check`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::file::open;
use crate::cli::{
    failure::Failure,
    output::{print, print_json, print_message},
};
use ::book::{BookReport, MAX_LISTED};

#[derive(Debug, Args)]
pub(crate) struct CheckBook {
    /// Polyglot book
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct CheckReply {
    correct: bool,
    entries: u64,
    positions: u64,
    reachable_entries: u64,
    reachable_positions: u64,
    plies: u64,
    out_of_order: u64,
    duplicates: u64,
    castling_by_rook: u64,
    castling_by_steps: u64,
    illegal: u64,
    /// At most [`MAX_LISTED`].
    illegal_moves: Vec<IllegalMove>,
}

#[derive(Debug, Serialize)]
struct IllegalMove {
    fen: String,
    uci: String,
}

impl CheckBook {
    pub(super) fn run(self) -> Result<(), Failure> {
        let reply = CheckReply::new(&::book::check(&mut open(&self.file)?)?);
        if self.json {
            print_json(&reply)?;
        } else {
            print(&reply.text())?;
            for IllegalMove { fen, uci } in &reply.illegal_moves {
                print_message(&format!("illegal move {uci} in {fen}"));
            }
            if reply.illegal > MAX_LISTED as u64 {
                print_message(&format!("and {} more", reply.illegal - MAX_LISTED as u64));
            }
        }
        if reply.correct {
            return Ok(());
        }
        let CheckReply {
            out_of_order,
            duplicates,
            illegal,
            ..
        } = reply;
        Err(Failure::Other(anyhow::anyhow!(
            "{}: {out_of_order} entries out of order, {duplicates} repeated moves, {illegal} \
             illegal moves",
            self.file.display()
        )))
    }
}

impl CheckReply {
    fn new(report: &BookReport) -> Self {
        let illegal_moves = report.illegal_entries.iter().map(|entry| IllegalMove {
            fen: rules::format_fen(&entry.position),
            uci: entry.chosen.to_string(),
        });
        Self {
            correct: report.is_correct(),
            entries: report.entries,
            positions: report.positions,
            reachable_entries: report.reachable_entries,
            reachable_positions: report.reachable_positions,
            plies: report.plies,
            out_of_order: report.out_of_order,
            duplicates: report.duplicates,
            castling_by_rook: report.castling_by_rook,
            castling_by_steps: report.castling_by_steps,
            illegal: report.illegal,
            illegal_moves: illegal_moves.collect(),
        }
    }

    fn text(&self) -> String {
        let Self {
            entries,
            positions,
            reachable_entries,
            reachable_positions,
            plies,
            ..
        } = self;
        let castling = match (self.castling_by_rook, self.castling_by_steps) {
            (0, 0) => String::new(),
            (_, 0) => "\ncastling is written as e1h1, as the format specifies".to_owned(),
            (0, _) => "\ncastling is written as e1g1; the format specifies e1h1, but both are read"
                .to_owned(),
            (by_rook, by_steps) => format!(
                "\ncastling is written as e1h1, as the format specifies, in {by_rook} moves, and \
                 as e1g1 in {by_steps}; both are read"
            ),
        };
        format!(
            "{entries} moves in {positions} positions\n{reachable_entries} moves in \
             {reachable_positions} positions from the start position, up to {plies} plies \
             ahead{castling}"
        )
    }
}
