//! `rookery convert`.

use std::{
    fs::File,
    io::{self, Read},
    path::PathBuf,
};

use ai_api::Color;
use clap::{Args, ValueEnum};
use rules::ReadVariations;

use super::{Failure, print, say};
use formats::{FormatName, GameRecord, Import, Part, guess};

/// A larger text is not read.
const MAX_BYTES: u64 = 256 << 20;
/// As many half-moves as a configuration can allow.
const MAX_PLIES: usize = 20_000;
/// More than this of what is wrong is not told.
const MOST_SHOWN: usize = 1000;

#[derive(Debug, Args)]
pub(super) struct ConvertGames {
    /// The file to read; left out, standard input
    file: Option<PathBuf>,
    /// The format to write
    #[arg(long, value_name = "FORMAT")]
    to: FormatName,
    /// The format to read; left out, what the text looks like
    #[arg(long, value_name = "FORMAT")]
    from: Option<FormatName>,
    /// Who moves, where a single board does not tell
    #[arg(long)]
    turn: Option<Turn>,
    /// What to do with the variations of PGN
    #[arg(long, default_value = "keep")]
    variations: Variations,
    /// Only this game, counted from 1
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
            say(&format!("note: read as {guessed}; --from says otherwise"));
            guessed
        });
        let games: Vec<_> = from.format().import(&text, self.how()).collect();
        let count = games.len();
        if count == 0 {
            return Err(Failure::Usage(format!("there is no game in the text, which was read as {from}")));
        }
        let is_chosen = |number: usize| self.game.is_none_or(|chosen| chosen == number);
        let chosen: Vec<_> =
            (1..).zip(games).filter(|(number, _)| is_chosen(*number)).map(|(_, game)| game).collect();
        if chosen.is_empty() {
            return Err(Failure::Usage(format!("--game is beyond the {count} that there are")));
        }
        if chosen.len() > 1 && matches!(self.to, FormatName::Html | FormatName::Svg) {
            let message =
                format!("there are {count} games, and a file of {} holds one; choose with --game", self.to);
            return Err(Failure::Usage(message));
        }
        self.write(chosen)
    }

    fn how(&self) -> Import {
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
            return Err(Failure::Usage(format!(
                "{shown} is larger than the {MAX_BYTES} bytes that are read"
            )));
        }
        // Old collections of games are in the eight bits that PGN was made for; what is chess in them is the same in both.
        let of_eight_bits = |bytes: Vec<u8>| bytes.into_iter().map(char::from).collect();
        Ok(String::from_utf8(bytes).unwrap_or_else(|error| of_eight_bits(error.into_bytes())))
    }

    fn write(&self, games: Vec<Result<GameRecord, Vec<formats::FormatIssue>>>) -> Result<(), Failure> {
        let count = games.len();
        let (mut wrong, mut shown, mut dropped) = (0, 0, Vec::<Part>::new());
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
                    wrong += 1;
                    for issue in issues {
                        shown += 1;
                        if shown <= MOST_SHOWN {
                            say(&format!("error: {issue} ({})", issue.code));
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
            say(&format!("note: {} does not hold {}", self.to, lost.join(", ")));
        }
        match wrong {
            0 => Ok(()),
            wrong => Err(Failure::Other(anyhow::anyhow!("{wrong} of {count} games could not be read"))),
        }
    }
}
