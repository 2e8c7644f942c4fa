//! Sections and keys that appear twice in a file.

use std::ops::Range;

use toml::de::DeTable;

use crate::{
    issue::Issues,
    source::{SHOWN_VALUE, Source, shortened},
};

/// The parser's message for a section or a key that appears a second time.
pub(crate) const DUPLICATE: &str = "duplicate key";

/// Reports each section and key that is repeated at one of `spans`, with the place where it appears
/// first. Does not report the keys in a repeated section. `root` is what the parser kept: the first
/// occurrences.
pub(crate) fn report_duplicates(
    source: &Source,
    root: &DeTable<'_>,
    spans: &[Range<usize>],
    issues: &mut Issues<'_>,
) {
    let text = source.text();
    let mut second_section = 0..0;
    for span in spans {
        if issues.is_full() {
            break;
        }
        let at = text.floor_char_boundary(span.start);
        if second_section.contains(&at) {
            continue;
        }
        let (before, rest) = text.split_at(at);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line_end = rest.find('\n').map_or(text.len(), |end| at + end);
        let (message, first, remedy) = if let Some(path) = header(&text[line_start..line_end]) {
            let end = rest.find("\n[").map_or(text.len(), |end| at + end);
            second_section = at..end;
            let name = shortened(&path.join("."), SHOWN_VALUE);
            let mut lines = before.lines();
            let first = lines.position(|line| header(line).as_ref() == Some(&path));
            (
                format!("[{name}] appears twice"),
                first.map(|index| index + 1),
                "merge them",
            )
        } else {
            let key = text.get(span.clone()).unwrap_or_default();
            let key = shortened(key, SHOWN_VALUE);
            let section = before.lines().rev().find_map(header).unwrap_or_default();
            let in_section = text.get(line_start..span.end).and_then(key_names);
            let path = in_section.map(|names| [section, names].concat());
            let first = path.and_then(|path| place(root, &path));
            let first = first.filter(|first| first.start < span.start);
            (
                format!("`{key}` is set twice"),
                first.map(|first| source.line_of(first.start)),
                "remove one",
            )
        };
        let issue = issues.syntax(span, &message);
        if let Some(line) = first {
            issue.note(&format!("the first one is on line {line}; {remedy}"));
        }
    }
}

/// Returns the names in the header of a section, such as `[ai.basic1]`.
fn header(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start();
    line.starts_with('[').then(|| names(line))?
}

/// Returns the names of a key, such as `limit.depth`.
fn key_names(key: &str) -> Option<Vec<String>> {
    names(&format!("{key} = 0"))
}

/// Parses TOML with a single key and returns the names on the path to its value.
fn names(text: &str) -> Option<Vec<String>> {
    let parsed = DeTable::parse(text).ok()?;
    let mut names = Vec::new();
    let mut table = Some(parsed.get_ref());
    while let Some((name, value)) = table.and_then(|table| table.iter().next()) {
        names.push(name.get_ref().to_string());
        table = value.get_ref().as_table();
    }
    Some(names)
}

/// Returns where the name of a table or value is.
fn place(root: &DeTable<'_>, path: &[String]) -> Option<Range<usize>> {
    let (first, rest) = path.split_first()?;
    let (name, value) = root.get_key_value(first.as_str())?;
    if rest.is_empty() {
        return Some(name.span());
    }
    place(value.get_ref().as_table()?, rest)
}
