//! `rookery convert --report`: what was read, noted and refused.

use formats::{FormatIssue, FormatName};
use serde::Serialize;

use super::{ConvertGames, Converted, ConvertedText, MAX_ERRORS};
use crate::cli::{
    failure::Failure,
    import_notes::NoteCount,
    output::{print, print_json},
};

/// The sums of all files.
#[derive(Debug, Serialize)]
struct ConversionReport {
    games: usize,
    refused: usize,
    files: Vec<FileReport>,
}

/// The sums of a file.
#[derive(Debug, Serialize)]
struct FileReport {
    file: String,
    format: FormatName,
    /// The number of all games, including refused ones.
    games: usize,
    refused: usize,
    notes: Vec<NoteCount>,
    /// At most [`MAX_ERRORS`].
    issues: Vec<IssueReport>,
}

/// An issue in a refused game. Numbers start at 1.
#[derive(Debug, Serialize)]
struct IssueReport {
    code: &'static str,
    message: String,
    game: Option<usize>,
    line: Option<usize>,
    column: Option<usize>,
    ply: Option<usize>,
    /// The issue as a line of text.
    #[serde(skip)]
    text: String,
}

impl ConvertGames {
    /// Reads every file and prints the sums.
    pub(super) fn report(&self) -> Result<(), Failure> {
        let mut files = Vec::new();
        for path in &self.files {
            let ConvertedText {
                name,
                format,
                chunks,
                progress,
            } = self.open(path)?;
            let mut read = Converted::default();
            let done = self.convert_chunks(format, chunks, |converted| {
                read.append(converted);
                Ok(())
            });
            progress.finish_and_clear();
            done?;
            files.push(FileReport::new(name, format, read));
        }
        let (games, refused) = files.iter().fold((0, 0), |(games, refused), file| {
            (games + file.games, refused + file.refused)
        });
        let report = ConversionReport {
            games,
            refused,
            files,
        };
        if self.json {
            print_json(&report)?;
        } else {
            report
                .files
                .iter()
                .try_for_each(|file| print(&file.text()))?;
            if report.files.len() > 1 {
                print(&format!(
                    "{} files: {}",
                    report.files.len(),
                    sums(games, refused)
                ))?;
            }
        }
        match refused {
            0 => Ok(()),
            refused => Err(Failure::Other(anyhow::anyhow!(
                "refused {refused} of {games} games"
            ))),
        }
    }
}

impl FileReport {
    fn new(file: String, format: FormatName, read: Converted) -> Self {
        let notes = read.notes.list().into_iter().cloned().collect();
        let issues = read.issues.into_iter().map(IssueReport::from).collect();
        Self {
            file,
            format,
            games: read.games,
            refused: read.invalid,
            notes,
            issues,
        }
    }

    fn text(&self) -> String {
        let mut lines = vec![format!(
            "{} ({}): {}",
            self.file,
            self.format,
            sums(self.games, self.refused)
        )];
        lines.extend(self.notes.iter().map(|note| format!("  note: {note}")));
        lines.extend(
            self.issues
                .iter()
                .map(|issue| format!("  refused: {} ({})", issue.text, issue.code)),
        );
        if self.issues.len() == MAX_ERRORS {
            lines.push(format!("  only the first {MAX_ERRORS} errors are listed"));
        }
        lines.join("\n")
    }
}

impl From<FormatIssue> for IssueReport {
    fn from(issue: FormatIssue) -> Self {
        let text = issue.to_string();
        let FormatIssue {
            code,
            message,
            place,
        } = issue;
        let formats::TextPlace {
            game,
            line,
            column,
            ply,
        } = place;
        Self {
            code,
            message,
            game,
            line,
            column,
            ply,
            text,
        }
    }
}

fn sums(games: usize, refused: usize) -> String {
    let noun = if games == 1 { "game" } else { "games" };
    match refused {
        0 => format!("{games} {noun} read"),
        refused => format!(
            "{} of {games} {noun} read, {refused} refused",
            games - refused
        ),
    }
}
