//! `rookery perft --suite`.

use std::{
    io::{self, IsTerminal},
    path::Path,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use rules::{PerftCase, format_fen, parse_perft_suite, perft};
use serde::Serialize;

use crate::cli::{
    failure::Failure,
    input::Input,
    output::{print, print_json, print_message},
};
use text::{counted, visible};

/// The maximum size of a suite.
const MAX_BYTES: u64 = 64 << 20;
/// The maximum number of errors printed.
const MAX_ERRORS: usize = 20;

/// The counts of a suite.
#[derive(Debug, Serialize)]
struct SuiteReply {
    correct: bool,
    positions: usize,
    counts: Vec<Counted>,
    time_ms: u64,
}

#[derive(Debug, Serialize)]
struct Counted {
    line: usize,
    fen: String,
    depth: u32,
    expected: u64,
    found: u64,
    correct: bool,
    time_ms: u64,
}

/// Counts the paths of each position of a suite, up to a depth.
pub(super) fn run(path: &Path, depth: Option<u32>, json: bool) -> Result<(), Failure> {
    let cases = read(path, depth)?;
    let rows = cases
        .iter()
        .flat_map(|case| case.counts.iter().map(move |count| (case, count)));
    let table = CountsTable::new(&cases);
    if !json {
        print(&table.head())?;
    }
    let progress = progress_bar(&cases, json);
    let started = Instant::now();
    let mut counts = Vec::new();
    for (case, count) in rows {
        let row_started = Instant::now();
        let found = perft(&case.position, count.depth);
        let time = row_started.elapsed();
        progress.inc(count.paths);
        let row = Counted {
            line: case.line,
            fen: format_fen(&case.position),
            depth: count.depth,
            expected: count.paths,
            found,
            correct: found == count.paths,
            time_ms: time.as_millis() as u64,
        };
        if !json {
            progress.suspend(|| print(&table.row(&row, time)))?;
        }
        counts.push(row);
    }
    progress.finish_and_clear();
    let elapsed = started.elapsed();
    let wrong = counts.iter().filter(|row| !row.correct).count();
    let summary = summary(&cases, &counts, elapsed);
    if json {
        let (correct, positions) = (wrong == 0, cases.len());
        print_json(&SuiteReply {
            correct,
            positions,
            counts,
            time_ms: elapsed.as_millis() as u64,
        })?;
    } else {
        print(&summary)?;
    }
    match wrong {
        0 => Ok(()),
        wrong => Err(Failure::Other(anyhow::anyhow!(
            "{}: {} wrong",
            path.display(),
            counted(wrong, "count")
        ))),
    }
}

/// Reads a suite, without the counts that are deeper than `depth`.
fn read(path: &Path, depth: Option<u32>) -> Result<Vec<PerftCase>, Failure> {
    let Input { source, name, .. } = Input::open(path)?;
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(source, MAX_BYTES + 1), &mut bytes)
        .map_err(|error| anyhow::Error::new(error).context(name.clone()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::Usage(format!(
            "{name}: larger than the limit of {MAX_BYTES} bytes"
        )));
    }
    let mut cases = parse_perft_suite(&String::from_utf8_lossy(&bytes)).map_err(|errors| {
        let mut lines: Vec<_> = errors
            .iter()
            .take(MAX_ERRORS)
            .map(|error| visible(&error.to_string()))
            .collect();
        if errors.len() > MAX_ERRORS {
            lines.push(format!("and {} more", errors.len() - MAX_ERRORS));
        }
        Failure::Usage(format!(
            "{name} is not a perft suite:\n  {}",
            lines.join("\n  ")
        ))
    })?;
    for case in &cases {
        for note in &case.notes {
            print_message(&format!("note: line {}: {note}", case.line));
        }
    }
    if let Some(depth) = depth {
        for case in &mut cases {
            case.counts.retain(|count| count.depth <= depth);
        }
    }
    cases.retain(|case| !case.counts.is_empty());
    if cases.is_empty() {
        let wanted = depth.map_or_else(String::new, |depth| format!(" of depth {depth} or less"));
        return Err(Failure::Usage(format!(
            "{name}: found no position with counts{wanted}, such as ;D1 20"
        )));
    }
    Ok(cases)
}

/// Creates a bar for the share of paths counted. It is hidden if the rows of the table show the
/// progress.
fn progress_bar(cases: &[PerftCase], json: bool) -> ProgressBar {
    if !io::stderr().is_terminal() || io::stdout().is_terminal() && !json {
        return ProgressBar::hidden();
    }
    let paths = cases
        .iter()
        .flat_map(|case| &case.counts)
        .map(|count| count.paths);
    let style = ProgressStyle::with_template("{bar:30} {percent} %  {elapsed}");
    ProgressBar::new(paths.fold(0, u64::saturating_add))
        .with_style(style.expect("the template is well-formed"))
}

fn summary(cases: &[PerftCase], counts: &[Counted], elapsed: Duration) -> String {
    let right = counts.iter().filter(|row| row.correct).count();
    let paths = counts
        .iter()
        .fold(0_u64, |sum, row| sum.saturating_add(row.found));
    format!(
        "{right} of {} in {} as expected, {}",
        counted(counts.len(), "count"),
        counted(cases.len(), "position"),
        super::rate(paths, elapsed)
    )
}

/// The table of results, with its column widths.
struct CountsTable {
    fen: usize,
    paths: usize,
}

impl CountsTable {
    fn new(cases: &[PerftCase]) -> Self {
        let digits = |case: &PerftCase| {
            case.counts
                .iter()
                .map(|count| count.paths.to_string().len())
                .max()
                .unwrap_or_default()
        };
        let fen = cases
            .iter()
            .map(|case| format_fen(&case.position).len())
            .max()
            .unwrap_or_default();
        Self {
            fen,
            paths: cases
                .iter()
                .map(digits)
                .max()
                .unwrap_or_default()
                .max("expected".len()),
        }
    }

    fn head(&self) -> String {
        let Self { fen, paths } = *self;
        format!(
            "{:<fen$}  depth  {:>paths$}  {:>paths$}      time",
            "position", "expected", "found"
        )
    }

    fn row(&self, row: &Counted, time: Duration) -> String {
        let Self { fen, paths } = *self;
        let Counted {
            fen: position,
            depth,
            expected,
            found,
            correct,
            ..
        } = row;
        let mark = if *correct { "" } else { "  wrong" };
        let time = time.as_secs_f64();
        format!(
            "{position:<fen$}  {depth:>5}  {expected:>paths$}  {found:>paths$}  {time:>6.3} s{mark}"
        )
    }
}
