//! What is wrong with a configuration, where, and what is allowed.

use std::{fmt, ops::Range};

use annotate_snippets::{AnnotationKind, Level, Message, Origin, Renderer, Snippet};
use serde::Serialize;

use crate::source::{Excerpt, SHOWN_VALUE, Source, shortened, visible};

/// Issues that are printed in full; the rest is counted.
const PRINTED: usize = 50;
/// Issues that are kept: a file of a mebibyte has room for half a million.
const KEPT: usize = 1000;
/// Characters of a message or a note: a file may hold names of any length.
const LONGEST_TEXT: usize = 400;

/// One thing that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConfigIssue {
    /// Where the bad value comes from: the file, a flag such as `--listen`, or a variable such as `ROOKERY_LISTEN`.
    pub origin: String,
    /// The line in the file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in the file, counted from 1 in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What was found.
    pub message: String,
    /// What would be right instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// What else helps: the closest right name, where a file was looked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip)]
    excerpt: Option<Excerpt>,
}

impl ConfigIssue {
    /// An issue of the stretch `span` of the file.
    pub(crate) fn in_file(source: &Source, span: &Range<usize>, message: &str) -> Self {
        let (line, column, excerpt) = source.locate(span);
        Self {
            line: Some(line),
            column: Some(column),
            excerpt: Some(excerpt),
            ..Self::of(&source.path().to_string_lossy(), message)
        }
    }

    /// An issue of the whole of `origin`.
    pub(crate) fn of(origin: &str, message: &str) -> Self {
        Self {
            origin: visible(origin),
            line: None,
            column: None,
            message: shortened(message, LONGEST_TEXT),
            allowed: None,
            notes: Vec::new(),
            excerpt: None,
        }
    }

    /// An issue of a value of the flag or variable `origin`.
    pub(crate) fn given(origin: &str, separator: char, value: &str, message: &str) -> Self {
        let text = format!("{origin}{separator}{}", shortened(value, SHOWN_VALUE));
        let excerpt = Excerpt::of_line(&text, origin.len() + separator.len_utf8());
        Self { excerpt: Some(excerpt), ..Self::of(origin, message) }
    }

    /// Removes the text of the file.
    pub(crate) fn conceal(&mut self) -> &mut Self {
        self.excerpt = None;
        self
    }

    /// Says what would be right.
    pub(crate) fn allow(&mut self, allowed: &str) -> &mut Self {
        self.allowed = Some(shortened(allowed, LONGEST_TEXT));
        self
    }

    /// Says what else helps.
    pub(crate) fn note(&mut self, note: &str) -> &mut Self {
        self.notes.push(shortened(note, LONGEST_TEXT));
        self
    }

    /// Says which name was probably meant.
    pub(crate) fn suggest(&mut self, name: Option<&str>) -> &mut Self {
        if let Some(name) = name {
            self.note(&format!("did you mean `{name}`?"));
        }
        self
    }
}

impl fmt::Display for ConfigIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, line, column, message, allowed, notes, excerpt } = self;
        let title = if line.is_none() { format!("{origin}: {message}") } else { message.clone() };
        let mut report = Level::ERROR.primary_title(title).elements(None::<Message<'_>>);
        match (excerpt.as_ref().map(Excerpt::visible), line, column) {
            (Some((text, span)), line, _) => {
                let snippet = Snippet::source(text).line_start(line.unwrap_or(1));
                let path = line.map(|_| origin.as_str());
                report = report.element(snippet.path(path).annotation(AnnotationKind::Primary.span(span)));
            }
            (None, Some(line), Some(column)) => {
                report = report.element(Origin::path(origin).line(*line).char_column(*column));
            }
            (None, _, _) => {}
        }
        let allowed = allowed.as_ref().map(|allowed| Level::NOTE.with_name("allowed").message(allowed));
        let notes = notes.iter().map(|note| Level::NOTE.no_name().message(note));
        let report = report.elements(allowed.into_iter().chain(notes));
        writeln!(f, "{}", Renderer::plain().render(&[report]))
    }
}

/// Everything that is wrong with a configuration, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(Vec<ConfigIssue>);

impl ConfigErrors {
    /// Nothing, if there are no issues.
    ///
    /// # Errors
    /// All of `issues`, if there are any.
    pub fn none_of(issues: Vec<ConfigIssue>) -> Result<(), Self> {
        if issues.is_empty() { Ok(()) } else { Err(Self(issues)) }
    }

