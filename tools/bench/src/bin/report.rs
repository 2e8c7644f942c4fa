//! Reads rows from standard input and writes `report.md`, `report.json` and a plot of each group
//! into a folder. Several rows for the same contender count as rounds. The arguments are the folder
//! and a line that describes the machine.

use std::{fmt::Write as _, fs, io, path::Path};

use peers::row::Row;
use serde_json::json;

/// A benchmark in a group. Rookery's contender comes first.
struct Work<'r> {
    group: &'r str,
    name: &'r str,
    unit: &'r str,
    contenders: Vec<&'r Row>,
}

/// The median, the minimum and the maximum of some figures.
#[derive(Clone, Copy)]
struct Spread {
    median: f64,
    least: f64,
    greatest: f64,
}

impl Spread {
    fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Self {
            median: values[values.len() / 2],
            least: values[0],
            greatest: values[values.len() - 1],
        }
    }

    fn text(self) -> String {
        let Self {
            median,
            least,
            greatest,
        } = self;
        if least.to_bits() == greatest.to_bits() {
            return number(median);
        }
        format!(
            "{} ({} to {})",
            number(median),
            number(least),
            number(greatest)
        )
    }
}

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("the folder of the report");
    let machine = arguments.next().unwrap_or_default();
    let rows = merged(&io::read_to_string(io::stdin())?);
    let works = works(&rows);
    let mut groups: Vec<&str> = works.iter().map(|work| work.group).collect();
    groups.dedup();
    let mut text = format!(
        "# Measurements\n\n{machine}\n\nMedians, with the lowest and the highest round. The ratio \
         compares Rookery's figure with the best peer's in the same round. Above 1 is \
         better.\n"
    );
    for group in groups {
        let works: Vec<_> = works.iter().filter(|work| work.group == group).collect();
        let _ = writeln!(
            text,
            "\n## {}\n\n| work | figures | ratio |\n|---|---|---|",
            titled(group)
        );
        works.iter().for_each(|work| text.push_str(&work.line()));
        if let Some(plot) = plot(&works) {
            let _ = writeln!(text, "\n![Ratios to the best peer]({group}.svg)");
            fs::write(Path::new(&folder).join(format!("{group}.svg")), plot)?;
        }
    }
    fs::write(Path::new(&folder).join("report.md"), &text)?;
    let json = serde_json::to_string_pretty(&json!({ "machine": machine, "rows": rows }))?;
    fs::write(Path::new(&folder).join("report.json"), json + "\n")?;
    print!("{text}");
    Ok(())
}

/// Reads JSON lines and merges the values of equal rows.
fn merged(lines: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in lines.lines().filter(|line| !line.is_empty()) {
        let row: Row =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
        let key = |row: &Row| {
            (
                row.group.clone(),
                row.work.clone(),
                row.unit.clone(),
                row.contender.clone(),
            )
        };
        match rows.iter_mut().find(|known| key(known) == key(&row)) {
            Some(known) => known.values.extend(row.values),
            None => rows.push(row),
        }
    }
    rows
}

fn works(rows: &[Row]) -> Vec<Work<'_>> {
    let mut works: Vec<Work<'_>> = Vec::new();
    for row in rows {
        match works
            .iter_mut()
            .find(|work| work.group == row.group && work.name == row.work)
        {
            Some(work) => work.contenders.push(row),
            None => {
                works.push(Work {
                    group: &row.group,
                    name: &row.work,
                    unit: &row.unit,
                    contenders: vec![row],
                });
            }
        }
    }
    works.sort_by_key(|work| rows.iter().position(|row| row.group == work.group));
    works
}

impl Work<'_> {
    /// Returns the ratio of the first contender to each round's best peer. Variants of Rookery are
    /// not peers.
    fn ratio(&self) -> Option<Spread> {
        let (own, others) = self.contenders.split_first()?;
        let name = own.contender.split(',').next()?;
        let peers: Vec<_> = others
            .iter()
            .filter(|other| !other.contender.starts_with(name))
            .collect();
        let is_rate = self.unit.ends_with("/s");
        let ratio = |(round, own): (usize, &f64)| {
            let of_peers = peers.iter().filter_map(|peer| peer.values.get(round));
            let ratios = of_peers.map(|peer| if is_rate { own / peer } else { peer / own });
            ratios.min_by(f64::total_cmp)
        };
        let ratios: Vec<f64> = own.values.iter().enumerate().filter_map(ratio).collect();
        (!ratios.is_empty()).then(|| Spread::of(ratios))
    }

    fn line(&self) -> String {
        let figure = |row: &&Row| {
            format!(
                "{} {}",
                row.contender,
                Spread::of(row.values.clone()).text()
            )
        };
        let figures: Vec<_> = self.contenders.iter().map(figure).collect();
        let ratio = self
            .ratio()
            .map(|ratio| format!("**{}**", ratio.text()))
            .unwrap_or_default();
        format!(
            "| {}, {} | {} | {ratio} |\n",
            self.name,
            self.unit,
            figures.join("; ")
        )
    }
}

/// Draws the ratios of a group as bars on a logarithmic scale around 1, with the spread as a line.
/// Returns `None` if there are no peers.
fn plot(works: &[&Work<'_>]) -> Option<String> {
    const ROW: usize = 26;
    const ZERO: f64 = 470.0;
    const DOUBLE: f64 = 60.0;
    let ratios: Vec<_> = works
        .iter()
        .filter_map(|work| Some((work.name, work.ratio()?)))
        .collect();
    if ratios.is_empty() {
        return None;
    }
    let height = ROW * (ratios.len() + 1);
    let place = |ratio: f64| ZERO + DOUBLE * ratio.log2().clamp(-2.5, 7.5);
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='960' height='{height}' \
         font-family='sans-serif' font-size='13'>\n<rect width='100%' height='100%' \
         fill='white'/>\n<line x1='{ZERO}' x2='{ZERO}' y1='4' y2='{height}' stroke='#888'/>\n"
    );
    for (index, (name, ratio)) in ratios.iter().enumerate() {
        let (y, end) = (index * ROW + 20, place(ratio.median));
        let (left, width) = (end.min(ZERO), (end - ZERO).abs());
        let color = if ratio.median >= 1.0 {
            "#2a7f62"
        } else {
            "#b8562f"
        };
        let _ = writeln!(
            svg,
            "<text x='8' y='{}'>{}</text>\n<rect x='{left:.1}' y='{}' width='{width:.1}' \
             height='14' fill='{color}'/>\n<line x1='{:.1}' x2='{:.1}' y1='{y}' y2='{y}' \
             stroke='black'/>\n<text x='{:.1}' y='{}'>{}</text>",
            escaped(name),
            y + 4,
            y - 7,
            place(ratio.least),
            place(ratio.greatest),
            place(ratio.greatest).max(ZERO) + 8.0,
            y + 4,
            number(ratio.median),
        );
    }
    Some(svg + "</svg>\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn titled(group: &str) -> String {
    let mut letters = group.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// Formats a figure with three significant digits, because more are not repeatable.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
