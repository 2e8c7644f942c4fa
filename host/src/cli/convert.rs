//! `rookery convert`.

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use ai_api::Color;
use clap::{Args, ValueEnum};
use rules::ReadVariations;

use crate::cli::{
    failure::Failure,
    output::{print, print_message},
};
use formats::{FormatName, GameRecord, Import, Part, guess};

/// The size limit of the text.
const MAX_BYTES: u64 = 256 << 20;
/// The greatest limit of half-moves that a configuration can set.
const MAX_PLIES: usize = 20_000;
/// The most errors that are printed.
const MAX_ERRORS: usize = 1000;

#[derive(Debug, Args)]
pub(super) struct ConvertGames {
    /// File to read; by default standard input
    file: Option<PathBuf>,
    /// Format to write
    #[arg(long, value_name = "FORMAT")]
    to: FormatName,
    /// Format to read; by default detected from the text
    #[arg(long, value_name = "FORMAT")]
    from: Option<FormatName>,
    /// Side to move, for formats without it
    #[arg(long)]
    turn: Option<Turn>,
    /// How to handle variations of PGN
    #[arg(long, default_value = "keep")]
    variations: Variations,
    /// Convert only game N, from 1
    #[arg(long, value_name = "N")]
    game: Option<usize>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Turn {
    White,
    Black,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Variations {
    Keep,
    Skip,
}

impl ConvertGames {
    pub(super) fn run(self) -> Result<(), Failure> {
        let text = self.read()?;
        let from = self.from.unwrap_or_else(|| {
            let guessed = guess(&text);
            print_message(&format!("note: reading as {guessed}; use --from to override"));
            guessed
        });
        let games: Vec<_> = from.format().import(&text, self.import_options()).collect();
        let count = games.len();
        if count == 0 {
            return Err(Failure::Usage(format!("found no game in the text, read as {from}")));
        }
        let is_chosen = |number: usize| self.game.is_none_or(|chosen| chosen == number);
        let chosen: Vec<_> =
            (1..).zip(games).filter(|(number, _)| is_chosen(*number)).map(|(_, game)| game).collect();
        if chosen.is_empty() {
            return Err(Failure::Usage(format!("--game is larger than the number of games, {count}")));
        }
        if chosen.len() > 1 && matches!(self.to, FormatName::Html | FormatName::Svg) {
            let message =
                format!("found {count} games, but a file of {} holds one; choose it with --game", self.to);
            return Err(Failure::Usage(message));
        }
        self.write(chosen)
    }

    fn import_options(&self) -> Import {
        Import {
            turn: self.turn.map(|turn| match turn {
                Turn::White => Color::White,
                Turn::Black => Color::Black,
            }),
            variations: match self.variations {
                Variations::Keep => ReadVariations::Keep,
                Variations::Skip => ReadVariations::Skip,
            },
            max_plies: MAX_PLIES,
        }
    }

    fn read(&self) -> Result<String, Failure> {
        let (source, shown): (Box<dyn Read>, _) = match &self.file {
            Some(path) => {
                let open = File::open(path);
                let file = open.map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
                (Box::new(file), path.display().to_string())
            }
            None => (Box::new(io::stdin()), "standard input".to_owned()),
        };
        let mut bytes = Vec::new();
        source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(Failure::Usage(format!("{shown} is larger than the limit of {MAX_BYTES} bytes")));
        }
        // Old PGN collections are in Latin-1.
        let latin_1 = |bytes: Vec<u8>| bytes.into_iter().map(char::from).collect();
        Ok(String::from_utf8(bytes).unwrap_or_else(|error| latin_1(error.into_bytes())))
    }

    fn write(&self, games: Vec<Result<GameRecord, Vec<formats::FormatIssue>>>) -> Result<(), Failure> {
        let count = games.len();
        let (mut invalid, mut errors, mut dropped) = (0, 0, Vec::<Part>::new());
        let mut out = String::new();
        for game in games {
            match game {
                Ok(record) => {
                    dropped.extend(self.to.drops(&record));
                    if self.to == FormatName::Text && !out.is_empty() {
                        out.push('\n');
                    }
                    out.push_str(&self.to.format().export(&record));
                    if !out.ends_with('\n') {
                        out.push('\n');
                    }
                }
                Err(issues) => {
                    invalid += 1;
                    for issue in issues {
                        errors += 1;
                        if errors <= MAX_ERRORS {
                            print_message(&format!("error: {issue} ({})", issue.code));
                        }
                    }
                }
            }
        }
        if !out.is_empty() {
            print(&out)?;
        }
        let lost: Vec<_> =
            Part::ALL.iter().filter(|part| dropped.contains(part)).map(|&part| part.into_str()).collect();
        if !lost.is_empty() {
            print_message(&format!("note: {} cannot hold {}", self.to, lost.join(", ")));
        }
        match invalid {
            0 => Ok(()),
            invalid => Err(Failure::Other(anyhow::anyhow!("{invalid} of {count} games are invalid"))),
        }
    }
}
