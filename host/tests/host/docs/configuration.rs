//! `docs/configuration.md` and `config/reference.toml` describe every setting.

use std::{env, fmt::Write as _, fs, path::Path};

use config::{AiSettings, DocumentedSection, ServerSettings, section::SettingEntry};
use test_kit::configuration::{keys, loaded};
use toml::de::DeTable;

use crate::support::options;

const HEAD: &str = include_str!("configuration.md");
const REFERENCE_HEAD: &str = include_str!("configuration.toml");
/// The maximum length of a line in `config/reference.toml`.
const WIDTH: usize = 132;
/// The page does not repeat allowed values longer than this many bytes.
const LONG_VALUES: usize = 50;

/// Escapes text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Returns the allowed values as messages show them, without words that the column and the page
/// imply.
fn values(entry: &SettingEntry) -> String {
    let values = entry
        .values
        .replace(", relative to this file,", "")
        .replace(", relative to this file", "");
    cell(values.trim_start_matches("a whole number from "))
}

/// Turns the names of pages in the text, such as `docs/arena.md` in backticks, into links.
fn linked(text: &str) -> String {
    let mut linked = String::new();
    for (index, part) in text.split('`').enumerate() {
        let page = part
            .strip_prefix("docs/")
            .filter(|_| index % 2 == 1)
            .and_then(|page| page.strip_suffix(".md"));
        match page {
            Some(page) => _ = write!(linked, "[{}]({page}.md)", page.replace('-', " ")),
            None if index % 2 == 1 => _ = write!(linked, "`{part}`"),
            None => linked.push_str(part),
        }
    }
    linked
}

/// Returns the default if it is a TOML value, not a description.
fn default_value(entry: &SettingEntry) -> Option<&str> {
    entry
        .default
        .as_deref()
        .filter(|default| DeTable::parse(&format!("x = {default}")).is_ok())
}

/// Formats a default in Markdown: a TOML value as code, a description as text.
fn default(entry: &SettingEntry) -> String {
    match (default_value(entry), &entry.default) {
        (Some(value), _) => format!("`{value}`"),
        (None, Some(description)) => cell(description),
        (None, None) => "required".to_owned(),
    }
}

fn sections() -> Vec<DocumentedSection> {
    config::sections(&options())
}

fn document() -> String {
    let mut document = HEAD.to_owned();
    for DocumentedSection {
        header,
        about,
        entries,
        ..
    } in sections()
    {
        let _ = write!(
            document,
            "\n## `{header}`\n\n{}\n\n| key | value | default | meaning |\n|---|---|---|---|\n",
            linked(about)
        );
        let mut previous = String::new();
        for entry in &entries {
            let values = values(entry);
            let shown = if values == previous && values.len() > LONG_VALUES {
                "as above"
            } else {
                &values
            };
            let (key, default, doc) = (entry.key, default(entry), linked(&cell(entry.doc)));
            let _ = writeln!(document, "| `{key}` | {shown} | {default} | {doc} |");
            previous = values;
        }
    }
    document
}

/// Breaks text into comment lines.
fn comment(text: &str) -> String {
    let mut lines = String::from("#");
    let mut column = lines.len();
    for word in text.split_whitespace() {
        if column + 1 + word.len() > WIDTH {
            lines.push_str("\n#");
            column = 1;
        }
        lines.extend([" ", word]);
        column += 1 + word.len();
    }
    lines.push('\n');
    lines
}

/// Returns the sentence about a key's default.
fn default_sentence(entry: &SettingEntry) -> String {
    match &entry.default {
        Some(default) => format!("Default: {default}."),
        None => "Required.".to_owned(),
    }
}

/// Returns the header of the section for the table `key` in another section.
fn header_of_table(section: &str, key: &str) -> String {
    section.replace(']', &format!(".{key}]"))
}

/// Writes the sections in TOML. Sections of extras, sections that need a key or an ID, and keys
/// without a default value are commented out.
pub(crate) fn reference() -> String {
    let sections = sections();
    let mut reference = REFERENCE_HEAD.to_owned();
    for DocumentedSection {
        header,
        about,
        entries,
        is_extra,
    } in &sections
    {
        let mut all = sections.iter().flat_map(|section| {
            let entries = section.entries.iter();
            entries.map(move |entry| (&section.header, entry))
        });
        let about = match all.find(|(of, entry)| header_of_table(of, entry.key) == *header) {
            Some((_, table)) => format!("{} {about} {}", table.doc, default_sentence(table)),
            None => (*about).to_owned(),
        };
        let is_off = *is_extra
            || header.contains("ID")
            || entries.iter().any(|entry| entry.default.is_none());
        let mark = if is_off { "#" } else { "" };
        let name = header
            .replace("ai.ID", "ai.basic1")
            .replace("client.ID", "client.alice")
            .replace("level.ID", "level.club");
        let _ = write!(reference, "\n{}{mark}{name}\n", comment(&about));
        for entry in entries {
            // This table has its own section.
            if sections
                .iter()
                .any(|other| header_of_table(header, entry.key) == other.header)
            {
                continue;
            }
            let default = default_value(entry);
            let value = default
                .or(entry.example)
                .unwrap_or_else(|| panic!("{} has no example", entry.key));
            let is_default = !is_off && default.is_some();
            let mark = if is_default { "" } else { "#" };
            let default = if is_default {
                String::new()
            } else {
                default_sentence(entry)
            };
            let values = comment(&format!("Value: {}. {default}", entry.values));
            let _ = write!(
                reference,
                "\n{}{values}{mark}{} = {value}\n",
                comment(entry.doc),
                entry.key
            );
        }
    }
    reference
}

