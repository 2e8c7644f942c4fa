//! `rookery convert`.

use std::{
    io::{self, IsTerminal},
    num::NonZeroUsize,
    ops::ControlFlow,
    path::PathBuf,
};

use ai_api::Color;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget};
use rules::ReadVariations;

use crate::cli::{
    failure::Failure,
    input::Input,
    output::{print, print_message},
};
use formats::{
    Chunk, ChunkError, Chunks, FormatIssue, FormatName, GameRecord, Games, Import, Part, for_each_chunk,
    guess, read_head,
};

/// The greatest limit of half-moves that a configuration can set.
const MAX_PLIES: usize = 20_000;
/// The most errors that are printed.
const MAX_ERRORS: usize = 1000;

#[derive(Debug, Args)]
pub(super) struct ConvertGames {
    /// File to read; - is standard input
    #[arg(default_value = "-")]
    file: PathBuf,
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
    /// How to handle null moves of PGN
    #[arg(long, default_value = "reject")]
    null_moves: NullMoves,
    /// Convert only game N, from 1
    #[arg(long, value_name = "N")]
    game: Option<NonZeroUsize>,
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

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NullMoves {
    /// Report them as errors
    Reject,
    /// End the game or variation before them
    Cut,
}

/// Converted games.
#[derive(Default)]
struct Converted {
    text: String,
    games: usize,
    invalid: usize,
    /// At most [`MAX_ERRORS`].
    issues: Vec<FormatIssue>,
    /// What the format cannot hold.
    lost: Vec<Part>,
    cut_lines: usize,
}

impl ConvertGames {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Input { source, progress, name } = Input::open(&self.file)?;
        if io::stdout().is_terminal() {
            progress.set_draw_target(ProgressDrawTarget::hidden());
        }
        let failed = |error| match error {
            ChunkError::Read(error) => Failure::Other(anyhow::Error::new(error).context(name.clone())),
            error => Failure::Usage(format!("{name}: {error}")),
        };
        let (head, source) = read_head(source).map_err(|error| failed(error.into()))?;
        let from = self.from.unwrap_or_else(|| {
            let guessed = guess(&head).unwrap_or(FormatName::Text);
            print_message(&format!("note: reading as {guessed}; use --from to override"));
            guessed
        });
        let chunks = Chunks::new(source, from.format().boundaries()).map(|chunk| chunk.map_err(failed));
        let mut output = Output { to: self.to, progress, written: Converted::default() };
        let read = if self.game.is_some() || self.to.format().separator().is_none() {
            self.convert_one(from, chunks, &mut output)
        } else {
            let convert = |chunk: &Chunk| self.convert(self.import(from, chunk), chunk.lines_before);
            for_each_chunk(chunks, convert, |_, converted| output.write(converted).map(ControlFlow::Continue))
        };
        output.progress.finish_and_clear();
        read?;
        if output.written.games == 0 {
            return Err(Failure::Usage(format!("found no game in the text, read as {from}")));
        }
        output.finish()
    }