    /// The issues, at least one.
    pub fn issues(&self) -> &[ConfigIssue] {
        &self.0
    }
}

impl From<ConfigIssue> for ConfigErrors {
    fn from(issue: ConfigIssue) -> Self {
        Self(vec![issue])
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for issue in self.0.iter().take(PRINTED) {
            writeln!(f, "{issue}")?;
        }
        match self.0.len() {
            1 => write!(f, "1 error in the configuration"),
            KEPT.. => write!(f, "{KEPT} errors or more in the configuration, the first {PRINTED} shown"),
            count if count > PRINTED => {
                write!(f, "{count} errors in the configuration, the first {PRINTED} shown")
            }
            count => write!(f, "{count} errors in the configuration"),
        }
    }
}

impl std::error::Error for ConfigErrors {}

/// The issues of one file as they are found.
pub(crate) struct Issues<'s> {
    source: &'s Source,
    found: Vec<Found>,
    /// Takes what is said about the issues that are too many.
    surplus: ConfigIssue,
}

struct Found {
    span: Range<usize>,
    certainty: Certainty,
    issue: ConfigIssue,
}

/// Whether an issue may come from another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// The text is no TOML here.
    Syntax,
    /// Wrong whatever the rest says.
    Sure,
    /// Something is missing; the syntax errors may have hidden it.
    Consequence,
}

impl<'s> Issues<'s> {
    pub(crate) fn new(source: &'s Source) -> Self {
        Self { source, found: Vec::new(), surplus: ConfigIssue::of("", "") }
    }

    /// The text at `span` is no TOML.
    pub(crate) fn syntax(&mut self, span: &Range<usize>, message: &str) -> &mut ConfigIssue {
        self.push(span, Certainty::Syntax, message)
    }

    /// What stands at `span` is wrong.
    pub(crate) fn at(&mut self, span: &Range<usize>, message: &str) -> &mut ConfigIssue {
        self.push(span, Certainty::Sure, message)
    }

    /// What `span` needs is missing.
    pub(crate) fn missing(&mut self, span: &Range<usize>, message: &str) -> &mut ConfigIssue {
        self.push(span, Certainty::Consequence, message)
    }

    /// Something that is not in the file is wrong.
    pub(crate) fn elsewhere(&mut self, issue: ConfigIssue) {
        self.found.push(Found { span: 0..0, certainty: Certainty::Sure, issue });
    }

    fn push(&mut self, span: &Range<usize>, certainty: Certainty, message: &str) -> &mut ConfigIssue {
        if self.found.len() >= KEPT {
            self.surplus = ConfigIssue::of("", "");
            return &mut self.surplus;
        }
        let issue = ConfigIssue::in_file(self.source, span, message);
        &mut self.found.push_mut(Found { span: span.clone(), certainty, issue }).issue
    }

    /// Returns whether an issue was found at `span`.
    pub(crate) fn any_at(&self, span: &Range<usize>) -> bool {
        self.found.iter().any(|found| found.span == *span)
    }

    /// All issues in the order of the file: one syntax error a line, and nothing that only follows from those.
    pub(crate) fn finish(mut self) -> Vec<ConfigIssue> {
        self.found.sort_by_key(|found| (found.issue.line, found.span.start));
        let mut bad_lines: Vec<usize> = self
            .found
            .iter()
            .filter(|found| found.certainty == Certainty::Syntax)
            .filter_map(|found| found.issue.line)
            .collect();
        bad_lines.dedup();
        let source = self.source;
        let mut last_bad_line = None;
        let keep = |found: &Found| match found.certainty {
            Certainty::Syntax => {
                let first = last_bad_line != found.issue.line;
                last_bad_line = found.issue.line;
                first
            }
            Certainty::Consequence if !bad_lines.is_empty() => false,
            Certainty::Consequence | Certainty::Sure => {
                let Some(line) = found.issue.line else { return true };
                let next_bad_line = bad_lines.partition_point(|&bad| bad < line);
                bad_lines.get(next_bad_line).is_none_or(|&bad| bad > source.line_of(found.span.end))
            }
        };
        self.found.retain(keep);
        self.found.into_iter().map(|found| found.issue).collect()
    }
}
