//! Suites of positions with known counts of move paths.

use std::fmt;

use ai_api::Position;

use crate::{Epd, EpdFault, EpdIssue, ImportNote, Operand, Operation, import_epd, quote::quote};

/// The maximum depth of a count. Greater depths take too long.
const MAX_DEPTH: u32 = 30;

/// A position in a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftCase {
    /// The line of the position, from 1.
    pub line: usize,
    /// The position.
    pub position: Position,
    /// The known counts, in the order of the suite.
    pub counts: Vec<PerftCount>,
    /// The faults that were accepted in the position.
    pub notes: Vec<ImportNote>,
}

/// A known count of move paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerftCount {
    /// The number of half-moves in a path.
    pub depth: u32,
    /// The number of paths.
    pub paths: u64,
}

/// A fault in a line of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftSuiteError {
    /// The line, from 1.
    pub line: usize,
    /// The issue.
    pub issue: EpdIssue,
}

impl fmt::Display for PerftSuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.issue)
    }
}

impl std::error::Error for PerftSuiteError {}

/// Reads a suite. A line contains a position in EPD with operations such as `D3 8902`.
/// Alternatively, a suite consists of three kinds of lines: `epd` and a position, `perft 3 8902`,
/// and `id` and a name. Blank lines and lines that begin with `#` are skipped. Positions may be any
/// that [`import_epd`] reads.
///
/// # Errors
/// Every issue in every line.
///
/// # Examples
/// ```
/// let suite = rules::parse_perft_suite("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66")?;
/// for count in &suite[0].counts {
///     assert_eq!(rules::perft(&suite[0].position, count.depth), count.paths);
/// }
/// # Ok::<(), Vec<rules::PerftSuiteError>>(())
/// ```
pub fn parse_perft_suite(text: &str) -> Result<Vec<PerftCase>, Vec<PerftSuiteError>> {
    let (mut cases, mut errors) = (Vec::<PerftCase>::new(), Vec::new());
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut is_lost = false;
    for (line, words) in (1..).zip(text.lines().map(str::trim)) {
        let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        let read = match first {
            "" | "id" => continue,
            comment if comment.starts_with('#') => continue,
            "perft" => match cases.last_mut() {
                _ if is_lost => continue,
                Some(case) => count_of_words(rest)
                    .map(|count| case.counts.push(count))
                    .map_err(|issue| vec![issue]),
                None => Err(vec![issue(
                    words,
                    "a line with epd and a position before it",
                )]),
            },
            _ => {
                let epd = if first == "epd" { rest } else { words };
                let read = read_position(line, epd);
                is_lost = read.is_err();
                read.map(|case| cases.push(case))
            }
        };
        errors.extend(
            read.err()
                .into_iter()
                .flatten()
                .map(|issue| PerftSuiteError { line, issue }),
        );
    }
    let without_count = cases.iter().filter(|case| case.counts.is_empty());
    errors.extend(without_count.map(|case| PerftSuiteError {
        line: case.line,
        issue: issue(
            "",
            "a count of move paths, such as ;D1 20, or perft 1 20 on the next line",
        ),
    }));
    errors.sort_by_key(|error| error.line);
    if errors.is_empty() {
        Ok(cases)
    } else {
        Err(errors)
    }
}

fn read_position(line: usize, text: &str) -> Result<PerftCase, Vec<EpdIssue>> {
    let (
        Epd {
            position,
            operations,
        },
        notes,
    ) = import_epd(text)?;
    let (mut counts, mut issues) = (Vec::new(), Vec::new());
    for operation in &operations {
        match count_of_operation(operation) {
            Some(Ok(count)) => counts.push(count),
            Some(Err(issue)) => issues.push(issue),
            None => {}
        }
    }
    if issues.is_empty() {
        Ok(PerftCase {
            line,
            position,
            counts,
            notes,
        })
    } else {
        Err(issues)
    }
}

/// The count in an operation; `None` if its opcode is not `D` with a depth.
fn count_of_operation(operation: &Operation) -> Option<Result<PerftCount, EpdIssue>> {
    let depth = operation.opcode.strip_prefix(['D', 'd'])?;
    if depth.is_empty() || !is_number(depth) {
        return None;
    }
    Some(
        match &operation.operands[..] {
            [Operand::Word(paths)] => count_of(depth, paths),
            _ => None,
        }
        .ok_or_else(|| issue(&operation.to_string(), COUNT)),
    )
}

fn count_of_words(words: &str) -> Result<PerftCount, EpdIssue> {
    let count = words.trim_start().split_once(char::is_whitespace);
    count
        .and_then(|(depth, paths)| count_of(depth, paths.trim()))
        .ok_or_else(|| issue(words, COUNT))
}

fn count_of(depth: &str, paths: &str) -> Option<PerftCount> {
    if !is_number(depth) || !is_number(paths) {
        return None;
    }
    let (depth, paths) = (depth.parse().ok()?, paths.parse().ok()?);
    (depth <= MAX_DEPTH).then_some(PerftCount { depth, paths })
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

const COUNT: &str = "a depth from 0 to 30 and a count of move paths, such as D3 8902";

fn issue(found: &str, expected: &'static str) -> EpdIssue {
    let found = if found.is_empty() {
        "no count".to_owned()
    } else {
        quote(found)
    };
    EpdIssue {
        column: None,
        fault: EpdFault::Operation { found, expected },
    }
}
