//! `docs/http-api.md` lists the calls of the `OpenAPI` document with their summaries. Its prose is
//! in `http_api.md` next to this file.

use std::{collections::BTreeSet, env, fmt::Write as _, fs, path::Path};

use serde_json::Value;

use crate::support::catalog;
use api::call::Call;

/// The page, with `{{calls TAG}}` in place of a tag's calls and `{{NAME}}` in place of a schema's
/// fields.
const PAGE: &str = include_str!("http_api.md");
const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// The `OpenAPI` document.
struct Document(Value);

fn page() -> String {
    let document = Document(serde_json::from_str(catalog().document()).unwrap());
    let mut parts = PAGE.split("{{");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once("}}\n").expect("a marker on its own line");
        page += &match name.strip_prefix("calls ") {
            Some(tag) => calls(tag),
            None => document.fields(name),
        };
        page += rest;
    }
    page
}

/// Returns the table of the calls with a tag.
fn calls(tag: &str) -> String {
    let catalog = catalog();
    let calls = catalog.calls().filter(|call| call.tag == tag);
    let rows: String = calls.map(row).collect();
    assert!(!rows.is_empty(), "no call has the tag {tag}");
    format!("| call | |\n|---|---|\n{rows}")
}

fn row(call: &Call) -> String {
    let Call { path, summary, .. } = call;
    let method = call.method.into_str();
    format!("| `{method} {path}` | {summary} |\n")
}

impl Document {
    /// Returns the table of a schema's fields.
    fn fields(&self, name: &str) -> String {
        let mut fields = Vec::new();
        self.add_fields(&self.schema(name), &mut fields);
        let mut table = "| field | |\n|---|---|\n".to_owned();
        for (name, meaning) in fields {
            let _ = writeln!(table, "| `{name}` | {meaning} |");
        }
        table
    }

    /// Adds the fields of a schema and of its alternatives, each once.
    fn add_fields(&self, schema: &Value, fields: &mut Vec<(String, String)>) {
        for part in schema["oneOf"].as_array().into_iter().flatten() {
            self.add_fields(&self.resolved(part), fields);
        }
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            if fields.iter().all(|(known, _)| known != name) {
                fields.push((name.clone(), self.meaning(field)));
            }
        }
    }

    /// Returns the description of a field and its allowed values.
    fn meaning(&self, field: &Value) -> String {
        let mut meaning = text(&field["description"])
            .replace('\n', " ")
            .replace('|', "\\|");
        if let Some(words) = self.resolved(field)["enum"].as_array() {
            let words: Vec<_> = words
                .iter()
                .map(|word| format!("`{}`", text(word)))
                .collect();
            let _ = write!(meaning, " One of {}.", words.join(", "));
        }
        meaning
    }

    fn schema(&self, name: &str) -> Value {
        let schema = &self.0["components"]["schemas"][name];
        assert!(!schema.is_null(), "there is no schema {name}");
        schema.clone()
    }

    fn resolved(&self, schema: &Value) -> Value {
        let name = schema["$ref"]
            .as_str()
            .map(|name| name.trim_start_matches("#/components/schemas/"));
        name.map_or_else(|| schema.clone(), |name| self.schema(name))
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn documents_every_call() {
    let file = Path::new(FOLDER).join("../docs/http-api.md");
    let page = page();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, &page).unwrap();
    }
    assert!(
        fs::read_to_string(&file).is_ok_and(|written| written == page),
        "docs/http-api.md is out of date; \
         `UPDATE_DOCS=1 cargo test -p rookery --test host documents_every_call` rewrites it"
    );
    let missing: Vec<_> = catalog()
        .calls()
        .map(row)
        .filter(|row| page.matches(row.as_str()).count() != 1)
        .collect();
    assert!(
        missing.is_empty(),
        "missing or repeated in the page: {missing:?}"
    );
}

#[test]
fn every_call_has_a_unique_short_summary_and_an_example() {
    let catalog = catalog();
    let mut summaries = BTreeSet::new();
    for call in catalog.calls() {
        let Call { path, summary, .. } = call;
        let words = summary.split(' ').count();
        assert!((2..=6).contains(&words), "{path}: {summary}");
        assert!(summaries.insert(*summary), "{path}: {summary}");
        assert!(!call.example()["reply"].is_null(), "{path}: no example");
    }
}
