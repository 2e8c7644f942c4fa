//! Openings for matches: balanced positions after random moves, each once.

use std::{
    collections::HashSet,
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
};

use ai_api::{Color, Position, Role};
use ai_nnue1::evaluation::Terms;
use anyhow::Context;
use rules::Game;

use crate::{opening::random_opening, player::Player, random::Random};

/// Makes balanced openings for matches
#[derive(Debug, clap::Args)]
pub struct BookArgs {
    /// The file to write
    #[arg(long)]
    out: PathBuf,
    /// The format of the file
    #[arg(long, value_enum, default_value_t = Format::Epd)]
    format: Format,
    #[command(flatten)]
    openings: BookSettings,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    /// Positions with their scores, one per line, for `rookery match --openings`
    Epd,
    /// Moves with one byte each, for the built-in openings of `rookery match`
    Packed,
}

/// The openings of a book.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct BookSettings {
    /// The number of openings
    #[arg(long, default_value_t = 5000)]
    pub count: usize,
    /// The seed of the moves
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Random moves from the start, counting both sides
    #[arg(long, default_value_t = 8)]
    pub plies: usize,
    /// Nodes of the search that judges an opening
    #[arg(long, default_value_t = 20_000)]
    pub nodes: u64,
    /// The highest score allowed for an opening, in centipawns for either side
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
        let openings = book(&self.openings, |found| {
            if found % 100 == 0 {
                eprintln!("{found} openings");
            }
        })?;
        for opening in openings {
            let bytes = match self.format {
                Format::Epd => opening.epd().into_bytes(),
                Format::Packed => book::pack(&opening.game)
                    .context("an opening does not begin at the start position")?,
            };
            file.write_all(&bytes).with_context(io_context)?;
        }
        file.flush().with_context(io_context)
    }
}

/// A balanced opening.
#[derive(Clone, Debug)]
pub struct BalancedOpening {
    /// The start position and the moves.
    pub game: Game,
    /// The score for White, in centipawns.
    pub score: i32,
}

impl BalancedOpening {
    /// Returns the EPD line, with the score for the side to move (`ce`).
    fn epd(&self) -> String {
        let position = self.game.position();
        let fen = rules::format_fen(position);
        let (fields, _clocks) = fen
            .rmatch_indices(' ')
            .nth(1)
            .map_or((&*fen, ""), |(at, _)| fen.split_at(at));
        let (halfmoves, fullmoves) = (position.halfmove_clock(), position.fullmove_number());
        let ce = self.score * position.turn().sign();
        format!("{fields} hmvc {halfmoves}; fmvn {fullmoves}; ce {ce};\n")
    }
}

/// Returns balanced openings. `report` receives the number found so far.
///
/// # Errors
/// There is not enough memory.
pub fn book(
    settings: &BookSettings,
    mut report: impl FnMut(usize),
) -> anyhow::Result<Vec<BalancedOpening>> {
    let mut openings = Vec::new();
    let mut known = HashSet::new();
    let mut tries = 0;
    while openings.len() < settings.count {
        let mut random = Random::for_task(settings.seed, tries);
        tries += 1;
        let Some(game) = random_opening(&mut random, settings.plies) else {
            continue;
        };
        let position = game.position();
        if position.in_check() || !has_even_material(position) || !known.insert(position.hash()) {
            continue;
        }
        // Most openings lose material immediately, so a short search rejects them.
        let mut player = Player::new(Terms::default(), random)?;
        let mut balanced_score = |nodes, within| {
            let score = player
                .search(position, &[], nodes)
                .and_then(|judgement| judgement.score);
            score.filter(|score| score.abs() <= within)
        };
        let glance = (settings.nodes / 20).max(1);
        if balanced_score(glance, 4 * settings.within).is_none() {
            continue;
        }
        let Some(score) = balanced_score(settings.nodes, settings.within) else {
            continue;
        };
        openings.push(BalancedOpening { game, score });
        report(openings.len());
    }
    Ok(openings)
}

/// Returns whether the material differs by at most a pawn, so no exchange is half done.
fn has_even_material(position: &Position) -> bool {
    const WORTH: [(Role, u32); 5] = [
        (Role::Pawn, 1),
        (Role::Knight, 3),
        (Role::Bishop, 3),
        (Role::Rook, 5),
        (Role::Queen, 9),
    ];
    let [white, black] = Color::ALL.map(|color| -> u32 {
        WORTH
            .iter()
            .map(|&(role, worth)| worth * position.pieces(color, role).count())
            .sum()
    });
    white.abs_diff(black) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_contains_each_balanced_opening_once() {
        let settings = BookSettings {
            count: 10,
            seed: 3,
            plies: 6,
            nodes: 500,
            within: 50,
        };
        let lines = || -> Vec<_> {
            book(&settings, |_| ())
                .unwrap()
                .iter()
                .map(BalancedOpening::epd)
                .collect()
        };
        let (lines, again) = (lines(), lines());
        let openings: Vec<_> = lines
            .iter()
            .map(|line| rules::parse_epd(line.trim_end()).expect("valid EPD"))
            .collect();
        let different: HashSet<u64> = openings
            .iter()
            .map(|opening| opening.position.hash())
            .collect();
        assert_eq!(different.len(), 10);
        for (opening, line) in openings.iter().zip(&lines) {
            assert_eq!(
                opening.position.fullmove_number(),
                4,
                "six plies were played"
            );
            let (_, ce) = line.split_once("ce ").unwrap();
            assert!(
                ce.trim_end_matches(";\n").parse::<i32>().unwrap().abs() <= 50,
                "{line}"
            );
        }
        assert_eq!(again, lines, "equal seeds make equal books");
    }
}
