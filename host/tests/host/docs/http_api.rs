//! `docs/http-api.md` is a view of the `OpenAPI` document: a section for each call, with the notes
//! beside its module.

use std::{env, fmt::Write as _, fs, path::Path};

use serde_json::Value;

use crate::support::catalog;
use api::call::{AI, BODY, CLIENT, Call, GAME};

/// The page, with `{{calls}}`, `{{sections}}` and `{{NAME}}` for the fields of a schema.
const PAGE: &str = include_str!("http_api.md");
const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
/// The longest line of a printed reply.
const WIDTH: usize = 120;
/// The headings under which a schema is explained.
const EXPLAINED: [(&str, &str); 5] = [
    ("GameForm", "games"),
    ("LimitForm", "limits"),
    ("OptionReply", "options-of-a-request"),
    ("TraceForm", "trace"),
    ("TraceReply", "trace"),
];

/// The `OpenAPI` document.
struct Document(Value);

fn page() -> String {
    let catalog = catalog();
    let document = Document(serde_json::from_str(catalog.document()).unwrap());
    let calls = || {
        catalog
            .calls()
            .filter(|call| ["chess", "ai", "arena"].contains(&call.tag))
    };
    let mut sections = String::new();
    for call in calls() {
        sections = [
            sections.trim_end_matches('\n'),
            &document.section(call, &sections),
        ]
        .join("\n\n");
    }
    let page = PAGE
        .replace("{{calls}}\n", &calls().map(row).collect::<String>())
        .replace("{{sections}}\n", sections.trim_start());
    let mut parts = page.split("{{");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part
            .split_once("}}\n")
            .expect("a name of a schema on its own line");
        page += &document.fields("field", &document.schema(name));
        page += rest;
    }
    page
}

/// A call's row in the first table, with the first sentence of its description.
fn row(call: &Call) -> String {
    let Call {
        path,
        summary,
        description,
        ..
    } = call;
    let purpose = description
        .split(". ")
        .next()
        .unwrap_or_default()
        .trim_end_matches('.');
    let anchor = summary.to_lowercase().replace(' ', "-");
    let method = call.method.into_str();
    format!("| [`{method} {path}`](#{anchor}) | {purpose} |\n")
}

impl Document {
    /// The section of a call, without a table that is in one `before`.
    fn section(&self, call: &Call, before: &str) -> String {
        let Call {
            path,
            summary,
            description,
            ..
        } = call;
        let method = call.method.into_str();
        let operation = &self.0["paths"][path][method.to_ascii_lowercase()];
        let reply = &operation["responses"][call.status]["content"]["application/json"];
        let mut parts = vec![format!(
            "## {summary}\n\n{}",
            wrapped(&format!("`{method} {path}`. {description}"))
        )];
        parts.push(self.parameters(operation));
        parts.push(self.fields(
            "request",
            &operation["requestBody"]["content"]["application/json"]["schema"],
        ));
        if !reply.is_null() {
            // The server of the printed examples has no arena.
            if call.tag != "arena" {
                parts.push(example(call));
            }
            let schema = self.resolved(&reply["schema"]);
            parts.push(self.fields("reply", schema.get("items").unwrap_or(&schema)));
        }
        let notes = ["api", "server"].map(|package| {
            let calls = Path::new(FOLDER).join(format!("crates/{package}/src/calls"));
            fs::read_to_string(calls.join(module(path)).join("notes.md"))
        });
        parts.extend(notes.into_iter().flatten());
        parts.push(errors(call));
        parts.retain(|part| {
            !part.is_empty() && !before.contains(part.as_str()) || part.starts_with("Errors")
        });
        parts.join("\n")
    }

    fn parameters(&self, operation: &Value) -> String {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let own = parameters.filter(|parameter| parameter["in"] != "header");
        table(
            "parameter",
            own.map(|parameter| (text(&parameter["name"]), self.meaning(parameter))),
        )
    }

    /// The table of an object's fields.
    fn fields(&self, title: &str, schema: &Value) -> String {
        let schema = self.resolved(schema);
        let mut fields = Vec::new();
        self.add_fields(&schema, &mut fields);
        table(
            title,
            fields
                .iter()
                .map(|(name, meaning)| (name.as_str(), meaning.clone())),
        )
    }

