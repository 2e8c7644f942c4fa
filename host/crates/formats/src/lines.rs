//! Reads text line by line.

use crate::{FormatIssue, GameRecord, Games, sample::is_skipped};

/// Returns the lines that are neither blank nor comments, with their line numbers from 1. A comment
/// begins with `#`. Each part of a joined file may have a byte order mark, Ctrl-Z or NUL before and
/// after its lines.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text
        .lines()
        .map(|line| line.trim_matches(['\u{feff}', '\u{1a}', '\0']));
    (1..).zip(lines).filter(|(_, line)| !is_skipped(line))
}

/// Returns the only line that is neither blank nor a comment.
pub(crate) fn only_line(text: &str) -> Option<&str> {
    let mut lines = lines(text);
    let (_, only) = lines.next()?;
    lines.next().is_none().then_some(only)
}

/// Reads a game from each line that is neither blank nor a comment.
pub(crate) fn games_of_lines<'t>(
    text: &'t str,
    read: impl Fn(&'t str) -> Result<GameRecord, Vec<FormatIssue>> + 't,
) -> Games<'t> {
    Box::new((1..).zip(lines(text)).map(move |(game, (number, line))| {
        read(line).map_err(|issues| {
            issues
                .into_iter()
                .map(|issue| issue.in_line(game, number))
                .collect()
        })
    }))
}
