//! `rookery book make`.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufWriter},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use ai_book::Entry;
use clap::Args;

use super::explore::Exploration;
use crate::cli::{
    config_file::ConfigFile,
    convert::language_parser,
    failure::Failure,
    import_notes::NoteCounts,
    input::Input,
    output::{print, print_message},
};
use ::book::{BookBuilder, GameMove, Points, moves_of_game};
use formats::{Chunk, ChunkError, Chunks, FormatIssue, FormatName, Import, for_each_chunk};
use rules::{Language, NullMoves, ReadVariations};

/// The maximum number of half-moves in a game.
const MAX_PLIES: usize = 20_000;
/// The maximum number of errors printed.
const MAX_ERRORS: usize = 1000;

#[derive(Debug, Args)]
pub(crate) struct MakeBook {
    /// PGN files; - is standard input
    #[arg(
        value_name = "PGN",
        required_unless_present = "ai",
        conflicts_with = "ai"
    )]
    files: Vec<PathBuf>,
    /// Book to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Maximum number of plies from each game, or from the start position
    #[arg(long, value_name = "N", default_value_t = 20)]
    plies: usize,
    /// Language of the piece letters
    #[arg(long, value_name = "CODE", default_value = "en", value_parser = language_parser())]
    language: Language,
    /// Keep moves played in at least N games
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with = "ai")]
    min_games: u64,
    /// Points for a win, a draw and a loss; games without a result count as draws
    #[arg(
        long,
        value_name = "WIN,DRAW,LOSS",
        value_parser = parse_points,
        default_value = "2,1,0",
        conflicts_with = "ai",
    )]
    points: Points,
    #[command(flatten)]
    exploration: Exploration,
    #[command(flatten)]
    file: ConfigFile,
}

fn parse_points(text: &str) -> Result<Points, String> {
    let numbers: Option<Vec<u16>> = text.split(',').map(|number| number.parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[win, draw, loss]) => Ok(Points { win, draw, loss }),
        _ => Err("expected three whole numbers, such as 2,1,0".to_owned()),
    }
}

/// The moves of all files.
#[derive(Default)]
struct Collected {
    builder: BookBuilder,
    games: usize,
    invalid: usize,
    notes: NoteCounts,
}

/// The moves of each game in a chunk, and the notes on the games.
type ChunkMoves = (Vec<Result<Vec<GameMove>, Vec<FormatIssue>>>, NoteCounts);

impl MakeBook {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.exploration.ai.is_some() {
            let explored = self.exploration.run(&self.file, self.plies)?;
            return self.write(
                explored.builder.entries(1),
                &format!("{} searches", explored.searches),
            );
        }
        let mut all = Collected::default();
        for path in &self.files {
            self.read(path, &mut all)?;
        }
        let Collected {
            builder,
            games,
            invalid,
            notes,
        } = all;
        for note in notes.list() {
            print_message(&format!("note: {note}"));
        }
        let entries = builder.entries(self.min_games);
        if entries.is_empty() {
            return Err(Failure::Usage(format!(
                "no move of the {games} games qualifies for the book; expected a move with points \
                 in at least {} games (--min-games)",
                self.min_games
            )));
        }
        self.write(entries, &format!("{} games", games - invalid))?;
        match invalid {
            0 => Ok(()),
            invalid => Err(Failure::Other(anyhow::anyhow!(
                "{invalid} of {games} games are invalid"
            ))),
        }
    }

    /// Adds the games of a file, and reports the invalid ones.
    fn read(&self, path: &Path, all: &mut Collected) -> Result<(), Failure> {
        let Input {
            source,
            progress,
            name,
        } = Input::open(path)?;
        let failed = |error| match error {
            ChunkError::Read(error) => {
                Failure::Other(anyhow::Error::new(error).context(name.clone()))
            }
            error => Failure::Usage(format!("{name}: {error}")),
        };
        let boundaries = FormatName::Pgn.format().boundaries();
        let chunks = Chunks::new(source, boundaries).map(|chunk| chunk.map_err(failed));
        let games_before = all.games;
        let read = for_each_chunk(
            chunks,
            |chunk| self.moves(chunk),
            |chunk, (games, notes)| {
                all.notes.append(notes, all.games);
                for game in games {
                    all.games += 1;
                    let issues = match game {
                        Ok(moves) => {
                            for found in moves {
                                all.builder.add(found);
                            }
                            continue;
                        }
                        Err(issues) => issues,
                    };
                    for mut issue in issues
                        .into_iter()
                        .take(MAX_ERRORS.saturating_sub(all.invalid))
                    {
                        issue.place.game = Some(all.games - games_before);
                        issue.place.line = issue.place.line.map(|line| line + chunk.lines_before);
                        let message = format!("error: {name}: {issue} ({})", issue.code);
                        progress.suspend(|| print_message(&message));
                    }
                    all.invalid += 1;
                }
                Ok(ControlFlow::Continue(()))
            },
        );
        progress.finish_and_clear();
        read
    }

    fn moves(&self, chunk: &Chunk) -> ChunkMoves {
        let options = Import {
            turn: None,
            variations: ReadVariations::Skip,
            null_moves: NullMoves::Cut,
            language: self.language,
            max_plies: MAX_PLIES,
        };
        let mut notes = NoteCounts::default();
        let mut games = Vec::new();
        for game in FormatName::Pgn.format().import(&chunk.text, options) {
            games.push(game.map(|record| {
                notes.add_game(&record, games.len() + 1);
                moves_of_game(&record.game, self.plies, self.points)
            }));
        }
        (games, notes)
    }

    fn write(&self, mut entries: Vec<Entry>, source: &str) -> Result<(), Failure> {
        let path = self.out.display();
        let failed = |error: io::Error| anyhow::Error::new(error).context(path.to_string());
        let file = File::create(&self.out).map_err(failed)?;
        ai_book::write(&mut entries, BufWriter::new(file)).map_err(failed)?;
        let positions = entries
            .iter()
            .map(|entry| entry.key)
            .collect::<HashSet<_>>()
            .len();
        let moves = entries.len();
        Ok(print(&format!(
            "{path}: {moves} moves in {positions} positions, from {source}"
        ))?)
    }
}
