//! The length of lines. `rustfmt` leaves macros, attributes, comments and strings unchanged.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use super::sources;

const MAX_COLUMNS: usize = 100;

/// Adds the numbers of the lines that continue a raw string. Breaking these lines would change the
/// string.
fn lines_of_raw_texts(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => lines_of_raw_texts(group.stream(), lines),
            TokenTree::Literal(literal)
                if literal
                    .to_string()
                    .trim_start_matches(['b', 'c'])
                    .starts_with('r') =>
            {
                lines.extend(literal.span().start().line + 1..=literal.span().end().line);
            }
            _ => {}
        }
    }
}

/// Returns the numbers of the lines that are too long.
fn long_lines(text: &str) -> Vec<usize> {
    let mut long: Vec<_> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| line.chars().count() > MAX_COLUMNS && !line.contains("https://"))
        .map(|(number, _)| number)
        .collect();
    if !long.is_empty() {
        let mut excepted = BTreeSet::new();
        lines_of_raw_texts(text.parse().unwrap(), &mut excepted);
        long.retain(|number| !excepted.contains(number));
    }
    long
}

#[test]
fn no_line_of_rust_is_longer_than_100_columns() {
    let folders = ["ai-api", "ai-basic1", "ais", "host", "sdk", "tools"];
    let files = folders.iter().flat_map(|folder| sources(folder));
    let found: Vec<_> = files
        .filter(|(file, _)| !file.starts_with("ai-api/frozen/"))
        .flat_map(|(file, text)| {
            long_lines(&text)
                .into_iter()
                .map(move |number| format!("{file}:{number}"))
        })
        .collect();
    assert!(found.is_empty(), "break these lines:\n{}", found.join("\n"));
}

#[test]
fn only_raw_strings_and_addresses_may_be_longer() {
    let word = "a".repeat(MAX_COLUMNS);
    for long in [
        format!("// {word}"),
        format!("const A: &str = r\"{word}\";"),
    ] {
        assert_eq!(long_lines(&format!("\n{long}\n")), [2]);
    }
    for allowed in [
        format!("const A: &str = r\"\n{word} b\n\";"),
        format!("// https://example.org/{word}"),
    ] {
        assert!(long_lines(&allowed).is_empty(), "{allowed}");
    }
}
