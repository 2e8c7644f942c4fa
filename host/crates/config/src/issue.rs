//! Issues with a configuration: what is wrong, where, and what is allowed.

use std::{fmt, ops::Range};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde::Serialize;

use crate::source::{Excerpt, SHOWN_VALUE, Source, shortened, visible};

/// The maximum number of printed issues. Further issues are only counted.
const MAX_PRINTED: usize = 50;
/// The maximum number of kept issues. A file of 1 MiB can have half a million issues.
const MAX_KEPT: usize = 1000;
/// The maximum length of a message or a note in characters.
const MAX_TEXT: usize = 400;

/// One error in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConfigIssue {
    /// Where the wrong value comes from: the file, a flag such as `--listen`, or a variable such as
    /// `ROOKERY_LISTEN`.
    pub origin: String,
    /// The line in the file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in the file, counted from 1 in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What was found.
    pub message: String,
    /// The allowed values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// Further help, such as the most similar name or the paths that were searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(skip)]
    excerpt: Option<Excerpt>,
}

impl ConfigIssue {
    /// Creates an issue at `span` in the file.
    pub(crate) fn in_file(source: &Source, span: &Range<usize>, message: &str) -> Self {
        let (line, column, excerpt) = source.locate(span);
        Self {
            line: Some(line),
            column: Some(column),
            excerpt: Some(excerpt),
            ..Self::of(&source.origin(), message)
        }
    }

    /// Creates an issue for `origin` as a whole.
    pub fn of(origin: &str, message: &str) -> Self {
        Self {
            origin: visible(origin),
            line: None,
            column: None,
            message: shortened(message, MAX_TEXT),
            allowed: None,
            notes: Vec::new(),
            excerpt: None,
        }
    }

    /// Creates an issue for a value of the flag or variable `origin`.
    pub fn given(origin: &str, separator: char, value: &str, message: &str) -> Self {
        let text = format!("{origin}{separator}{}", shortened(value, SHOWN_VALUE));
        let excerpt = Excerpt::of_line(&text, origin.len() + separator.len_utf8());
        Self {
            excerpt: Some(excerpt),
            ..Self::of(origin, message)
        }
    }

    /// Removes the file excerpt.
    pub fn conceal(&mut self) -> &mut Self {
        self.excerpt = None;
        self
    }

    pub fn allow(&mut self, allowed: &str) -> &mut Self {
        self.allowed = Some(shortened(allowed, MAX_TEXT));
        self
    }

    pub fn note(&mut self, note: &str) -> &mut Self {
        self.notes.push(shortened(note, MAX_TEXT));
        self
    }

    pub fn suggest(&mut self, name: Option<&str>) -> &mut Self {
        if let Some(name) = name {
            self.note(&format!("did you mean `{name}`?"));
        }
        self
    }
}

impl fmt::Display for ConfigIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            origin,
            line,
            column,
            message,
            allowed,
            notes,
            excerpt,
        } = self;
        let title = if line.is_none() {
            format!("{origin}: {message}")
        } else {
            message.clone()
        };
        let mut report = Group::with_title(Level::ERROR.primary_title(title));
        match (excerpt.as_ref().map(Excerpt::visible), line, column) {
            (Some((text, span)), line, _) => {
                let snippet = Snippet::source(text).line_start(line.unwrap_or(1));
                let path = line.map(|_| origin.as_str());
                report = report.element(
                    snippet
                        .path(path)
                        .annotation(AnnotationKind::Primary.span(span)),
                );
            }
            (None, Some(line), Some(column)) => {
                report = report.element(Origin::path(origin).line(*line).char_column(*column));
            }
            (None, _, _) => {}
        }
        let allowed = allowed
            .as_ref()
            .map(|allowed| Level::NOTE.with_name("allowed").message(allowed));
        let notes = notes.iter().map(|note| Level::NOTE.no_name().message(note));
        let report = report.elements(allowed.into_iter().chain(notes));
        writeln!(f, "{}", Renderer::plain().render(&[report]))
    }
}

/// All errors in a configuration, in file order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(Vec<ConfigIssue>);

impl ConfigErrors {
    /// Succeeds if there are no issues.
    ///
    /// # Errors
    /// `issues`, if there are any.
    pub fn none_of(issues: Vec<ConfigIssue>) -> Result<(), Self> {
        if issues.is_empty() {
            Ok(())
        } else {
            Err(Self(issues))
        }
    }

