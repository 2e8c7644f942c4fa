//! Openings for matches: balanced positions after random moves, each one once.

use std::{
    collections::HashSet,
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
};

use ai_nnue1::evaluation::Terms;
use anyhow::Context;

use crate::{opening::random_opening, player::Player, random::Random};

/// Makes balanced openings for `rookery match --openings`
#[derive(Debug, clap::Args)]
pub struct BookArgs {
    /// The file of EPD lines to write
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    openings: BookSettings,
}

/// Which openings a book has.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct BookSettings {
    /// The number of openings
    #[arg(long, default_value_t = 5000)]
    pub count: usize,
    /// The seed of the moves
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Random moves from the start, of both sides together
    #[arg(long, default_value_t = 8)]
    pub plies: usize,
    /// Nodes of the search that judges an opening
    #[arg(long, default_value_t = 20_000)]
    pub nodes: u64,
    /// The greatest score of an opening, in centipawns for either side
    #[arg(long, default_value_t = 40)]
    pub within: i32,
}

impl BookArgs {
    /// Writes the book.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn run(&self) -> anyhow::Result<()> {
        let io_context = || self.out.display().to_string();
        let mut file = BufWriter::new(File::create(&self.out).with_context(io_context)?);
        let lines = book(&self.openings, |found| {
            if found % 100 == 0 {
                eprintln!("{found} openings");
            }
        })?;
        for line in lines {
            writeln!(file, "{line}").with_context(io_context)?;
        }
        file.flush().with_context(io_context)
    }
}

/// Returns openings as EPD with their scores for the side to move (`ce`). `report` receives the number found so far.
///
/// # Errors
/// There is not enough memory.
pub fn book(settings: &BookSettings, mut report: impl FnMut(usize)) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut known = HashSet::new();
    let mut tries = 0;
    while lines.len() < settings.count {
        let mut random = Random::for_task(settings.seed, tries);
        tries += 1;
        let Some(game) = random_opening(&mut random, settings.plies) else { continue };
        let position = game.position();
        if position.in_check() || !known.insert(position.hash()) {
            continue;
        }
        // Most openings lose material at once.
        let mut player = Player::new(Terms::default(), random)?;
        let mut balanced_score = |nodes, within| {
            let score = player.search(position, &[], nodes).and_then(|judgement| judgement.score);
            score.filter(|score| score.abs() <= within)
        };
        let glance = (settings.nodes / 20).max(1);
        if balanced_score(glance, 4 * settings.within).is_none() {
            continue;
        }
        let Some(score) = balanced_score(settings.nodes, settings.within) else { continue };
        let fen = rules::format_fen(position);
        let fields: Vec<_> = fen.split(' ').collect();
        let [placement, turn, castling, en_passant, halfmove_clock, fullmove_number] = fields[..] else {
            continue;
        };
        let ce = score * position.turn().sign();
        lines.push(format!(
            "{placement} {turn} {castling} {en_passant} hmvc {halfmove_clock}; fmvn {fullmove_number}; ce {ce};"
        ));
        report(lines.len());
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_has_balanced_openings_each_one_once() {
        let settings = BookSettings { count: 10, seed: 3, plies: 6, nodes: 500, within: 50 };
        let lines = book(&settings, |_| ()).unwrap();
        let openings: Vec<_> = lines.iter().map(|line| rules::parse_epd(line).expect("valid EPD")).collect();
        let different: HashSet<u64> = openings.iter().map(|opening| opening.position.hash()).collect();
        assert_eq!(different.len(), 10);
        for (opening, line) in openings.iter().zip(&lines) {
            assert_eq!(opening.position.fullmove_number(), 4, "six plies were played");
            let (_, ce) = line.split_once("ce ").unwrap();
            assert!(ce.trim_end_matches(';').parse::<i32>().unwrap().abs() <= 50, "{line}");
        }
        assert_eq!(book(&settings, |_| ()).unwrap(), lines, "equal seeds make equal books");
    }
}
