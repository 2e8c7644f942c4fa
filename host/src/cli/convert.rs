//! `rookery convert`.

use std::{
    io::{self, IsTerminal},
    num::NonZeroUsize,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use ai_api::Color;
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use indicatif::{ProgressBar, ProgressDrawTarget};
use rules::{Language, NullMoves, ReadVariations};

use crate::cli::{
    failure::Failure,
    import_notes::NoteCounts,
    input::Input,
    output::{print, print_message},
};
use formats::{
    Chunk, ChunkError, Chunks, FormatIssue, FormatName, GameRecord, Games, Import, Part,
    for_each_chunk, guess, read_head,
};

mod report;

/// The highest limit on half-moves that a configuration can set.
const MAX_PLIES: usize = 20_000;
/// The maximum number of errors printed.
const MAX_ERRORS: usize = 1000;

#[derive(Debug, Args)]
pub(super) struct ConvertGames {
    /// File to read, or several files with --report; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    files: Vec<PathBuf>,
    /// Format to write
    #[arg(long, value_name = "FORMAT", required_unless_present = "report")]
    to: Option<FormatName>,
    /// Format to read; by default detected
    #[arg(long, value_name = "FORMAT")]
    from: Option<FormatName>,
    /// Side to move, for formats that do not name it
    #[arg(long, value_parser = one_of(TURNS))]
    turn: Option<Color>,
    /// How to handle PGN variations
    #[arg(long, default_value = "keep", value_parser = one_of(VARIATIONS))]
    variations: ReadVariations,
    /// How to handle PGN null moves
    #[arg(long, default_value = "reject", value_parser = one_of(NULL_MOVES))]
    null_moves: NullMoves,
    /// Language of the piece letters in PGN and SAN
    #[arg(long, value_name = "CODE", default_value = "en", value_parser = language_parser())]
    language: Language,
    /// Convert only game N; the first is 1
    #[arg(long, value_name = "N")]
    game: Option<NonZeroUsize>,
    /// Print counts of games, notes and errors instead of games
    #[arg(long, conflicts_with_all = ["to", "game"])]
    report: bool,
    /// Print the report as JSON
    #[arg(long, requires = "report")]
    json: bool,
}

/// Parses a language by its code.
pub(super) fn language_parser() -> impl TypedValueParser<Value = Language> {
    let values = Language::ALL
        .iter()
        .map(|language| PossibleValue::new(language.code()).help(language.name()));
    PossibleValuesParser::new(values).map(|code| {
        let named = Language::ALL
            .iter()
            .find(|language| language.code() == code);
        *named.expect("the allowed values are language codes")
    })
}

const TURNS: &[Named<Color>] = &[
    ("white", "White moves", Color::White),
    ("black", "Black moves", Color::Black),
];
const VARIATIONS: &[Named<ReadVariations>] = &[
    ("keep", "Read and write them", ReadVariations::Keep),
    ("skip", "Leave them out", ReadVariations::Skip),
];
const NULL_MOVES: &[Named<NullMoves>] = &[
    ("reject", "Report them as errors", NullMoves::Reject),
    (
        "cut",
        "End the game or variation before them",
        NullMoves::Cut,
    ),
];

/// A possible value of a flag, preceded by the value's name and help.
type Named<T> = (&'static str, &'static str, T);

/// Parses one of these values.
fn one_of<T: Copy + Send + Sync + 'static>(
    values: &'static [Named<T>],
) -> impl TypedValueParser<Value = T> {
    let shown = values
        .iter()
        .map(|&(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(shown).map(|given| {
        let named = values.iter().find(|(name, ..)| *name == given);
        named.expect("the parser allows only these names").2
    })
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
    notes: NoteCounts,
}

/// Text that is read in chunks.
struct ConvertedText {
    name: String,
    format: FormatName,
    chunks: Box<dyn Iterator<Item = Result<Chunk, Failure>>>,
    progress: ProgressBar,
}

impl ConvertGames {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Some(to) = self.to else {
            return self.report();
        };
        let [path] = self.files.as_slice() else {
            let found = self.files.len();
            return Err(Failure::Usage(format!(
                "found {found} files; expected one, or several with --report"
            )));
        };
        let ConvertedText {
            format: from,
            chunks,
            progress,
            ..
        } = self.open(path)?;
        let mut output = ConvertOutput {
            to,
            progress,
            written: Converted::default(),
        };
        let read = if self.game.is_some() || to.format().separator().is_none() {
            self.convert_one(from, chunks, &mut output)
        } else {
            self.convert_chunks(from, chunks, |converted| output.write(converted))
        };
        output.progress.finish_and_clear();
        read?;
        if output.written.games == 0 {
            return Err(Failure::Usage(format!(
                "found no game in the text, read as {from}"
            )));
        }
        output.finish()
    }

    /// Opens the input. Guesses its format unless `--from` sets it.
    fn open(&self, path: &Path) -> Result<ConvertedText, Failure> {
        let Input {
            source,
            progress,
            name,
        } = Input::open(path)?;
        if io::stdout().is_terminal() {
            progress.set_draw_target(ProgressDrawTarget::hidden());
        }
        let source_name = name.clone();
        let failed = move |error| match error {
            ChunkError::Read(error) => {
                Failure::Other(anyhow::Error::new(error).context(name.clone()))
            }
            error => Failure::Usage(format!("{name}: {error}")),
        };
        let (head, source) = read_head(source).map_err(|error| failed(error.into()))?;
        let format = self.from.unwrap_or_else(|| {
            let guessed = guess(&head).unwrap_or(FormatName::Text);
            if !self.report {
                print_message(&format!(
                    "note: reading as {guessed}; use --from to override"
                ));
            }
            guessed
        });
        let chunks = Chunks::new(source, format.format().boundaries());
        let chunks = Box::new(chunks.map(move |chunk| chunk.map_err(&failed)));
        Ok(ConvertedText {
            name: source_name,
            format,
            chunks,
            progress,
        })
    }

    /// Converts every game on all processors, and passes the results to `each` in order.
    fn convert_chunks(
        &self,
        from: FormatName,
        chunks: impl Iterator<Item = Result<Chunk, Failure>>,
        mut each: impl FnMut(Converted) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let convert = |chunk: &Chunk| {
            let mut converted = self.convert(self.import(from, chunk), chunk.lines_before);
            converted.notes.add_windows_1252(chunk.windows_1252_words);
            converted
        };
        for_each_chunk(chunks, convert, |_, converted| {
            each(converted).map(ControlFlow::Continue)
        })
    }

    /// Converts the chosen game, or the only one.
    fn convert_one(
        &self,
        from: FormatName,
        chunks: impl Iterator<Item = Result<Chunk, Failure>>,
        output: &mut ConvertOutput,
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
            Ok(if is_done {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        match found {
            None if games == 0 => Ok(()),
            None => Err(Failure::Usage(format!(
                "--game is larger than the number of games, {games}"
            ))),
            Some(_) if self.game.is_none() && games > 1 => Err(Failure::Usage(format!(
                "found {games} games, but the format {} holds only one; choose it with --game",
                output.to
            ))),
            Some((games_before, mut converted)) => {
                converted
                    .issues
                    .iter_mut()
                    .for_each(|issue| move_by(&mut issue.place.game, games_before));
                let mut notes = NoteCounts::default();
                notes.append(converted.notes, number - 1);
                output.write(Converted { notes, ..converted })
            }
        }
    }

    fn import<'t>(&self, from: FormatName, chunk: &'t Chunk) -> Games<'t> {
        let options = Import {
            turn: self.turn,
            variations: self.variations,
            null_moves: self.null_moves,
            language: self.language,
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
                    converted.notes.add_game(&record, converted.games);
                    if let Some(to) = self.to {
                        converted.add_text(&record, to);
                    }
                }
                Err(issues) => {
                    converted.invalid += 1;
                    let rest = MAX_ERRORS - converted.issues.len();
                    converted
                        .issues
                        .extend(issues.into_iter().take(rest).map(|mut issue| {
                            move_by(&mut issue.place.line, lines_before);
                            issue
                        }));
                }
            }
        }
        converted
    }
}