    /// Adds more errors and sorts all errors into file order.
    #[must_use]
    pub fn and(mut self, further: impl IntoIterator<Item = ConfigIssue>) -> Self {
        self.0.extend(further);
        self.0.sort_by_key(|issue| (issue.line, issue.column));
        self
    }

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
        for issue in self.0.iter().take(MAX_PRINTED) {
            writeln!(f, "{issue}")?;
        }
        match self.0.len() {
            1 => write!(f, "1 error in the configuration"),
            MAX_KEPT.. => {
                write!(
                    f,
                    "at least {MAX_KEPT} errors in the configuration; showing the first \
                     {MAX_PRINTED}"
                )
            }
            count if count > MAX_PRINTED => {
                write!(
                    f,
                    "{count} errors in the configuration; showing the first {MAX_PRINTED}"
                )
            }
            count => write!(f, "{count} errors in the configuration"),
        }
    }
}

impl std::error::Error for ConfigErrors {}

/// Collects the issues of one file.
pub struct Issues<'s> {
    source: &'s Source,
    found: Vec<FoundIssue>,
    /// Receives the details of issues beyond the maximum, which are dropped.
    surplus: ConfigIssue,
}

struct FoundIssue {
    span: Range<usize>,
    certainty: Certainty,
    issue: ConfigIssue,
}

/// Whether an issue may be a consequence of another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// The text is not TOML.
    Syntax,
    /// The key or value is wrong, regardless of other issues.
    Sure,
    /// Something is missing; a syntax error may have hidden it.
    Consequence,
}

impl<'s> Issues<'s> {
    pub(crate) fn new(source: &'s Source) -> Self {
        Self {
            source,
            found: Vec::new(),
            surplus: ConfigIssue::of("", ""),
        }
    }

    /// Reports that the text at `span` is not TOML.
    pub fn syntax(&mut self, span: &Range<usize>, message: &str) -> &mut ConfigIssue {
        self.push(span, Certainty::Syntax, message)
    }

    /// Reports a wrong key or value.
    pub fn at(&mut self, span: &Range<usize>, message: &str) -> &mut ConfigIssue {
        self.push(span, Certainty::Sure, message)
    }

    /// Reports that something needed by the key or value at `span` is missing.
    pub fn missing(&mut self, span: &Range<usize>, message: &str) -> &mut ConfigIssue {
        self.push(span, Certainty::Consequence, message)
    }

    /// Reports an issue whose cause is outside the file.
    pub fn elsewhere(&mut self, issue: ConfigIssue) {
        self.found.push(FoundIssue {
            span: 0..0,
            certainty: Certainty::Sure,
            issue,
        });
    }

    fn push(
        &mut self,
        span: &Range<usize>,
        certainty: Certainty,
        message: &str,
    ) -> &mut ConfigIssue {
        if self.is_full() {
            self.surplus = ConfigIssue::of("", "");
            return &mut self.surplus;
        }
        let issue = ConfigIssue::in_file(self.source, span, message);
        &mut self
            .found
            .push_mut(FoundIssue {
                span: span.clone(),
                certainty,
                issue,
            })
            .issue
    }

    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// Drops the issues after the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.found.truncate(count);
    }

    /// Returns whether further issues are dropped.
    pub fn is_full(&self) -> bool {
        self.found.len() >= MAX_KEPT
    }

    /// Returns whether an issue was found at `span`.
    pub fn any_at(&self, span: &Range<usize>) -> bool {
        self.found.iter().any(|found| found.span == *span)
    }

    /// Returns the issues in file order. Keeps one syntax error per line and drops issues that may
    /// be its consequence.
    pub fn finish(mut self) -> Vec<ConfigIssue> {
        self.found
            .sort_by_key(|found| (found.issue.line, found.span.start));
        let mut bad_lines: Vec<usize> = self
            .found
            .iter()
            .filter(|found| found.certainty == Certainty::Syntax)
            .filter_map(|found| found.issue.line)
            .collect();
        bad_lines.dedup();
        let source = self.source;
        let mut last_bad_line = None;
        let keep = |found: &FoundIssue| match found.certainty {
            Certainty::Syntax => {
                let first = last_bad_line != found.issue.line;
                last_bad_line = found.issue.line;
                first
            }
            Certainty::Consequence if !bad_lines.is_empty() => false,
            Certainty::Consequence | Certainty::Sure => {
                let Some(line) = found.issue.line else {
                    return true;
                };
                let next_bad_line = bad_lines.partition_point(|&bad| bad < line);
                bad_lines
                    .get(next_bad_line)
                    .is_none_or(|&bad| bad > source.line_of(found.span.end))
            }
        };
        self.found.retain(keep);
        self.found.into_iter().map(|found| found.issue).collect()
    }
}
