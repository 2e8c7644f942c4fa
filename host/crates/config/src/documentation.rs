//! `docs/configuration.md` describes every setting.

use std::{env, fmt::Write as _, fs, path::Path};

use crate::{
    load::sections,
    overrides::{LISTEN, variable_of},
    section::Entry,
};

const HEAD: &str = include_str!("documentation.md");

/// A cell of a table in Markdown.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A default in Markdown: a value in TOML as code, a description as text.
fn default(entry: &Entry) -> String {
    let Some(default) = &entry.default else { return "required".to_owned() };
    let is_value = matches!(default.as_str(), "true" | "false")
        || default.starts_with(['"', '[', '{'])
        || default.parse::<u64>().is_ok();
    if is_value { format!("`{default}`") } else { cell(default) }
}

/// The flag and the variable that take precedence over a key of `[server]`.
fn overrides(entry: &Entry) -> String {
    let (flag, key) = LISTEN;
    match variable_of(entry.key) {
        _ if !entry.is_overridable => String::new(),
        variable if entry.key == key => format!("`{flag}`, `{variable}`"),
        variable => format!("`{variable}`"),
    }
}

fn document() -> String {
    let mut document = HEAD.to_owned();
    for (header, entries) in sections() {
        let is_server = header == "[server]";
        let (title, line) = if is_server { (" flag, variable |", "---|") } else { ("", "") };
        let _ = write!(
            document,
            "\n## `{header}`\n\n| key | value | default |{title} meaning |\n|---|---|---|{line}---|\n"
        );
        for entry in &entries {
            let Entry { key, values, doc, .. } = entry;
            let overrides = if is_server { format!(" {} |", overrides(entry)) } else { String::new() };
            let (values, default, doc) = (cell(values), default(entry), cell(doc));
            let _ = writeln!(document, "| `{key}` | {values} | {default} |{overrides} {doc} |");
        }
    }
    document
}

#[test]
fn documents_every_setting() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/configuration.md");
    let document = document();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, &document).unwrap();
    }
    assert!(
        fs::read_to_string(&file).is_ok_and(|written| written == document),
        "docs/configuration.md is out of date; `UPDATE_DOCS=1 cargo test -p config documents_every_setting` rewrites it"
    );
}