/// Panics unless a file contains exactly this text. With `UPDATE_DOCS`, first writes the text.
fn assert_current(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, text).unwrap();
    }
    assert!(
        fs::read_to_string(&file).is_ok_and(|written| written == text),
        "{name} is out of date; \
         `UPDATE_DOCS=1 cargo test -p rookery --test host every_setting` rewrites it"
    );
}

#[test]
fn the_page_documents_every_setting() {
    assert_current("docs/configuration.md", &document());
}

/// Longer reasons belong in `docs/operations.md`.
#[test]
fn every_meaning_has_at_most_two_sentences() {
    let sentences = |text: &str| text.matches(". ").count() + 1;
    for section in sections() {
        for entry in section.entries {
            assert!(sentences(entry.doc) <= 2, "`{}`: {}", entry.key, entry.doc);
        }
    }
}

#[test]
fn every_server_key_except_tls_has_a_variable() {
    let sections = sections();
    let server = sections
        .iter()
        .find(|section| section.header == "[server]")
        .unwrap();
    let without = server.entries.iter().filter(|entry| !entry.is_overridable);
    let without: Vec<_> = without.map(|entry| entry.key).collect();
    assert_eq!(without, ["tls"]);
}

#[test]
fn the_reference_documents_every_setting() {
    assert_current("config/reference.toml", &reference());
}

#[test]
fn the_reference_changes_nothing() {
    assert_eq!(loaded(&reference(), &options()).1, loaded("", &options()).1);
}

/// Returns a reference with its marked keys and sections switched on, and with files and an AI that
/// exist in the tests.
pub(crate) fn unmarked(reference: &str) -> String {
    let lines = reference.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if !rest.is_empty() && !rest.starts_with(' ') => rest,
        _ => line,
    });
    let mut text = lines.flat_map(|line| [line, "\n"]).collect::<String>();
    for (example, here) in [
        ("\ndirectories = []", "\ndirectories = [\"../lib\"]"),
        ("\"cert.pem\"", "\"../lib/cert.pem\""),
        ("\"key.pem\"", "\"../lib/key.pem\""),
        ("\"rookery.creds\"", "\"../lib/rookery.creds\""),
        ("\"ca.pem\"", "\"../lib/cert.pem\""),
    ] {
        assert!(text.contains(example), "{example}");
        text = text.replace(example, here);
    }
    text + "\n[ai.quick]\nlibrary = \"ai_basic1\"\n"
}

#[test]
fn the_unmarked_reference_contains_every_key_once_and_loads() {
    let text = unmarked(&reference());
    // Loading rejects a key that occurs twice.
    let tables = DeTable::parse(&text).unwrap();
    let sections = [
        ("[server]", vec!["server"]),
        ("[server.tls]", vec!["server", "tls"]),
        ("[plugins]", vec!["plugins"]),
        ("[tablebases]", vec!["tablebases"]),
        ("[ai.ID]", vec!["ai", "basic1"]),
        ("[ai.ID.limit]", vec!["ai", "basic1", "limit"]),
        ("[client.ID]", vec!["client", "alice"]),
        ("[level.ID]", vec!["level", "club"]),
        ("[fleet]", vec!["fleet"]),
    ];
    for (section, path) in sections {
        let table = path.iter().fold(tables.get_ref(), |table, name| {
            table[*name].get_ref().as_table().unwrap()
        });
        let mut documented = keys(section);
        documented.sort_unstable();
        let mut found: Vec<_> = table.keys().map(|key| key.get_ref().as_ref()).collect();
        found.sort_unstable();
        assert_eq!(found, documented, "{section}");
    }

    let (_folder, config) = loaded(&text, &options());
    let (_elsewhere, defaults) = loaded(
        "[ai.basic1]\nlibrary = '../lib/libai_basic1.so'",
        &options(),
    );
    let of_server = |server: &ServerSettings| ServerSettings {
        tls: None,
        admin_listen: None,
        ..server.clone()
    };
    assert_eq!(of_server(&config.server), defaults.server);
    let AiSettings {
        library,
        sha256,
        workers,
        stop_grace_ms,
        fallback,
        limit,
        options,
        rollout,
        ..
    } = config.ais["basic1"].clone();
    let default = defaults.ais["basic1"].clone();
    let mut examples = AiSettings {
        library,
        sha256,
        workers,
        stop_grace_ms,
        fallback,
        limit,
        options,
        rollout,
        ..default
    };
    examples.sandbox.working_directory = config.ais["basic1"].sandbox.working_directory.clone();
    assert_eq!(config.ais["basic1"], examples);
}
