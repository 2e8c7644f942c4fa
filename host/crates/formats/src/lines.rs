//! The lines of a text.

use crate::{FormatIssue, GameRecord, Games};

/// Returns the lines that are not blank, with their numbers from 1, without the byte order marks and the Ctrl-Z that joined files
/// have.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(|line| line.trim_matches(['\u{feff}', '\u{1a}']));
    (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty())
}

/// Reads a game from each line that is not blank.
pub(crate) fn games_of_lines<'t>(
    text: &'t str,
    read: impl Fn(&'t str) -> Result<GameRecord, Vec<FormatIssue>> + 't,
) -> Games<'t> {
    Box::new((1..).zip(lines(text)).map(move |(game, (number, line))| {
        read(line).map_err(|issues| issues.into_iter().map(|issue| issue.in_line(game, number)).collect())
    }))
}