impl Converted {
    /// Writes a game, and notes what its format cannot hold.
    fn add_text(&mut self, record: &GameRecord, to: FormatName) {
        for &part in Part::ALL {
            if !self.lost.contains(&part) && to.drops_part(record, part) {
                self.lost.push(part);
            }
        }
        if !self.text.is_empty() {
            self.text
                .push_str(to.format().separator().unwrap_or_default());
        }
        self.text.push_str(&to.format().export(record));
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Adds the counts and issues of the next games, without their text. Returns the previous
    /// number of issues.
    fn append(&mut self, next: Self) -> usize {
        let issues_before = self.issues.len();
        for mut issue in next.issues.into_iter().take(MAX_ERRORS - issues_before) {
            move_by(&mut issue.place.game, self.games);
            self.issues.push(issue);
        }
        self.notes.append(next.notes, self.games);
        self.games += next.games;
        self.invalid += next.invalid;
        self.lost.extend(next.lost);
        self.cut_lines += next.cut_lines;
        issues_before
    }
}

/// Adds the games or lines before a chunk to a number within the chunk.
fn move_by(number: &mut Option<usize>, before: usize) {
    *number = number.map(|number| number + before);
}

/// Writes converted games, and their errors to standard error.
struct ConvertOutput {
    to: FormatName,
    progress: ProgressBar,
    /// The totals of what was written. Their `text` stays empty.
    written: Converted,
}

impl ConvertOutput {
    fn write(&mut self, mut converted: Converted) -> Result<(), Failure> {
        let written = &mut self.written;
        let text = std::mem::take(&mut converted.text);
        let follows_text = written.games > written.invalid;
        let issues_before = written.append(converted);
        for issue in &written.issues[issues_before..] {
            self.progress
                .suspend(|| print_message(&format!("error: {issue} ({})", issue.code)));
        }
        let separator = self.to.format().separator().unwrap_or_default();
        if !separator.is_empty() && !text.is_empty() && follows_text {
            print(separator)?;
        }
        if !text.is_empty() {
            print(&text)?;
        }
        Ok(())
    }

    /// Reports what was lost, and how many games were invalid.
    fn finish(self) -> Result<(), Failure> {
        let Converted {
            games,
            invalid,
            lost,
            cut_lines,
            notes,
            ..
        } = self.written;
        for note in notes.list() {
            print_message(&format!("note: {note}"));
        }
        let lost: Vec<_> = Part::ALL
            .iter()
            .filter(|part| lost.contains(part))
            .map(|&part| part.into_str())
            .collect();
        if !lost.is_empty() {
            print_message(&format!(
                "note: {} cannot hold {}",
                self.to,
                lost.join(", ")
            ));
        }
        if cut_lines > 0 {
            print_message(&format!(
                "note: {cut_lines} games or variations end before a null move"
            ));
        }
        match invalid {
            0 => Ok(()),
            invalid => Err(Failure::Other(anyhow::anyhow!(
                "{invalid} of {games} games are invalid"
            ))),
        }
    }
}