    /// Adds the fields of a schema, of those that it extends and of its alternatives, each once.
    fn add_fields(&self, schema: &Value, fields: &mut Vec<(String, String)>) {
        let parts = ["allOf", "oneOf"]
            .into_iter()
            .filter_map(|key| schema[key].as_array())
            .flatten();
        parts.for_each(|part| self.add_fields(&self.resolved(part), fields));
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            if fields.iter().all(|(known, _)| known != name) {
                fields.push((name.clone(), self.meaning(field)));
            }
        }
    }

    /// What a field means, its words, and where its type is explained.
    fn meaning(&self, field: &Value) -> String {
        let kinds = [
            field,
            &field["items"],
            &field["schema"],
            &field["additionalProperties"],
        ];
        let kinds: Vec<_> = kinds
            .into_iter()
            .chain(field["oneOf"].as_array().into_iter().flatten())
            .collect();
        let names: Vec<_> = kinds
            .iter()
            .map(|kind| text(&kind["$ref"]).trim_start_matches("#/components/schemas/"))
            .collect();
        // The description of a field that may be null is that of its other type.
        let schemas = names
            .iter()
            .map(|name| &self.0["components"]["schemas"][name]);
        let described = kinds
            .iter()
            .copied()
            .chain(schemas)
            .find_map(|kind| kind["description"].as_str());
        let mut meaning = described
            .unwrap_or_default()
            .replace('\n', " ")
            .replace('|', "\\|");
        let words = names
            .iter()
            .find_map(|name| self.0["components"]["schemas"][name]["enum"].as_array());
        if let Some(words) = words.filter(|words| {
            !words
                .iter()
                .any(|word| meaning.contains(&format!("`{}`", text(word))))
        }) {
            let words: Vec<_> = words
                .iter()
                .map(|word| format!("`{}`", text(word)))
                .collect();
            let _ = write!(meaning, " One of {}.", words.join(", "));
        }
        if let Some((_, heading)) = EXPLAINED.iter().find(|(name, _)| names.contains(name)) {
            let _ = write!(meaning, " See [{}](#{heading}).", heading.replace('-', " "));
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

/// The folder of a call's module.
fn module(path: &str) -> String {
    match path.trim_start_matches("/v1/") {
        path if path.starts_with("requests/") => "served_request".to_owned(),
        path => path.replace('-', "_"),
    }
}

fn table<'a>(title: &str, rows: impl Iterator<Item = (&'a str, String)>) -> String {
    let rows = rows.filter(|(_, meaning)| !meaning.is_empty());
    let rows: Vec<_> = rows
        .map(|(name, meaning)| format!("| `{name}` | {meaning} |\n"))
        .collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("| {title} | |\n|---|---|\n{}", rows.concat())
    }
}

fn example(call: &Call) -> String {
    let example = call.example();
    let url = call.path.replace("{id}", text(&example["reply"]["id"]));
    let url = url.replace(
        "{request_id}",
        text(&example["reply"]["requests"][0]["request_id"]),
    );
    let url = format!("{url}{}", query(call));
    let sent = match &example["request"] {
        Value::Null => String::new(),
        body => format!(
            " -H 'Content-Type: application/json' \\\n    -d '{}'",
            on_one_line(body)
        ),
    };
    let mut reply = String::new();
    fold(&mut reply, &example["reply"], 0, true);
    format!(
        "```console\n$ curl -s {}{sent}\n{reply}\n```\n",
        quoted(&format!("localhost:8080{url}"))
    )
}

/// Returns the query of the example: that of its parameters.
fn query(call: &Call) -> String {
    let mut query = String::new();
    for parameter in (call.parameters)()
        .iter()
        .filter(|parameter| parameter["in"] == "query")
    {
        let value = match &parameter["example"] {
            Value::Null => continue,
            Value::String(text) => text.replace(' ', "%20"),
            other => other.to_string(),
        };
        let separator = if query.is_empty() { '?' } else { '&' };
        let _ = write!(query, "{separator}{}={value}", text(&parameter["name"]));
    }
    query
}

/// Quotes a URL for a shell, if it has a query.
fn quoted(url: &str) -> String {
    if url.contains('?') {
        format!("'{url}'")
    } else {
        url.to_owned()
    }
}

fn wrapped(paragraph: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in paragraph.split(' ') {
        let length = word.chars().count() + 1;
        if column > 0 {
            text.push(if column + length > WIDTH { '\n' } else { ' ' });
        }
        column = if text.ends_with('\n') {
            length
        } else {
            column + length
        };
        text += word;
    }
    text + "\n"
}

fn errors(call: &Call) -> String {
    let groups = [(CLIENT, "common-errors"), (AI, "ai-errors")];
    let groups = groups
        .iter()
        .filter(|(codes, _)| call.errors.contains(codes));
    let named = call
        .errors
        .iter()
        .filter(|codes| ![CLIENT, BODY, GAME, AI].contains(codes))
        .flat_map(|codes| codes.iter());
    let errors: Vec<_> = groups
        .map(|(_, heading)| {
            format!(
                "[{}](#{heading})",
                heading.replace('-', " ").replace("ai ", "AI ")
            )
        })
        .chain(named.map(|code| format!("`{}`", code.into_str())))
        .collect();
    if errors.is_empty() {
        String::new()
    } else {
        format!("Errors: {}.\n", errors.join(", "))
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn on_one_line(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(key, value)| format!("\"{key}\": {}", on_one_line(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(on_one_line).collect::<Vec<_>>().join(", ")
        ),
        other => other.to_string(),
    }
}

/// Writes a reply by its shape: of what does not fit on a line, the first item of a list, and the
/// fields of an object if it is `open`, otherwise `{…}`.
fn fold(out: &mut String, value: &Value, indent: usize, open: bool) {
    let (line, pad) = (on_one_line(value), " ".repeat(indent));
    let column = out.lines().last().unwrap_or_default().chars().count();
    match value {
        Value::Object(fields) if column + line.chars().count() >= WIDTH => {
            if !open {
                out.push_str("{…}");
                return;
            }
            let mut separator = "{";
            for (key, value) in fields {
                let _ = write!(out, "{separator}\n{pad}  \"{key}\": ");
                fold(out, value, indent + 2, fields.len() == 1);
                separator = ",";
            }
            let _ = write!(out, "\n{pad}}}");
        }
        Value::Array(items) if column + line.chars().count() >= WIDTH => {
            let _ = write!(out, "[\n{pad}  ");
            fold(out, &items[0], indent + 2, true);
            if items.len() > 1 {
                let _ = write!(out, ",\n{pad}  …");
            }
            let _ = write!(out, "\n{pad}]");
        }
        _ => out.push_str(&line),
    }
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
}