    /// Converts the game chosen, or the only one.
    fn convert_one(
        &self,
        from: FormatName,
        chunks: impl Iterator<Item = Result<Chunk, Failure>>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let number = self.game.map_or(1, NonZeroUsize::get);
        let (mut games, mut found) = (0, None);
        let count = |chunk: &Chunk| self.import(from, chunk).count();
        for_each_chunk(chunks, count, |chunk, count| {
            if found.is_none() && games + count >= number {
                let chosen = self.import(from, &chunk).skip(number - games - 1).take(1);
                found = Some((games, self.convert(chosen, chunk.lines_before)));
            }
            games += count;
            let is_done = found.is_some() && self.game.is_some();
            Ok(if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        match found {
            None if games == 0 => Ok(()),
            None => Err(Failure::Usage(format!("--game is larger than the number of games, {games}"))),
            Some(_) if self.game.is_none() && games > 1 => Err(Failure::Usage(format!(
                "found {games} games, but a file of {} holds one; choose it with --game",
                self.to
            ))),
            Some((games_before, mut converted)) => {
                converted.issues.iter_mut().for_each(|issue| move_by(&mut issue.place.game, games_before));
                output.write(converted)
            }
        }
    }

    fn import<'t>(&self, from: FormatName, chunk: &'t Chunk) -> Games<'t> {
        let options = Import {
            turn: self.turn.map(|turn| match turn {
                Turn::White => Color::White,
                Turn::Black => Color::Black,
            }),
            variations: match self.variations {
                Variations::Keep => ReadVariations::Keep,
                Variations::Skip => ReadVariations::Skip,
            },
            null_moves: match self.null_moves {
                NullMoves::Reject => rules::NullMoves::Reject,
                NullMoves::Cut => rules::NullMoves::Cut,
            },
            max_plies: MAX_PLIES,
        };
        from.format().import(&chunk.text, options)
    }

    fn convert(
        &self,
        games: impl Iterator<Item = Result<GameRecord, Vec<FormatIssue>>>,
        lines_before: usize,
    ) -> Converted {
        let mut converted = Converted::default();
        for game in games {
            converted.games += 1;
            match game {
                Ok(record) => {
                    converted.cut_lines += record.game.cut_lines;
                    let lost = &mut converted.lost;
                    for &part in Part::ALL {
                        if !lost.contains(&part) && self.to.drops_part(&record, part) {
                            lost.push(part);
                        }
                    }
                    let text = &mut converted.text;
                    if !text.is_empty() {
                        text.push_str(self.to.format().separator().unwrap_or_default());
                    }
                    text.push_str(&self.to.format().export(&record));
                    if !text.ends_with('\n') {
                        text.push('\n');
                    }
                }
                Err(issues) => {
                    converted.invalid += 1;
                    let rest = MAX_ERRORS - converted.issues.len();
                    converted.issues.extend(issues.into_iter().take(rest).map(|mut issue| {
                        move_by(&mut issue.place.line, lines_before);
                        issue
                    }));
                }
            }
        }
        converted
    }
}

/// Adds the games or lines before a chunk to a number in it.
fn move_by(number: &mut Option<usize>, before: usize) {
    *number = number.map(|number| number + before);
}

/// Writes converted games, and their errors to standard error.
struct Output {
    to: FormatName,
    progress: ProgressBar,
    /// What was written, without its text.
    written: Converted,
}

impl Output {
    fn write(&mut self, converted: Converted) -> Result<(), Failure> {
        let Converted { text, games, invalid, issues, lost, cut_lines } = converted;
        let written = &mut self.written;
        for mut issue in issues.into_iter().take(MAX_ERRORS - written.issues.len()) {
            move_by(&mut issue.place.game, written.games);
            self.progress.suspend(|| print_message(&format!("error: {issue} ({})", issue.code)));
            written.issues.push(issue);
        }
        let separator = self.to.format().separator().unwrap_or_default();
        if !separator.is_empty() && !text.is_empty() && written.games > written.invalid {
            print(separator)?;
        }
        if !text.is_empty() {
            print(&text)?;
        }
        written.games += games;
        written.invalid += invalid;
        written.lost.extend(lost);
        written.cut_lines += cut_lines;
        Ok(())
    }

    /// Reports what was lost, and how many games were invalid.
    fn finish(self) -> Result<(), Failure> {
        let Converted { games, invalid, lost, cut_lines, .. } = self.written;
        let lost: Vec<_> =
            Part::ALL.iter().filter(|part| lost.contains(part)).map(|&part| part.into_str()).collect();
        if !lost.is_empty() {
            print_message(&format!("note: {} cannot hold {}", self.to, lost.join(", ")));
        }
        if cut_lines > 0 {
            print_message(&format!("note: {cut_lines} games or variations end before a null move"));
        }
        match invalid {
            0 => Ok(()),
            invalid => Err(Failure::Other(anyhow::anyhow!("{invalid} of {games} games are invalid"))),
        }
    }
}
